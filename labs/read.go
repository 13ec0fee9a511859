package labs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FileName is the name of the lab file in a lab's folder.
const FileName = "lab.yaml"

// maxLabFile bounds the size of a lab file in bytes.
const maxLabFile = 1 << 20

// Problem is something wrong at a place of a lab file. Line and Column count from 1.
type Problem struct {
	File         string
	Line, Column int
	Message      string
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems are all problems of a lab file, in the order of the file.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// Load reads and validates the lab in the root of fsys. Problems of the lab file are
// returned together, as Problems.
func Load(fsys fs.FS) (*Lab, error) {
	text, err := fs.ReadFile(fsys, FileName)
	if err != nil {
		return nil, fmt.Errorf("no lab here: %w", err)
	}
	lab, err := Parse(FileName, text)
	if err != nil {
		return nil, err
	}
	lab.FS = fsys
	digest, err := Digest(fsys, lab, text)
	if err != nil {
		return nil, err
	}
	lab.Digest = digest
	return lab, nil
}

// Digest is "sha256:" and the hash of the lab file and of the data files that it names.
func Digest(fsys fs.FS, lab *Lab, text []byte) (string, error) {
	h := sha256.New()
	h.Write(text)
	for _, t := range lab.Tables {
		b, err := fs.ReadFile(fsys, "data/"+t.File)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "\x00%s\x00%d\x00", t.File, len(b))
		h.Write(b)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// Parse reads a lab file strictly: unknown and repeated keys, wrong types and
// inconsistent contents are Problems with their places.
func Parse(name string, text []byte) (*Lab, error) {
	if len(text) > maxLabFile {
		return nil, Problems{{name, 1, 1, fmt.Sprintf("the lab file has %d bytes; at most %d are read", len(text), maxLabFile)}}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, Problems{yamlProblem(name, err)}
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return nil, Problems{{name, 1, 1, "the lab file is empty"}}
	}
	r := reader{name: name, places: map[string]*yaml.Node{}}
	r.walk(doc.Content[0], reflect.TypeFor[Lab](), "")
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	lab := &Lab{}
	if err := doc.Content[0].Decode(lab); err != nil {
		return nil, Problems{yamlProblem(name, err)}
	}
	r.validate(lab)
	lab.places = map[string][2]int{}
	for path, n := range r.places {
		lab.places[path] = [2]int{n.Line, n.Column}
	}
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	return lab, nil
}

// Place is the line and column of a path in the lab file, such as "steps[2].plans[0].query",
// or of its nearest ancestor that is there.
func (l *Lab) Place(path string) (line, column int) {
	for {
		if at, ok := l.places[path]; ok {
			return at[0], at[1]
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return 1, 1
		}
		path = path[:i]
	}
}

// yamlProblem takes the line out of the library's "yaml: line N: ..." texts.
func yamlProblem(name string, err error) Problem {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	msg = strings.TrimPrefix(msg, "unmarshal errors:\n  ")
	p := Problem{File: name, Line: 1, Column: 1, Message: msg}
	var line int
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, rest, _ := strings.Cut(msg, ": ")
		p.Line, p.Message = line, rest
	}
	return p
}

type reader struct {
	name     string
	problems Problems
	// places finds the node of a path such as "steps[2].kind".
	places map[string]*yaml.Node
}

func (r *reader) add(n *yaml.Node, format string, args ...any) {
	line, col := 1, 1
	if n != nil {
		line, col = n.Line, n.Column
	}
	r.problems = append(r.problems, Problem{r.name, line, col, fmt.Sprintf(format, args...)})
}

// at adds a problem at a path, or at its nearest ancestor that is in the file.
func (r *reader) at(path, format string, args ...any) {
	for {
		if n, ok := r.places[path]; ok {
			r.add(n, format, args...)
			return
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			r.add(r.places[""], format, args...)
			return
		}
		path = path[:i]
	}
}

func (r *reader) sorted() Problems {
	sort.SliceStable(r.problems, func(i, j int) bool {
		a, b := r.problems[i], r.problems[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return r.problems
}

// walk compares the shape of the YAML with the Go type, whose yaml tags are the
// names of the keys.
func (r *reader) walk(n *yaml.Node, t reflect.Type, path string) {
	r.places[path] = n
	if n.Kind == yaml.AliasNode {
		r.add(n, "aliases are not allowed in a lab file")
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if n.Kind != yaml.MappingNode {
			r.add(n, "%s must have keys and values", describe(path))
			return
		}
		fields := map[string]reflect.Type{}
		var names []string
		for i := range t.NumField() {
			tag := t.Field(i).Tag.Get("yaml")
			if tag != "-" && tag != "" {
				fields[tag] = t.Field(i).Type
				names = append(names, tag)
			}
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			ft, ok := fields[k.Value]
			switch {
			case !ok:
				r.add(k, "unknown key %q in %s%s", k.Value, describe(path), suggest(k.Value, names))
			case seen[k.Value]:
				r.add(k, "key %q stands twice in %s", k.Value, describe(path))
			default:
				seen[k.Value] = true
				r.walk(v, ft, join(path, k.Value))
			}
		}
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			r.add(n, "%s must be a list", describe(path))
			return
		}
		for i, c := range n.Content {
			r.walk(c, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			r.add(n, "%s must have keys and values", describe(path))
			return
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if seen[k.Value] {
				r.add(k, "key %q stands twice in %s", k.Value, describe(path))
			}
			seen[k.Value] = true
			r.walk(v, t.Elem(), join(path, k.Value))
		}
	case reflect.Pointer:
		r.walk(n, t.Elem(), path)
	case reflect.Int:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" {
			r.add(n, "%s must be a whole number", describe(path))
		}
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			r.add(n, "%s must be true or false", describe(path))
		}
	case reflect.Float64:
		if n.Kind != yaml.ScalarNode || (n.Tag != "!!int" && n.Tag != "!!float") {
			r.add(n, "%s must be a number", describe(path))
		}
	default:
		if n.Kind != yaml.ScalarNode {
			r.add(n, "%s must be a text", describe(path))
		} else if n.Tag == "!!null" {
			r.add(n, "%s is empty", describe(path))
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func describe(path string) string {
	if path == "" {
		return "the lab file"
	}
	return path
}

func suggest(word string, names []string) string {
	best, dist := "", 1<<30
	for _, n := range names {
		if d := distance(strings.ToLower(word), n); d < dist && d <= (len(n)+2)/3 {
			best, dist = n, d
		}
	}
	if best == "" {
		sort.Strings(names)
		return "; known are " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts insertions, deletions and replacements.
func distance(a, b string) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		cur := make([]int, len(b)+1)
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev = cur
	}
	return prev[len(b)]
}
