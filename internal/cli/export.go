package cli

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/labs"
)

func exportCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "make what a platform wants to be given",
		Subcommands: []*cli.Command{{
			Name:      "gradescope",
			Usage:     "the autograder of a lab, as a zip for Gradescope",
			ArgsUsage: "LAB -o FILE.zip",
			Description: "The zip holds labgrade for Linux, the lab file with its data (no solutions), and the two\n" +
				"scripts that Gradescope runs. Learners are shown what the lab discloses at that moment.",
			Flags: []cli.Flag{
				labsFlag(),
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the zip to `FILE`"},
				&cli.StringFlag{Name: "binary", Usage: "`FILE` of labgrade for Linux on amd64, not linked to libraries (default: the labgrade that runs)"},
			},
			Action: func(c *cli.Context) error { return exportGradescope(c, s) },
		}},
	}
}

// gradescopeSetup runs once, when Gradescope builds its image: nothing is to be installed.
const gradescopeSetup = `#!/usr/bin/env bash
set -euo pipefail
chmod 755 /autograder/source/labgrade
/autograder/source/labgrade version
`

// gradescopeRun runs for each submission. Where labgrade or the lab is at fault there are
// no results, so that Gradescope says that the autograder failed and gives no points.
// What stands for %s are the lab's own data.
const gradescopeRun = `#!/usr/bin/env bash
set -uo pipefail
top=${AUTOGRADER:-/autograder}
dir=$top/submission
# Some learners pack the folder, not the files: go into a folder that is alone.
for _ in 1 2 3; do
  inner=$(find "$dir" -mindepth 1 -maxdepth 1 ! -name '.*' ! -name __MACOSX)
  if [ -d "$inner" ] && [ ! -L "$inner" ]; then dir=$inner; else break; fi
done
mkdir -p "$top/results"
results=$top/results/results.json
rm -f "$results"
cd "$dir" || exit 1
"$top/source/labgrade" check "$top/source/lab" .%s --report gradescope="$results" --quiet
code=$?
case $code in
  0 | 1 | 3) [ -s "$results" ] ;;
  *) rm -f "$results"; exit "$code" ;;
esac
`

func exportGradescope(c *cli.Context, s Streams) error {
	if c.NArg() != 1 || c.String("output") == "" {
		return Usagef("export gradescope needs the lab's name and -o FILE.zip\nSee: labgrade export gradescope --help")
	}
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	binary := c.String("binary")
	if binary == "" {
		if binary, err = os.Executable(); err != nil {
			return Failf(ExitInternal, "the running labgrade cannot be found: %w", err)
		}
	}
	program, err := linuxProgram(binary)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeGradescope(&b, lab, program); err != nil {
		return err
	}
	if err := os.WriteFile(c.String("output"), b.Bytes(), 0o644); err != nil {
		return Usagef("the zip cannot be written: %w", err)
	}
	points := 0.0
	for _, step := range lab.Steps {
		points += step.Points
	}
	_, err = fmt.Fprintf(s.Out, "%s: the autograder of the lab %s (%g points); upload it at Gradescope under Configure Autograder\n", c.String("output"), lab.ID, points)
	return err
}

// linuxProgram reads a program that runs in Gradescope's image.
func linuxProgram(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, Usagef("labgrade for Linux cannot be read: %w", err)
	}
	const hint = "give labgrade for Linux on amd64 with --binary (it is among the releases)"
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil || f.Class != elf.ELFCLASS64 || f.Machine != elf.EM_X86_64 {
		return nil, Usagef("%s is no program for Linux on amd64; %s", name, hint)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return nil, Usagef("%s is linked to libraries of this system; %s, or build with CGO_ENABLED=0", name, hint)
		}
	}
	return b, nil
}

// writeGradescope writes the zip. The same lab and program give the same bytes.
func writeGradescope(w io.Writer, lab *labs.Lab, program []byte) error {
	z := zip.NewWriter(w)
	put := func(name string, mode fs.FileMode, data []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return err
	}
	sources := ""
	for _, t := range lab.Tables {
		sources += " --source " + shellQuoted(t.Name+"=") + "\"$top/source/lab/data/\"" + shellQuoted(t.File)
	}
	files := []struct {
		name string
		mode fs.FileMode
		data []byte
	}{
		{"setup.sh", 0o755, []byte(gradescopeSetup)},
		{"run_autograder", 0o755, fmt.Appendf(nil, gradescopeRun, sources)},
		{"labgrade", 0o755, program},
	}
	for _, f := range files {
		if err := put(f.name, f.mode, f.data); err != nil {
			return err
		}
	}
	names := []string{labs.FileName}
	for _, t := range lab.Tables {
		names = append(names, "data/"+t.File)
	}
	for _, n := range names {
		data, err := fs.ReadFile(lab.FS, n)
		if errors.Is(err, fs.ErrNotExist) && n != labs.FileName {
			return Usagef("the lab %s has no data file %s; the autograder needs it", lab.ID, n)
		}
		if err != nil {
			return err
		}
		if err := put("lab/"+n, 0o644, data); err != nil {
			return err
		}
	}
	return z.Close()
}

// shellQuoted is a text as one word of a shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
