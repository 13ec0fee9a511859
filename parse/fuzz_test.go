package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seeds are small recorded files and pieces of every kind.
func seeds(f *testing.F) {
	for _, g := range []string{"labs/dynamic/right-one-user/submission/*.out", "corpus/sink/transcript-*/transcript.out", "versions/1.17.2/print/*.txt"} {
		files, _ := filepath.Glob(filepath.Join(recorded, g))
		for _, name := range files {
			if data, err := os.ReadFile(name); err == nil && len(data) < 5000 {
				f.Add(data)
			}
		}
	}
	for _, s := range []string{
		"| op | u |\n+----+---+\n| +I | a |\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "+---+\n| x |\n+---+\n| a\nb |\n+---+\n1 row in set\n",
		"-- +----+---+\n-- | op | u |\n-- +----+---+\n-- | +I | a | note\n-- Received a total of 1 row\n",
		"3> +I[a, 1]\nid:1> -U(a,1)\n(true,+I[a, 1])\n+I[a\nb]\n", "== Abstract Syntax Tree ==\nA(x=[1])\n+- B()\n\n== Optimized Physical Plan ==\nA(changelogMode=[I])\n",
		"^CQuery terminated, received a total of 2 rows\n", "[ERROR] Could not execute SQL statement. Reason:\njava.lang.X: a\n\tat x(y)\nCaused by: b.C: d\n",
		"+----+---+\n| op | u |\n+----+---+\n...\n| +I | ... |\nReceived a total of 9 rows\n", "\xff\xfe|\x00 \x00", "```\n+---+\n```\n",
	} {
		f.Add([]byte(s))
	}
}

func FuzzTranscript(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		rows := map[*Block]int{}
		var open *Block // whose rows are coming
		s := NewScanner(bytes.NewReader(data), Options{KeepRows: true, OnRow: func(b *Block, r *Row) error {
			rows[b]++
			open = b
			if r.N != rows[b] || r.Line < b.FirstLine || r.LastLine < r.Line {
				t.Fatalf("row %d at lines %d-%d", r.N, r.Line, r.LastLine)
			}
			for i := range r.Cells {
				if r.Cut(i) && !bytes.HasSuffix(r.Cells[i], []byte("...")) {
					t.Fatalf("cell %q is called cut", r.Cells[i])
				}
				r.Matches(i, "x")
			}
			return nil
		}})
		last := 0
		for s.Scan() {
			b := s.Block()
			if open != nil && open != b {
				t.Fatalf("block of lines %d-%d comes after rows of a later one", b.FirstLine, b.LastLine)
			}
			open = nil
			if b.NRows != rows[b] || len(b.Rows) != b.NRows {
				t.Fatalf("%d rows, %d handed on, %d kept", b.NRows, rows[b], len(b.Rows))
			}
			if b.FirstLine < 1 || b.LastLine < b.FirstLine || b.LastLine > s.Lines() {
				t.Fatalf("%s block at lines %d-%d of %d", b.Kind, b.FirstLine, b.LastLine, s.Lines())
			}
			// A statement without answer may enclose warnings that were printed into it.
			if b.What != WhatEcho {
				if b.FirstLine < last {
					t.Fatalf("%s block at line %d behind one that ends at %d", b.Kind, b.FirstLine, last)
				}
				last = b.LastLine
			}
			if b.Kind == KindPlan && b.Plan == nil || b.Kind == KindError && b.Err == nil || b.IsResult() && b.Style == StyleNone {
				t.Fatalf("a %s block without its facts", b.Kind)
			}
			if b.NProblems < len(b.Problems) || b.Run >= s.Runs() {
				t.Fatal("counts")
			}
			b.Missing()
			b.Complete()
			b.Mode()
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
	})
}

func FuzzPlan(f *testing.F) {
	data, err := os.ReadFile(filepath.Join(recorded, "corpus/sink/explain-statement-set-and-reuse/explain.txt"))
	if err == nil {
		f.Add(string(data))
	}
	f.Add("== Abstract Syntax Tree ==\nA(x=[1, 'a]'])\n:- B(c=[{d}])\n+- C\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, _ := ParsePlan(text, 1)
		for i := range p.Sections {
			for _, n := range p.Sections[i].Nodes() {
				if n.Line < 1 || n.Name == "" || !strings.HasPrefix(n.Text, n.Name) {
					t.Fatalf("node %q at line %d: %q", n.Name, n.Line, n.Text)
				}
			}
		}
	})
}

func FuzzPrintLine(f *testing.F) {
	for _, s := range []string{"+I[a, 1]", "id:3> -U[a, [1, 2], {k=1}]", "3> (true,+I[a, 1])", "(false,a,1)", "x> +I(a,b)", "2026-11-30 05:17:05,123 +D[]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := ParsePrintLine(b, nil)
		if ok && (len(p.Fields) == 0 || p.Kind > 3 || p.Subtask < 0) {
			t.Fatalf("%q: %+v", b, p)
		}
	})
}
