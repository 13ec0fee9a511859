package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/authoring"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

func labCalibrateCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "calibrate",
		Usage:     "compare what a lab expects with outputs of a real Flink",
		ArgsUsage: "LAB DIR",
		Description: "DIR holds the outputs of the solution's .sql files, run on a real Flink over the lab's data (or the data of\n" +
			"--source). Writes the agreement, with version and digests, into lab.lock beside lab.yaml.\n\n" +
			"Exit status: 0 everything agrees, 1 something does not.",
		Flags: []cli.Flag{
			labsFlag(),
			&cli.StringSliceFlag{Name: "source", Aliases: []string{"s"}, Usage: "`FILE` with the source data of the recorded run"},
			&cli.StringFlag{Name: "flink", Usage: "`VERSION` that the outputs were recorded on (default: the lab's)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "write no lab.lock"},
		},
		Action: func(c *cli.Context) error { return calibrate(c, s) },
	}
}

func calibrate(c *cli.Context, s Streams) error {
	if c.NArg() != 2 {
		return Usagef("lab calibrate needs the lab and the folder of recorded outputs\nSee: labgrade lab calibrate --help")
	}
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	home := labHome(c, c.Args().First())
	if home == "" && !c.Bool("dry-run") {
		return Usagef("the lab %s is inside of labgrade, where no lab.lock can be written: name its folder, or say --dry-run", lab.ID)
	}
	src, err := openSources(lab, c.StringSlice("source"))
	if err != nil {
		return err
	}
	folder, err := intake.Open(c.Args().Get(1), intake.DefaultLimits())
	if err != nil {
		return Usagef("%w", err)
	}
	defer folder.Close()
	lock, got, err := authoring.Calibrate(c.Context, lab, src.open, folder.FS())
	if err != nil {
		return Usagef("%w", err)
	}
	lock.Flink = cmp.Or(c.String("flink"), lab.Flink)
	lock.Date = s.now().UTC().Format("2006-01-02")
	lock.Tool = Version
	differ := printCalibration(s, lab, lock, got)
	if !c.Bool("dry-run") {
		text, err := lock.Text()
		if err != nil {
			return err
		}
		name := filepath.Join(home, labs.LockName)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return Usagef("%w", err)
		}
		fmt.Fprintf(s.Out, "wrote %s\n", filepath.ToSlash(name))
	}
	if differ {
		return Exit(ExitFailed)
	}
	return nil
}

func printCalibration(s Streams, lab *labs.Lab, lock *labs.Lock, got []report.Check) bool {
	differ := false
	for i := range lab.Steps {
		id := lab.Steps[i].ID
		at := -1
		for k := range lock.Steps {
			if lock.Steps[k].ID == id {
				at = k
			}
		}
		switch {
		case at < 0 && lab.Steps[i].Judge == labs.JudgeSQL:
			fmt.Fprintf(s.Out, "by SQL     %-14s judged by what its SQL gives here: there is no output of Flink to compare\n", id)
		case at < 0:
			fmt.Fprintf(s.Out, "no output  %s\n", id)
		case lock.Steps[at].Agrees:
			fmt.Fprintf(s.Out, "agrees     %-14s %s\n", id, plural(len(lock.Steps[at].Files), "file"))
		default:
			differ = true
			fmt.Fprintf(s.Out, "DIFFERS    %-14s %s\n", id, strings.Join(lock.Steps[at].Why, ", "))
			for _, c := range got {
				if c.ID != id {
					continue
				}
				for _, f := range c.Findings {
					if f.Severity != report.Note {
						fmt.Fprintf(s.Out, "           %s %s\n", term.Safe(f.Place()), term.Safe(f.Message))
					}
				}
			}
		}
	}
	if differ {
		fmt.Fprintln(s.Out, "Where the outputs are really Flink's, and over these data, labgrade is wrong: please report it.")
	}
	return differ
}
