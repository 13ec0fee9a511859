package sql

// Statement is one client statement.
type Statement interface {
	Node
	stmt()
}

// Option is 'key' = 'value'.
type Option struct {
	Span
	Key, Value string
}

type (
	// QueryStmt is a SELECT, VALUES, WITH, TABLE.
	QueryStmt struct {
		Span
		Query *Query
	}
	// Insert is INSERT INTO|OVERWRITE t [PARTITION (..)] [(cols)] query [ON CONFLICT DO x].
	Insert struct {
		Span
		Table      Name
		Overwrite  bool
		Partition  []Option // static partition: column = value text
		Columns    []Ident
		Query      *Query
		Hints      []Hint
		OnConflict string // "", "DEDUPLICATE", "ERROR", "NOTHING"
	}
	// StatementSet is EXECUTE STATEMENT SET BEGIN ... END, or EXPLAIN's STATEMENT SET.
	StatementSet struct {
		Span
		Inserts []*Insert
	}
	// BeginStatementSet and EndStatementSet are the client's own brackets.
	BeginStatementSet struct{ Span }
	EndStatementSet   struct{ Span }
	// CreateTable is CREATE [TEMPORARY] TABLE.
	CreateTable struct {
		Span
		Temporary, OrReplace, IfNotExists bool
		MustExist                         bool // REPLACE TABLE, without CREATE OR
		Name                              Name
		Columns                           []ColumnDef
		Names                             []Ident // column names without types, for AS
		Watermark                         *WatermarkDef
		Watermarks                        int // how many WATERMARK clauses stood there
		Constraints                       []Constraint
		Comment                           *string
		PartitionedBy                     []Ident
		Distribution                      string
		Options                           []Option
		Like                              *LikeClause
		AsQuery                           *Query
		AsText                            string // AsQuery as written
	}
	// CreateView is CREATE [TEMPORARY] VIEW v [(cols)] [COMMENT ..] AS query.
	// QueryText is the query as written.
	CreateView struct {
		Span
		Temporary, IfNotExists bool
		Name                   Name
		Columns                []Ident
		Comment                *string
		Query                  *Query
		QueryText              string
	}
	// CreateCatalog, CreateDatabase, CreateFunction.
	CreateCatalog struct {
		Span
		Name        Ident
		IfNotExists bool
		Comment     *string
		Options     []Option
	}
	CreateDatabase struct {
		Span
		Name        Name
		IfNotExists bool
		Comment     *string
		Options     []Option
	}
	CreateFunction struct {
		Span
		Temporary, System, IfNotExists bool
		Name                           Name
		Class                          string
		Language                       string
		Using                          bool // USING JAR stood behind it
	}
	// AlterFunction is ALTER [TEMPORARY [SYSTEM]] FUNCTION [IF EXISTS] f AS 'class'.
	AlterFunction struct {
		Span
		Temporary, System, IfExists bool
		Name                        Name
		Class                       string
	}
	// AlterCatalog is ALTER CATALOG c SET (..) | RESET (..) | COMMENT '..'.
	AlterCatalog struct {
		Span
		Name    Ident
		Action  string
		Options []Option
		Keys    []string
		Comment string
	}
	// Drop is DROP [TEMPORARY] TABLE|VIEW|CATALOG|DATABASE|FUNCTION.
	Drop struct {
		Span
		Kind                string
		Temporary, IfExists bool
		System              bool // DROP TEMPORARY SYSTEM FUNCTION
		Name                Name
		Cascade, Restrict   bool
	}
	// AlterTable is ALTER TABLE ...; Action: "RENAME", "SET", "RESET", "ADD",
	// "MODIFY", "DROP", "RENAME COLUMN", "ADD PARTITION", "DROP PARTITION" (Options).
	AlterTable struct {
		Span
		IfExists bool
		Name     Name
		Action   string
		NewName  Name
		Options  []Option
		Keys     []string
		Columns  []ColumnDef
		// Drops names what DROP removes: columns, or "PRIMARY KEY", "WATERMARK", "CONSTRAINT c".
		Drops       []string
		Constraints []Constraint
		Watermark   *WatermarkDef
		From, To    Ident
	}
	// AlterView is ALTER VIEW v RENAME TO w | AS query.
	AlterView struct {
		Span
		Name      Name
		NewName   *Name
		Query     *Query
		QueryText string
	}
	// AlterDatabase is ALTER DATABASE d SET (...).
	AlterDatabase struct {
		Span
		Name    Name
		Options []Option
	}
	// Use is USE x, USE CATALOG c, USE MODULES a, b; Kind: "", "CATALOG", "MODULES".
	Use struct {
		Span
		Kind  string
		Names []Name
	}
	// Show is SHOW what ...; What is upper case: "TABLES", "VIEWS", "CREATE TABLE",
	// "CREATE VIEW", "CATALOGS", "CURRENT CATALOG", "DATABASES", "CURRENT DATABASE",
	// "COLUMNS", "FUNCTIONS", "USER FUNCTIONS", "MODULES", "FULL MODULES", "JOBS", "JARS", "PARTITIONS", ...
	Show struct {
		Span
		What  string
		Name  Name // FROM/IN x, or the object of SHOW CREATE
		Not   bool
		ILike bool
		Like  *string
	}
	// Describe is DESCRIBE|DESC [EXTENDED] t, DESCRIBE CATALOG c, DESCRIBE DATABASE d, ...
	Describe struct {
		Span
		Kind     string
		Extended bool
		Name     Name
	}
	// Explain is EXPLAIN [details | PLAN FOR] statement; details in written order, upper case.
	Explain struct {
		Span
		Details []string
		PlanFor bool
		Stmt    Statement
	}
	// Set is SET [key = value]; All lists the settings.
	Set struct {
		Span
		All        bool
		Key, Value string
	}
	// Reset is RESET [key].
	Reset struct {
		Span
		All bool
		Key string
	}
	// ClientCommand is HELP, QUIT, EXIT, CLEAR, ...; Name is upper case.
	ClientCommand struct {
		Span
		Name string
	}
	// Delete, Update, Truncate and the rest parse so that they can be refused in Flink's words.
	Delete struct {
		Span
		Table Name
		Where Expr
	}
	Update struct {
		Span
		Table Name
		Where Expr
	}
	Truncate struct {
		Span
		Table Name
	}
	// Other is a statement that parses in Flink but is outside the engine's scope
	// (ADD JAR, LOAD MODULE, CALL, ANALYZE, ...); Name says which, Object what it is about.
	Other struct {
		Span
		Name   string
		Object Name
	}
)

