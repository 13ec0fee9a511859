package parse

import (
	"bytes"
	"fmt"
	"testing"
)

// bigLog is a stream.out of that many rows.
func bigLog(rows int) []byte {
	var b bytes.Buffer
	border := "+----+--------------------------------+----------------------+-------------+\n"
	b.WriteString("Flink SQL> \n> SELECT user_id, COUNT(*) AS clicks, SUM(dwell)" + border)
	b.WriteString("| op |                        user_id |               clicks |       dwell |\n" + border)
	for i := range rows {
		kind := "-U"
		if i%2 == 1 {
			kind = "+U"
		}
		fmt.Fprintf(&b, "| %s | %30s | %20d | %11d |\n", kind, fmt.Sprintf("u%05d", i*7919%50000), i/3, i)
	}
	fmt.Fprintf(&b, "%sReceived a total of %d rows (1.00 seconds)\n", border, rows)
	return b.Bytes()
}

func scanAll(tb testing.TB, data []byte) (rows int) {
	s := NewScanner(bytes.NewReader(data), Options{OnRow: func(*Block, *Row) error { rows++; return nil }})
	for s.Scan() {
	}
	if s.Err() != nil {
		tb.Fatal(s.Err())
	}
	return rows
}

func TestNoAllocationPerRow(t *testing.T) {
	small, large := bigLog(2000), bigLog(22_000)
	a := testing.AllocsPerRun(3, func() { scanAll(t, small) })
	b := testing.AllocsPerRun(3, func() { scanAll(t, large) })
	if scanAll(t, large) != 22_000 {
		t.Fatal("rows lost")
	}
	if b > a+200 { // pools may be emptied between runs; one allocation a row would be 20,000
		t.Errorf("%v allocations for 2,000 rows, %v for 22,000", a, b)
	}
}

func BenchmarkScan(b *testing.B) {
	ascii := bigLog(200_000)
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"ascii", ascii},
		{"wide", bytes.ReplaceAll(ascii, []byte("  u0"), []byte("수진"))},
		{"prefixed", bytes.ReplaceAll(ascii, []byte("\n"), []byte("\n2026-11-30T05:17:05.123456789Z "))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.data)))
			b.ReportAllocs()
			for b.Loop() {
				scanAll(b, c.data)
			}
		})
	}
}
