// Package merge answers whether some order of taking the rows of several inputs makes a
// plan give a certain log.
//
// Flink does not define in which order an operator reads two inputs, so a query over two
// sources has many right logs. Each input keeps its own order; what is free is which input
// gives the next element. The search tries the orders one element at a time, leaves one as
// soon as it gives a row that the log does not have there, and never goes on twice from one
// state of the plan at one place of the log. So it is exact: a log is accepted if and only
// if a merge gives it.
//
// The evaluator is the only one that there is, reference/stream: the search runs it again
// from the beginning for every order that it tries.
package merge

import (
	"errors"
	"hash/maphash"
	"reflect"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// Run executes a plan from the beginning, with its inputs in the given order.
type Run func(order stream.Order, out stream.Out) error

// Log is what is to be explained.
type Log interface {
	// Len is the number of rows.
	Len() int
	// Equal reports whether the row with index i, from 0, is this one. The row is borrowed.
	Equal(i int, kind changelog.RowKind, row value.Row) bool
}

// Limits bound a search; a zero field stands for the default.
type Limits struct {
	// Elements is how many rows and watermarks may be taken in all runs together.
	Elements int
	// States is how many states may be remembered.
	States int
}

const (
	defaultElements = 1_000_000
	defaultStates   = 400_000
	// maxCandidates bounds what a result tells about the rows that could have come.
	maxCandidates = 8
)

// Result is the answer of a search.
type Result struct {
	// Found: a merge gives the log.
	Found bool
	// Path has the choices of the merge that was found, else of one that gives all rows
	// before At, in the order in which they are asked for.
	Path []int
	// GaveUp: the limits were reached before an answer was found.
	GaveUp bool
	// At is the index of the first row of the log that no merge explains: the rows before
	// it are those of some merge, together with it of none. It is the log's length when a row is missing
	// at the end. Only valid if neither Found nor GaveUp.
	At int
	// Candidates are rows that a merge which gives all rows before At could have given
	// next; none if all of them end there.
	Candidates []Candidate
	// Err is an error with which every run that came as far as At ended, if any.
	Err error
}

// Candidate is a row that could have been the next one.
type Candidate struct {
	Kind  changelog.RowKind
	Row   value.Row
	Cause stream.Cause
}

// errDead leaves an order that leads nowhere.
var errDead = errors.New("no way on")

// errLimit ends a search that takes too long.
var errLimit = errors.New("too many orders")

// Search looks for an order. The error is one that Run gave for another reason than that
// Flink's job fails.
func Search(run Run, log Log, lim Limits) (Result, error) {
	if lim.Elements == 0 {
		lim.Elements = defaultElements
	}
	if lim.States == 0 {
		lim.States = defaultStates
	}
	s := &search{run: run, log: log, lim: lim, seed: maphash.MakeSeed(), dead: map[position]bool{}}
	for {
		done, err := s.once()
		switch {
		case errors.Is(err, errLimit):
			return Result{GaveUp: true}, nil
		case err != nil:
			return Result{}, err
		case done:
			return Result{Found: true, Path: s.inputs()}, nil
		}
		if !s.back() {
			return Result{At: s.far, Path: s.farPath, Candidates: s.candidates, Err: s.err}, nil
		}
	}
}

// Follow is the order of a Path.
func Follow(path []int) stream.Order {
	return func(*stream.Merge) (int, error) {
		if len(path) == 0 {
			return 0, errors.New("the path ends before the plan")
		}
		next := path[0]
		path = path[1:]
		return next, nil
	}
}

// Begin is the order that begins with a path and then takes the inputs in turns.
func Begin(path []int) stream.Order {
	last := 1
	return func(m *stream.Merge) (int, error) {
		if len(path) > 0 {
			last, path = path[0], path[1:]
			if last < len(m.Open) && m.Open[last] {
				return last, nil
			}
		}
		for i := 1; i <= len(m.Open); i++ {
			if in := (last + i) % len(m.Open); m.Open[in] {
				last = in
				break
			}
		}
		return last, nil
	}
}

// position is a state of the plan at a place of the log. The merge that asks belongs to it:
// a lower one asks when the upper one has decided to take an element of it.
type position struct {
	state uint64
	point int
	at    int
}

// choice is a decision of the order that is being tried.
type choice struct {
	input int
	// others are the inputs that have not been tried here.
	others []int
}

type search struct {
	run  Run
	log  Log
	lim  Limits
	seed maphash.Seed

	path []choice
	// dead has the positions that were gone on from.
	dead     map[position]bool
	elements int

	// of the current run
	step int
	at   int

	// far is how much of the log was explained at best.
	far        int
	farPath    []int
	candidates []Candidate
	err        error
}

// once runs the plan along the path and on from its end, as far as the log agrees.
func (s *search) once() (bool, error) {
	s.step, s.at = 0, 0
	err := s.run(s.order, s.out)
	switch {
	case errors.Is(err, errDead):
		return false, nil
	case err == nil && s.at == s.log.Len():
		return true, nil
	case err == nil:
		s.reached(s.at)
		return false, nil
	}
	var failed *flinkerr.Error
	if errors.As(err, &failed) {
		s.reached(s.at)
		if s.at == s.far {
			s.err = err
		}
		return false, nil
	}
	return false, err
}

// order takes the next step of the path or makes a new one.
func (s *search) order(m *stream.Merge) (int, error) {
	s.elements++
	if s.elements > s.lim.Elements {
		return 0, errLimit
	}
	if s.step < len(s.path) {
		s.step++
		return s.path[s.step-1].input, nil
	}
	p := position{m.State(s.seed), m.Point, s.at}
	if s.dead[p] {
		return 0, errDead
	}
	if len(s.dead) >= s.lim.States {
		return 0, errLimit
	}
	s.dead[p] = true
	c := choice{input: -1}
	for _, i := range s.preferred(m) {
		if c.input < 0 {
			c.input = i
		} else {
			c.others = append(c.others, i)
		}
	}
	s.path = append(s.path, c)
	s.step++
	return c.input, nil
}

func (s *search) inputs() []int {
	var in []int
	for _, c := range s.path {
		in = append(in, c.input)
	}
	return in
}

// preferred lists the open inputs, the most likely one first: Flink's joins take their
// inputs in turns.
func (s *search) preferred(m *stream.Merge) []int {
	var in []int
	for i, open := range m.Open {
		if open {
			in = append(in, i)
		}
	}
	if n := len(s.path); n > 0 && len(in) == 2 && in[0] == s.path[n-1].input {
		in[0], in[1] = in[1], in[0]
	}
	return in
}

// back goes to the last decision that can be made otherwise.
func (s *search) back() bool {
	for n := len(s.path); n > 0; n-- {
		if c := &s.path[n-1]; len(c.others) > 0 {
			c.input, c.others = c.others[0], c.others[1:]
			s.path = s.path[:n]
			return true
		}
	}
	return false
}

func (s *search) out(kind changelog.RowKind, row value.Row, cause stream.Cause) error {
	if s.at < s.log.Len() && s.log.Equal(s.at, kind, row) {
		s.at++
		return nil
	}
	s.reached(s.at)
	if s.at == s.far {
		s.candidate(kind, row, cause)
	}
	return errDead
}

// reached notes how far an order went.
func (s *search) reached(at int) {
	if at > s.far {
		s.far, s.candidates, s.err = at, nil, nil
		s.farPath = s.inputs()[:s.step]
	}
}

func (s *search) candidate(kind changelog.RowKind, row value.Row, cause stream.Cause) {
	if len(s.candidates) >= maxCandidates {
		return
	}
	for _, c := range s.candidates {
		if c.Kind == kind && reflect.DeepEqual(c.Row, row) {
			return
		}
	}
	kept := make(value.Row, len(row))
	for i, v := range row {
		kept[i] = v
		if t := v.Str(); t != "" {
			kept[i] = v.WithStr(strings.Clone(t))
		}
	}
	s.candidates = append(s.candidates, Candidate{Kind: kind, Row: kept, Cause: cause})
}
