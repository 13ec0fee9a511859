package batch

import (
	"slices"
	"testing"
)

func TestBucketTableOrder(t *testing.T) {
	table := newBucketTable(10, 20)
	if n := len(table.partitions); n != minPartitions {
		t.Fatalf("%d partitions, want %d", n, minPartitions)
	}
	// One hash: the bucket's 15 rows first, then the newest overflow bucket before the older one.
	for i := range 40 {
		table.insert(-5, i)
	}
	var want []int
	for _, part := range [][2]int{{0, 15}, {30, 40}, {15, 30}} {
		for i := part[0]; i < part[1]; i++ {
			want = append(want, i)
		}
	}
	var got, all []int
	table.lookup(-5, func(row int) bool { got = append(got, row); return true })
	table.all(func(row int) bool { all = append(all, row); return true })
	if !slices.Equal(got, want) || !slices.Equal(all, want) {
		t.Errorf("lookup %v\nall %v\nwant %v", got, all, want)
	}
}

func TestBucketTableGrows(t *testing.T) {
	table := newBucketTable(1, 1)
	const rows = 60000
	for i := range rows {
		table.insert(int32(i)*2654435, i)
	}
	if len(table.partitions[0].buckets) == bucketsPerSegment {
		t.Error("a partition of more than 2880 rows should have grown")
	}
	seen := map[int]bool{}
	table.all(func(row int) bool { seen[row] = true; return true })
	if len(seen) != rows {
		t.Errorf("%d rows found, want %d", len(seen), rows)
	}
}

func TestBucketTableSize(t *testing.T) {
	for _, c := range []struct{ rows, bytes, partitions, buckets int64 }{
		{1, 8, 11, 256},
		{100_000_000, 24, 127, 1024},
		{100_000, 60, 17, 512},
	} {
		table := newBucketTable(c.rows, c.bytes)
		if p, b := int64(len(table.partitions)), int64(len(table.partitions[0].buckets)); p != c.partitions || b != c.buckets {
			t.Errorf("%d rows of %d bytes: %d partitions of %d buckets, want %d of %d", c.rows, c.bytes, p, b, c.partitions, c.buckets)
		}
	}
}
