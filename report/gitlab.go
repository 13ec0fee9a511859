package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// gitlabIssue is an entry of GitLab's Code Quality report.
type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// gitlab lists the findings above note level. Code Quality has no place for a score. A
// step that did not pass and has no finding (it was skipped) gets an entry, too.
func gitlab(r *Result) ([]byte, error) {
	issues := []gitlabIssue{}
	seen := map[string]int{}
	add := func(c *Check, f Finding, severity string) {
		path := r.repositoryPath(Plain(f.File))
		if f.File == "" {
			path = "labgrade/" + r.Lab.ID + "/" + c.ID
		}
		// The same finding keeps its fingerprint from run to run, however often it stands
		// there; GitLab shows one of those that share a fingerprint.
		id := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%d\x00%s", r.Lab.ID, c.ID, f.Code, path, f.Line, f.Key)
		seen[id]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", id, seen[id]))
		issues = append(issues, gitlabIssue{
			Description: c.label() + " - " + Plain(f.Message),
			CheckName:   f.Code,
			Fingerprint: hex.EncodeToString(sum[:16]),
			Severity:    severity,
			Location:    gitlabLocation{Path: path, Lines: gitlabLines{Begin: max(1, f.Line)}},
		})
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		n := len(issues)
		for _, f := range c.Findings {
			switch {
			case f.Severity == Warning:
				add(c, f, "minor")
			case f.Severity != Error:
			case c.Outcome == Errored:
				add(c, f, "blocker")
			case c.Outcome == Ungradable:
				add(c, f, "critical")
			default:
				add(c, f, "major")
			}
		}
		if c.Outcome != Pass && len(issues) == n {
			add(c, Finding{Code: string(c.Outcome), Message: c.headline()}, "info")
		}
	}
	return indented(issues)
}
