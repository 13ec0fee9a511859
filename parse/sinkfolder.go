package parse

// SinkFolder is the content of the folder that a filesystem sink wrote.
type SinkFolder struct {
	// Files are the part files in the order in which they are joined: by run, then
	// partition folder, subtask and counter as numbers.
	Files []SinkFile
	// InProgress are hidden files of jobs that did not end; their rows are not read.
	InProgress []string
	// Runs is the number of writers (uuids) in the folder: 2 when the INSERT was run
	// twice. Runs whose order cannot be told are joined by name; a note says so.
	Runs int
	// NRows counts the rows of all files.
	NRows    int
	Notes    []Note
	Problems []Problem
	// NProblems counts all problems.
	NProblems int
	// Rows is filled by ReadSink when no OnRow is given.
	Rows []SinkRow
}

// SinkFile is one part file.
type SinkFile struct {
	// Name is the path inside the folder, with slashes.
	Name string
	// UUID, Subtask and Counter are the parts of "part-<uuid>-<subtask>-<counter>" and
	// "part-<uuid>-task-<subtask>-file-<counter>"; UUID is empty for another name.
	UUID    string
	Subtask int
	Counter int
	// Batch: the name has the form that batch jobs use.
	Batch bool
	// Partition are the "key=value" folders.
	Partition []Attr
	Run       int
	Bytes     int64
	NRows     int
	modTime   int64
}

// SinkRow is one record of a part file. Borrowed in OnRow.
type SinkRow struct {
	// File is an index into Files.
	File int
	// Line and LastLine are 1-based lines of that file.
	Line, LastLine int
	// Fields are the CSV fields without quotes; Quoted says which had them.
	Fields [][]byte
	Quoted []bool
	// Blank: the line is empty: one column that is NULL or '', or no row at all.
	Blank bool
	// JSON is the record of a JSON sink, else nil.
	JSON *JSONValue
}

// SinkOptions say how part files are read.
type SinkOptions struct {
	// Format is "csv" (the default) or "json".
	Format string
	// Delimiter and Quote are ',' and '"' when 0; NoQuote turns quoting off; Escape is
	// csv.escape-character.
	Delimiter, Quote, Escape rune
	NoQuote                  bool
	// OnRow gets every row in order instead of keeping them.
	OnRow func(*SinkFolder, *SinkRow) error
	// MaxLine and MaxProblems as in Options.
	MaxLine, MaxProblems int
}
