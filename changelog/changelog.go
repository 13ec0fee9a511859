// Package changelog is the vocabulary of dynamic tables: row kinds, changelog
// modes and keys. It knows neither how logs are made nor how they are judged.
//
// The terms are Flink's (org.apache.flink.types.RowKind and
// org.apache.flink.table.connector.ChangelogMode).
package changelog

import "strings"

// RowKind says what a row of a changelog does to the table.
type RowKind uint8

const (
	Insert       RowKind = iota // +I
	UpdateBefore                // -U
	UpdateAfter                 // +U
	Delete                      // -D
)

// String is the short form that sql-client and the print sink show.
func (k RowKind) String() string {
	switch k {
	case Insert:
		return "+I"
	case UpdateBefore:
		return "-U"
	case UpdateAfter:
		return "+U"
	case Delete:
		return "-D"
	}
	return "??"
}

// Name is the long form, as TO_CHANGELOG writes it.
func (k RowKind) Name() string {
	switch k {
	case Insert:
		return "INSERT"
	case UpdateBefore:
		return "UPDATE_BEFORE"
	case UpdateAfter:
		return "UPDATE_AFTER"
	case Delete:
		return "DELETE"
	}
	return "UNKNOWN"
}

// Adds reports whether the row enters the table (+I, +U) rather than leaving it.
func (k RowKind) Adds() bool { return k == Insert || k == UpdateAfter }

// ParseRowKind reads the short form.
func ParseRowKind(s string) (RowKind, bool) {
	switch s {
	case "+I":
		return Insert, true
	case "-U":
		return UpdateBefore, true
	case "+U":
		return UpdateAfter, true
	case "-D":
		return Delete, true
	}
	return 0, false
}

// ParseRowKindName reads the long form.
func ParseRowKindName(s string) (RowKind, bool) {
	switch s {
	case "INSERT":
		return Insert, true
	case "UPDATE_BEFORE":
		return UpdateBefore, true
	case "UPDATE_AFTER":
		return UpdateAfter, true
	case "DELETE":
		return Delete, true
	}
	return 0, false
}

// Mode is the set of row kinds that a node may produce.
type Mode uint8

const (
	ModeI  Mode = 1 << iota // INSERT
	ModeUB                  // UPDATE_BEFORE
	ModeUA                  // UPDATE_AFTER
	ModeD                   // DELETE
	// ModePartialD marks deletes that carry the key only; EXPLAIN prints PD.
	ModePartialD
)

// Frequent modes.
const (
	NoMode     Mode = 0
	InsertOnly      = ModeI
	Retract         = ModeI | ModeUB | ModeUA
	Upsert          = ModeI | ModeUA
	All             = ModeI | ModeUB | ModeUA | ModeD
)

// ModeOf is the mode that holds just k.
func ModeOf(k RowKind) Mode {
	switch k {
	case Insert:
		return ModeI
	case UpdateBefore:
		return ModeUB
	case UpdateAfter:
		return ModeUA
	}
	return ModeD
}

// Has reports whether every kind of o is in m.
func (m Mode) Has(o Mode) bool { return m&o == o }

// Updating reports whether m holds more than inserts.
func (m Mode) Updating() bool { return m&^ModeI != 0 }

// String is the text of EXPLAIN CHANGELOG_MODE without brackets: "I,UB,UA,D";
// the empty mode is "NONE".
func (m Mode) String() string {
	if m == 0 {
		return "NONE"
	}
	var p []string
	for _, x := range []struct {
		m Mode
		s string
	}{{ModeI, "I"}, {ModeUB, "UB"}, {ModeUA, "UA"}, {ModeD, "D"}, {ModePartialD, "PD"}} {
		if m&x.m != 0 {
			p = append(p, x.s)
		}
	}
	return strings.Join(p, ",")
}

// ParseMode reads the text of EXPLAIN CHANGELOG_MODE, with or without brackets.
func ParseMode(s string) (Mode, bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "["), "]")
	if s == "NONE" {
		return 0, true
	}
	var m Mode
	for _, p := range strings.Split(s, ",") {
		switch strings.TrimSpace(p) {
		case "I":
			m |= ModeI
		case "UB":
			m |= ModeUB
		case "UA":
			m |= ModeUA
		case "D":
			m |= ModeD
		case "PD":
			m |= ModePartialD
		default:
			return 0, false
		}
	}
	return m, true
}
