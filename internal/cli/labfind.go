package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/labs"
)

// labsFlag names the folder with labs that do not come with labgrade. Every command that
// takes a lab's name has it.
func labsFlag() cli.Flag {
	return &cli.StringFlag{Name: "labs", EnvVars: []string{"LABGRADE_LABS"}, Usage: "`DIR` with further labs, each in a folder of its own"}
}

// openLab finds a lab by its name, in the folder of --labs and among those that come with
// labgrade, or by the path of its folder.
func openLab(c *cli.Context, name string) (*labs.Lab, error) {
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return loadLab(name)
	}
	dir := c.String("labs")
	own, err := labFolders(dir)
	if err != nil {
		return nil, err
	}
	if slices.Contains(own, name) {
		return loadLab(filepath.Join(dir, name))
	}
	lab, err := labs.Open(name)
	var unknown *labs.UnknownError
	if errors.As(err, &unknown) {
		unknown.Known, err = knownLabs(c)
		if err != nil {
			return nil, err
		}
		if isLabFolder(name) {
			return nil, Usagef("there is no lab %q; for the lab in the folder %s say ./%s", name, name, name)
		}
		return nil, Usagef("%w\nSee: labgrade lab list", unknown)
	}
	if err != nil {
		return nil, brokenLab(err)
	}
	return lab, nil
}

// labHome is the folder of the lab that openLab finds, "" for one that comes with labgrade.
func labHome(c *cli.Context, name string) string {
	if strings.ContainsAny(name, `/\\`) || name == "." || name == ".." {
		return name
	}
	if dir := filepath.Join(c.String("labs"), name); c.String("labs") != "" && isLabFolder(dir) {
		return dir
	}
	return ""
}

// brokenLab is the end of every command whose lab has a fault.
func brokenLab(err error) error { return Failf(ExitInternal, "the lab file is wrong:\n%w", err) }

// loadLab loads the lab of a folder.
func loadLab(dir string) (*labs.Lab, error) {
	lab, err := labs.Load(os.DirFS(dir))
	if err == nil {
		return lab, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Usagef("%s holds no %s", dir, labs.FileName)
	}
	var list labs.Problems
	if errors.As(err, &list) {
		for i := range list {
			list[i].File = filepath.ToSlash(filepath.Join(dir, list[i].File))
		}
		return nil, brokenLab(list)
	}
	return nil, brokenLab(err)
}

func isLabFolder(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, labs.FileName))
	return err == nil
}

// labFolders lists the labs of a folder by the names of their folders, sorted; none for "".
func labFolders(dir string) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, Usagef("the folder of --labs cannot be read: %w", err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && isLabFolder(filepath.Join(dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// knownLabs lists the names of all labs: those of --labs, then those that come with
// labgrade and are not hidden by one of the same name.
func knownLabs(c *cli.Context) ([]string, error) {
	ids, err := labFolders(c.String("labs"))
	if err != nil {
		return nil, err
	}
	for _, id := range labs.Shipped() {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
