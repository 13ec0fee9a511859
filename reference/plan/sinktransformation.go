package plan

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// sink makes the steps of a sink: a check for NULLs, a materializer, and what the connector
// adds (CommonExecSink).
func (t *translator) sink(n *phys.Sink, text string) *transformation {
	var fields, metadata []value.Field
	for _, c := range n.Table.Columns {
		switch f := (value.Field{Name: c.Name, Type: c.Type}); {
		case c.Kind == catalog.Physical:
			fields = append(fields, f)
		case c.Kind == catalog.Metadata && !c.Virtual:
			metadata = append(metadata, f)
		}
	}
	fields = append(fields, metadata...)
	for _, option := range []string{"type-length-enforcer", "nested-constraint-enforcer"} {
		if v, set := t.cfg.lookup("table.exec.sink." + option); set && !strings.EqualFold(v, "IGNORE") {
			t.refuse("EXPLAIN JSON_EXECUTION_PLAN with table.exec.sink.%s", option)
		}
	}
	x := t.enforcer(n, fields, t.inputs(n)[0])
	if n.Materialize {
		x = t.add(exchangeStep, "", "", x)
		x.ship = "HASH"
		if n.Conflict == "ERROR" || n.Conflict == "NOTHING" {
			x = t.operator(n, operatorStep, "WatermarkTimestampAssigner", "WatermarkTimestampAssigner", x)
		}
		x = t.operator(n, operatorStep, "SinkMaterializer", "SinkMaterializer(pk=["+strings.Join(n.Table.PrimaryKey, ", ")+"])", x)
	}
	object := n.Table.Path.Object
	connector, _ := n.Table.Option("connector")
	switch connector {
	case "print":
		return t.operator(n, sinkStep, object, text, x)
	case "blackhole":
		x = t.rowtime(n, n.In[0].Schema(), x)
		return t.operator(n, writerStep, object, text, x)
	case "filesystem":
		for _, o := range []string{"auto-compaction", "sink.partition-commit.policy.kind"} {
			if _, set := n.Table.Option(o); set {
				t.refuse("EXPLAIN JSON_EXECUTION_PLAN of a sink with the option %s", o)
			}
		}
		if t.batch {
			return t.add(sinkStep, "Filesystem", "Sink: Filesystem", x)
		}
		x = t.rowtime(n, n.In[0].Schema(), x)
		x = t.add(operatorStep, "StreamingFileWriter", "StreamingFileWriter", x)
		return t.add(writerStep, "end", "", x)
	}
	t.refuse("EXPLAIN JSON_EXECUTION_PLAN of a sink of connector %s", connector)
	return x
}

// enforcer checks columns that are NOT NULL.
func (t *translator) enforcer(n phys.Node, fields []value.Field, in *transformation) *transformation {
	var names []string
	for _, f := range fields {
		if !f.Type.Nullable {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return in
	}
	return t.operator(n, operatorStep, "ConstraintEnforcer", fmt.Sprintf("ConstraintEnforcer[NotNullEnforcer(fields=[%s])]", strings.Join(names, ", ")), in)
}

// rowtime copies the only time attribute of the rows into the records.
func (t *translator) rowtime(n phys.Node, fields []value.Field, in *transformation) *transformation {
	at := -1
	for i, f := range fields {
		if f.Type.IsRowtime() {
			if at >= 0 {
				return in
			}
			at = i
		}
	}
	if at < 0 || t.batch {
		return in
	}
	return t.operator(n, operatorStep, "StreamRecordTimestampInserter", fmt.Sprintf("StreamRecordTimestampInserter(rowtime field: %d)", at), in)
}

// collect makes the steps that bring the rows of a SELECT to the client.
func (t *translator) collect(root phys.Node) *transformation {
	x := t.enforcer(root, root.Schema(), t.translate(root))
	x = t.rowtime(root, root.Schema(), x)
	return t.add(sinkStep, "collect", "", x)
}
