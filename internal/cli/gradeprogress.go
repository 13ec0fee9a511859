package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/labgrade/labgrade/internal/grade"
	"github.com/labgrade/labgrade/internal/term"
)

const (
	// redrawEvery is how often the line of a terminal is written again, lineEvery how often
	// a log gets a further line.
	redrawEvery = 100 * time.Millisecond
	lineEvery   = 10 * time.Second
)

// progressLine tells on standard error how far the grading is: on a terminal one line that
// is written over, else a plain line now and then.
type progressLine struct {
	w        io.Writer
	terminal bool
	width    int
	start    time.Time
	last     time.Time
	drawn    bool
	now      func() time.Time
}

func newProgressLine(s Streams, quiet bool) *progressLine {
	p := &progressLine{w: s.Err, terminal: term.IsTerminal(s.Err) && s.Getenv("TERM") != "dumb", now: time.Now}
	if quiet {
		p.w = io.Discard
	}
	p.width = term.Width(s.Err, s.Getenv)
	p.start = p.now()
	p.last = p.start
	return p
}

func (p *progressLine) update(g grade.Progress) {
	now := p.now()
	every := lineEvery
	if p.terminal {
		every = redrawEvery
	}
	if now.Sub(p.last) < every || g.Done == g.Total {
		return
	}
	p.last = now
	text := fmt.Sprintf("graded %d of %d (%d%%), %s left", g.Done, g.Total, g.Done*100/g.Total, p.left(g, now))
	if !p.terminal {
		fmt.Fprintln(p.w, text)
		return
	}
	p.drawn = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", term.Shorten(text+"  "+term.Safe(g.Path), p.width-1))
}

// left is the time that the rest will take if it goes on as before. What the journal had
// took no time and tells nothing.
func (p *progressLine) left(g grade.Progress, now time.Time) string {
	graded := g.Done - g.Reused
	if graded <= 0 {
		return "some time"
	}
	d := time.Duration(float64(now.Sub(p.start)) / float64(graded) * float64(g.Total-g.Done))
	return d.Round(time.Second).String()
}

// end clears the line and says what was done.
func (p *progressLine) end(g grade.Progress) {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	if g.Total == 0 {
		return
	}
	text := fmt.Sprintf("graded %d submissions in %s", g.Done, p.now().Sub(p.start).Round(10*time.Millisecond))
	if g.Reused > 0 {
		text += fmt.Sprintf("; %d of them were in the journal", g.Reused)
	}
	fmt.Fprintln(p.w, text)
}
