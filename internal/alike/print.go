// Package alike finds submissions that agree too closely to be independent of each other.
//
// What a lab gives (its starter) and what an honest answer looks like (its solution) is
// taken out, and so is what a good part of the class has: what is left is particular to a
// submission. Layout, case and comments are normalised, so that they hide nothing.
package alike

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// gram is the number of words that are looked at together: one word more or less is
// chance, six in a row are not.
const gram = 6

// Print is what is looked at of one submission.
type Print struct {
	// ID and Path name the submission; submissions of one ID are not compared.
	ID, Path string
	grams    []fileGram // sorted by hash, each once
	runs     []run
}

type fileGram struct {
	hash uint64
	file string
}

// run is a name that Flink made at random for one run.
type run struct{ id, file string }

// Reader makes prints.
type Reader struct {
	given map[uint64]bool
	runs  map[string]bool
	job   *regexp.Regexp
	part  *regexp.Regexp
	// own reports an id that is not Flink's but a tool's, the same for everybody.
	own func(id string) bool
}

// NewReader prepares for a lab: given are file systems whose files do not count, such as
// the starter and the solution; own may be nil.
func NewReader(own func(string) bool, given ...fs.FS) *Reader {
	r := &Reader{
		given: map[uint64]bool{}, runs: map[string]bool{}, own: own,
		job:  regexp.MustCompile(`Job ID: ([0-9a-f]{32})`),
		part: regexp.MustCompile(`part-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})-`),
	}
	for _, g := range given {
		if g == nil {
			continue
		}
		_ = fs.WalkDir(g, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			data, err := fs.ReadFile(g, p)
			if err != nil {
				return nil
			}
			if isSQL(p) {
				for _, h := range grams(string(data)) {
					r.given[h] = true
				}
			}
			for _, x := range r.runsOf(p, data) {
				r.runs[x.id] = true
			}
			return nil
		})
	}
	return r
}

func isSQL(name string) bool { return strings.EqualFold(path.Ext(name), ".sql") }

// Print reads the files of a submission; text gives the content of a name.
func (r *Reader) Print(id, where string, names []string, text func(string) []byte) Print {
	p := Print{ID: id, Path: where}
	seen := map[uint64]bool{}
	for _, n := range names {
		data := text(n)
		if isSQL(n) {
			for _, h := range grams(string(data)) {
				if !r.given[h] && !seen[h] {
					seen[h] = true
					p.grams = append(p.grams, fileGram{h, n})
				}
			}
		}
		for _, x := range r.runsOf(n, data) {
			if !r.runs[x.id] && !slices.ContainsFunc(p.runs, func(y run) bool { return y.id == x.id }) {
				p.runs = append(p.runs, x)
			}
		}
	}
	slices.SortFunc(p.grams, func(a, b fileGram) int {
		if a.hash < b.hash {
			return -1
		}
		return 1
	})
	return p
}

func (r *Reader) runsOf(name string, data []byte) []run {
	var out []run
	if m := r.part.FindStringSubmatch(name); m != nil && (r.own == nil || !r.own(m[1])) {
		out = append(out, run{m[1], name})
	}
	if path.Ext(name) == ".out" && strings.Contains(string(data), "Job ID: ") {
		for _, m := range r.job.FindAllSubmatch(data, -1) {
			if id := string(m[1]); r.own == nil || !r.own(id) {
				out = append(out, run{id, name})
			}
		}
	}
	return out
}

// grams are hashes of all sequences of six words, of the statements and of the comments
// apart: comments can be taken out of a copy, and can be all that is particular to it.
func grams(sql string) []uint64 {
	code, comments := words(sql)
	return append(hashes(code, "s"), hashes(comments, "c")...)
}

func hashes(words []string, kind string) []uint64 {
	if len(words) < gram {
		return nil
	}
	// A polynomial over the hashes of the words, moved on by one word at a time.
	const factor = 0x9e3779b97f4a7c15
	last := uint64(1) // the weight of the word that goes
	for range gram - 1 {
		last *= factor
	}
	of := make([]uint64, len(words))
	var h uint64
	out := make([]uint64, 0, len(words)-gram+1)
	for i, w := range words {
		of[i] = hash(kind, w)
		if i >= gram {
			h -= of[i-gram] * last
		}
		h = h*factor + of[i]
		if i >= gram-1 {
			out = append(out, h)
		}
	}
	return out
}

// hash is FNV-1a, which is the same in every run.
func hash(kind, word string) uint64 {
	h := uint64(14695981039346656037)
	for _, s := range [2]string{kind, word} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
	}
	return h
}

// words splits SQL into lower-case words and signs, and its comments into words.
func words(s string) (code, comments []string) {
	isWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	for i := 0; i < len(s); {
		c := s[i]
		rest := s[i:]
		switch {
		case strings.HasPrefix(rest, "--"):
			line, _, _ := strings.Cut(rest, "\n")
			comments = append(comments, strings.Fields(strings.ToLower(line[2:]))...)
			i += len(line)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			text := rest[2:]
			if n >= 0 {
				text = rest[2 : 2+n]
				i += n + 4
			} else {
				i = len(s)
			}
			comments = append(comments, strings.Fields(strings.ToLower(text))...)
		case c == '\'' || c == '"' || c == '`':
			n := strings.IndexByte(rest[1:], c)
			if n < 0 {
				n = len(rest) - 2
			}
			n = max(n, 0)
			code = append(code, rest[:min(n+2, len(rest))])
			i += n + 2
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			code = append(code, strings.ToLower(rest[:n]))
			i += n
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		default:
			code = append(code, rest[:1])
			i++
		}
	}
	return code, comments
}
