package replay

import (
	"fmt"
	"strings"
)

// words says a violation in a sentence. It holds the log's own text.
func (v *Violation) words(o Options, width int) string {
	row := tuple(v.Cells)
	switch v.Code {
	case AbsentRow:
		if v.Held != nil {
			return fmt.Sprintf("%s takes %s out of the table, but the table holds %s for this key (%s)", v.Kind, row, tuple(v.Held), at(v.OtherLine, v.OtherRow))
		}
		if len(o.Key) > 0 {
			return fmt.Sprintf("%s takes %s out of the table, but the table holds no row for this key", v.Kind, row)
		}
		return fmt.Sprintf("%s takes %s out of the table, but the table does not hold it", v.Kind, row)
	case LoneUpdateAfter:
		return fmt.Sprintf("+U %s has no -U before it", row)
	case LoneUpdateBefore:
		return fmt.Sprintf("-U %s is followed by no +U", row)
	case SplitPair:
		return fmt.Sprintf("+U %s does not stand directly behind its -U %s (%s)", row, tuple(v.Held), at(v.OtherLine, v.OtherRow))
	case DuplicateInsert:
		return fmt.Sprintf("+I %s inserts a key that is in the table already as %s (%s)", row, tuple(v.Held), at(v.OtherLine, v.OtherRow))
	case MixedPair:
		return fmt.Sprintf("+U %s stands behind the -U %s of another key (%s)", row, tuple(v.Held), at(v.OtherLine, v.OtherRow))
	case OutsideMode:
		return fmt.Sprintf("%s %s: the changelog mode is [%s]", v.Kind, row, o.Mode)
	case EndsInsidePair:
		return fmt.Sprintf("the log ends with -U %s; its +U is missing", row)
	case WrongWidth:
		return fmt.Sprintf("the row has %d cells, the first one has %d", len(v.Cells), width)
	}
	return v.Code.String()
}

func at(line, row int) string {
	if line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("row %d", row)
}

// tuple is a row as (a, b).
func tuple(cells []string) string { return "(" + strings.Join(cells, ", ") + ")" }
