// Package rule is the form of a rule of the evidence engine: what it is called, what it claims, and how it looks.
//
// It owns no table. Rules are data with one pure function each; the packages below judge/evidence list theirs, and
// judge/evidence runs all of them.
package rule

import (
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rule is one thing that speaks against a change.
type Rule struct {
	ID       string // "test-skipped": lower case with hyphens, unique, stable: it stands in waivers and reports
	Axis     verdict.Axis
	Class    verdict.Class // the strongest that its findings have: Hard or Soft
	What     string        // one line for people: what it finds
	Why      string        // one line: why that is wrong
	Question string        // what a model is asked about one finding with the unit before and after; "" = nothing
	// Find looks at the change and reports findings in order of files and lines. It must cost time about linear in the changed
	// files and never panic. Rules of one engine run one after the other on one goroutine.
	Find func(c *change.Change, report func(Finding))
}

// Finding is one place where a rule holds.
type Finding struct {
	Class    verdict.Class // empty: the class of the rule
	Path     string
	Line     int    // from 1 in the present file, or in the former one when Old is set
	Old      bool   // the place is in the former file: what was there is gone
	Text     string // what is wrong, naming the unit: "TestSum: assertion about total is gone"
	Evidence string // the line as it stands there
	Fix      string
	Unit     string // name of the function or test
	Before   string // text of the unit before and after, for the question to a model
	After    string
}
