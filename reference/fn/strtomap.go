package fn

import (
	"math"
	"sort"

	"github.com/labgrade/labgrade/value"
)

// javaHash is String.hashCode.
func javaHash(s string) int32 {
	h := int32(0)
	for _, u := range units(s) {
		h = h*31 + int32(u)
	}
	return h
}

// hashMapOrder sorts keys as a java.util.HashMap with the given first table size
// walks through them: by slot, in order of insertion within a slot.
func hashMapOrder(keys []string, table int) []int {
	for len(keys) > table*3/4 {
		table *= 2
	}
	order := make([]int, len(keys))
	slot := make([]uint32, len(keys))
	for i, k := range keys {
		h := uint32(javaHash(k))
		order[i], slot[i] = i, (h^h>>16)&uint32(table-1)
	}
	sort.SliceStable(order, func(a, b int) bool { return slot[order[a]] < slot[order[b]] })
	return order
}

// tableFor is the table size of a HashMap that Flink makes for n expected keys.
func tableFor(n int) int {
	capacity := n + 1
	if n > 2 {
		capacity = int(math.Ceil(float64(float32(n) / 0.75)))
	}
	size := 1
	for size < capacity {
		size *= 2
	}
	return size
}

// splitJava is String.split: the delimiter is a regular expression, a match of
// nothing at the beginning gives no part, empty parts at the end vanish unless
// limit is positive.
func splitJava(s string, re *javaRegex, limit int) ([]string, error) {
	matches, err := re.findAll(s)
	if err != nil {
		return nil, err
	}
	var parts []string
	last := 0
	for _, m := range matches {
		if limit > 0 && len(parts) == limit-1 {
			break
		}
		if m[0] == 0 && m[1] == 0 {
			continue
		}
		parts = append(parts, s[last:m[0]])
		last = m[1]
	}
	if last == 0 && len(parts) == 0 {
		return []string{s}, nil
	}
	parts = append(parts, s[last:])
	if limit == 0 {
		for len(parts) > 0 && parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1]
		}
	}
	return parts, nil
}

// strToMap parts a text into pairs. Both delimiters are regular expressions; a part
// without the second one becomes a key without a value.
func strToMap(c *Ctx, vs []value.Value) value.Value {
	pair, kv := ",", "="
	if len(vs) == 3 {
		pair, kv = vs[1].Str(), vs[2].Str()
	}
	if vs[0].Str() == "" {
		return value.MapOf(nil, nil)
	}
	rePair, err := compileJavaRegex(pair)
	if err != nil {
		return c.Fail(patternFailure(err, pair))
	}
	reKv, err := compileJavaRegex(kv)
	if err != nil {
		return c.Fail(patternFailure(err, kv))
	}
	pairs, err := splitJava(vs[0].Str(), rePair, 0)
	if err != nil {
		return c.Fail(err)
	}
	var keys []string
	vals := map[string]value.Value{}
	put := func(k string, v value.Value) {
		if _, ok := vals[k]; !ok {
			keys = append(keys, k)
		}
		vals[k] = v
	}
	for _, p := range pairs {
		kvs, err := splitJava(p, reKv, 2)
		if err != nil {
			return c.Fail(err)
		}
		if len(kvs) < 2 {
			put(p, value.Null)
		} else {
			put(kvs[0], value.String(kvs[1]))
		}
	}
	outK, outV := make([]value.Value, len(keys)), make([]value.Value, len(keys))
	for i, k := range hashMapOrder(keys, tableFor(len(pairs))) {
		outK[i], outV[i] = value.String(keys[k]), vals[keys[k]]
	}
	return value.MapOf(outK, outV)
}
