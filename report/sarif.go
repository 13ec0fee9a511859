package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
)

// The part of SARIF 2.1.0 (OASIS) that labgrade writes: one run, a rule for each code, a
// result for each finding.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		Version         string      `json:"version"`
		SemanticVersion string      `json:"semanticVersion,omitempty"`
		InformationURI  string      `json:"informationUri"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		Help             sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Properties          map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

func sarif(r *Result) ([]byte, error) {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{Name: r.Tool.Name, Version: Plain(r.Tool.Version),
			InformationURI: "https://github.com/labgrade/labgrade", Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: r.Outcome != Errored}},
		Results:     []sarifResult{},
		ColumnKind:  "unicodeCodePoints",
		Properties:  map[string]any{"lab": r.Lab.ID, "labDigest": r.Lab.Digest, "outcome": r.Outcome, "points": r.Score.Points, "max": r.Score.Max},
	}
	rules := map[string]int{}
	seen := map[string]int{}
	for i := range r.Checks {
		c := &r.Checks[i]
		for j := range c.Findings {
			f := &c.Findings[j]
			n, ok := rules[f.Code]
			if !ok {
				n = len(run.Tool.Driver.Rules)
				rules[f.Code] = n
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.Code, ShortDescription: sarifText{r.title(f.Code)}, Help: sarifText{"labgrade explain " + f.Code}})
			}
			lines := f.lines()
			lines[0] = Plain(f.Message)
			res := sarifResult{RuleID: f.Code, RuleIndex: n, Level: string(f.Severity), Message: sarifText{strings.Join(lines, "\n")},
				Properties: map[string]any{"check": c.ID, "outcome": c.Outcome}}
			if f.File != "" {
				p := sarifPhysical{ArtifactLocation: sarifArtifact{sarifURI(r.repositoryPath(Plain(f.File)))}}
				if f.Line > 0 {
					p.Region = &sarifRegion{f.Line}
				}
				res.Locations = []sarifLocation{{p}}
			}
			id := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s", r.Lab.ID, c.ID, f.Code, f.File, f.Key)
			seen[id]++
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", id, seen[id]))
			res.PartialFingerprints = map[string]string{"labgrade/v1": hex.EncodeToString(sum[:16])}
			run.Results = append(run.Results, res)
		}
	}
	return indented(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// sarifURI makes a relative path a relative reference.
func sarifURI(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	// A colon in the first segment would make it a scheme.
	if strings.Contains(parts[0], ":") {
		parts[0] = "./" + parts[0]
	}
	return strings.Join(parts, "/")
}
