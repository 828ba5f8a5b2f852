package destructive_test

import (
	"testing"

	"github.com/devflow-suite/devflow/guard/destructive"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/shell"
)

// world is a machine of which nothing exists.
func world() place.World {
	return place.World{Home: "/home/dev", Project: "/home/dev/proj", Cwd: "/home/dev/proj", Temp: "/tmp"}
}

// judge runs a whole command line through the rules.
func judge(tb testing.TB, w place.World, src string) []verdict.Finding {
	tb.Helper()
	s, err := shell.Parse(src)
	if err != nil {
		tb.Logf("Parse(%q): %v", src, err)
	}
	var found []verdict.Finding
	for i := range s.Commands {
		found = append(found, destructive.Check(&s, &s.Commands[i], w)...)
	}
	return append(found, destructive.Redirects(&s, w)...)
}

func rules() []destructive.Rule { return destructive.Rules() }
