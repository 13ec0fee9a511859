package source

import (
	"errors"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
)

// dataFile is a file of a table.
type dataFile struct {
	path string
	info Info
	// spec holds the key=value parts of the path, unescaped.
	spec map[string]string
}

// listFiles finds the files of a table: the path itself, or every file below it. Names that
// begin with . or _ are hidden, folders too. Flink takes the files of a folder in an order that
// changes from run to run; here it is the order of their paths.
func listFiles(table *catalog.Table, fsys FS, opt Options) ([]dataFile, error) {
	root, err := TablePath(table)
	if err != nil {
		return nil, err
	}
	info, dir, err := stat(fsys, root)
	if err != nil {
		var bad *fs.PathError // not there, not allowed, below a file that is no folder
		if errors.As(err, &bad) {
			return nil, missingFile(table, opt)
		}
		return nil, err
	}
	if !dir {
		return []dataFile{{path: root, info: info}}, nil
	}
	var files []dataFile
	if err := walk(fsys, root, nil, &files); err != nil {
		return nil, err
	}
	return files, nil
}

func stat(fsys FS, name string) (in Info, dir bool, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return Info{}, false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Info{}, false, err
	}
	return infoOf(st), st.IsDir(), nil
}

func infoOf(st fs.FileInfo) Info {
	return Info{Name: st.Name(), Size: st.Size(), ModTime: st.ModTime()}
}

func walk(fsys FS, dir string, spec map[string]string, files *[]dataFile) error {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	for _, e := range entries {
		name := e.Name()
		if name == "" || name[0] == '.' || name[0] == '_' {
			continue
		}
		p := path.Join(dir, name)
		if !e.IsDir() {
			st, err := e.Info()
			if err != nil {
				return err
			}
			*files = append(*files, dataFile{path: p, info: infoOf(st), spec: spec})
			continue
		}
		sub := spec
		if k, v, ok := strings.Cut(name, "="); ok && k != "" {
			sub = make(map[string]string, len(spec)+1)
			for a, b := range spec {
				sub[a] = b
			}
			sub[unescapePath(k)] = unescapePath(v)
		}
		if err := walk(fsys, p, sub, files); err != nil {
			return err
		}
	}
	return nil
}

// unescapePath undoes the %XX of partition folders.
func unescapePath(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if h, ok := hexByte(s[i+1 : i+3]); ok {
				b.WriteRune(rune(h))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hexByte(s string) (byte, bool) {
	var n byte
	for i := 0; i < 2; i++ {
		c := s[i] | 0x20
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | (c - '0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | (c - 'a' + 10)
		default:
			return 0, false
		}
	}
	return n, true
}

// missingFile is Flink's error for a path that does not exist; it names the path as the
// table does, with one slash behind the scheme.
func missingFile(table *catalog.Table, opt Options) error {
	text, _ := table.Option("path")
	p, err := ParsePath(text)
	if err != nil {
		return err
	}
	user := opt.User
	if user == "" {
		user = "root"
	}
	return flinkerr.Runtime("java.io.FileNotFoundException",
		"File %s does not exist or the user running Flink ('%s') has insufficient permissions to access it.", p, user)
}
