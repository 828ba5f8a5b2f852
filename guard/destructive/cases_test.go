package destructive_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/verdict"
)

// lines reads a table of command lines.
func lines(tb testing.TB, file string) []string {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var list []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if t := s.Text(); t != "" && t[0] != '#' {
			list = append(list, strings.ReplaceAll(t, "⏎", "\n"))
		}
	}
	if len(list) < 10 {
		tb.Fatalf("%s holds %d lines", file, len(list))
	}
	return list
}

func TestHandedCases(t *testing.T) {
	t.Parallel()
	for _, line := range lines(t, "handed.tsv") {
		cmd, want, _ := strings.Cut(line, "\t")
		found := judge(t, world(), cmd)
		if stopped := verdict.Worst(found) != verdict.Pass; stopped != (want == "danger") {
			t.Errorf("%q is stopped: %v, want %s: %+v", cmd, stopped, want, found)
		}
	}
}

func TestDangersAreStopped(t *testing.T) {
	t.Parallel()
	for _, cmd := range lines(t, "dangers.txt") {
		if verdict.Worst(judge(t, world(), cmd)) == verdict.Pass {
			t.Errorf("passes: %q", cmd)
		}
	}
}

func TestHonestWorkPasses(t *testing.T) {
	t.Parallel()
	for _, cmd := range lines(t, "honest.txt") {
		if found := judge(t, world(), cmd); len(found) > 0 {
			t.Errorf("%q: %s %v at %q: %s", cmd, found[0].Rule, found[0].Decision, found[0].Segment, found[0].Why)
		}
	}
}

// What is advised must not be refused itself.
func TestAdviceIsNotRefused(t *testing.T) {
	t.Parallel()
	for _, r := range rules() {
		parts := strings.Split(r.Instead, "`")
		for i := 1; i < len(parts); i += 2 {
			if found := judge(t, world(), parts[i]); len(found) > 0 {
				t.Errorf("%s advises %q, which %s refuses", r.ID, parts[i], found[0].Rule)
			}
		}
	}
}
