package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/grade"
	"github.com/labgrade/labgrade/internal/handin"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/roster"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/report/class"
)

func gradeCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "grade",
		Usage:     "grade a class: folders, archives, archives of archives",
		ArgsUsage: "LAB PATH...",
		Description: "Finds the submissions in each PATH (a folder or a zip, tar or tar.gz, as Moodle, Canvas\n" +
			"and Gradescope hand them out), grades each as check does, and prints a summary.\n" +
			"What was graded is kept in a journal: run the same command again after an interruption,\n" +
			"or when somebody has handed in again, and only what is new or changed is graded.\n\n" +
			"Exit status: 0 all right, 1 some are wrong, 3 there is nothing to grade,\n" +
			"5 some could not be graded.",
		Flags: slicesOf(
			[]cli.Flag{
				labsFlag(),
				&cli.StringFlag{Name: "roster", Usage: "`FILE` (CSV) with the column id, and name, email, login, section, canvas_id, moodle_id"},
				&cli.StringSliceFlag{Name: "source", Aliases: []string{"s"}, Usage: "`FILE` with the source data (TABLE=FILE for a lab with several tables)"},
				&cli.StringFlag{Name: "sources", Usage: "`DIR` with the source data of each student: ID.csv"},
				secretFlag(),
				&cli.StringSliceFlag{Name: "step", Usage: "grade only this step (`ID`; may be repeated)"},
				viewerFlag("staff"),
				&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
				&cli.StringSliceFlag{Name: "report", Usage: "also write `FORMAT=FILE`, may be repeated; FILE - is standard output (formats: " + strings.Join(class.Formats(), ", ") + ")"},
				&cli.StringSliceFlag{Name: "each", Usage: "write for each learner what the lab discloses into a folder, `FORMAT=DIR`, may be repeated (formats: see labgrade check --help)"},
				&cli.StringFlag{Name: "against", Usage: "say what changed since the result in `FILE` (JSON)"},
				&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "grade `N` submissions at a time", Value: runtime.GOMAXPROCS(0)},
				&cli.Int64Flag{Name: "memory", Usage: "use about `MB` of memory for all", Value: 256},
				&cli.Int64Flag{Name: "memory-limit", Usage: "give up a submission that needs more than `MB` of memory", Value: 1024},
				&cli.DurationFlag{Name: "time-limit", Usage: "give up a submission after this `TIME`", Value: time.Minute},
				&cli.StringFlag{Name: "journal", Usage: "keep the journal in `FILE` (default: in the user's cache folder)"},
				&cli.BoolFlag{Name: "no-journal", Usage: "keep no journal"},
				&cli.BoolFlag{Name: "fresh", Usage: "grade everything again"},
				colorFlag(),
				&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the total alone, and no progress"},
				&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "print a line for each submission"},
			},
			dataFlags(), folderLimitFlags()),
		Action: func(c *cli.Context) error { return runGrade(c, s) },
	}
}

