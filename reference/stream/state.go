package stream

import (
	"encoding/binary"
	"hash/maphash"
	"reflect"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// State is a digest of everything on which the rest of the run depends, apart from what the
// sources still have: the state of the operators, and what waits between them. Two moments
// of two runs of one plan with equal digests (made with one seed) go on alike. Moments that
// would go on alike may have different digests, since scratch space is not told from state.
// The automaton of MATCH_RECOGNIZE is not read: with it the digest is that of the choices so far.
func (m *Merge) State(seed maphash.Seed) uint64 {
	s := stateReader{seed: seed, seen: map[uintptr]bool{}, types: map[reflect.Type]bool{}}
	if f := m.job.rt.Facts; f != nil && f.Complete && !f.late {
		s.skip = "expired"
	}
	var h maphash.Hash
	h.SetSeed(seed)
	switch {
	case m.job.pathOnly:
		h.Write(m.job.path)
		return h.Sum64()
	case m.job.byCounts:
		for _, n := range m.Taken {
			s.number(&h, uint64(n))
		}
		return h.Sum64()
	}
	for _, p := range m.job.parts {
		s.value(&h, reflect.ValueOf(p))
	}
	if s.deep {
		h.Write(m.job.path)
	}
	return h.Sum64()
}

// stateReader walks through operators by reflection, so that a new operator needs no code
// for it. What cannot change during a run is left out: plans, types, compiled expressions.
type stateReader struct {
	seed maphash.Seed
	// seen has the operators that were met, which are linked to one another.
	seen map[uintptr]bool
	// types remembers which types are constant.
	types map[reflect.Type]bool
	// skip is the field of intervalSide that no later row will ask for, or "".
	skip string
	// depth guards against a circle of other pointers; deep tells that it was reached.
	depth int
	deep  bool
}

const maxStateDepth = 1000

// constant tells types whose values do not change while a plan runs, or say the same twice.
func (s *stateReader) constant(t reflect.Type) bool {
	c, ok := s.types[t]
	if !ok {
		c = isConstant(t)
		s.types[t] = c
	}
	return c
}

func isConstant(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[job](), reflect.TypeFor[value.Type](), reflect.TypeFor[value.Field](), reflect.TypeFor[keyEncoder](),
		reflect.TypeFor[joinedRow](), reflect.TypeFor[matcher](), reflect.TypeFor[Cause](), reflect.TypeFor[Reader]():
		return true
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan:
		return true
	case reflect.Pointer, reflect.Slice:
		return isConstant(t.Elem())
	}
	p := t.PkgPath()
	return strings.Contains(p, "/reference/") && !strings.HasSuffix(p, "/reference/stream")
}

func (s *stateReader) value(h *maphash.Hash, v reflect.Value) {
	if !v.IsValid() {
		h.WriteByte(0)
		return
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		if s.constant(v.Type()) {
			return
		}
	}
	if s.depth > maxStateDepth {
		s.deep = true
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	switch v.Kind() {
	case reflect.Bool:
		s.number(h, b2u(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.number(h, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.number(h, v.Uint())
	case reflect.Float32, reflect.Float64:
		maphash.WriteComparable(h, v.Float())
	case reflect.String:
		s.number(h, uint64(v.Len()))
		h.WriteString(v.String())
	case reflect.Pointer:
		s.pointer(h, v)
	case reflect.Interface:
		if !v.IsNil() {
			h.WriteString(v.Elem().Type().String())
		}
		s.value(h, v.Elem())
	case reflect.Slice, reflect.Array:
		s.list(h, v)
	case reflect.Struct:
		switch v.Type() {
		case reflect.TypeFor[timers]():
			s.timers(h, v.FieldByName("heap"))
			return
		case reflect.TypeFor[intervalSide]():
			s.fields(h, v, s.skip)
			return
		case reflect.TypeFor[orderedRows]():
			s.ordered(h, v.FieldByName("blocks"))
			return
		case reflect.TypeFor[arrivals[value.Value]](), reflect.TypeFor[arrivals[struct{}]]():
			s.arrivals(h, v)
			return
		case reflect.TypeFor[countedValues]():
			s.fields(h, v, "best")
			return
		}
		s.fields(h, v, "")
	case reflect.Map:
		s.mapped(h, v)
	}
}

// pointer follows a pointer; of an operator only the first time, since all lead to the next.
func (s *stateReader) pointer(h *maphash.Hash, v reflect.Value) {
	if v.IsNil() {
		h.WriteByte(0)
		return
	}
	if isPart(v.Type()) {
		k := v.Pointer()
		if s.seen[k] {
			return
		}
		s.seen[k] = true
	}
	s.value(h, v.Elem())
}

func isPart(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[operator]()) || t.Implements(reflect.TypeFor[driver]()) ||
		t.Implements(reflect.TypeFor[twoInput]())
}

func (s *stateReader) fields(h *maphash.Hash, v reflect.Value, skip string) {
	for i := range v.NumField() {
		if v.Type().Field(i).Name != skip {
			s.value(h, v.Field(i))
		}
	}
}

// ordered reads rows by rank; how they lie in blocks, and when they came, decides nothing.
func (s *stateReader) ordered(h *maphash.Hash, blocks reflect.Value) {
	for b := range blocks.Len() {
		for i := range blocks.Index(b).Len() {
			s.value(h, blocks.Index(b).Index(i).FieldByName("row"))
		}
	}
	h.WriteByte(0)
}

// arrivals reads values that are not gone, in order.
func (s *stateReader) arrivals(h *maphash.Hash, v reflect.Value) {
	items := v.FieldByName("items")
	for i := range items.Len() {
		if it := items.Index(i); !it.FieldByName("gone").Bool() {
			s.value(h, it.FieldByName("key"))
			s.value(h, it.FieldByName("v"))
		}
	}
	h.WriteByte(0)
	s.value(h, v.FieldByName("missing"))
}

// timers reads a heap. How it grew shows only in the order of timers with one time; without
// such the timers are a set.
func (s *stateReader) timers(h *maphash.Hash, heap reflect.Value) {
	times := map[int64]bool{}
	timer := func(i int) reflect.Value { return heap.Index(i).Elem().FieldByName("timer") }
	for i := 1; i < heap.Len(); i++ {
		times[timer(i).FieldByName("at").Int()] = true
	}
	s.number(h, uint64(heap.Len()))
	if len(times) < heap.Len()-1 {
		for i := 1; i < heap.Len(); i++ {
			s.value(h, timer(i))
		}
		return
	}
	var sum uint64
	for i := 1; i < heap.Len(); i++ {
		var e maphash.Hash
		e.SetSeed(s.seed)
		s.value(&e, timer(i))
		sum += e.Sum64()
	}
	s.number(h, sum)
}

func (s *stateReader) list(h *maphash.Hash, v reflect.Value) {
	n := v.Len()
	s.number(h, uint64(n))
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		h.Write(v.Bytes())
		return
	}
	for i := range n {
		s.value(h, v.Index(i))
	}
}

// mapped adds the entries up, since a map has no order.
func (s *stateReader) mapped(h *maphash.Hash, v reflect.Value) {
	var sum uint64
	for it := v.MapRange(); it.Next(); {
		var e maphash.Hash
		e.SetSeed(s.seed)
		s.value(&e, it.Key())
		s.value(&e, it.Value())
		sum += e.Sum64()
	}
	s.number(h, uint64(v.Len()))
	s.number(h, sum)
}

func (s *stateReader) number(h *maphash.Hash, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
