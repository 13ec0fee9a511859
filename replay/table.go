package replay

import "iter"

// Table is a bag of rows.
type Table struct{}

// TableRow is a row of the table. Borrowed from the table: valid until the next change.
type TableRow struct {
	Cells [][]byte
	// Count is how often the row is there: 1 with a key.
	Count int
	// Line and Row are the change that last brought it.
	Line, Row int
}

// Len is the number of rows, duplicates included.
func (t *Table) Len() int { return 0 }

// Distinct is the number of different rows.
func (t *Table) Distinct() int { return 0 }

// Rows lists the rows in the order in which they came into the table; a row that an
// update replaced keeps its place.
func (t *Table) Rows() iter.Seq[TableRow] { return func(func(TableRow) bool) {} }

// Count is how often exactly these cells are in the table.
func (t *Table) Count(cells [][]byte) int { return 0 }

// Get is the row with that key (the cells of Options.Key, in its order); false when
// there is none or the table has no key.
func (t *Table) Get(key [][]byte) (TableRow, bool) { return TableRow{}, false }
