package checks

import "sync"

// purpose is why a script is run. It says how long its answers are remembered.
type purpose uint8

const (
	// forTruth are the lab's own scripts, whose answers are never forgotten.
	forTruth purpose = iota
	// forModel are usual mistakes, which are the same for every submission.
	forModel
	// forLearner are learners' own scripts and data.
	forLearner
)

// maxRemembered is the size in bytes up to which learners' scripts are remembered: what is
// larger is no answer to an exercise, and would take its place from many that are.
const maxRemembered = 64 << 10

// memory is answers to scripts, of a bounded number with a bounded number of rows.
type memory struct {
	maxScripts, maxRows int // 0 does not bound
	memos               map[string]*memo
	rows                int
}

func newMemories() [3]*memory {
	return [3]*memory{
		forTruth:   {memos: map[string]*memo{}},
		forModel:   {maxScripts: 1024, maxRows: 200_000, memos: map[string]*memo{}},
		forLearner: {maxScripts: 256, maxRows: 100_000, memos: map[string]*memo{}},
	}
}

// memo computes something once.
type memo struct {
	once    sync.Once
	answers []*answer
	err     error
}

// remembered is the place of a script's answers. When there are too many, all are forgotten.
func (g *Grader) remembered(id string, p purpose) *memo {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := g.memory[p]
	m := k.memos[id]
	if m == nil {
		m = &memo{}
		if k.maxScripts > 0 && len(k.memos) >= k.maxScripts || k.maxRows > 0 && k.rows >= k.maxRows {
			clear(k.memos)
			k.rows = 0
		}
		k.memos[id] = m
	}
	return m
}

// counted adds the rows of answers that were just computed.
func (g *Grader) counted(list []*answer, p purpose) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range list {
		g.memory[p].rows += len(a.rows)
	}
}

// forget removes m, unless another has taken its place.
func (g *Grader) forget(id string, p purpose, m *memo) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if memos := g.memory[p].memos; memos[id] == m {
		delete(memos, id)
	}
}
