package stream

// arrivals is what a list aggregate keeps: values in the order in which they came, with the
// text by which equal ones are known. Taking back a value removes the earliest equal one.
type arrivals[V any] struct {
	items []arrival[V]
	gone  int // items that were taken back and still have a place
	head  int // items before it are gone
	// places finds the items of a key; nil as long as the list is short, or nothing was taken back.
	places map[string]arrivalPlaces
	// missing are keys that were taken back before they came.
	missing []string
}

type arrival[V any] struct {
	key  string
	v    V
	next int // the next item with this key
	gone bool
}

// arrivalPlaces are the first and last item of a key.
type arrivalPlaces struct{ first, last int }

// shortArrivals is the length up to which a list is searched from its begin.
const shortArrivals = 32

func (l *arrivals[V]) len() int { return len(l.items) - l.gone }

func (l *arrivals[V]) add(key string, v V) {
	l.items = append(l.items, arrival[V]{key: key, v: v})
	if l.places != nil {
		l.place(len(l.items) - 1)
	}
}

func (l *arrivals[V]) place(i int) {
	k := l.items[i].key
	p, ok := l.places[k]
	if ok {
		l.items[p.last].next, p.last = i, i
	} else {
		p = arrivalPlaces{i, i}
	}
	l.places[k] = p
}

// remove takes out the earliest item with the key; false if there is none.
func (l *arrivals[V]) remove(key string) bool {
	if l.places == nil {
		if len(l.items) <= shortArrivals {
			for i := range l.items {
				if l.items[i].key == key {
					l.items = append(l.items[:i], l.items[i+1:]...)
					return true
				}
			}
			return false
		}
		l.places = make(map[string]arrivalPlaces, len(l.items))
		for i := range l.items {
			l.place(i)
		}
	}
	p, ok := l.places[key]
	if !ok {
		return false
	}
	if p.first == p.last {
		delete(l.places, key)
	} else {
		l.places[key] = arrivalPlaces{l.items[p.first].next, p.last}
	}
	l.items[p.first] = arrival[V]{gone: true}
	l.gone++
	if l.gone > len(l.items)/2+shortArrivals {
		l.compact()
	}
	return true
}

// compact gives up the places of what is gone.
func (l *arrivals[V]) compact() {
	kept := l.items[:0]
	for _, it := range l.items {
		if !it.gone {
			kept = append(kept, arrival[V]{key: it.key, v: it.v})
		}
	}
	clear(l.items[len(kept):])
	l.items, l.gone, l.head, l.places = kept, 0, 0, nil
}

// all calls f for each item in order.
func (l *arrivals[V]) all(f func(key string, v V)) {
	for i := range l.items {
		if it := &l.items[i]; !it.gone {
			f(it.key, it.v)
		}
	}
}

// first is the earliest item of a list that has some.
func (l *arrivals[V]) first() V {
	for l.items[l.head].gone {
		l.head++
	}
	return l.items[l.head].v
}

// last is the latest item of a list that has some.
func (l *arrivals[V]) last() V {
	for l.items[len(l.items)-1].gone {
		l.items = l.items[:len(l.items)-1]
		l.gone--
	}
	return l.items[len(l.items)-1].v
}

// merge appends o and settles what was taken back early.
func (l *arrivals[V]) merge(o *arrivals[V]) {
	o.all(l.add)
	open := append(l.missing, o.missing...)
	l.missing = nil
	for _, k := range open {
		if !l.remove(k) {
			l.missing = append(l.missing, k)
		}
	}
}
