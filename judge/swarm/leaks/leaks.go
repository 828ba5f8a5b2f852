// Package leaks looks for secrets with gitleaks and with the project's own detector.
//
// gitleaks knows more formats and is wrong more often: what only its catch-all rule finds is a suspicion, not a finding.
// It owns no table and keeps no value: a Leak tells where.
package leaks

import (
	"fmt"
	"sync"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/devflow-suite/devflow/internal/secret"
)

// Leak is one credential in a text.
type Leak struct {
	Rule    string
	Line    int // from 1
	Certain bool
}

// Finder finds credentials. The zero value is ready, and it is safe for concurrent use.
type Finder struct{}

// engine is the detector of gitleaks, which looks at one text at a time.
type engine struct {
	mu       sync.Mutex
	detector *detect.Detector
}

// shared compiles the rules when they are first asked for, which takes 50 ms, and once in a process: gitleaks reads them through a
// variable that all of its callers share.
var shared = sync.OnceValues(func() (*engine, error) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	return &engine{detector: d}, nil
})

// generic are the rules of gitleaks that go by names and entropy alone.
func generic(rule string) bool {
	switch rule {
	case "generic-api-key", "curl-auth-header", "curl-auth-user", "kubernetes-secret-yaml", "jwt", "jwt-base64":
		return true
	}
	return false
}

// Find lists the credentials of a text in order of their lines. Its errors are for rules that cannot be read.
func (*Finder) Find(text string) ([]Leak, error) {
	e, err := shared()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Leak
	seen := map[int]int{} // line → index
	for _, m := range secret.Find(text) {
		if _, ok := seen[m.Line]; !ok {
			seen[m.Line] = len(out)
			out = append(out, Leak{m.Rule, m.Line, m.High})
		}
	}
	for _, m := range e.detector.DetectString(text) {
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
