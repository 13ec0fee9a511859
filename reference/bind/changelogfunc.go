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

const opColumn = "op"

// changelogFunction binds TO_CHANGELOG and FROM_CHANGELOG: input, op, op_mapping,
// on_time and uid in the order of the signature, DEFAULT() for those left out.
func (blk *block) changelogFunction(c *sql.Call, name string) (*relation, error) {
	args, err := arguments(c, []string{"input", "op", "op_mapping", "on_time", "uid"}, name)
	if err != nil {
		return nil, err
	}
	if len(c.Args) == 0 {
		return nil, noChangelogMatch(name, nil)
	}
	if args[0] == nil {
		return nil, flinkerr.Validator("DEFAULT is only allowed for optional parameters")
	}
	r, in, err := blk.tableArgument(args[0])
	if err != nil {
		return nil, err
	}
	x := blk.lateralExprs()
	if r == nil {
		if _, err := x.bind(args[0]); err != nil {
			return nil, err
		}
		return nil, unsupported.New("%s of no table", name)
	}
	if len(in.PartitionBy) > 0 {
		return nil, flinkerr.Validator("Only tables with set semantics may be partitioned. Invalid PARTITION BY clause in the 0-th operand of table function '%s'", name)
	}
	bound := []rex.Expr{in}
	for _, a := range args[1:] {
		if a == nil {
			bound = append(bound, &rex.Call{Op: rex.Default})
			continue
		}
		if _, ok := a.(*sql.DefaultExpr); ok {
			bound = append(bound, &rex.Call{Op: rex.Default})
			continue
		}
		e, err := x.bind(a)
		if err != nil {
			return nil, err
		}
		bound = append(bound, e)
	}
	if !changelogArgumentTypes(bound) {
		return nil, noChangelogMatch(name, bound)
	}
	op, err := descriptorName(args[1], "op")
	if err != nil {
		return nil, err
	}
	onTime, err := descriptorName(args[3], "on_time")
	if err != nil {
		return nil, err
	}
	fields, err := blk.changelogFields(name, r.fields, op, onTime)
	if err != nil {
		return nil, err
	}
	if err := checkMapping(name, bound[2]); err != nil {
		return nil, err
	}
	call := &rex.Call{Op: &rex.Op{Name: callName(c)}, Args: bound}
	n := &rel.TableFunction{Base: rel.Base{In: []rel.Node{r.node}, Fields: fields}, Call: call, Name: callName(c)}
	return &relation{node: n, fields: fields}, nil
}

// changelogArgumentTypes checks DESCRIPTOR, MAP, DESCRIPTOR, STRING.
func changelogArgumentTypes(args []rex.Expr) bool {
	want := []value.Kind{value.KindRow, value.KindDescriptor, value.KindMap, value.KindDescriptor, value.KindChar}
	for i, a := range args[1:] {
		if c, ok := a.(*rex.Call); ok && c.Op == rex.Default {
			continue
		}
		k := a.Type().Kind
		if k == value.KindVarchar {
			k = value.KindChar
		}
		if k != want[i+1] {
			return false
		}
	}
	return true
}

// noChangelogMatch is the error for arguments of wrong types; those left out show the
// type of their parameter.
func noChangelogMatch(name string, args []rex.Expr) error {
	defaults := []string{"", "COLUMN_LIST", "(VARCHAR(2147483647), VARCHAR(2147483647)) MAP", "COLUMN_LIST", "CHARACTER"}
	var s []string
	for i, a := range args {
		text := ""
		switch c, ok := a.(*rex.Call); {
		case i == 0:
			text = rex.RecordText(a.Type().Fields, false)
		case ok && c.Op == rex.Default:
			text = defaults[i]
		default:
			text = fn.FamilyText(a.Type())
		}
		s = append(s, "<"+text+">")
	}
	input := "{TABLE, ROW SEMANTIC TABLE, SUPPORT UPDATES, REQUIRE UPDATE BEFORE, REQUIRE FULL DELETE}"
	if name == "FROM_CHANGELOG" {
		input = "{TABLE, ROW SEMANTIC TABLE}"
	}
	return flinkerr.Validator("No match found for function signature %s(%s).\nSupported signatures are:\n%s(input => %s, op => DESCRIPTOR, op_mapping => MAP<STRING, STRING>, on_time => DESCRIPTOR, uid => STRING)",
		name, strings.Join(s, ", "), name, input)
}

// descriptorName is the one column of a DESCRIPTOR argument, "" where it is left out.
func descriptorName(e sql.Expr, arg string) (string, error) {
	d, ok := e.(*sql.Descriptor)
	if !ok {
		return "", nil
	}
	if len(d.Columns) != 1 {
		return "", flinkerr.Validation("The descriptor for argument '%s' must contain exactly one column name.", arg)
	}
	ref, ok := d.Columns[0].(*sql.ColumnRef)
	if !ok {
		return "", unsupported.New("DESCRIPTOR of no column")
	}
	return ref.Name.Parts[0].Text, nil
}

