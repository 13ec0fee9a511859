package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// windowFunctions are the window table functions with their parameters in order;
// OFFSET may be left out.
func windowParameters(name string) []string {
	switch name {
	case "TUMBLE":
		return []string{"DATA", "TIMECOL", "SIZE", "OFFSET"}
	case "HOP":
		return []string{"DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"}
	case "CUMULATE":
		return []string{"DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"}
	case "SESSION":
		return []string{"DATA", "TIMECOL", "GAP"}
	}
	return nil
}

func windowSignature(name string) string {
	switch name {
	case "TUMBLE":
		return "TUMBLE(TABLE table_name, DESCRIPTOR(timecol), datetime interval[, datetime interval])"
	case "SESSION":
		return "SESSION(TABLE table_name [PARTITION BY (col1, ...)], DESCRIPTOR(timecol), datetime interval)"
	}
	return name + "(TABLE table_name, DESCRIPTOR(timecol), datetime interval, datetime interval[, datetime interval])"
}

func isTableFunction(name string) bool {
	return name == "TO_CHANGELOG" || name == "FROM_CHANGELOG" || name == "CUMULATE" || name == "SNAPSHOT"
}

// tableFunc binds a table function in FROM.
func (blk *block) tableFunc(t *sql.TableFunc) (rel.Node, error) {
	name := strings.ToUpper(callName(t.Call))
	var r *relation
	var err error
	switch {
	case name == "TO_CHANGELOG" || name == "FROM_CHANGELOG":
		r, err = blk.changelogFunction(t.Call, name)
	case windowParameters(name) != nil:
		r, err = blk.windowFunction(t.Call, name)
	default:
		r, err = nil, blk.unknownTableFunction(t)
	}
	if err != nil {
		return nil, err
	}
	return blk.addDerived(t.Alias, r)
}

// unknownTableFunction is the error for a table function that does not exist: there are no
// functions of the user's own here.
func (blk *block) unknownTableFunction(t *sql.TableFunc) error {
	x := blk.lateralExprs()
	args := make([]string, len(t.Call.Args))
	for i, a := range t.Call.Args {
		prefix := ""
		if n, ok := a.(*sql.NamedArg); ok {
			prefix, a = n.Name.Text+" => ", n.Value
		}
		switch a := a.(type) {
		case *sql.TableArg:
			r, _, err := blk.tableArgument(a)
			if err != nil {
				return err
			}
			args[i] = prefix + "<" + rex.RecordText(r.fields, false) + ">"
		case *sql.Descriptor:
			args[i] = prefix + "<COLUMN_LIST>"
		default:
			e, err := x.bind(a)
			if err != nil {
				return err
			}
			args[i] = prefix + "<" + fn.FamilyText(e.Type()) + ">"
		}
	}
	return flinkerr.Validator("No match found for function signature %s(%s)", callName(t.Call), strings.Join(args, ", "))
}

// lateralExprs binds expressions that may read the left side of a join.
func (blk *block) lateralExprs() *exprs {
	sc := &scope{parent: blk.sc.parent}
	if blk.lateral != nil {
		sc.parent = blk.lateral
	}
	return &exprs{b: blk.b, sc: sc, noAgg: "FROM"}
}

// arguments brings positional or named arguments into the order of the parameters.
// Names that are no parameter are ignored, as Flink does.
func arguments(c *sql.Call, params []string, shown string) ([]sql.Expr, error) {
	out := make([]sql.Expr, len(params))
	named := false
	for _, a := range c.Args {
		if _, ok := a.(*sql.NamedArg); ok {
			named = true
		}
	}
	for i, a := range c.Args {
		na, ok := a.(*sql.NamedArg)
		switch {
		case named && !ok:
			return nil, unsupported.New("named and positional arguments of %s", shown)
		case !named:
			if i >= len(params) {
				return nil, tooManyArguments(shown, params)
			}
			out[i] = a
			continue
		}
		found := false
		for j, p := range params {
			if p == na.Name.Text {
				out[j], found = na.Value, true
			}
		}
		if !found {
			for _, p := range params {
				if strings.EqualFold(p, na.Name.Text) {
					return nil, flinkerr.Validator("Param '%s' not found in function '%s'; did you mean '%s'?", na.Name.Text, strings.ToUpper(shown), p)
				}
			}
		}
	}
	return out, nil
}

