// Package cli is labgrade's command line: arguments in, exit code out. It is the
// only package, with cmd, that touches arguments, the terminal and exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
)

// Version is the version of the tool; the release build sets it.
var Version = "0.1.0-dev"

// Exit codes, the same for every command.
const (
	ExitOK          = 0   // every check passed
	ExitFailed      = 1   // something was graded and failed
	ExitUsage       = 2   // wrong usage
	ExitUngradable  = 3   // the submission cannot be graded
	ExitInternal    = 4   // the lab or labgrade itself is at fault
	ExitUnsupported = 5   // labgrade sql: a statement it cannot run exactly; grade: some could not be graded
	ExitInterrupted = 130 // interrupted
)

// Streams is the outside world as a command sees it.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Getenv reads the environment (NO_COLOR, ...).
	Getenv func(string) string
	// Now is the clock that decides what a lab already shows; nil is the system's.
	Now func() time.Time
}

func (s Streams) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// System is the process's own streams and environment.
func System() Streams {
	return Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
}

// Error is an error with an exit code. A nil Err says that everything worth
// saying has been printed.
type Error struct {
	Code int
	Err  error
}

// Error is the message.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Exit makes a silent error with an exit code.
func Exit(code int) error { return &Error{Code: code} }

// Usagef makes a usage error (exit 2).
func Usagef(format string, args ...any) error {
	return &Error{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Failf makes an error with the given exit code.
func Failf(code int, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// commands lists the commands in the order in which help shows them.
func commands(s Streams) []*cli.Command {
	return []*cli.Command{
		checkCommand(s),
		gradeCommand(s),
		referenceCommand(s),
		whyCommand(s),
		explainCommand(s),
		sqlCommand(s),
		labCommand(s),
		fixturesCommand(s),
		exportCommand(s),
		parseCommand(s),
		replayCommand(s),
		diffCommand(s),
		lintCommand(s),
		completionCommand(s),
		helpCommand(s),
		versionCommand(s),
	}
}

// Main runs labgrade with args (without the program's name) and returns the exit code.
func Main(args []string, s Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	app := newApp(s)
	ended := make(chan error, 1)
	go func() { ended <- app.RunContext(ctx, append([]string{"labgrade"}, normalize(app, args)...)) }()
	select {
	case err := <-ended:
		return conclude(ctx, s, err)
	case <-ctx.Done():
	}
	stop() // a second signal ends the process at once
	select {
	case err := <-ended:
		return conclude(ctx, s, err)
	case <-time.After(interruptGrace):
		return conclude(ctx, s, ctx.Err())
	}
}

// interruptGrace is how long a command may take to notice that it was interrupted.
const interruptGrace = 3 * time.Second

func newApp(s Streams) *cli.App {
	app := &cli.App{
		Name:            "labgrade",
		Usage:           "grade and explain changelog labs for Apache Flink SQL, without a cluster",
		UsageText:       "labgrade COMMAND [flags] [arguments]\n\nStart with:  labgrade help start",
		HideVersion:     true,
		HideHelpCommand: true,
		Reader:          s.In,
		Writer:          s.Out,
		ErrWriter:       s.Err,
		Commands:        commands(s),
		// urfave/cli exits the process by itself unless told not to.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError("labgrade"),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				overview(c.App, s)
				return nil
			}
			return unknownCommand(c.App.Commands, c.Args().First(), "labgrade")
		},
	}
	for _, c := range app.Commands {
		prepare(c, "labgrade")
	}
	return app
}

// prepare gives a command and its subcommands our usage errors.
func prepare(c *cli.Command, parent string) {
	name := parent + " " + c.Name
	c.OnUsageError = usageError(name)
	c.HideHelpCommand = true
	if len(c.Subcommands) > 0 && c.Action == nil {
		c.Action = func(ctx *cli.Context) error {
			if ctx.NArg() == 0 {
				return cli.ShowSubcommandHelp(ctx)
			}
			return unknownCommand(c.Subcommands, ctx.Args().First(), name)
		}
	}
	for _, sub := range c.Subcommands {
		prepare(sub, name)
	}
}

func usageError(name string) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error {
		return Usagef("%w\nSee: %s --help", err, name)
	}
}

// conclude prints what is left to be said and turns the error into an exit code.
func conclude(ctx context.Context, s Streams, err error) int {
	if err == nil {
		return ExitOK
	}
	var e *Error
	if errors.As(err, &e) {
		if e.Err != nil {
			fmt.Fprintf(s.Err, "labgrade: %v\n", e.Err)
		}
		return e.Code
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		fmt.Fprintln(s.Err, "labgrade: interrupted")
		return ExitInterrupted
	}
	fmt.Fprintf(s.Err, "labgrade: %v\n", err)
	return ExitInternal
}

func versionCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, and the Flink version that labgrade reproduces",
		Action: func(*cli.Context) error {
			_, err := fmt.Fprintf(s.Out, "labgrade %s (reproduces Apache Flink 2.3.0)\n", Version)
			return err
		},
	}
}
