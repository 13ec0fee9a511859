package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
)

// limitFlags are the flags that bound what is read of a submission.
func limitFlags() []cli.Flag {
	d := intake.DefaultLimits()
	return []cli.Flag{
		&cli.Int64Flag{Name: "max-bytes", Usage: "read files of at most `N` bytes", Value: d.FileBytes},
		&cli.Int64Flag{Name: "max-lines", Usage: "read files of at most `N` lines", Value: d.Lines},
		&cli.Int64Flag{Name: "max-line", Usage: "read lines of at most `N` bytes", Value: d.LineBytes},
		&cli.IntFlag{Name: "max-files", Usage: "read folders of at most `N` files", Value: d.Files},
	}
}

// folderLimitFlags are limitFlags and those that bound a whole submission.
func folderLimitFlags() []cli.Flag {
	d := intake.DefaultLimits()
	return append(limitFlags(),
		&cli.Int64Flag{Name: "max-total", Usage: "read at most `N` bytes of a submission", Value: d.TotalBytes},
		&cli.IntFlag{Name: "max-depth", Usage: "read at most `N` folders in folders", Value: d.Depth})
}

// folderLimits takes the limits of folderLimitFlags.
func folderLimits(c *cli.Context) (intake.Limits, error) {
	l, err := limitsFrom(c)
	if err != nil {
		return l, err
	}
	if l.TotalBytes, l.Depth = c.Int64("max-total"), c.Int("max-depth"); l.TotalBytes < 0 || l.Depth < 0 {
		return l, Usagef("a limit is 0 (none) or a positive number")
	}
	return l, nil
}

// limitsFrom takes the limits of limitFlags.
func limitsFrom(c *cli.Context) (intake.Limits, error) {
	l := intake.DefaultLimits()
	l.FileBytes, l.Lines, l.LineBytes, l.Files = c.Int64("max-bytes"), c.Int64("max-lines"), c.Int64("max-line"), c.Int("max-files")
	if l.FileBytes < 0 || l.Lines < 0 || l.LineBytes < 0 || l.Files < 0 {
		return l, Usagef("a limit is 0 (none) or a positive number")
	}
	return l, nil
}

// colorFlag is --color.
func colorFlag() cli.Flag {
	return &cli.StringFlag{Name: "color", Usage: "use colours: auto, always or never", Value: "auto"}
}

func paletteFor(c *cli.Context, w io.Writer, s Streams) (*term.Palette, error) {
	m, err := term.ParseMode(c.String("color"))
	if err != nil {
		return nil, Usagef("%w", err)
	}
	return term.NewPalette(w, m, s.Getenv), nil
}

// openInput opens the file that a user named; "-" is standard input. The second result
// is the name for messages.
func openInput(name string, l intake.Limits, s Streams) (io.ReadCloser, string, error) {
	if name == "-" {
		return io.NopCloser(intake.Reader(s.In, "standard input", l)), "standard input", nil
	}
	f, err := intake.OpenFile(name, l)
	if err != nil {
		return nil, name, ungradable(err)
	}
	return f, name, nil
}

// ungradable makes exit 3 of what intake refuses.
func ungradable(err error) error {
	if err == nil {
		return nil
	}
	var p *intake.Problem
	if !errors.As(err, &p) {
		return err
	}
	msg := term.Safe(p.Path)
	if p.Line > 0 {
		msg += fmt.Sprintf(":%d", p.Line)
	}
	msg += ": " + p.Reason
	if p.Hint != "" {
		msg += "\n" + term.Safe(p.Hint)
	}
	return &Error{Code: ExitUngradable, Err: errors.New(msg)}
}

// oneFile is the single FILE argument of a command.
func oneFile(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", Usagef("%s takes one FILE (or - for standard input), not %d\nSee: labgrade %s --help", c.Command.Name, c.NArg(), c.Command.Name)
	}
	return c.Args().First(), nil
}