// tableArgument binds TABLE t [PARTITION BY ..] or a query: SELECT * of it.
func (blk *block) tableArgument(e sql.Expr) (*relation, *rex.TableInput, error) {
	var q *sql.Query
	in := &rex.TableInput{}
	var partition []sql.Expr
	switch e := e.(type) {
	case *sql.TableArg:
		if len(e.OrderBy) > 0 {
			return nil, nil, unsupported.New("ORDER BY of a table argument")
		}
		q, partition = e.Query, e.PartitionBy
		if q == nil {
			q = &sql.Query{Span: e.Span, Body: &sql.ExplicitTable{Span: e.Span, Name: e.Name}}
		}
	case *sql.Subquery:
		q = e.Query
	default:
		return nil, nil, nil
	}
	r, err := blk.b.query(q, blk.visible(), false)
	if err != nil {
		return nil, nil, err
	}
	r = trimExtra(r)
	for _, p := range partition {
		c, ok := p.(*sql.ColumnRef)
		if !ok {
			return nil, nil, unsupported.New("PARTITION BY of a table argument")
		}
		i := fieldIndex(r.fields, nameParts(c.Name)[0])
		if i < 0 {
			return nil, nil, flinkerr.Validator("Unknown identifier '%s'", nameParts(c.Name)[0])
		}
		in.PartitionBy = append(in.PartitionBy, i)
	}
	in.T = value.Type{Kind: value.KindRow, Fields: r.fields}
	return r, in, nil
}

// visible is the scope that a query inside FROM sees: WITH items, and the left side
// of a lateral join.
func (blk *block) visible() *scope {
	if blk.lateral != nil {
		return blk.lateral
	}
	return blk.sc.parent
}

// windowFunction binds TUMBLE, HOP, CUMULATE and SESSION: the input's columns and
// window_start, window_end, window_time.
func (blk *block) windowFunction(c *sql.Call, name string) (*relation, error) {
	params := windowParameters(name)
	args, err := arguments(c, params, name)
	if err != nil {
		return nil, err
	}
	if args[0] == nil {
		return nil, unsupported.New("%s without a table", name)
	}
	if err := blk.tableComesFirst(c, args[1]); err != nil {
		return nil, err
	}
	r, in, err := blk.tableArgument(args[0])
	if err != nil {
		return nil, err
	}
	if r == nil {
		// Without TABLE the first argument is read as a column.
		if _, err := blk.lateralExprs().bind(args[0]); err != nil {
			return nil, err
		}
		return nil, unsupported.New("%s without a table", name)
	}
	if len(in.PartitionBy) > 0 && name != "SESSION" {
		return nil, flinkerr.Validator("Only tables with set semantics may be partitioned. Invalid PARTITION BY clause in the 0-th operand of table function '%s'", name)
	}
	d, ok := args[1].(*sql.Descriptor)
	if !ok {
		if args[1] != nil {
			if _, err := blk.lateralExprs().bind(args[1]); err != nil {
				return nil, err
			}
		}
		return nil, unsupported.New("%s without DESCRIPTOR", name)
	}
	x := blk.lateralExprs()
	call := &rex.Call{Op: &rex.Op{Name: name}, Args: []rex.Expr{in}}
	col, err := timeColumn(d, r.fields, name)
	if err != nil {
		return nil, err
	}
	desc, err := x.descriptor(d)
	if err != nil {
		return nil, err
	}
	call.Args = append(call.Args, desc)
	for i := 2; i < len(params); i++ {
		if args[i] == nil {
			if params[i] != "OFFSET" {
				want := len(params) - 1
				if name == "SESSION" {
					want = len(params)
				}
				return nil, flinkerr.Validator("Invalid number of arguments to function '%s'. Was expecting %d arguments", name, want)
			}
			break
		}
		e, err := x.bind(args[i])
		if err != nil {
			return nil, err
		}
		if k := e.Type().Kind; k != value.KindIntervalDayTime && k != value.KindIntervalYearMonth {
			return nil, windowTypes(name, r.fields, append(call.Args, e))
		}
		call.Args = append(call.Args, e)
	}
	time := value.Type{Kind: value.KindTimestamp, Precision: 3}
	wt := r.fields[col].Type
	wt.Nullable = false
	fields := append(append([]value.Field(nil), r.fields...),
		value.Field{Name: "window_start", Type: time}, value.Field{Name: "window_end", Type: time},
		value.Field{Name: "window_time", Type: wt})
	n := &rel.TableFunction{Base: rel.Base{In: []rel.Node{r.node}, Fields: fields}, Call: call, Name: callName(c)}
	return &relation{node: n, fields: fields}, nil
}

