package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// Group windows are the older way to group by time: GROUP BY TUMBLE(ts, size), with
// TUMBLE_START(ts, size) and others in the SELECT list.

func groupWindowOp(name string) *rex.Op {
	switch name {
	case "TUMBLE":
		return rex.GroupTumble
	case "HOP":
		return rex.GroupHop
	case "SESSION":
		return rex.GroupSession
	}
	return nil
}

// noGroupWindow refuses TUMBLE and the like in the SELECT list.
func noGroupWindow(e sql.Expr) error {
	var err error
	find(e, func(n sql.Expr) bool {
		c, ok := n.(*sql.Call)
		if !ok {
			return false
		}
		if name := strings.ToUpper(callName(c)); groupWindowOp(name) != nil {
			err = flinkerr.Validator("Group function '$%s' can only appear in GROUP BY clause", name)
		}
		return err != nil
	})
	return err
}

func auxiliaryOp(name string) *rex.Op {
	for _, op := range []*rex.Op{
		rex.TumbleStart, rex.TumbleEnd, rex.TumbleRowtime, rex.TumbleProctime,
		rex.HopStart, rex.HopEnd, rex.HopRowtime, rex.HopProctime,
		rex.SessionStart, rex.SessionEnd, rex.SessionRowtime, rex.SessionProctime,
	} {
		if op.Name == name {
			return op
		}
	}
	return nil
}

func isAuxiliary(name string) bool { return auxiliaryOp(name) != nil }

// groupOf is the group window that an auxiliary function belongs to.
func groupOf(name string) string {
	g, _, _ := strings.Cut(name, "_")
	return g
}

// bindGroup binds a GROUP BY expression, which may be a group window.
func (a *aggregation) bindGroup(x *exprs, e sql.Expr) (rex.Expr, error) {
	c, ok := e.(*sql.Call)
	if !ok {
		return x.bind(e)
	}
	name := strings.ToUpper(callName(c))
	op := groupWindowOp(name)
	if op == nil {
		return x.bind(e)
	}
	args, err := x.bindAll(c.Args...)
	if err != nil {
		return nil, err
	}
	want := map[string]int{"TUMBLE": 2, "HOP": 3, "SESSION": 2}[name]
	if len(args) != want && len(args) != want+1 {
		return nil, flinkerr.Validator("Invalid number of arguments to function '$%s'. Was expecting %d arguments", name, want)
	}
	if k := args[0].Type().Kind; k != value.KindTimestamp && k != value.KindTimestampLTZ && k != value.KindDate {
		return nil, notWindowArguments(name, args)
	}
	for i, a := range args[1:] {
		if i < want-1 && !a.Type().IsInterval() || i == want-1 && a.Type().Kind != value.KindTime {
			return nil, notWindowArguments(name, args)
		}
	}
	return &rex.Call{Op: op, Args: args, T: args[0].Type()}, nil
}

// notWindowArguments is the error for a group window over operands of other types.
func notWindowArguments(name string, args []rex.Expr) error {
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = "<" + a.Type().Calcite() + ">"
	}
	spans := 1
	if name == "HOP" {
		spans = 2
	}
	form := "$" + name + "(<DATETIME>" + strings.Repeat(", <DATETIME_INTERVAL>", spans)
	return flinkerr.Validator("Cannot apply '$%s' to arguments of type '$%s(%s)'. Supported form(s): '%s)'\n'%s, <TIME>)'",
		name, name, strings.Join(types, ", "), form, form)
}

// noCode is the error for TUMBLE_START and its like where nothing is grouped: only the generation of
// code finds that there is none.
func noCode(name string, args []rex.Expr) error {
	if !strings.HasSuffix(name, "_START") && !strings.HasSuffix(name, "_END") {
		return unsupported.New("%s without GROUP BY", name)
	}
	types := make([]string, len(args))
	for i, a := range args {
		t := a.Type()
		t.Time = value.NoTimeAttribute
		switch {
		case t.Kind == value.KindIntervalDayTime:
			types[i] = "INTERVAL SECOND(3) NOT NULL"
		case t.IsTimestamp():
			types[i] = t.String()
		default:
			return unsupported.New("%s without GROUP BY", name)
		}
	}
	return flinkerr.New("org.apache.flink.table.planner.codegen.CodeGenException",
		"Unsupported call: %s(%s) \nIf you think this function should be supported, you can create an issue and start a discussion for it.", name, strings.Join(types, ", "))
}

// lookupAux reads TUMBLE_START(..) and the like over the aggregate's output.
func (a *aggregation) lookupAux(e sql.Expr, _ string) (rex.Expr, error) {
	c, ok := e.(*sql.Call)
	if !ok {
		return nil, nil
	}
	name := strings.ToUpper(callName(c))
	op := auxiliaryOp(name)
	if op == nil {
		return nil, nil
	}
	g := *c
	g.Name = callOf(groupOf(name))
	canon := a.blk.exprs().canon(&g)
	for i, group := range a.groups {
		if group != canon {
			continue
		}
		in := a.output(i)
		return &rex.Call{Op: op, Args: []rex.Expr{in}, T: auxiliaryType(name, in.Type())}, nil
	}
	return nil, flinkerr.Validator("Call to auxiliary group function '%s' must have matching call to group function '$%s' in GROUP BY clause", name, groupOf(name))
}

func auxiliaryType(name string, time value.Type) value.Type {
	switch {
	case strings.HasSuffix(name, "_ROWTIME"):
		time.Nullable = false
		return time
	case strings.HasSuffix(name, "_PROCTIME") && time.Time == value.Rowtime:
		return time // there is none
	case strings.HasSuffix(name, "_PROCTIME"):
		return value.Type{Kind: value.KindTimestampLTZ, Precision: 3, Time: value.Proctime}
	}
	return value.Type{Kind: value.KindTimestamp, Precision: 3}
}
