// Package checks judges what a learner saved against what the reference engine says:
// one module a kind of step, the comparison, and the diagnosis.
//
// Three computations meet. The lab's query on the source gives what is expected; the
// learner's own .sql on the same source gives what that file would print; the saved
// output is what is there. If the output is the expected one, the step is right. If it
// is what the learner's SQL gives, the fault is in the SQL. Otherwise the output is
// stale, cut, edited, or was made with other settings or data, and the package looks
// for the setting, the data or the damage that explains it exactly.
//
// A Grader is made once for a lab and its source data and judges any number of
// submissions, also at the same time.
package checks
