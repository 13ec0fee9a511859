// Package codes has the stable finding codes and the text that teaches about each.
package codes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// Code is one kind of mistake (or remark) that labgrade can find.
type Code struct {
	// ID never changes its meaning: LG-AREA-NNN.
	ID string
	// Title says it in one line.
	Title string
	// Severity is the weight of its findings.
	Severity report.Severity
	// Hint is the next step, shown with each finding.
	Hint string
	// Text teaches: what happened, why Flink does so, how to see it.
	Text string
}

// All lists the codes in the order of the areas.
func All() []Code {
	return slices.Concat(file(), run(), table(), stream(), data(), query(), facts(), plan(), refusal(), sink(), numbers())
}

// Find returns the code, taking "stream-5" and "lg-stream-005" for LG-STREAM-005.
func Find(id string) (Code, bool) {
	want := Canonical(id)
	for _, c := range All() {
		if c.ID == want {
			return c, true
		}
	}
	return Code{}, false
}

// Canonical brings an id into the form LG-AREA-NNN where its parts can be recognised.
func Canonical(id string) string {
	parts := strings.Split(strings.ToUpper(strings.TrimSpace(id)), "-")
	if len(parts) > 0 && parts[0] == "LG" {
		parts = parts[1:]
	}
	if len(parts) != 2 {
		return strings.ToUpper(id)
	}
	n := 0
	if _, err := fmt.Sscanf(parts[1], "%d", &n); err != nil {
		return strings.ToUpper(id)
	}
	return fmt.Sprintf("LG-%s-%03d", parts[0], n)
}

// Similar lists codes of the same area, for "did you mean".
func Similar(id string) []string {
	area := Canonical(id)
	if i := strings.LastIndexByte(area, '-'); i > 0 {
		area = area[:i]
	}
	var out []string
	for _, c := range All() {
		if strings.HasPrefix(c.ID, area+"-") {
			out = append(out, c.ID)
		}
	}
	return out
}
