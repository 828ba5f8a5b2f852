// Package leaks looks for secrets with gitleaks and with the project's own detector.
//
// gitleaks knows more formats and is wrong more often: what only its catch-all rule finds is a suspicion, not a finding.
// It owns no table and keeps no value: a Leak tells where.
package leaks

import (
	"fmt"
	"sync"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/devflow-suite/devflow/internal/secret"
)

// Leak is one credential in a text.
type Leak struct {
	Rule    string
	Line    int // from 1
	Certain bool
}

// Finder holds the rules, which take 50 ms to compile: they are compiled when first asked for. It is safe for concurrent
// use; one text is looked at at a time.
type Finder struct {
	mu       sync.Mutex
	detector *detect.Detector
}

// generic are the rules of gitleaks that go by names and entropy alone.
func generic(rule string) bool {
	switch rule {
	case "generic-api-key", "curl-auth-header", "curl-auth-user", "kubernetes-secret-yaml", "jwt", "jwt-base64":
		return true
	}
	return false
}

// Find lists the credentials of a text in order of their lines. Its errors are for rules that cannot be read.
func (f *Finder) Find(text string) ([]Leak, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.detector == nil {
		d, err := detect.NewDetectorDefaultConfig()
		if err != nil {
			return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
		}
		d.Config.Allowlists = append([]*config.Allowlist{}, d.Config.Allowlists...)
		f.detector = d
	}
	var out []Leak
	seen := map[int]int{} // line → index
	for _, m := range secret.Find(text) {
		if _, ok := seen[m.Line]; !ok {
			seen[m.Line] = len(out)
			out = append(out, Leak{m.Rule, m.Line, m.High})
		}
	}
	for _, m := range f.detector.DetectString(text) {
		line := m.StartLine + 1 // of a fragment they count from 0
		if i, ok := seen[line]; ok {
			out[i].Certain = out[i].Certain || !generic(m.RuleID)
			continue
		}
		seen[line] = len(out)
		out = append(out, Leak{m.RuleID, line, !generic(m.RuleID)})
	}
	return out, nil
}
