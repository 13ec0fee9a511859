package parse

import (
	"fmt"
	"strings"
)

// facts is a block as text, for tests.
func facts(t *Transcript, rows bool) string {
	var b strings.Builder
	for _, x := range t.Blocks {
		fmt.Fprintf(&b, "%d-%d %s", x.FirstLine, x.LastLine, x.Kind)
		if x.What != "" {
			fmt.Fprintf(&b, "/%s", x.What)
		}
		if x.Run > 0 {
			fmt.Fprintf(&b, " run=%d", x.Run)
		}
		if x.Style > StyleTable {
			fmt.Fprintf(&b, " style=%s", x.Style)
		}
		if x.IsResult() {
			fmt.Fprintf(&b, " rows=%d", x.NRows)
			if x.HasOp {
				fmt.Fprintf(&b, " counts=%v", x.Counts)
			}
			for i, c := range x.Columns {
				sep := ","
				if i == 0 {
					sep = " columns="
				}
				fmt.Fprintf(&b, "%s%s", sep, c.Name)
				if c.Cut {
					b.WriteString("(cut)")
				}
			}
		}
		if x.Footer != nil {
			fmt.Fprintf(&b, " footer=%s:%d", x.Footer.Kind, x.Footer.Rows)
			if x.Footer.HasSeconds {
				fmt.Fprintf(&b, ":%v", x.Footer.Seconds)
			}
		}
		if x.JobID != "" {
			fmt.Fprintf(&b, " job=%s", x.JobID)
		}
		b.WriteByte('\n')
		if x.Echo != "" && x.What != WhatEcho {
			fmt.Fprintf(&b, "  echo@%d %q\n", x.EchoLine, x.Echo)
		}
		switch {
		case x.Kind == KindOther:
			fmt.Fprintf(&b, "  text %q\n", short(x.Text))
		case len(x.Messages) > 0:
			fmt.Fprintf(&b, "  messages %q\n", x.Messages)
		}
		if x.Err != nil {
			fmt.Fprintf(&b, "  error %q class=%s message=%q\n", x.Err.Header, x.Err.Class, short(x.Err.Message))
			if x.Err.Verbose {
				for _, c := range x.Err.Causes {
					fmt.Fprintf(&b, "    cause@%d %s: %q\n", c.Line, c.Class, short(c.Message))
				}
			}
		}
		if x.Plan != nil {
			for _, s := range x.Plan.Sections {
				fmt.Fprintf(&b, "  section@%d %s %q", s.Line, s.Kind, s.Title)
				if s.JSON != "" {
					fmt.Fprintf(&b, " json=%d bytes", len(s.JSON))
				}
				b.WriteByte('\n')
				for _, n := range s.Nodes() {
					fmt.Fprintf(&b, "    %s%s", strings.Repeat("  ", n.Depth), n.Name)
					if n.HasMode {
						fmt.Fprintf(&b, " [%s]", n.Mode)
					}
					if n.ReuseID != 0 {
						fmt.Fprintf(&b, " reuse=%d", n.ReuseID)
					}
					b.WriteByte('\n')
				}
				for _, a := range s.Advice {
					fmt.Fprintf(&b, "    %s\n", a)
				}
			}
		}
		if rows {
			for _, r := range x.Rows {
				fmt.Fprintf(&b, "  %d", r.Line)
				if r.LastLine != r.Line {
					fmt.Fprintf(&b, "-%d", r.LastLine)
				}
				if len(r.Sink) > 0 || r.Subtask > 0 {
					fmt.Fprintf(&b, " %s:%d>", r.Sink, r.Subtask)
				}
				if r.HasKind {
					fmt.Fprintf(&b, " %s", r.Kind)
				}
				for i, c := range r.Cells {
					if i > 0 {
						b.WriteByte(';')
					}
					fmt.Fprintf(&b, " %s", strings.ReplaceAll(string(c), "\n", `\n`))
					if r.Cut(i) {
						b.WriteString("(cut)")
					}
				}
				b.WriteByte('\n')
			}
		}
		for _, e := range x.Elided {
			fmt.Fprintf(&b, "  elided@%d %q %d\n", e.Line, e.Text, e.Rows)
		}
		for _, n := range x.Notes {
			fmt.Fprintf(&b, "  note@%d %s: %s\n", n.Line, n.Code, n.Text)
		}
		for _, p := range x.Problems {
			fmt.Fprintf(&b, "  problem@%d %s: %s\n", p.Line, p.Code, p.Reason)
		}
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "note@%d %s: %s\n", n.Line, n.Code, n.Text)
	}
	if t.Runs > 1 {
		fmt.Fprintf(&b, "runs=%d\n", t.Runs)
	}
	return b.String()
}

func short(s string) string {
	if len(s) > 200 {
		return s[:200] + "~"
	}
	return s
}