// tooManyArguments names the fewest that would do.
func tooManyArguments(name string, params []string) error {
	switch n := strings.ToUpper(name); n {
	case "TUMBLE", "HOP", "CUMULATE", "SESSION":
		want := len(params) - 1
		if n == "SESSION" {
			want = len(params)
		}
		return flinkerr.Validator("Invalid number of arguments to function '%s'. Was expecting %d arguments", n, want)
	}
	return unsupported.New("too many arguments of %s", name)
}

// tableComesFirst: Flink looks for the DESCRIPTOR's column in the first argument as it is written,
// even if it is named and not the table.
func (blk *block) tableComesFirst(c *sql.Call, descriptor sql.Expr) error {
	first, ok := c.Args[0].(*sql.NamedArg)
	if !ok || first.Name.Text == "DATA" {
		return nil
	}
	d, ok := descriptor.(*sql.Descriptor)
	if _, isDescriptor := first.Value.(*sql.Descriptor); !ok || isDescriptor || len(d.Columns) != 1 {
		return unsupported.New("a window function whose first argument is not the table")
	}
	ref, ok := d.Columns[0].(*sql.ColumnRef)
	if !ok {
		return unsupported.New("DESCRIPTOR of no column")
	}
	e, err := blk.lateralExprs().bind(first.Value)
	if err != nil {
		return err
	}
	return flinkerr.New("java.lang.IllegalStateException", "Trying to access field %s in a type with no fields: %s", ref.Name.Parts[0].Text, rex.TypeText(e.Type().NotNull(), false))
}

// windowTypes is the error for an argument that is no interval.
func windowTypes(name string, fields []value.Field, args []rex.Expr) error {
	s := []string{"<" + strings.ToUpper(rex.RecordText(fields, false)) + ">", "<COLUMN_LIST>"}
	for _, a := range args[2:] {
		s = append(s, "<"+rex.TypeText(a.Type(), false)+">")
	}
	return flinkerr.Validator("Cannot apply '%s' to arguments of type '%s(%s)'. Supported form(s): %s", name, name, strings.Join(s, ", "), windowSignature(name))
}

// timeColumn finds the column of DESCRIPTOR and checks that it is a timestamp.
func timeColumn(d *sql.Descriptor, fields []value.Field, name string) (int, error) {
	if len(d.Columns) != 1 {
		return 0, unsupported.New("DESCRIPTOR of %d columns", len(d.Columns))
	}
	ref, ok := d.Columns[0].(*sql.ColumnRef)
	if !ok {
		return 0, unsupported.New("DESCRIPTOR of no column")
	}
	col := ref.Name.Parts[0].Text
	i := fieldIndex(fields, col)
	if i < 0 {
		return 0, flinkerr.Validator("Unknown identifier '%s'", col)
	}
	t := fields[i].Type
	if t.Kind != value.KindTimestamp && t.Kind != value.KindTimestampLTZ || t.Precision > 3 {
		return 0, flinkerr.Validation("The window function %s requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ, but is %s.\nBesides, the timecol must be a time attribute type in streaming mode.",
			windowSignature(name), rex.TypeText(t, false))
	}
	return i, nil
}
