package checks

import (
	"sync"

	"github.com/labgrade/labgrade/labs"
)

// kept remembers what is computed again and again for many submissions: at most maxKept
// values, then it begins anew.
type kept[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

const maxKept = 512

func (k *kept[K, V]) get(key K, compute func() V) V {
	k.mu.Lock()
	v, ok := k.values[key]
	k.mu.Unlock()
	if ok {
		return v
	}
	v = compute()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil || len(k.values) >= maxKept {
		k.values = map[K]V{}
	}
	k.values[key] = v
	return v
}

// script is labScript of one of the lab's own steps.
func (g *Grader) script(step *labs.Step) string {
	return g.scripts.get(step, func() string { return labScript(g.lab, step) })
}

// mutationsOf are the mutations of a text of one of the lab's own steps that do not depend
// on what was saved.
func (g *Grader) mutationsOf(step *labs.Step, text string) []mutation {
	return g.mutants.get(stepText{step, text}, func() []mutation { return mutations(g.lab, step, text) })
}

type stepText struct {
	step *labs.Step
	text string
}
