//go:build flink

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// client runs sql-client.sh with statements on standard input, where an error does
// not stop the run.
type client struct{ script string }

var (
	colour  = regexp.MustCompile("\x1b\\[[0-9;]*m")
	seconds = regexp.MustCompile(` \([0-9.]+ seconds?\)`)
)

// run returns one answer a statement: what stood between two prompts, without the
// echo and without colour codes.
func (c client) run(stmts []string) ([]string, error) {
	cmd := exec.Command(c.script)
	cmd.Stdin = strings.NewReader(strings.Join(stmts, ";\n") + ";\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("sql-client: %w: %s", err, out)
	}
	parts := strings.Split("\n"+string(out), "\nFlink SQL> ")[1:]
	if len(parts) < len(stmts) {
		return nil, fmt.Errorf("sql-client answered %d of %d statements: is the cluster up?", len(parts), len(stmts))
	}
	answers := make([]string, len(stmts))
	for i, s := range stmts {
		a := parts[i]
		n := 0
		for n < len(a) && n < len(s) && a[n] == s[n] {
			n++
		}
		a, _, _ = strings.Cut(a[n:], "\nShutting down the session")
		answers[i] = strings.Trim(colour.ReplaceAllString(a, ""), "\n") + "\n"
	}
	return answers, nil
}

func withoutSeconds(s string) string { return seconds.ReplaceAllString(s, "") }
