// Package conformance measures the engine against recorded Flink outputs: every case of
// fixtures/recorded/corpus is run in every mode and compared byte for byte. It has tests
// only; docs/conformance.md is written by them.
package conformance
