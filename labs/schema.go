package labs

import (
	"encoding/json"
	"reflect"
)

// Schema is the JSON Schema (2020-12) of lab files, for editors. It is made from the Go
// types that the reader uses, so that both know the same keys; what only the reader can
// tell (references between steps, SQL, expressions) is not in it.
func Schema() []byte {
	s := object(reflect.TypeFor[Lab]())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://raw.githubusercontent.com/labgrade/labgrade/main/docs/schema/lab.schema.json"
	s["title"] = "labgrade lab file"
	s["required"] = []string{"lab", "version", "flink", "tables", "steps"}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil // maps of texts and lists always marshal
	}
	return append(b, '\n')
}

type schema = map[string]any

// text takes every scalar: YAML writes some texts as numbers or truth values.
func text() schema { return schema{"type": []string{"string", "number", "boolean"}} }

func choice[T ~string](values []T) schema { return schema{"enum": names(values)} }

// typed is the schema of a Go type.
func typed(t reflect.Type) schema {
	switch t.Kind() {
	case reflect.Struct:
		return object(t)
	case reflect.Pointer:
		return typed(t.Elem())
	case reflect.Slice:
		return schema{"type": "array", "items": typed(t.Elem())}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": typed(t.Elem())}
	case reflect.Int:
		return schema{"type": "integer"}
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	}
	return text()
}

// object is the schema of a struct: its keys, and what is known of some of them.
func object(t reflect.Type) schema {
	properties := schema{}
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		p := typed(f.Type)
		for k, v := range constraints(t.Name() + "." + key) {
			if k == "enum" {
				p = schema{}
			}
			p[k] = v
		}
		if d := description(t.Name() + "." + key); d != "" {
			p["description"] = d
		}
		properties[key] = p
		for k, v := range constraints(t.Name() + "." + key) {
			p[k] = v
		}
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": properties}
	for k, v := range rules(t.Name()) {
		out[k] = v
	}
	return out
}

const (
	idPattern       = "^[a-z][a-z0-9-]{0,63}$"
	languagePattern = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
	timePattern     = `^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`
	// insidePattern is a path that stays in a folder, if outsidePattern does not fit it.
	insidePattern  = `^[^/\\]+(/[^/\\]+)*$`
	outsidePattern = `(^|/)\.{1,2}(/|$)|^\.\.`
)

// constraints are what is known of a key's value beyond its type.
func constraints(key string) schema {
	notEmpty := schema{"minLength": 1}
	list := schema{"minItems": 1}
	share := schema{"minimum": 0, "maximum": 1}
	pair := schema{"minItems": 2, "maxItems": 2}
	switch key {
	case "Lab.lab", "Step.id":
		return schema{"type": "string", "pattern": idPattern}
	case "Lab.version", "Lab.flink", "Number.name", "Table.name", "Table.file", "Plan.query":
		return notEmpty
	case "Lab.due", "Step.due", "Lab.until", "Step.until":
		return schema{"type": "string", "pattern": timePattern}
	case "Lab.disclose", "Step.disclose":
		return choice(Disclosures())
	case "Lab.tables", "Lab.steps", "Values.pick":
		return list
	case "Lab.texts":
		return schema{"propertyNames": schema{"pattern": languagePattern}}
	case "Step.kind":
		return choice(Kinds())
	case "Step.judge":
		return choice([]Judge{JudgeOutput, JudgeSQL})
	case "Step.mode":
		return schema{"enum": []string{"batch", "streaming"}}
	case "Step.compare":
		return choice(Compares())
	case "Step.same":
		return schema{"items": schema{"enum": []string{"primary-key", "connector"}}}
	case "Step.points", "Step.at_least", "Generate.rows", "Values.late_by":
		return schema{"minimum": 0}
	case "Step.sql", "Step.out", "Step.folder", "Step.file":
		return schema{"type": "string", "pattern": insidePattern, "not": schema{"pattern": outsidePattern}}
	case "Fact.watermark":
		return choice(Watermarks())
	case "Values.decimals":
		return schema{"minimum": 0, "maximum": 9}
	case "Values.late", "Values.empty":
		return share
	case "Values.between", "Values.every":
		return pair
	case "Values.start":
		return schema{"type": "string", "pattern": `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`}
	}
	return nil
}

