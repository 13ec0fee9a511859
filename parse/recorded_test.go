package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recorded = "../fixtures/recorded"

// recordedFiles are all saved outputs of real Flink runs.
func recordedFiles(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, glob := range []string{
		"versions/*/*.out", "versions/*/print/*.txt", "labs/dynamic/*/submission/*.out", "corpus/*/*/*.out",
		"corpus/*/*/stream.txt", "corpus/*/*/batch.txt", "corpus/*/*/explain.txt", "corpus/*/*/explain-batch.txt",
		"corpus/*/*/errors.txt", "corpus/*/*/print.txt",
	} {
		m, err := filepath.Glob(filepath.Join(recorded, glob))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m...)
	}
	if len(out) < 1000 {
		t.Fatalf("only %d recorded files found", len(out))
	}
	return out
}

// TestRecorded reads every recorded file: all of it is understood, and every footer
// agrees with the rows.
func TestRecorded(t *testing.T) {
	for _, file := range recordedFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Read(bytes.NewReader(data), Options{})
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(file, recorded+"/")
		last := 0
		for _, b := range tr.Blocks {
			if b.NProblems > 0 {
				t.Errorf("%s:%d: %s", name, b.Problems[0].Line, b.Problems[0].Reason)
			}
			if b.FirstLine < last || b.LastLine < b.FirstLine {
				t.Errorf("%s: block %s at lines %d-%d stands behind line %d", name, b.Kind, b.FirstLine, b.LastLine, last)
			}
			last = b.LastLine
			if b.Kind == KindOther && b.What == WhatText {
				t.Errorf("%s:%d: not understood: %.100q", name, b.FirstLine, b.Text)
			}
			if f := b.Footer; f != nil && b.IsResult() && (f.Rows != b.NRows || len(b.Rows) != b.NRows) {
				t.Errorf("%s:%d: %d rows, the footer counts %d", name, f.Line, b.NRows, f.Rows)
			}
			for _, r := range b.Rows {
				if b.Style != StylePrint && len(r.Cells) != len(b.Columns) {
					t.Errorf("%s:%d: %d cells in %d columns", name, r.Line, len(r.Cells), len(b.Columns))
				}
			}
			if b.Kind == KindPlan && (b.Plan.Section(SectionPhysical) == nil || len(b.Plan.Section(SectionPhysical).Roots) == 0) {
				t.Errorf("%s:%d: a plan without physical section", name, b.FirstLine)
			}
			if b.Kind == KindError && (b.Err.Class == "" || !strings.Contains(b.Err.Class, ".")) {
				t.Errorf("%s:%d: an error without class: %q", name, b.FirstLine, b.Text)
			}
		}
		if tr.Runs != 1 || len(tr.Notes) != 0 {
			t.Errorf("%s: %d runs, notes %v", name, tr.Runs, tr.Notes)
		}
	}
}
