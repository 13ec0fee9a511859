package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// page writes one HTML file that needs nothing else: no script, no font, no picture.
// Its policy forbids scripts and requests, should some text ever slip through.
func page(r *Result) ([]byte, error) {
	t, err := template.New("page").Funcs(PageFuncs()).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, struct {
		*Result
		Style template.CSS
	}{r, PageStyle()}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// PageStyle is the style sheet of the pages.
func PageStyle() template.CSS { return template.CSS(pageStyle) } //nolint:gosec // our own file

// PageFuncs are the functions that page templates use; other pages of labgrade share
// them with the style sheet.
func PageFuncs() template.FuncMap {
	return template.FuncMap{
		"plain":  Plain,
		"points": points,
		"word":   func(o Outcome) string { return o.word() },
		"made":   func(rows []SourceRow) string { return Plain(sourceLines(rows, false)) },
		"place":  func(f *Finding) string { return Plain(f.Place()) },
		"noted": func(c Check) bool {
			return len(c.Findings) > 0 || c.Outcome != Pass && c.Next != ""
		},
		"join": func(s []string) string { return Plain(strings.Join(s, ", ")) },
	}
}
