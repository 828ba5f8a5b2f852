package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// SARIF 2.1.0, as far as code scanning reads it; source: the OASIS standard, sections 3.13 to 3.52.
const (
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifVersion = "2.1.0"
	home         = "https://github.com/devflow-suite/devflow"
)

type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRegion struct {
		StartLine int        `json:"startLine"`
		Snippet   *sarifText `json:"snippet,omitempty"`
	}
	sarifArtifact struct {
		URI     string `json:"uri"`
		URIBase string `json:"uriBaseId,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifRule struct {
		ID    string            `json:"id"`
		Short sarifText         `json:"shortDescription"`
		Full  sarifText         `json:"fullDescription"`
		Help  sarifText         `json:"help"`
		Props map[string]string `json:"properties,omitempty"`
	}
	sarifResult struct {
		Rule        string             `json:"ruleId"`
		Level       string             `json:"level"`
		Message     sarifText          `json:"message"`
		Locations   []sarifLocation    `json:"locations"`
		Prints      map[string]string  `json:"partialFingerprints"`
		Suppression []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind string `json:"kind"`
	}
)

// SARIF writes the findings for an upload to code scanning. rules describe what may have been found; reasons of other
// origin (a red test run, something that could not be read) are results of a rule named after their prefix. A result without a file
// is placed at the root's README, because uploads without a location are refused.
func (r Report) SARIF(w io.Writer, version string, rules []rule.Rule) error {
	described := []sarifRule{}
	known := map[string]bool{}
	describe := func(s sarifRule) {
		if !known[s.ID] {
			known[s.ID] = true
			described = append(described, s)
		}
	}
	for _, x := range rules {
		describe(sarifRule{x.ID, sarifText{x.What}, sarifText{x.Why}, sarifText{x.Why}, map[string]string{"axis": string(x.Axis)}})
	}
	results := []sarifResult{}
	for _, x := range r.Reasons {
		id := x.Rule
		if id == "" {
			id = x.Prefix
			describe(sarifRule{ID: id, Short: sarifText{"[" + id + "]"}, Full: sarifText{"found outside of the rules"}, Help: sarifText{"The message says what to do."}})
		}
		result := sarifResult{
			Rule: id, Level: map[judge.Class]string{judge.Hard: "error", judge.Soft: "warning", judge.Note: "note", judge.Blind: "error"}[x.Weight()],
			Message: sarifText{x.Text}, Prints: map[string]string{"finding/v1": fingerprint(x)},
		}
		if x.Fix != "" {
			result.Message.Text += "\nFix: " + x.Fix
		}
		file := x.File
		if file == "" {
			file = "README.md"
		}
		region := sarifRegion{StartLine: max(x.Line, 1)}
		if x.Evidence != "" && !x.Gone {
			region.Snippet = &sarifText{x.Evidence}
		}
		result.Locations = []sarifLocation{{sarifPhysical{sarifArtifact{(&url.URL{Path: file}).String(), "%SRCROOT%"}, region}}}
		if x.Waived {
			result.Suppression = []sarifSuppression{{"external"}}
		}
		results = append(results, result)
	}
	type driver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	type run struct {
		Tool    map[string]driver `json:"tool"`
		Results []sarifResult     `json:"results"`
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{sarifSchema, sarifVersion, []run{{map[string]driver{"driver": {"devflow", version, home, described}}, results}}})
}

// fingerprint is the same for a finding that has moved to other lines.
func fingerprint(x judge.Reason) string {
	sum := sha256.Sum256([]byte(x.Finding()))
	return hex.EncodeToString(sum[:16])
}
