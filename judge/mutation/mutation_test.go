package mutation_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/matter"
	"github.com/devflow-suite/devflow/judge/mutation"
)

func TestOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path, before, after string
		want                      []string // "LINE was→is"
	}{
		{"comparisons come before constants", "a/a.go", "package a\n", "package a\n\nfunc F(n int) int {\n\tif n == 3 && n > 1 {\n\t\treturn 7\n\t}\n\treturn 0\n}\n", []string{"4 ==→!=", "5 7→0", "7 0→1"}},
		{"only changed lines", "a/a.go", "package a\n\nfunc F(n int) bool {\n\treturn n == 3\n}\n", "package a\n\nfunc F(n int) bool {\n\tn++\n\treturn n == 3\n}\n", nil},
		{"words of Python", "src/a.py", "", "def f(a, b):\n    return a and not b\n", []string{"2 and→or"}},
		{"no logging", "src/a.py", "", "def f(a):\n    print(a == 1)\n", nil},
		{"no generics", "src/a.ts", "", "export function f(x: Map<string, number>) {\n  return x.get('a') === 1\n}\n", []string{"2 ===→!=="}},
		{"no tests", "a/a_test.go", "package a\n", "package a\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal()\n\t}\n}\n", nil},
	}
	for _, tt := range tests {
		c := rulecase.Of(map[string][]byte{tt.path: []byte(tt.before)}, map[string][]byte{tt.path: []byte(tt.after)}, nil)
		var got []string
		for _, m := range mutation.Of(c) {
			got = append(got, strings.TrimSpace(strings.Join([]string{line(m.Line), m.Was + "→" + m.Is}, " ")))
			if tt.after[m.From:m.To] != m.Was {
				t.Errorf("%s: bytes %d to %d are %q, want %q", tt.name, m.From, m.To, tt.after[m.From:m.To], m.Was)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func line(n int) string { return string(rune('0' + n)) }

func TestAtMostFiveSpreadOverFunctions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("package a\n")
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G"} {
		b.WriteString("\nfunc " + name + "(n int) bool {\n\tx := n == 1\n\ty := n == 2\n\treturn x != y\n}\n")
	}
	c := rulecase.Of(nil, map[string][]byte{"a/a.go": []byte(b.String())}, nil)
	seen := map[string]bool{}
	for _, m := range mutation.Of(c) {
		seen[m.Unit] = true
	}
	if len(mutation.Of(c)) != mutation.Most || len(seen) != mutation.Most {
		t.Errorf("%d mutants in %d functions", len(mutation.Of(c)), len(seen))
	}
}

// A real project, real git and the real tests.
func TestCheck(t *testing.T) {
	t.Parallel()
	const source = "package shop\n\nfunc Discount(age int) int {\n\tif age >= 65 {\n\t\treturn 20\n\t}\n\treturn 0\n}\n"
	const weak = "package shop\n\nimport \"testing\"\n\nfunc TestDiscount(t *testing.T) {\n\tif Discount(70) != 20 {\n\t\tt.Fatal(Discount(70))\n\t}\n}\n"
	strong := strings.Replace(weak, "}\n}\n", "}\n\tif Discount(65) != 20 || Discount(64) != 0 {\n\t\tt.Fatal(\"border\")\n\t}\n}\n", 1)
	tests := []struct {
		name, level, test string
		always            bool
		want              judge.Outcome
		has               string
	}{
		{"tests that notice everything", "strict", strong, false, judge.Pass, "noticed 3 of 3"},
		{"tests that do not try the border", "strict", weak, false, judge.Warn, "no test notices when >= becomes > in Discount"},
		{"red tests say nothing", "strict", strings.Replace(weak, "!= 20", "!= 21", 1), false, judge.Pass, ""},
		{"low risk is left alone", "standard", weak, false, judge.Pass, ""},
		{"but not at a push", "standard", weak, true, judge.Warn, "no test notices"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitrepo.New(t, t.TempDir(), "main")
			r.Write("go.mod", "module example.test/shop\n\ngo 1.24\n")
			r.Commit("base")
			r.Write("shop.go", source)
			r.Write("shop_test.go", tt.test)
			repo, err := gitx.Find(r.Dir)
			if err != nil {
				t.Fatal(err)
			}
			c, err := matter.WorkTree(context.Background(), repo, t.TempDir(), repo.Head())
			if err != nil {
				t.Fatal(err)
			}
			c.Task.Oversight = tt.level
			v := judge.Evaluate(context.Background(), c, mutation.Check{Always: tt.always, Environ: os.Environ(), Budget: mutation.DefaultBudget * 4})
			text := ""
			for _, reason := range v.Reasons {
				text += reason.String() + "\n"
			}
			if v.Outcome != tt.want || !strings.Contains(text, tt.has) || tt.has == "" && text != "" {
				t.Errorf("%s, want %s with %q:\n%s", v.Outcome, tt.want, tt.has, text)
			}
			if now := r.Git("status", "--porcelain"); strings.Contains(now, "M ") {
				t.Errorf("the work tree was changed: %s", now)
			}
		})
	}
}
