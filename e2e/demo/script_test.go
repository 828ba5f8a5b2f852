package main

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/judge/gate/suite"
)

type tree map[string]string

func (f tree) Files() []string { return slices.Sorted(maps.Keys(f)) }

func (f tree) Read(_ context.Context, path string) ([]byte, bool, error) {
	text, ok := f[path]
	return []byte(text), ok, nil
}

// The tests of the story run with nothing but Python.
func TestTheGateCanRunTheTestsOfTheStory(t *testing.T) {
	t.Parallel()
	for _, test := range []string{hollowTest, realTest} {
		files := tree{readFile: invoice, "tests/billing/test_invoice.py": invoiceTest, implFile: refund, testFile: test}
		got, err := suite.Plan(t.Context(), files, []string{implFile, testFile}, "")
		want := []suite.Command{{Toolchain: "python", Argv: []string{"python3", "-m", "unittest", "discover", "-s", "tests/billing"}}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}