func slicesOf(lists ...[]cli.Flag) []cli.Flag {
	var out []cli.Flag
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// gradeRun is what the flags of grade say.
type gradeRun struct {
	lab     *labs.Lab
	paths   []string
	targets []reportTarget
	each    []reportTarget
	before  *class.Result
	options grade.Options
}

func runGrade(c *cli.Context, s Streams) error {
	if c.NArg() < 2 {
		return Usagef("grade needs the lab's name and what to grade\nSee: labgrade grade --help")
	}
	mode, err := term.ParseMode(c.String("color"))
	if err != nil {
		return Usagef("%w", err)
	}
	g, err := readGrade(c, s)
	if err != nil {
		return err
	}
	set, err := handin.Find(g.paths, handin.WantOf(g.lab), g.options.Limits)
	if err != nil {
		return Usagef("%w", err)
	}
	defer set.Close()
	if len(set.Submissions) == 0 {
		return Failf(ExitUngradable, "there is no submission in %s", strings.Join(g.paths, ", "))
	}
	j, err := openJournal(c, s, g.lab, g.paths)
	if err != nil {
		return err
	}
	g.options.Journal, g.options.Salt = j, salt()
	progress := newProgressLine(s, c.Bool("quiet"))
	var last grade.Progress
	g.options.Progress = func(p grade.Progress) {
		last = p
		progress.update(p)
	}
	holdMemory(g.options.Memory, s.Getenv)
	res, err := grade.Run(c.Context, set, g.options)
	progress.end(last)
	if j != nil {
		if cerr := j.Close(err == nil && len(g.options.Steps) == 0); err == nil && cerr != nil {
			fmt.Fprintf(s.Err, "the journal is not complete: %v\n", cerr)
		}
	}
	if err != nil {
		return err
	}
	if g.before != nil {
		res.Against = class.Compare(res, g.before)
	}
	if err := g.write(c, s, res, mode); err != nil {
		return err
	}
	return exitOfClass(res)
}

// exitOfClass turns the outcomes into an exit code. Who handed nothing in does not count.
func exitOfClass(r *class.Result) error {
	switch {
	case r.Summary.Ungradable+r.Summary.Errored > 0:
		return Exit(ExitUnsupported)
	case r.Summary.Fail > 0:
		return Exit(ExitFailed)
	}
	return nil
}

// readGrade reads flags and arguments, before anything is graded.
func readGrade(c *cli.Context, s Streams) (*gradeRun, error) {
	g := &gradeRun{paths: c.Args().Slice()[1:]}
	var err error
	if g.targets, err = targetsOf("report", c.StringSlice("report"), class.Formats()); err != nil {
		return nil, err
	}
	if g.each, err = targetsOf("each", c.StringSlice("each"), report.Formats()); err != nil {
		return nil, err
	}
	if anyOnStdout(g.each) {
		return nil, Usagef("--each writes into a folder: --each html=feedback")
	}
	if c.Bool("json") && anyOnStdout(g.targets) {
		return nil, Usagef("--json and a report to - both want standard output; write --report json=FILE")
	}
	if g.lab, err = openLab(c, c.Args().First()); err != nil {
		return nil, err
	}
	o := grade.Options{
		Lab: g.lab, Engine: checks.Reference(),
		Tool:    report.Tool{Name: "labgrade", Version: Version, Flink: g.lab.Flink},
		Workers: c.Int("jobs"), Memory: c.Int64("memory") << 20, MemoryEach: c.Int64("memory-limit") << 20, Time: c.Duration("time-limit"),
	}
	if o.Workers < 1 || o.Memory < 0 || o.MemoryEach < 0 || o.Time < 0 {
		return nil, Usagef("--jobs must be at least 1, and a limit is 0 (none) or a positive number")
	}
	if o.Viewer, err = viewerOf(s, c.String("as")); err != nil {
		return nil, err
	}
	o.Learner = checks.Viewer{Now: s.now()}
	if o.Steps, err = stepIDs(g.lab, o.Viewer, c.StringSlice("step")); err != nil {
		return nil, err
	}
	if o.Limits, err = folderLimits(c); err != nil {
		return nil, err
	}
	if o.Data, err = classData(c, g.lab); err != nil {
		return nil, err
	}
	if o.Roster, err = readRoster(c.String("roster")); err != nil {
		return nil, err
	}
	if f := c.String("against"); f != "" {
		if g.before, err = readClass(f, g.lab); err != nil {
			return nil, err
		}
	}
	g.options = o
	return g, nil
}

func readRoster(name string) (*roster.Roster, error) {
	if name == "" {
		return nil, nil
	}
	f, err := intake.OpenRaw(name)
	if err != nil {
		return nil, Usagef("the roster cannot be read: %w", err)
	}
	defer f.Close()
	r, err := roster.Read(f)
	if err != nil {
		return nil, Usagef("%s: %w", name, err)
	}
	return r, nil
}

// maxClass bounds an earlier result in bytes.
const maxClass = 1 << 30

func readClass(name string, lab *labs.Lab) (*class.Result, error) {
	f, err := intake.OpenRaw(name)
	if err != nil {
		return nil, Usagef("the earlier result cannot be read: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxClass))
	if err != nil {
		return nil, Usagef("the earlier result cannot be read: %w", err)
	}
	r, err := class.Read(b)
	if err != nil {
		return nil, Usagef("%s: %w", name, err)
	}
	if r.Lab.ID != lab.ID {
		return nil, Usagef("%s is a result of the lab %s, not of %s", name, r.Lab.ID, lab.ID)
	}
	return r, nil
}

// holdMemory lets garbage pile up while there is room, and makes the collector work before
// the process takes more than was asked for. GOGC and GOMEMLIMIT, where set, go first.
func holdMemory(bytes int64, getenv func(string) string) {
	if bytes > 0 && getenv("GOMEMLIMIT") == "" && getenv("GOGC") == "" {
		debug.SetMemoryLimit(bytes)
		debug.SetGCPercent(gcPercent)
	}
}

// gcPercent suits many small gradings: what is live is small, what is thrown away much.
const gcPercent = 400

// write prints the result and writes the reports.
func (g *gradeRun) write(c *cli.Context, s Streams, res *class.Result, mode term.Mode) error {
	res.Title = reportContext(s).Title
	for _, t := range g.targets {
		if err := writeClass(s, t, res); err != nil {
			return err
		}
	}
	for _, t := range g.each {
		if err := g.writeEach(s, t, res); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		return writeClass(s, reportTarget{"json", "-"}, res)
	case anyOnStdout(g.targets):
		return nil
	}
	v := report.Normal
	if c.Bool("quiet") {
		v = report.Quiet
	} else if c.Bool("verbose") {
		v = report.Verbose
	}
	return asPlainLog(s, func(w io.Writer) error { return class.Text(w, res, textStyle(s.Out, mode, s.Getenv), v) })
}

func writeClass(s Streams, t reportTarget, r *class.Result) error {
	b, err := class.Emit(t.format, r)
	if err != nil {
		return err
	}
	return t.put(s, b)
}

// writeEach writes the result of each submission under its id, as its learner may see it.
func (g *gradeRun) writeEach(s Streams, t reportTarget, r *class.Result) error {
	if err := os.MkdirAll(t.file, 0o755); err != nil {
		return Usagef("the reports cannot be written: %w", err)
	}
	used := map[string]int{}
	for i := range r.Submissions {
		sub := &r.Submissions[i]
		if sub.Outcome == class.Missing {
			continue
		}
		name := fileName(sub.ID)
		if used[strings.ToLower(name)]++; used[strings.ToLower(name)] > 1 {
			name = fmt.Sprintf("%s-%d", name, used[strings.ToLower(name)])
		}
		res := r.Of(sub)
		if len(res.Checks) > 0 {
			res.Checks = g.options.Learner.Shown(g.lab, res.Checks)
			res.Total()
		}
		if err := writeReport(s, reportTarget{t.format, filepath.Join(t.file, name+extension(t.format))}, res); err != nil {
			return err
		}
	}
	return nil
}

// fileName makes a name of a file of an id, which comes from a stranger.
func fileName(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' && i > 0 || c == '_' || c == '@' || c == '.' && i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
		if b.Len() > 150 {
			break
		}
	}
	return b.String()
}

// extension is the ending of a file of a format.
func extension(format string) string {
	switch format {
	case "text", "autolab", "github":
		return ".txt"
	case "markdown":
		return ".md"
	case "html", "tap", "sarif":
		return "." + format
	case "junit":
		return ".xml"
	case "dodona":
		return ".jsonl"
	}
	return ".json"
}
