package sql

// checkTable makes the checks that Flink's parser makes when a CREATE TABLE has been read.
func (p *parser) checkTable(c *CreateTable) {
	validate := func(at Pos, format string, a ...any) {
		p.failAs(ClassSqlValidate, at, "", format, a...)
	}
	if len(c.Names) > 0 && c.AsQuery == nil {
		p.failAs(ClassParse, c.Names[0].Start, "give every column a type", "Columns identifiers without types in the schema are supported on CTAS/RTAS statements only.")
	}
	keys := 0
	for _, k := range c.Constraints {
		if k.Unique {
			validate(k.Start, "UNIQUE constraint is not supported yet")
		}
		keys++
		if keys > 1 {
			validate(k.Start, "Duplicate primary key definition")
		}
	}
	for _, k := range c.Constraints {
		if k.Enforced != "NOT ENFORCED" {
			p.failAs(ClassSqlValidate, k.Start, "write PRIMARY KEY (...) NOT ENFORCED", "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED controls if the constraint checks are performed on the incoming/outgoing data. Flink does not own the data therefore the only supported mode is the NOT ENFORCED mode")
		}
	}
}
