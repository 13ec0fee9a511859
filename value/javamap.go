package value

import (
	"iter"
	"slices"
)

// JavaMap has the iteration order of java.util.HashMap, on which the order of
// several of Flink's outputs depends: slots ascending, inside a slot the order of
// insertion. Keys are encoded values (AppendKey) together with the hashCode of the Java key. The
// order inside a slot that Java has turned into a tree (9 keys and more in one of
// at least 64 slots) is not followed. The zero value is an empty map.
type JavaMap[V any] struct {
	// few is the entries, sorted by slot, as long as there were never more than javaFew: most maps
	// are that small, and a table and an index would be far larger than their content.
	few   []*javaEntry[V]
	slots [][]*javaEntry[V]
	size  int
	index map[string]*javaEntry[V]
}

type javaEntry[V any] struct {
	key   string
	hash  uint32 // spread
	value V
}

const (
	javaTreeifyAt = 8
	// javaFew entries fit the smallest table, javaSlots, however they are spread.
	javaFew   = 8
	javaSlots = 16
)

func spread(h int32) uint32 { return uint32(h) ^ uint32(h)>>16 }

// Len is the number of keys.
func (m *JavaMap[V]) Len() int { return m.size }

func (m *JavaMap[V]) find(key []byte) *javaEntry[V] {
	if m.slots != nil {
		return m.index[string(key)]
	}
	for _, e := range m.few {
		if e.key == string(key) {
			return e
		}
	}
	return nil
}

// Get returns the value of a key.
func (m *JavaMap[V]) Get(key []byte) (v V, ok bool) {
	if e := m.find(key); e != nil {
		return e.value, true
	}
	return v, false
}

// Put returns the place of the value of a key, which is new when existed is false. A
// key that exists keeps its place in the order.
func (m *JavaMap[V]) Put(key []byte, hash int32) (v *V, existed bool) {
	if e := m.find(key); e != nil {
		return &e.value, true
	}
	e := &javaEntry[V]{key: string(key), hash: spread(hash)}
	m.size++
	if m.slots == nil && len(m.few) < javaFew {
		i := len(m.few)
		for i > 0 && m.few[i-1].hash%javaSlots > e.hash%javaSlots {
			i--
		}
		m.few = slices.Insert(m.few, i, e)
		return &e.value, false
	}
	if m.slots == nil {
		m.slots, m.index = make([][]*javaEntry[V], javaSlots), make(map[string]*javaEntry[V])
		for _, x := range m.few {
			m.index[x.key] = x
			m.slots[x.hash%javaSlots] = append(m.slots[x.hash%javaSlots], x)
		}
		m.few = nil
	}
	m.index[e.key] = e
	i := e.hash & uint32(len(m.slots)-1)
	m.slots[i] = append(m.slots[i], e)
	// A long chain in a small table makes Java double the table.
	if len(m.slots[i]) > javaTreeifyAt && len(m.slots) < 64 {
		m.grow()
	}
	if m.size > len(m.slots)*3/4 {
		m.grow()
	}
	return &e.value, false
}

func (m *JavaMap[V]) grow() {
	old := m.slots
	m.slots = make([][]*javaEntry[V], 2*len(old))
	for _, s := range old {
		for _, e := range s {
			i := e.hash & uint32(len(m.slots)-1)
			m.slots[i] = append(m.slots[i], e)
		}
	}
}

// Remove deletes a key; the table does not shrink.
func (m *JavaMap[V]) Remove(key []byte) bool {
	e := m.find(key)
	if e == nil {
		return false
	}
	m.size--
	if m.slots == nil {
		i := slices.Index(m.few, e)
		m.few = append(m.few[:i:i], m.few[i+1:]...)
		return true
	}
	delete(m.index, e.key)
	i := e.hash & uint32(len(m.slots)-1)
	s := m.slots[i]
	for j := range s {
		if s[j] == e {
			m.slots[i] = append(s[:j:j], s[j+1:]...)
			break
		}
	}
	return true
}

// Clear empties the map and keeps the size of its table, as HashMap.clear.
func (m *JavaMap[V]) Clear() {
	m.few = nil
	clear(m.index)
	for i := range m.slots {
		m.slots[i] = m.slots[i][:0]
	}
	m.size = 0
}

// Place is a number that is smaller for keys that All visits earlier; the key must be there.
func (m *JavaMap[V]) Place(key []byte) int64 {
	e := m.find(key)
	if m.slots == nil {
		return int64(slices.Index(m.few, e))
	}
	i := e.hash & uint32(len(m.slots)-1)
	return int64(i)<<32 | int64(slices.Index(m.slots[i], e))
}

// All visits keys and values in Java's order. The map must not be changed meanwhile
// but for the values.
func (m *JavaMap[V]) All() iter.Seq2[string, *V] {
	return func(yield func(string, *V) bool) {
		for _, e := range m.few {
			if !yield(e.key, &e.value) {
				return
			}
		}
		for _, s := range m.slots {
			for _, e := range s {
				if !yield(e.key, &e.value) {
					return
				}
			}
		}
	}
}

// SortJavaMap brings keys and elems, given in order of insertion without duplicates,
// into the order of a java.util.HashMap over keys of type t.
func SortJavaMap(t *Type, keys, elems []Value) {
	var m JavaMap[int]
	var buf []byte
	for i, k := range keys {
		buf = AppendKey(buf[:0], *t, k)
		p, _ := m.Put(buf, JavaHash(t, k))
		*p = i
	}
	ks, es := make([]Value, 0, len(keys)), make([]Value, 0, len(keys))
	for _, i := range m.All() {
		ks, es = append(ks, keys[*i]), append(es, elems[*i])
	}
	copy(keys, ks)
	copy(elems, es)
}
