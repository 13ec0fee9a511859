package client

import (
	"strings"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// The settings that let a sink change or refuse values; the default of both leaves values alone.
const (
	keyLengthEnforcer = "table.exec.sink.type-length-enforcer"
	keyNestedEnforcer = "table.exec.sink.nested-constraint-enforcer"
	keyNullEnforcer   = "table.exec.sink.not-null-enforcer"
)

// checkEnforcers refuses what settings would make of the values of a sink's, or result's, columns.
func (s *Session) checkEnforcers(fields []value.Field) error {
	if v, ok := s.settings.Get(keyNullEnforcer); ok && !strings.EqualFold(v, "error") && !strings.EqualFold(v, "drop") {
		return unsupported.New("%s = %s", keyNullEnforcer, v)
	}
	for key, concerned := range map[string]func(value.Type) bool{keyLengthEnforcer: bounded, keyNestedEnforcer: nested} {
		v, ok := s.settings.Get(key)
		if !ok || strings.EqualFold(v, "ignore") {
			continue
		}
		for _, f := range fields {
			if concerned(f.Type) {
				return unsupported.New("%s = %s, with the column %s", key, v, f.Name)
			}
		}
	}
	return nil
}

// bounded tells whether a type, or one inside it, has a length.
func bounded(t value.Type) bool {
	switch t.Kind {
	case value.KindChar, value.KindVarchar, value.KindBinary, value.KindVarbinary:
		return t.String() != "STRING" && t.String() != "STRING NOT NULL" && t.String() != "BYTES" && t.String() != "BYTES NOT NULL"
	}
	return inside(t, bounded)
}

func nested(t value.Type) bool {
	switch t.Kind {
	case value.KindArray, value.KindMap, value.KindMultiset, value.KindRow:
		return true
	}
	return false
}

func inside(t value.Type, is func(value.Type) bool) bool {
	if t.Key != nil && is(*t.Key) || t.Elem != nil && is(*t.Elem) {
		return true
	}
	for _, f := range t.Fields {
		if is(f.Type) {
			return true
		}
	}
	return false
}
