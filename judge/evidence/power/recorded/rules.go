// Package recorded finds expectations that are data and say less or something bad now: rows lost from table-driven tests,
// and recorded outputs that hold a failure or changed while no code did.
//
// It owns no table and no file.
package recorded

import (
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "table-rows-gone", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "a table-driven test that lost rows",
			Question: "Here is the test before and after. Would the code as it is now pass the rows that went?",
			Why:      "the cases that went may be those that the code now breaks", Find: rows,
		},
		{
			ID: "snapshot-of-failure", Axis: verdict.TestIntegrity, Class: verdict.Hard, What: "an expected output that now records a crash or a failure",
			Question: "Is the failure that the recorded output shows now what the program is meant to do?",
			Why:      "the accepted result became a failure", Find: crashes,
		},
		{
			ID: "snapshot-changed-alone", Axis: verdict.TestIntegrity, Class: verdict.Soft, What: "an expected output that changed while nothing that makes it did",
			Question: "What in this change makes the program give the new output?",
			Why:      "it may have been recorded again from a wrong result", Find: alone,
		},
	}
}
