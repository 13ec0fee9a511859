package sql

// checkTable makes the checks that Flink's parser makes when a CREATE TABLE has been read.
func (p *parser) checkTable(c *CreateTable) {
	if len(c.Names) > 0 && c.AsQuery == nil {
		p.failAs(ClassParse, c.Names[0].Start, "give every column a type", "Columns identifiers without types in the schema are supported on CTAS/RTAS statements only.")
	}
	p.checkConstraints(c.Constraints)
}

// checkConstraints: Flink takes one key at most, and enforces none.
func (p *parser) checkConstraints(constraints []Constraint) {
	validate := func(at Pos, format string, a ...any) {
		p.failAs(ClassSqlValidate, at, "", format, a...)
	}
	keys := 0
	for _, k := range constraints {
		if k.Unique {
			validate(k.Start, "UNIQUE constraint is not supported yet")
		}
		keys++
		if keys > 1 {
			validate(k.Start, "Duplicate primary key definition")
		}
	}
	for _, k := range constraints {
		if k.Enforced != "NOT ENFORCED" {
			p.failAs(ClassSqlValidate, k.Start, "write PRIMARY KEY (...) NOT ENFORCED", "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED controls if the constraint checks are performed on the incoming/outgoing data. Flink does not own the data therefore the only supported mode is the NOT ENFORCED mode")
		}
	}
}
