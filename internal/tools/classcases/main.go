// Classcases writes a class of submissions to measure and test grading with: half of them
// right, each with small changes of its own; of the others half are wrong submissions that
// the lab keeps, half have one damaged line. The same flags give the same bytes.
//
//	labgrade reference dynamic --out base
//	go run ./internal/tools/classcases -base base -n 1000 -out class
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/labgrade/labgrade/labs"
)

func main() {
	log.SetFlags(0)
	base := flag.String("base", "", "a right submission, as labgrade reference writes it")
	lab := flag.String("lab", "dynamic", "the lab")
	out := flag.String("out", "", "the folder to write into")
	n := flag.Int("n", 1000, "how many submissions")
	seed := flag.Uint64("seed", 1, "the seed")
	flag.Parse()
	if *base == "" || *out == "" {
		log.Fatal("classcases needs -base and -out")
	}
	if err := write(*lab, *base, *out, *n, *seed); err != nil {
		log.Fatal(err)
	}
}

func write(lab, base, out string, n int, seed uint64) error {
	l, err := labs.Open(lab)
	if err != nil {
		return err
	}
	right, err := read(os.DirFS(base))
	if err != nil {
		return err
	}
	list, err := l.Wrongs()
	if err != nil {
		return err
	}
	var wrongs []map[string]string
	for _, w := range list {
		files, err := read(w.FS)
		if err != nil {
			return err
		}
		wrongs = append(wrongs, files)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range n {
		files := right
		switch {
		case i%4 == 1 && len(wrongs) > 0:
			files = wrongs[r.IntN(len(wrongs))]
		case i%2 == 1:
			files = damaged(right, r)
		}
		if err := save(filepath.Join(out, fmt.Sprintf("s%05d", i+1)), own(files, i)); err != nil {
			return err
		}
	}
	return nil
}

func read(f fs.FS) (map[string]string, error) {
	out := map[string]string{}
	return out, fs.WalkDir(f, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(f, p)
		out[p] = string(b)
		return err
	})
}

// own gives a submission its author: a comment and a time of its own.
func own(files map[string]string, i int) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if strings.HasSuffix(name, ".sql") {
			text = fmt.Sprintf("-- student %d, file %s\n%s", i+1, name, text)
		}
		out[name] = text
	}
	return out
}

// damaged changes one row of one log.
func damaged(files map[string]string, r *rand.Rand) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[name] = text
	}
	name := []string{"stream.out", "nested.out", "batch.out"}[r.IntN(3)]
	lines := strings.SplitAfter(out[name], "\n")
	var rows []int
	for i, l := range lines {
		if strings.HasPrefix(l, "| ") && strings.ContainsAny(l, "0123456789") {
			rows = append(rows, i)
		}
	}
	if len(rows) < 3 {
		return out
	}
	i := rows[r.IntN(len(rows)-1)]
	switch r.IntN(4) {
	case 0:
		lines[i] = ""
	case 1:
		lines[i] += lines[i]
	case 2:
		lines[i], lines[i+1] = lines[i+1], lines[i]
	default:
		if at := strings.LastIndexAny(lines[i], "0123456789"); at >= 0 {
			lines[i] = lines[i][:at] + string('0'+(lines[i][at]-'0'+1)%10) + lines[i][at+1:]
		}
	}
	out[name] = strings.Join(lines, "")
	return out
}

func save(dir string, files map[string]string) error {
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
