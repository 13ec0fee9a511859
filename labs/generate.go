package labs

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/labgrade/labgrade/fixtures"
)

// Generate describes rows of a source table, made anew from a seed.
type Generate struct {
	// Rows is how many there are by default.
	Rows int `yaml:"rows"`
	// Columns describe each column of the file.
	Columns map[string]Values `yaml:"columns"`
}

// Values are the values of a generated column: exactly one of From, Pick, Between and
// Start.
type Values struct {
	// From begins a count: From, From+1, ...
	From *int `yaml:"from"`
	// Pick takes one of the texts, the first ones more often with Skewed.
	Pick   []string `yaml:"pick"`
	Skewed bool     `yaml:"skewed"`
	// Between takes a number from the first to the second, with Decimals digits behind
	// the point.
	Between  []int `yaml:"between"`
	Decimals int   `yaml:"decimals"`
	// Start is the first time, "2026-03-01 09:00:00"; each row is later by a random
	// number of milliseconds between the two of Every (default 0 to 10000). A share Late
	// of the rows (0 to 1) is earlier than its place by up to LateBy milliseconds.
	Start  string  `yaml:"start"`
	Every  []int   `yaml:"every"`
	Late   float64 `yaml:"late"`
	LateBy int     `yaml:"late_by"`
	// Empty is the share of rows whose field is empty (0 to 1).
	Empty float64 `yaml:"empty"`
}

// generate validates the description of a table's data.
func (r *reader) generate(at string, t *Table) {
	g := t.Generate
	if g == nil || t.statement == nil {
		return
	}
	if f := t.option("format"); f != "csv" {
		r.at(at, "only csv files are generated; the table has the format %q", f)
	}
	if g.Rows < 0 {
		r.at(at+".rows", "the number of rows cannot be negative")
	}
	var columns []string
	for _, c := range t.Physical() {
		columns = append(columns, c.Name)
		if _, ok := g.Columns[c.Name]; !ok {
			r.at(at+".columns", "the column %q of the table is not described", c.Name)
		}
	}
	for name, v := range g.Columns {
		where := at + ".columns." + name
		if !slices.Contains(columns, name) {
			r.at(where, "the table has no column %q in its file%s", name, suggest(name, slices.Clone(columns)))
		}
		if err := v.check(); err != nil {
			r.at(where, "%v", err)
		}
	}
}

// check says what is wrong with a description.
func (v *Values) check() error {
	n := 0
	for _, is := range []bool{v.From != nil, v.Pick != nil, v.Between != nil, v.Start != ""} {
		if is {
			n++
		}
	}
	if n != 1 {
		return errors.New("a column has exactly one of from, pick, between and start")
	}
	share := func(x float64) bool { return x >= 0 && x <= 1 }
	pair := func(p []int) bool { return len(p) == 2 && p[0] <= p[1] }
	switch {
	case v.Pick != nil && len(v.Pick) == 0:
		return errors.New("pick needs at least one text")
	case v.Between != nil && !pair(v.Between):
		return errors.New("between needs two numbers, the smaller one first")
	case v.Decimals < 0 || v.Decimals > 9 || v.Decimals > 0 && v.Between == nil:
		return errors.New("decimals is for between, from 0 to 9")
	case v.Every != nil && (!pair(v.Every) || v.Every[0] < 0):
		return errors.New("every needs two numbers of milliseconds, the smaller one first")
	case (v.Every != nil || v.Late != 0 || v.LateBy != 0) && v.Start == "":
		return errors.New("every, late and late_by go with start")
	case !share(v.Late) || !share(v.Empty):
		return errors.New("late and empty are shares from 0 to 1")
	case v.LateBy < 0 || (v.Late > 0) != (v.LateBy > 0):
		return errors.New("late needs late_by, a number of milliseconds, and the other way round")
	case v.Skewed && v.Pick == nil:
		return errors.New("skewed goes with pick")
	}
	if v.Start != "" {
		if _, err := time.Parse(timeLayout, v.Start); err != nil {
			return fmt.Errorf("start must be a time such as %q, not %q", timeLayout, v.Start)
		}
	}
	return nil
}

// timeLayout is how times are written in source files.
const timeLayout = "2006-01-02 15:04:05"

// Described is how to make other rows of the table; false when the lab does not say it.
func (t *Table) Described() (*fixtures.Described, bool) {
	if t.Generate == nil {
		return nil, false
	}
	d := &fixtures.Described{Table: t.Name, Rows: t.Generate.Rows}
	if x := t.option("csv.field-delimiter"); len(x) == 1 {
		d.Delimiter = x[0]
	}
	for _, c := range t.physical {
		v := t.Generate.Columns[c.Name]
		x := fixtures.Column{Pick: v.Pick, Skewed: v.Skewed, Decimals: v.Decimals, Late: v.Late, LateBy: int64(v.LateBy), Empty: v.Empty, Every: [2]int64{0, 10_000}}
		if v.From != nil {
			from := int64(*v.From)
			x.From = &from
		}
		if v.Between != nil {
			x.Between = &[2]int64{int64(v.Between[0]), int64(v.Between[1])}
		}
		if v.Every != nil {
			x.Every = [2]int64{int64(v.Every[0]), int64(v.Every[1])}
		}
		if v.Start != "" {
			x.Start, _ = time.Parse(timeLayout, v.Start) // validated
		}
		d.Columns = append(d.Columns, x)
	}
	return d, true
}
