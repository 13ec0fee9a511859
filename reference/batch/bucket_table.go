package batch

import (
	"math"
	"math/bits"
)

// bucketTable keeps the rows of a hash join's build side where Flink's BinaryHashTable
// keeps them, for it hands them out in that order: partitions by the hash of the key,
// in each of them buckets of 15 entries, and overflow buckets behind a full one.
type bucketTable struct{ partitions []bucketArea }

type bucketArea struct {
	buckets         []bucket
	size, threshold int
}

// bucket holds numbers of rows. A new overflow bucket comes before the older ones.
type bucket struct {
	main     []bucketEntry
	overflow [][]bucketEntry
}

type bucketEntry struct {
	hash int32
	row  int
}

const (
	bucketEntries     = 15
	bucketsPerSegment = 256
	segmentBytes      = 32 * 1024
	bucketLoad        = 0.75
	maxPartitions     = 127
	minPartitions     = 11
	// tableSegments is the memory of a hash join alone in a slot of the default set-up.
	tableSegments = 4096
)

// newBucketTable sizes the table by the planner's estimates, as Flink does.
func newBucketTable(rows, rowBytes int64) *bucketTable {
	n := int(min(rows*rowBytes/(10*segmentBytes), maxPartitions))
	for n > 1 && !prime(n) {
		n--
	}
	n = max(minPartitions, n)
	most := max(1, (tableSegments-2)/6/n)
	buckets := int(math.Ceil(float64(rows) / float64(n) / bucketLoad / bucketEntries))
	segments := max(1, min(most, (buckets+bucketsPerSegment-1)/bucketsPerSegment))
	segments = 1 << (bits.Len(uint(segments)) - 1)
	t := &bucketTable{partitions: make([]bucketArea, n)}
	for i := range t.partitions {
		t.partitions[i].reset(segments * bucketsPerSegment)
	}
	return t
}

func prime(n int) bool {
	for i := 2; i*i <= n; i++ {
		if n%i == 0 {
			return false
		}
	}
	return n > 1
}

func (a *bucketArea) reset(buckets int) {
	a.buckets = make([]bucket, buckets)
	a.threshold = int(float64(buckets*bucketEntries) * bucketLoad)
}

// positive is BaseHybridHashTable.hash at the first level.
func positive(hash int32) int32 {
	if hash < 0 {
		return -(hash + 1)
	}
	return hash
}

func (a *bucketArea) bucket(hash int32) *bucket {
	h := uint32(hash)
	return &a.buckets[(h^h>>16)&uint32(len(a.buckets)-1)]
}

// insert adds a row under the hash of its key.
func (t *bucketTable) insert(hash int32, row int) {
	hash = positive(hash)
	a := &t.partitions[int(hash)%len(t.partitions)]
	a.bucket(hash).add(bucketEntry{hash, row})
	a.size++
	if a.size > a.threshold {
		old := a.buckets
		a.reset(2 * len(old))
		for i := range old {
			old[i].each(func(e bucketEntry) bool {
				a.bucket(e.hash).add(e)
				return true
			})
		}
	}
}

func (b *bucket) add(e bucketEntry) {
	switch {
	case len(b.main) < bucketEntries:
		b.main = append(b.main, e)
	case len(b.overflow) > 0 && len(b.overflow[0]) < bucketEntries:
		b.overflow[0] = append(b.overflow[0], e)
	default:
		b.overflow = append([][]bucketEntry{{e}}, b.overflow...)
	}
}

func (b *bucket) each(f func(bucketEntry) bool) bool {
	for _, e := range b.main {
		if !f(e) {
			return false
		}
	}
	for _, o := range b.overflow {
		for _, e := range o {
			if !f(e) {
				return false
			}
		}
	}
	return true
}

// lookup calls f for the rows whose keys have the hash.
func (t *bucketTable) lookup(hash int32, f func(row int) bool) {
	hash = positive(hash)
	a := &t.partitions[int(hash)%len(t.partitions)]
	a.bucket(hash).each(func(e bucketEntry) bool { return e.hash != hash || f(e.row) })
}

// all calls f for every row in the table's own order.
func (t *bucketTable) all(f func(row int) bool) {
	for i := range t.partitions {
		for k := range t.partitions[i].buckets {
			if !t.partitions[i].buckets[k].each(func(e bucketEntry) bool { return f(e.row) }) {
				return
			}
		}
	}
}
