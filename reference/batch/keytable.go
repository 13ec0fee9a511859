package batch

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// keyTable numbers encoded keys from 0 in the order in which they come. It is an open
// hash table whose slots hold the first bytes of their keys, so that a lookup of a known
// short key touches one place in memory and allocates nothing. Keys must be such that
// none is a prefix of another, as those of value.AppendKey are: then keys that agree in
// their first bytes, filled up with zeros, are equal or both longer.
type keyTable struct {
	slots []keySlot
	ends  []uint32 // end of each key in arena
	arena []byte
	limit int // keys before the table grows
}

type keySlot struct {
	hash   uint32
	number uint32 // from 1; 0 is free
	head   keyHead
}

// keyHead is the first bytes of a key.
type keyHead [3]uint64

const (
	headBytes  = 24
	firstSlots = 64
	// keyRoom is the capacity of a key buffer that spares headOf an allocation.
	keyRoom = 256
)

// headOf reads the first bytes of a key. It may write zeros behind the key.
func headOf(key []byte) (keyHead, uint32) {
	n := len(key)
	if n < headBytes {
		var zeros [headBytes]byte
		key = append(key, zeros[n:]...)
	}
	return paddedHead(key, n)
}

// paddedHead is headOf for a key of n bytes that is followed by zeros where it is short.
func paddedHead(key []byte, n int) (keyHead, uint32) {
	h := keyHead{
		binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:]), binary.LittleEndian.Uint64(key[16:]),
	}
	const k0, k1, k2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F
	hi, lo := bits.Mul64(h[0]^k0, h[1]^k1)
	x := hi ^ lo
	hi, lo = bits.Mul64(x^h[2], k2)
	x = hi ^ lo
	for rest := key[headBytes:max(n, headBytes)]; len(rest) > 0; {
		var w [8]byte
		rest = rest[copy(w[:], rest):]
		hi, lo = bits.Mul64(x^binary.LittleEndian.Uint64(w[:]), k0)
		x = hi ^ lo
	}
	return h, uint32(x>>32) ^ uint32(x)
}

// find returns the number of a key with its head and hash, or -1.
func (t *keyTable) find(key []byte, head *keyHead, hash uint32) int {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.number == 0 {
			return -1
		}
		if s.hash == hash && s.head == *head && (len(key) <= headBytes || bytes.Equal(t.key(int(s.number-1)), key)) {
			return int(s.number - 1)
		}
	}
}

// number returns the number of a key and whether it is new.
func (t *keyTable) number(key []byte) (n int, fresh bool) {
	head, hash := headOf(key)
	if n := t.find(key, &head, hash); n >= 0 {
		return n, false
	}
	n = len(t.ends)
	if n >= t.limit {
		t.grow()
	}
	t.arena = append(t.arena, key...)
	t.ends = append(t.ends, uint32(len(t.arena)))
	t.put(keySlot{hash, uint32(n + 1), head})
	return n, true
}

func (t *keyTable) put(s keySlot) {
	mask := uint32(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].number != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]keySlot, max(firstSlots, 2*len(old)))
	t.limit = len(t.slots) * 4 / 5
	for _, s := range old {
		if s.number != 0 {
			t.put(s)
		}
	}
}

// key is the bytes of a numbered key.
func (t *keyTable) key(n int) []byte {
	from := uint32(0)
	if n > 0 {
		from = t.ends[n-1]
	}
	return t.arena[from:t.ends[n]]
}

// full reports that the arena's offsets would soon not fit any more.
func (t *keyTable) full() bool { return len(t.arena) > 1<<31 }
