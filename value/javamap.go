package value

import "iter"

// JavaMap has the iteration order of java.util.HashMap, on which the order of
// several of Flink's outputs depends: slots ascending, inside a slot the order of
// insertion. Keys are encoded values (AppendKey) together with the hashCode of the Java key. The
// order inside a slot that Java has turned into a tree (9 keys and more in one of
// at least 64 slots) is not followed. The zero value is an empty map.
type JavaMap[V any] struct {
	slots [][]*javaEntry[V]
	size  int
	index map[string]*javaEntry[V]
}

type javaEntry[V any] struct {
	key   string
	hash  uint32 // spread
	value V
}

const javaTreeifyAt = 8

func spread(h int32) uint32 { return uint32(h) ^ uint32(h)>>16 }

// Len is the number of keys.
func (m *JavaMap[V]) Len() int { return m.size }

// Get returns the value of a key.
func (m *JavaMap[V]) Get(key []byte) (v V, ok bool) {
	if e := m.index[string(key)]; e != nil {
		return e.value, true
	}
	return v, false
}

// Put returns the place of the value of a key, which is new when existed is false. A
// key that exists keeps its place in the order.
func (m *JavaMap[V]) Put(key []byte, hash int32) (v *V, existed bool) {
	if e := m.index[string(key)]; e != nil {
		return &e.value, true
	}
	if m.slots == nil {
		m.slots = make([][]*javaEntry[V], 16)
	}
	if m.index == nil {
		m.index = make(map[string]*javaEntry[V])
	}
	e := &javaEntry[V]{key: string(key), hash: spread(hash)}
	m.index[e.key] = e
	i := e.hash & uint32(len(m.slots)-1)
	m.slots[i] = append(m.slots[i], e)
	m.size++
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
	e := m.index[string(key)]
	if e == nil {
		return false
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
	m.size--
	return true
}

// Clear empties the map and keeps the size of its table, as HashMap.clear.
func (m *JavaMap[V]) Clear() {
	clear(m.index)
	for i := range m.slots {
		m.slots[i] = m.slots[i][:0]
	}
	m.size = 0
}

// All visits keys and values in Java's order. The map must not be changed meanwhile
// but for the values.
func (m *JavaMap[V]) All() iter.Seq2[string, *V] {
	return func(yield func(string, *V) bool) {
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
