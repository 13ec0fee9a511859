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
	// Due is when the lab must be handed in: RFC 3339 with a zone.
	Due string `yaml:"due"`
	// Disclose says how much of what was expected a learner is shown, in steps that do not
	// say it themselves; Until when that ends and all is shown.
	Disclose Disclosure `yaml:"disclose"`
	Until    string     `yaml:"until"`
	// Generator names a generator of package fixtures that makes further source data;
	// Table.Generate describes one instead.
	Generator string  `yaml:"generator"`
	Tables    []Table `yaml:"tables"`
	// Settings hold for every step; Setup are statements that run before each step's own.
	Settings map[string]string `yaml:"settings"`
	Setup    string            `yaml:"setup"`
	Steps    []Step            `yaml:"steps"`
	// Texts are translations, by language ("zh", "pt-BR").
	Texts map[string]Translation `yaml:"texts"`

	// FS is the lab's folder; Digest the hash of lab file and data. Set by Load.
	FS     fs.FS  `yaml:"-"`
	Digest string `yaml:"-"`
	// places finds the line and column of a path such as "steps[2].query".
	places map[string][2]int
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
	KindPrint     Kind = "print"     // the lines that a print sink wrote
	KindReport    Kind = "report"    // a JSON file of numbers
	KindFacts     Kind = "facts"     // facts about the SQL text alone
)

// Kinds lists the kinds of check.
func Kinds() []Kind {
	return []Kind{KindTable, KindChangelog, KindPlan, KindRefusal, KindSink, KindPrint, KindReport, KindFacts}
}

// Compare is how strictly rows are compared.
type Compare string

// The ways to compare rows.
const (
	CompareExact    Compare = "exact"    // every row at its place
	ComparePerKey   Compare = "per-key"  // the rows of each key in their order, keys in any
	CompareMultiset Compare = "multiset" // the same rows in any order
	CompareFinal    Compare = "final"    // replayed, the same table
	ComparePrefix   Compare = "prefix"   // the first rows, every one at its place: of a job that runs on
	CompareMerge    Compare = "merge"    // any log that some merge of the sources' rows can give
)

// Compares lists the ways to compare rows.
func Compares() []Compare {
	return []Compare{CompareExact, ComparePerKey, CompareMultiset, CompareFinal, ComparePrefix, CompareMerge}
}

// Judge is what of a submission is judged.
type Judge string

// What is judged.
const (
	JudgeOutput Judge = "output" // the saved output (default)
	JudgeSQL    Judge = "sql"    // what the learner's SQL gives when the engine runs it; no output is saved
)

// Step is one step of the lab and how it is judged.
type Step struct {
	ID     string  `yaml:"id"`
	Title  string  `yaml:"title"`
	Kind   Kind    `yaml:"kind"`
	Points float64 `yaml:"points"`
	// Needs are steps that must pass first; without them this one is skipped.
	Needs []string `yaml:"needs"`

	// Judge says whether the saved output or the SQL itself is judged.
	Judge Judge `yaml:"judge"`
	// SQL is the learner's file of statements, Out what the client printed; Folder the
	// sink's folder (kind sink), File the report (kind report).
	SQL    string `yaml:"sql"`
	Out    string `yaml:"out"`
	Folder string `yaml:"folder"`
	File   string `yaml:"file"`

	// Mode is "batch" or "streaming" (default); Settings are further ones.
	Mode     string            `yaml:"mode"`
	Settings map[string]string `yaml:"settings"`
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
	// AtLeast is how many rows a prefix must have (compare prefix; default 1).
	AtLeast int `yaml:"at_least"`
	// Same lists properties of the tables in Setup that the learner's SQL must share:
	// "primary-key", "connector".
	Same []string `yaml:"same"`
	// Numbers of a report, in order (kind report).
	Numbers []Number `yaml:"numbers"`
	// Facts are what must hold of the SQL file's text, with any kind that has one.
	Facts []Fact `yaml:"facts"`
	// Mistakes are queries that explain a wrong result, beyond those that are tried for
	// every query.
	Mistakes []Mistake `yaml:"mistakes"`

	// Disclose and Until replace the lab's.
	Disclose Disclosure `yaml:"disclose"`
	Until    string     `yaml:"until"`
	// Due overrides the lab's.
	Due string `yaml:"due"`
	// Hints are given one after another to who asks for them, the vaguest first.
	Hints []string `yaml:"hints"`
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

// Number is one number of a report. Value is an expression over the results of other
// steps (see Expr); Query a batch query whose first row has the number in its first
// column. It has one of the two.
type Number struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
	Query string `yaml:"query"`
	// Says what the number is, for messages.
	Says string `yaml:"says"`
}

// Mistake is a query whose result means a certain mistake.
type Mistake struct {
	Code  string `yaml:"code"`
	Query string `yaml:"query"`
	Says  string `yaml:"says"`
}

// Translation is a lab's words in another language. Long texts stand in README.LANG.md.
type Translation struct {
	Title string              `yaml:"title"`
	Steps map[string]StepText `yaml:"steps"`
}

// StepText is a step's words in another language; what is empty stays as it is.
type StepText struct {
	Title string   `yaml:"title"`
	Next  string   `yaml:"next"`
	Hints []string `yaml:"hints"`
}
