package parse

// Err is an error as the client prints it.
type Err struct {
	Line int
	// Header is the line with [ERROR], without it ("Could not execute SQL
	// statement. Reason:"); empty for a bare Java exception.
	Header string
	// Class and Message are those of the root cause: what the client prints without
	// verbose mode. Message may have several lines; Class may be empty.
	Class   string
	Message string
	// Causes are the exceptions of a stack trace from the outermost to the root; one
	// without verbose mode.
	Causes []Cause
	// Verbose: the text holds stack frames.
	Verbose bool
}

// Cause is one exception of a chain.
type Cause struct {
	Line    int
	Class   string
	Message string
}

// FirstLine is the first line of the message: the rest of a parse error is a list of
// tokens that differs between versions.
func (e *Err) FirstLine() string {
	for i := 0; i < len(e.Message); i++ {
		if e.Message[i] == '\n' {
			return e.Message[:i]
		}
	}
	return e.Message
}

// SimpleClass is the class without its package.
func (e *Err) SimpleClass() string {
	for i := len(e.Class) - 1; i >= 0; i-- {
		if e.Class[i] == '.' {
			return e.Class[i+1:]
		}
	}
	return e.Class
}
