package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"

	"github.com/labgrade/labgrade/labs"
)

// Prints are hashes of results by step. Equal rows have equal prints, whether they were
// computed or saved, so that prints tell whose data an output was made from.
type Prints map[string]string

// printed reports a step whose rows depend on the data.
func printed(step *labs.Step) bool {
	return step.Kind == labs.KindTable || step.Kind == labs.KindChangelog
}

// Prints are those of the truth. Results that are too large to be kept have none.
func (g *Grader) Prints(ctx context.Context) (Prints, error) {
	out := Prints{}
	s := &submission{g: g}
	for i := range g.lab.Steps {
		step := &g.lab.Steps[i]
		if !printed(step) {
			continue
		}
		want, err := s.labAnswer(ctx, g.script(step)+ended(step.Query), styleTable)
		if err != nil {
			return nil, err
		}
		if want.err == nil && want.stored && len(want.rows) > 0 {
			out[step.ID] = printOf(want.rows, identity(len(want.columns)), step)
		}
	}
	return out, nil
}

// SavedPrints are those of the outputs in files. Outputs that cannot be read, or whose
// cells the client cut, have none.
func (g *Grader) SavedPrints(ctx context.Context, files fs.FS) (Prints, error) {
	out := Prints{}
	s := &submission{g: g, files: files}
	for i := range g.lab.Steps {
		step := &g.lab.Steps[i]
		if !printed(step) {
			continue
		}
		want, err := s.labAnswer(ctx, g.script(step)+ended(step.Query), styleTable)
		if err != nil {
			return nil, err
		}
		saved, bad, err := s.readOutput(ctx, step.Out, nil, step)
		if err != nil {
			return nil, err
		}
		if bad != nil || want.err != nil {
			continue
		}
		for _, r := range saved.results {
			idx := indexByName(want.columns, r.columns)
			if idx == nil || r.overflow || r.cutCells || len(r.rows) == 0 || r.hasOp != want.streaming {
				continue
			}
			out[step.ID] = printOf(r.rows, idx, step)
			break
		}
	}
	return out, nil
}

// printOf hashes rows, sorted where their order does not count.
func printOf(rows []row, columns []int, step *labs.Step) string {
	lines := make([]string, len(rows))
	for i := range rows {
		lines[i] = string([]byte{byte(rows[i].kind)}) + rows[i].text(columns)
	}
	if step.Compare == labs.CompareMultiset || !step.Streaming() {
		slices.Sort(lines)
	}
	h := sha256.New()
	for _, l := range lines {
		h.Write([]byte(l))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
