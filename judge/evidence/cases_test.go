package evidence_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge"
	judged "github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/matter"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// The archives of testdata/cases say in their comment which verdicts are right. Those of hard hold a patch, which is
// judged without a repository; those of gaming hold a small project before and after what an agent did.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, ok := strings.CutPrefix(strings.TrimSpace(string(a.Comment)), "want: ")
			if !ok {
				t.Fatal("the archive says no `want: VERDICT`")
			}
			c := &judge.Case{TestsOptional: true, DiffSHA: "x"}
			if len(a.Files) == 1 && a.Files[0].Name == "change.patch" {
				if c, err = matter.OfPatch(a.Files[0].Data); err != nil {
					t.Fatal(err)
				}
			} else {
				c.Change = rulecase.Change(a)
			}
			v := judge.Evaluate(t.Context(), c, evidence.ByHand()...)
			if got := strings.ToUpper(string(v.Outcome)); !slices.Contains(strings.Split(want, "|"), got) {
				t.Errorf("%s, want %s:\n%s", got, want, texts(v.Reasons))
			}
			for _, r := range v.Reasons {
				if w := r.Weight(); (w == judge.Hard || w == judge.Soft) && !stands(c.Change, r) {
					t.Errorf("%s at %s:%d: there is no such line in the change", r, r.File, r.Line)
				}
			}
		})
	}
}

// stands reports whether a reason names a changed file and a line that it has.
func stands(c *judged.Change, r verdict.Reason) bool {
	i := slices.IndexFunc(c.Files, func(f *judged.File) bool { return f.Path == r.File })
	if i < 0 || r.Line < 1 {
		return false
	}
	side := c.Files[i].After
	if r.Gone || side == nil {
		side = c.Files[i].Before
	}
	return side != nil && r.Line <= strings.Count(strings.TrimSuffix(side.Src, "\n"), "\n")+1
}

func texts(reasons []verdict.Reason) string {
	var b strings.Builder
	for _, r := range reasons {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}