// having is a schema of objects that have all of the keys; without of those that have none.
func having(keys ...string) schema { return schema{"required": keys} }

func without(keys ...string) schema {
	var list []schema
	for _, k := range keys {
		list = append(list, having(k))
	}
	return schema{"not": schema{"anyOf": list}}
}

// oneOf is a schema of objects that have exactly one of the keys.
func oneOf(keys ...string) []schema {
	var list []schema
	for _, k := range keys {
		list = append(list, having(k))
	}
	return list
}

// when is IF then THEN.
func when(cond, then schema) schema { return schema{"if": cond, "then": then} }

// is is a schema of objects that have the key with one of the values.
func is(key string, values ...string) schema {
	return schema{"properties": schema{key: schema{"enum": values}}, "required": []string{key}}
}

func both(a, b schema) schema { return schema{"allOf": []schema{a, b}} }

// filled is a schema of objects that have the keys, with texts that are not empty.
func filled(keys ...string) schema {
	p := schema{}
	for _, k := range keys {
		p[k] = schema{"minLength": 1, "minItems": 1}
	}
	return schema{"required": keys, "properties": p}
}

// rules are what is known of the keys of a struct together.
func rules(name string) schema {
	switch name {
	case "Table":
		return schema{"oneOf": []schema{
			both(having("ddl"), without("columns", "primary_key", "watermark", "options")),
			both(filled("name", "file", "columns"), without("ddl")),
		}}
	case "Step":
		saved := schema{"not": is("judge", "sql")}
		return schema{"required": []string{"id", "kind"}, "allOf": []schema{
			when(is("kind", "table", "changelog", "refusal", "print", "sink"), filled("query")),
			when(both(is("kind", "table", "changelog", "refusal", "print", "plan"), saved), filled("out")),
			when(both(is("kind", "sink"), saved), filled("folder")),
			when(is("kind", "plan"), filled("plans")),
			when(is("kind", "report"), filled("file", "numbers")),
			when(is("kind", "facts"), filled("sql", "facts")),
			when(is("judge", "sql"), both(filled("sql"), both(without("out", "folder"), schema{"not": is("kind", "report", "facts")}))),
			when(is("compare", "prefix"), is("kind", "changelog", "print")),
			when(is("compare", "per-key"), filled("key")),
			when(is("kind", "table"), schema{"not": is("compare", "final", "per-key", "merge", "prefix")}),
			when(schema{"properties": schema{"at_least": schema{"exclusiveMinimum": 0}}, "required": []string{"at_least"}}, is("compare", "prefix")),
			when(schema{"properties": schema{"facts": schema{"minItems": 1}}, "required": []string{"facts"}}, filled("sql")),
		}}
	case "Plan":
		return having("query")
	case "Number":
		return schema{"required": []string{"name"}, "oneOf": oneOf("value", "query")}
	case "Fact":
		return schema{"oneOf": oneOf("uses", "avoids", "setting", "order", "watermark", "primary_key", "option"), "allOf": []schema{
			when(schema{"anyOf": oneOf("watermark", "primary_key", "option")}, filled("table")),
			when(schema{"anyOf": oneOf("uses", "avoids", "setting", "order")}, without("table")),
			when(schema{"anyOf": oneOf("setting", "option")}, filled("value")),
			when(schema{"anyOf": oneOf("uses", "avoids", "order", "watermark", "primary_key")}, without("value")),
		}}
	case "Values":
		return schema{"oneOf": oneOf("from", "pick", "between", "start"), "dependentRequired": schema{
			"skewed": []string{"pick"}, "decimals": []string{"between"}, "every": []string{"start"},
			"late": []string{"start", "late_by"}, "late_by": []string{"start", "late"},
		}}
	}
	return nil
}
