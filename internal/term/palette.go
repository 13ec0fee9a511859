package term

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
)

// Mode is the value of --color.
type Mode string

// The modes.
const (
	Auto   Mode = "auto"
	Always Mode = "always"
	Never  Mode = "never"
)

// ParseMode reads the value of --color; empty is auto.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(strings.ToLower(s)); m {
	case "":
		return Auto, nil
	case Auto, Always, Never:
		return m, nil
	}
	return "", fmt.Errorf("--color is auto, always or never, not %q", s)
}

// Palette colours text for one writer. Colour never carries meaning alone.
type Palette struct {
	on                                      bool
	good, bad, warn, note, dim, bold, title *color.Color
}

// NewPalette makes the palette of w. In mode Auto colours are used on a terminal that
// is not dumb, unless NO_COLOR is set to anything but nothing (no-color.org).
func NewPalette(w io.Writer, m Mode, getenv func(string) string) *Palette {
	if getenv == nil {
		getenv = os.Getenv
	}
	on := m == Always
	if m == Auto || m == "" {
		on = IsTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	}
	p := &Palette{
		on:    on,
		good:  color.New(color.FgGreen),
		bad:   color.New(color.FgRed, color.Bold),
		warn:  color.New(color.FgYellow),
		note:  color.New(color.FgCyan),
		dim:   color.New(color.Faint),
		bold:  color.New(color.Bold),
		title: color.New(color.Bold, color.FgBlue),
	}
	for _, c := range []*color.Color{p.good, p.bad, p.warn, p.note, p.dim, p.bold, p.title} {
		// fatih/color looks at stdout; this writer may be another.
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
	}
	return p
}

// On reports whether colours are used.
func (p *Palette) On() bool { return p.on }

// Good is for what is right.
func (p *Palette) Good(s string) string { return p.good.Sprint(s) }

// Bad is for what failed.
func (p *Palette) Bad(s string) string { return p.bad.Sprint(s) }

// Warn is for what may be wrong.
func (p *Palette) Warn(s string) string { return p.warn.Sprint(s) }

// Note is for remarks.
func (p *Palette) Note(s string) string { return p.note.Sprint(s) }

// Dim is for what may be passed over.
func (p *Palette) Dim(s string) string { return p.dim.Sprint(s) }

// Bold is for what should be seen first.
func (p *Palette) Bold(s string) string { return p.bold.Sprint(s) }

// Title is for headings.
func (p *Palette) Title(s string) string { return p.title.Sprint(s) }

// IsTerminal reports whether w is a character device such as a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	i, err := f.Stat()
	return err == nil && i.Mode()&os.ModeCharDevice != 0
}
