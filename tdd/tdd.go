// Package tdd answers the questions of test-driven work about files and commands: which files are implementation and which are
// tests, which test covers a file, what an edit changed, whether a command ran the tests and what its exit status proves, and
// whether an edit broke the rule “no implementation without a test”.
//
// It owns no table. It reads files below a project's root only, through os.Root, so that neither `..` nor a symbolic link leads out.
// It knows nothing of hooks, sessions or signals: who asks, remembers and tells is the business of the mains. Verdicts depend on
// counts and bytes, never on the clock.
package tdd

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
	"github.com/devflow-suite/devflow/internal/source/compare"
	"github.com/devflow-suite/devflow/internal/source/layout"
)

// Lang is a programming language; see package source for the list. "" is one that is not known.
type Lang = source.Lang

// LanguageOf returns the language of a file by its name.
func LanguageOf(rel string) Lang { return source.Of(rel) }

// Kind is what a file is to the rule.
type Kind = layout.Kind

// Kinds of files. The strings are stored in edits.kind.
const (
	Impl      = layout.Impl      // source code that wants a test
	Test      = layout.Test      // tests, their helpers and data
	Doc       = layout.Doc       // documents, examples
	Config    = layout.Config    // configuration, manifests, lock files
	Generated = layout.Generated // written by a program, built, vendored, migrations
	Other     = layout.Other     // everything else: scripts, queries, styles, wiring such as manage.py
)

// Classify tells what a file is by its path relative to the project's root, with slashes.
func Classify(rel string) Kind { return layout.Classify(rel) }

// Suggest is the path, relative to the root and inside it, at which the test of a file belongs by the customs of its language. ""
// if the language is not known.
func Suggest(rel string) string { return layout.Suggest(rel) }

// Change is what an edit did to a file.
type Change = compare.Change

// Changes, from nothing to everything.
const (
	NoChange    = compare.NoChange    // comments, docstrings, blanks, formatting
	ImportsOnly = compare.ImportsOnly // and import statements
	Declares    = compare.Declares    // types, interfaces, constants in a file in which nothing runs
	Refactor    = compare.Refactor    // removed, renamed, moved or rearranged: no new function, branch, literal, operation or call
	Code        = compare.Code        // anything else
)

// Delta is a comparison of two versions of a file.
type Delta = compare.Delta

// Effect tells what an edit did. before is nil or empty for a new file, after for a deleted one.
func Effect(lang Lang, before, after []byte) Change {
	return compare.Compare(lang, before, after).Change
}

// Compare is Effect with its reasons.
func Compare(lang Lang, before, after []byte) Delta { return compare.Compare(lang, before, after) }

// States of the test of a file, as they are stored in edits.test_state.
const (
	TestChanged = "changed" // changed in this task
	TestExists  = "exists"
	TestNone    = "none"
	TestNonCode = "noncode" // nothing to test
)

// Case is one test case of a file.
type Case struct {
	Name    string
	Line    int // from 1
	Asserts int // assertion-like calls that can fail; helpers of the same file are followed
	Trivial int // assertions of constants, or of a thing against itself: not in Asserts
}

// Tests lists the test cases of a file. Comments and strings are not taken for code. nil if the language is not known.
func Tests(lang Lang, src []byte) []Case {
	if lang == "" || len(src) == 0 {
		return nil
	}
	found := cases.Find(source.Lex(lang, src))
	out := make([]Case, 0, len(found))
	for _, c := range found {
		out = append(out, Case{Name: c.Name, Line: c.Line, Asserts: c.Asserts, Trivial: c.Trivial})
	}
	return out
}

// HasAssertion reports whether a test file can fail: one of its cases holds an assertion that is not trivial. A file without one is
// a stub.
func HasAssertion(lang Lang, src []byte) bool {
	return lang != "" && cases.Any(lang, src)
}

// InScope reports whether a file lies in one of the configured source folders; no configuration means everywhere.
func InScope(rel string, dirs []string) bool {
	if len(dirs) == 0 {
		return true
	}
	for _, dir := range dirs {
		if dir = path.Clean(dir); dir == "." || strings.HasPrefix(rel, dir+"/") {
			return true
		}
	}
	return false
}

// State is the value of edits.test_state for a file of some kind. found is whether a test that is no stub covers it; changed whether
// that test was changed in this task.
func State(rel string, found, changed bool) string {
	switch Classify(rel) {
	case Doc, Config, Generated:
		if strings.EqualFold(path.Ext(rel), ".sql") {
			return TestNone // code of a kind, and nothing tests it
		}
		return TestNonCode
	case Test:
		return TestChanged
	case Other:
		switch strings.ToLower(path.Ext(rel)) {
		case ".sql", ".sh", ".bash", ".zsh", ".ps1", ".pl", ".lua":
			return TestNone
		}
		if LanguageOf(rel) == "" {
			return TestNonCode
		}
	}
	switch {
	case found && changed:
		return TestChanged
	case found:
		return TestExists
	}
	return TestNone
}
