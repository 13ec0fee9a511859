// Package parse turns what people save and paste from Apache Flink's SQL client into
// typed facts: transcripts, result tables, changelogs, EXPLAIN plans, error texts,
// filesystem-sink folders, print-sink lines and small JSON files.
//
// It reads every version from 1.11 to 2.3, in the shapes such text has in the wild:
// colour codes, CRLF, UTF-16, container-log prefixes, quotation and comment signs,
// Markdown fences, cut and elided listings, several runs in one file.
//
// A fact is what the text says, not what is right: the package knows no expected
// answer. A line that it cannot read becomes a Problem with its line number and a
// reason; nothing is dropped in silence.
//
//	t, err := parse.Read(f, parse.Options{})         // keep everything
//	for _, b := range t.Last() { ... }               // the blocks of the last run
//
// For large files use a Scanner, which hands every row to a callback and keeps none:
//
//	s := parse.NewScanner(f, parse.Options{OnRow: func(b *parse.Block, r *parse.Row) error { ... }})
//	for s.Scan() { b := s.Block(); ... }
//	err := s.Err()
package parse