// changelogFields are the output columns: TO_CHANGELOG puts the op column in front,
// FROM_CHANGELOG takes it away; on_time adds rowtime at the end.
func (blk *block) changelogFields(name string, in []value.Field, op, onTime string) ([]value.Field, error) {
	if op == "" {
		op = opColumn
	}
	var out []value.Field
	if name == "TO_CHANGELOG" {
		if fieldIndex(in, op) >= 0 {
			return nil, flinkerr.Validation("Field names must be unique. Found duplicates: [%s]", op)
		}
		out = append(out, value.Field{Name: op, Type: value.TString})
		out = append(out, in...)
	} else {
		i := fieldIndex(in, op)
		if i < 0 {
			return nil, flinkerr.Validation("The op column '%s' does not exist in the input schema.", op)
		}
		if k := in[i].Type.Kind; k != value.KindVarchar && k != value.KindChar {
			return nil, flinkerr.Validation("The op column '%s' must be of STRING type, but was '%s'.", op, in[i].Type)
		}
		out = append(append(out, in[:i]...), in[i+1:]...)
	}
	if onTime != "" && name == "FROM_CHANGELOG" {
		return nil, flinkerr.Validation("Time operations using the `on_time` argument are currently not supported for PTFs that consume or produce updates.")
	}
	if onTime != "" {
		i := fieldIndex(in, onTime)
		if i < 0 {
			return nil, flinkerr.Validation("Invalid time attribute declaration. Each column in the `on_time` argument must reference at least one column in one of the table arguments. Unknown references: [%s]", onTime)
		}
		t := in[i].Type
		if t.Time == value.NoTimeAttribute {
			return nil, unsupported.New("on_time over a column that is no time attribute")
		}
		out = append(out, value.Field{Name: "rowtime", Type: t})
	}
	return out, nil
}

// changeKinds are the words of op_mapping.
func changeKinds() []string {
	return []string{"INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"}
}

// checkMapping checks op_mapping: a MAP of string constants. TO_CHANGELOG maps change
// kinds (comma lists) to codes, FROM_CHANGELOG codes (comma lists) to change kinds.
func checkMapping(name string, e rex.Expr) error {
	c, ok := e.(*rex.Call)
	if ok && c.Op == rex.Default {
		return nil
	}
	notConstant := flinkerr.Validation("The 'op_mapping' argument must be a constant MAP literal.")
	if !ok || c.Op != rex.Map {
		return notConstant
	}
	var texts []string
	for _, a := range c.Args {
		l, ok := a.(*rex.Literal)
		if !ok || l.V.IsNull() || l.T.Kind != value.KindChar && l.T.Kind != value.KindVarchar {
			return notConstant
		}
		texts = append(texts, l.V.Str())
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(texts); i += 2 {
		if name == "TO_CHANGELOG" {
			for _, k := range strings.Split(texts[i], ",") {
				k = strings.TrimSpace(k)
				if indexOf(changeKinds(), k) < 0 {
					return unknownChange(k)
				}
				if seen[k] && !sameKeyBefore(texts[:i], texts[i]) {
					return flinkerr.Validation("Invalid target mapping for argument 'op_mapping'. Duplicate change operation: '%s'.", k)
				}
				seen[k] = true
			}
			continue
		}
		k := texts[i+1]
		if indexOf(changeKinds(), k) < 0 {
			return unknownChange(k)
		}
		if seen[k] {
			return flinkerr.Validation("Invalid target mapping for argument 'op_mapping'. Duplicate change operation: '%s'. Use comma-separated keys to map multiple codes to the same operation (e.g., MAP['c, r', '%s']).", k, k)
		}
		seen[k] = true
	}
	if name == "FROM_CHANGELOG" && seen["UPDATE_AFTER"] && !seen["UPDATE_BEFORE"] {
		return flinkerr.Validation("The 'op_mapping' must include UPDATE_BEFORE for retract mode. Upsert mode (without UPDATE_BEFORE) is not supported in this version.")
	}
	return nil
}

// sameKeyBefore: of equal MAP keys the last wins, without a complaint.
func sameKeyBefore(texts []string, key string) bool {
	for i := 0; i < len(texts); i += 2 {
		if texts[i] == key {
			return true
		}
	}
	return false
}

// unknownChange lists the valid values in one order; Flink's own order differs between sessions.
func unknownChange(k string) error {
	return flinkerr.Validation("Invalid target mapping for argument 'op_mapping'. Unknown change operation: '%s'. Valid values are: [INSERT, UPDATE_AFTER, UPDATE_BEFORE, DELETE].", k)
}
