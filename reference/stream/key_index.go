package stream

import (
	"bytes"
	"hash/maphash"
)

// keyIndex numbers encoded keys from 0 as they come. Slots are probed linearly and hold
// the key itself if it is short, so that finding a key mostly reads one line of memory.
type keyIndex struct {
	slots []indexSlot
	seed  maphash.Seed
	long  [][]byte // keys that do not fit a slot, by number
	count int
}

const (
	slotBytes = 20
	// keyRoom is a usual capacity of key buffers.
	keyRoom = 64
)

// indexSlot is a key of up to slotBytes bytes, or the begin of a longer one.
type indexSlot struct {
	hash   uint32
	number uint32 // from 1; 0 is free
	length uint32
	head   [slotBytes]byte
}

func (x *keyIndex) hash(key []byte) uint32 {
	if x.slots == nil {
		x.grow()
	}
	return uint32(maphash.Bytes(x.seed, key))
}

// numberHashed gives the number of a key with its hash, and whether it is new.
func (x *keyIndex) numberHashed(key []byte, hash uint32) (n int, fresh bool) {
	if x.count*4 >= len(x.slots)*3 {
		x.grow()
	}
	s := indexSlot{hash: hash, length: uint32(len(key))}
	copy(s.head[:], key)
	mask := uint32(len(x.slots) - 1)
	for i := s.hash & mask; ; i = (i + 1) & mask {
		p := &x.slots[i]
		if p.number == 0 {
			s.number = uint32(x.count + 1)
			*p = s
			x.count++
			if len(key) > slotBytes {
				for len(x.long) < x.count {
					x.long = append(x.long, nil)
				}
				x.long[x.count-1] = bytes.Clone(key)
			}
			return x.count - 1, true
		}
		if p.hash == s.hash && p.length == s.length && p.head == s.head && (len(key) <= slotBytes || bytes.Equal(x.long[p.number-1], key)) {
			return int(p.number - 1), false
		}
	}
}

func (x *keyIndex) grow() {
	old := x.slots
	if old == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots = make([]indexSlot, max(64, 2*len(old)))
	mask := uint32(len(x.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		i := s.hash & mask
		for x.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = s
	}
}
