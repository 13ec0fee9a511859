// Package labs has the labs as data: lab files, their reading and validation, and
// the labs that ship with labgrade.
//
// A lab is a folder with lab.yaml, the source data and the texts. Nothing in it is
// an expected number: expectations are queries, which the reference engine runs.
package labs

import "io/fs"

// Lab is a lab file.
type Lab struct {
	ID      string `yaml:"lab"`
	Version string `yaml:"version"`
	Title   string `yaml:"title"`
	// Flink is the version whose answers count.
	Flink string `yaml:"flink"`
	// Folder is where learners work on the lab's own machine; check takes it when it exists.
	Folder string `yaml:"folder"`
	// Disclose says how much of what was expected a learner is shown.
	Disclose Disclosure `yaml:"disclose"`
	// Generator names the generator of further source data (package fixtures).
	Generator string  `yaml:"generator"`
	Tables    []Table `yaml:"tables"`
	Steps     []Step  `yaml:"steps"`

	// FS is the lab's folder; Digest the hash of lab file and data. Set by Load.
	FS     fs.FS  `yaml:"-"`
	Digest string `yaml:"-"`
}

// Disclosure is how much of the expected values a learner is shown.
type Disclosure string

// The levels of disclosure.
const (
	DiscloseAll     Disclosure = "all"     // what was expected, what was found, where, and which source rows
	DiscloseWhere   Disclosure = "where"   // where and what was found, not what was expected
	DiscloseVerdict Disclosure = "verdict" // right or wrong, and the kind of mistake
)

// Table is a source table.
type Table struct {
	Name string `yaml:"name"`
	// File lies in the lab's data folder. A path in a learner's SQL that ends in this
	// name means this table's source.
	File string `yaml:"file"`
	// Path is where the file lies on the lab's own machine.
	Path string `yaml:"path"`
	// Columns are column definitions as in CREATE TABLE: "user_id STRING".
	Columns []string `yaml:"columns"`
	// PrimaryKey and Watermark ("ts AS ts - INTERVAL '5' SECOND") are optional.
	PrimaryKey []string `yaml:"primary_key"`
	Watermark  string   `yaml:"watermark"`
	// Options are further connector options; connector, path and format have defaults.
	Options map[string]string `yaml:"options"`
}

// Kind is the kind of check that judges a step.
type Kind string

// The kinds of check.
const (
	KindTable     Kind = "table"     // the result of a batch query
	KindChangelog Kind = "changelog" // the log of a streaming query
	KindPlan      Kind = "plan"      // EXPLAIN CHANGELOG_MODE outputs
	KindRefusal   Kind = "refusal"   // a statement that Flink refuses, with its error
	KindSink      Kind = "sink"      // the files that an INSERT wrote
	KindReport    Kind = "report"    // a JSON file of numbers
)

// Kinds lists the kinds of check.
func Kinds() []Kind {
	return []Kind{KindTable, KindChangelog, KindPlan, KindRefusal, KindSink, KindReport}
}

// Compare is how strictly rows are compared.
type Compare string

// The ways to compare rows.
const (
	CompareExact    Compare = "exact"    // every row at its place
	ComparePerKey   Compare = "per-key"  // the rows of each key in their order, keys in any
	CompareMultiset Compare = "multiset" // the same rows in any order
	CompareFinal    Compare = "final"    // replayed, the same table
)

// Compares lists the ways to compare rows.
func Compares() []Compare {
	return []Compare{CompareExact, ComparePerKey, CompareMultiset, CompareFinal}
}

// Step is one step of the lab and how it is judged.
type Step struct {
	ID     string  `yaml:"id"`
	Title  string  `yaml:"title"`
	Kind   Kind    `yaml:"kind"`
	Points float64 `yaml:"points"`
	// Needs are steps that must pass first; without them this one is skipped.
	Needs []string `yaml:"needs"`

	// SQL is the learner's file of statements, Out what the client printed; Folder the
	// sink's folder (kind sink), File the report (kind report).
	SQL    string `yaml:"sql"`
	Out    string `yaml:"out"`
	Folder string `yaml:"folder"`
	File   string `yaml:"file"`

	// Mode is "batch" or "streaming" (default).
	Mode string `yaml:"mode"`
	// Setup are statements to run before the query: views, sink tables.
	Setup string `yaml:"setup"`
	// Query is the statement whose result is the truth (kinds table, changelog,
	// refusal, sink).
	Query string `yaml:"query"`
	// Plans are the statements whose plans are the truth (kind plan).
	Plans []Plan `yaml:"plans"`
	// Key names the columns that tell whose row it is, for messages and alignment.
	Key     []string `yaml:"key"`
	Compare Compare  `yaml:"compare"`
	// Same lists properties of the tables in Setup that the learner's SQL must share:
	// "primary-key", "connector".
	Same []string `yaml:"same"`
	// Numbers of a report, in order (kind report).
	Numbers []Number `yaml:"numbers"`
	// Mistakes are queries that explain a wrong result, beyond those that are tried for
	// every query.
	Mistakes []Mistake `yaml:"mistakes"`

	Disclose Disclosure `yaml:"disclose"`
	// Next is what to do when the step is not right yet.
	Next string `yaml:"next"`
}

// Streaming reports the step's runtime mode.
func (s *Step) Streaming() bool { return s.Mode != "batch" }

// Plan is one plan that a step must show.
type Plan struct {
	Name  string `yaml:"name"`
	Query string `yaml:"query"`
	// Accept lists, for a node type, changelog modes that are right besides the
	// reference's own (other Flink versions print others).
	Accept map[string][]string `yaml:"accept"`
}

// Number is one number of a report. Value is an expression over the logs of other
// steps: count(STEP), count(STEP, '+I', '-D').
type Number struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
	// Says what the number is, for messages.
	Says string `yaml:"says"`
}

// Mistake is a query whose result means a certain mistake.
type Mistake struct {
	Code  string `yaml:"code"`
	Query string `yaml:"query"`
	Says  string `yaml:"says"`
}
