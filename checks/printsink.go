package checks

import (
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// printIdentifier is the print-identifier of the table that the step's INSERT writes to,
// by which its lines are told from those of other print sinks in the same file; "" when
// the lab gives none.
func printIdentifier(lab *labs.Lab, step *labs.Step) string {
	if t := sinkTable(lab, step); t != nil {
		return optionOf(t, "print-identifier")
	}
	return ""
}

// sinkFormat is the format of the files of the step's sink.
func sinkFormat(lab *labs.Lab, step *labs.Step) string {
	if t := sinkTable(lab, step); t != nil && optionOf(t, "format") == "json" {
		return "json"
	}
	return "csv"
}

// sinkTable is the lab's declaration of the table that the step's INSERT writes to.
func sinkTable(lab *labs.Lab, step *labs.Step) *sql.CreateTable {
	target := ""
	for _, st := range statementsOf(step.Query) {
		if ins, ok := st.stmt.(*sql.Insert); ok {
			target = lastPart(ins.Table)
		}
	}
	for _, st := range statementsOf(setupOf(lab, step)) {
		if t, ok := st.stmt.(*sql.CreateTable); ok && lastPart(t.Name) == target {
			return t
		}
	}
	return nil
}
