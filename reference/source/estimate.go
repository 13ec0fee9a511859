package source

import (
	"bufio"
	"io"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/catalog"
)

// sampleLines is how many lines Flink looks at to guess the number of rows.
const sampleLines = 100

// EstimateRows is the number of rows that Flink's batch planner expects of a table: the
// lines of its csv files, counted up to 100 lines and guessed from the sizes beyond. known is
// false for an empty table, for other formats and where the files cannot be read.
func EstimateRows(table *catalog.Table, fsys FS) (rows int64, known bool) {
	if f, _ := table.Option("format"); f != "csv" {
		return 0, false
	}
	files, err := listFiles(table, fsys, Options{})
	if err != nil {
		return 0, false
	}
	var total, lines, size int64
	for _, f := range files {
		total += f.info.Size
		if lines >= sampleLines {
			continue
		}
		n, bytes, err := sampleFile(f, fsys, sampleLines-lines)
		if err != nil {
			return 0, false
		}
		lines += n
		size += bytes
	}
	if lines < sampleLines {
		size = total
	}
	if size == 0 {
		return 0, false
	}
	return total * lines / size, true
}

// sampleFile counts up to max lines of a file and their bytes, one more for each line end. Java's
// reader ends lines at \n, \r and \r\n and replaces broken characters.
func sampleFile(f dataFile, fsys FS, max int64) (lines, size int64, err error) {
	in, err := fsys.Open(f.path)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	r := bufio.NewReader(in)
	open, afterCR := false, false
	for lines < max {
		c, n, err := r.ReadRune()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		if c == '\n' && afterCR {
			afterCR = false
			continue
		}
		afterCR = c == '\r'
		if c == '\n' || c == '\r' {
			lines++
			size++
			open = false
			continue
		}
		open = true
		if c == utf8.RuneError && n == 1 {
			n = 3
		}
		size += int64(n)
	}
	if open && lines < max {
		lines++
		size++
	}
	return lines, size, nil
}