func (*QueryStmt) stmt()         {}
func (*Insert) stmt()            {}
func (*StatementSet) stmt()      {}
func (*BeginStatementSet) stmt() {}
func (*EndStatementSet) stmt()   {}
func (*CreateTable) stmt()       {}
func (*CreateView) stmt()        {}
func (*CreateCatalog) stmt()     {}
func (*CreateDatabase) stmt()    {}
func (*CreateFunction) stmt()    {}
func (*AlterFunction) stmt()     {}
func (*AlterCatalog) stmt()      {}
func (*Drop) stmt()              {}
func (*AlterTable) stmt()        {}
func (*AlterView) stmt()         {}
func (*AlterDatabase) stmt()     {}
func (*Use) stmt()               {}
func (*Show) stmt()              {}
func (*Describe) stmt()          {}
func (*Explain) stmt()           {}
func (*Set) stmt()               {}
func (*Reset) stmt()             {}
func (*ClientCommand) stmt()     {}
func (*Delete) stmt()            {}
func (*Update) stmt()            {}
func (*Truncate) stmt()          {}
func (*Other) stmt()             {}

// ColumnDef is a column of CREATE TABLE: physical (Type), computed (Computed) or
// metadata (Metadata, with From and Virtual).
type ColumnDef struct {
	Span
	Name         Ident
	Type         TypeName
	Computed     Expr
	ComputedText string
	Metadata     bool
	From         *string
	Virtual      bool
	Comment      *string
	// InlineKey is a column-level PRIMARY KEY or UNIQUE constraint.
	InlineKey *Constraint
	// First, After: position in ALTER TABLE ADD/MODIFY.
	First bool
	After *Ident
}

// WatermarkDef is WATERMARK FOR col AS expr.
type WatermarkDef struct {
	Span
	Column Name
	X      Expr
	Text   string
}

// Constraint is PRIMARY KEY or UNIQUE; Enforced: "", "ENFORCED", "NOT ENFORCED".
type Constraint struct {
	Span
	Name     *Ident
	Unique   bool
	Columns  []Ident
	Enforced string
}

// LikeClause is LIKE t (INCLUDING ALL ...); options as "INCLUDING ALL" texts.
type LikeClause struct {
	Name    Name
	Options []string
}
