// Package weak finds checks of certificates that are switched off, and cryptography that protects nothing: broken
// hashes and predictable numbers where a secret is made or kept, broken ciphers anywhere.
//
// It owns no table. It looks at added lines outside of tests only.
package weak

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "tls-disabled", Axis: verdict.Security, Class: verdict.Hard,
			What: "the check of a certificate or a host name is switched off", Why: "whoever stands in between reads and changes everything",
			Question: "Can this setting be active outside of a test or a developer's machine?", Find: findTLS,
		},
		{
			ID: "weak-crypto", Axis: verdict.Security, Class: verdict.Hard,
			What: "a broken hash, a broken cipher or a predictable number protects a secret", Why: "it can be computed by others",
			Question: "Does the security of anything rest on this value?", Find: findCrypto,
		},
	}
}

// each calls look for every added line of code or settings that is no test, no document and was not there before.
func each(c *change.Change, look func(f *change.File, line int, text string)) {
	gone := map[string]int{}
	for _, f := range c.Files {
		for _, l := range f.Removed {
			gone[strings.TrimSpace(l.Text)]++
		}
	}
	for _, f := range c.Files {
		if f.After == nil || f.IsTest() || f.Kind == layout.Doc || f.Kind == layout.Generated {
			continue
		}
		for _, l := range f.Added {
			t := strings.TrimSpace(l.Text)
			if t == "" || len(t) > 2000 {
				continue
			}
			if gone[t] > 0 {
				gone[t]--
				continue
			}
			look(f, l.N, l.Text)
		}
	}
}

// tokens is the range of tokens of a line.
func tokens(f *units.File, line int) (from, to int) {
	lo, hi := 0, len(f.Tokens)
	for lo < hi {
		m := (lo + hi) / 2
		if f.TokenLine(m) < line {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for to = lo; to < len(f.Tokens) && f.TokenLine(to) == line; to++ {
	}
	return lo, to
}

// around is the function that a line stands in, nil outside.
func around(f *units.File, line int) *units.Func {
	var in *units.Func
	for _, fn := range f.Funcs() {
		if fn.First <= line && line <= fn.End && (in == nil || fn.Line >= in.Line) {
			in = fn
		}
	}
	return in
}
