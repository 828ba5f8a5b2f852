package lint_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/lint"
)

// push judges what leads from one commit to another.
func push(t *testing.T, r gitrepo.Repo, from, to string) map[string]lint.Report {
	t.Helper()
	repo, err := gitx.Find(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	objects := t.TempDir()
	if from == "" {
		from = gitx.EmptyTree(to)
	}
	in := lint.Input{Root: repo.Root}
	if in.Changes, err = repo.Changes(t.Context(), objects, from, to); err != nil {
		t.Fatal(err)
	}
	if in.Before, err = lint.CommitTree(t.Context(), repo, objects, from); err != nil {
		t.Fatal(err)
	}
	if in.After, err = lint.CommitTree(t.Context(), repo, objects, to); err != nil {
		t.Fatal(err)
	}
	reports := map[string]lint.Report{}
	for _, rep := range lint.Run(t.Context(), in) {
		reports[rep.Linter] = rep
	}
	return reports
}

func want(t *testing.T, reports map[string]lint.Report, linter string, status lint.Status) {
	t.Helper()
	if r := reports[linter]; r.Status != status {
		t.Errorf("%s: %+v, want %s", linter, r, status)
	}
}

func green(t *testing.T, reports map[string]lint.Report) {
	t.Helper()
	for name := range reports {
		want(t, reports, name, lint.OK)
	}
}

func TestOnlyThePushedCommitsCount(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Git("config", "diff.noprefix", "true")
	r.Write("README.md", "x\n")
	base := r.Commit("base")
	r.Write("src/bad.py", "def f(:\n")
	r.Commit("broken two commits back")
	r.Write("docs/a.md", "caf\xe9\n")
	r.Commit("something else")
	r.Write("docs/b.md", "y\n")
	tip := r.Commit("and more")
	r.Write("src/bad.py", "def f():\n    return 1\n") // mended in the work tree only
	reports := push(t, r, base, tip)
	want(t, reports, "compile_check", lint.Fail)
	if f := reports["compile_check"].Findings; len(f) != 1 || f[0].File != "src/bad.py" || f[0].Line != 1 {
		t.Errorf("findings %+v", f)
	}
	mended := r.Commit("mended")
	want(t, push(t, r, base, mended), "compile_check", lint.OK)
	r.Write("src/bad.py", "def f(:\n") // broken in the work tree only
	want(t, push(t, r, base, mended), "compile_check", lint.OK)
}

func TestHonestPushes(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write("go.mod", "module example.com/x\n")
	r.Write("p/pay.go", "package p\n\nfunc Pay(x int) int {\n\tif x > 0 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n")
	r.Write("p/pay_test.go", "package p\n\nimport \"testing\"\n\nfunc TestPay(t *testing.T) {\n\tif Pay(1) != 1 {\n\t\tt.Error(1)\n\t}\n}\n")
	r.Write("src/pay.py", "def pay(x):\n    if x:\n        return 1\n    return 2\n")
	r.Write("tests/test_pay.py", "from pay import pay\n\ndef test_pay():\n    assert pay(1) == 1\n")
	r.Write("tsconfig.json", "{\n  // why\n  \"strict\": true,\n}\n")
	r.Write("chart/templates/d.yaml", "{{- if .x }}\n\ta: 1\n{{- end }}\n")
	first := r.Commit("first")
	reports := push(t, r, "", first)
	for _, name := range []string{"import_boundary", "file_size", "coverage_gate", "compile_check"} {
		want(t, reports, name, lint.OK)
	}

	r.Git("mv", "src/pay.py", "src/money.py")
	r.Git("mv", "tests/test_pay.py", "tests/test_money.py")
	r.Write("tests/test_money.py", "from money import pay\n\ndef test_pay():\n    assert pay(1) == 1\n")
	renamed := r.Commit("rename both")
	green(t, push(t, r, first, renamed))

	r.Write("README.md", "# x\n")
	docs := r.Commit("documents only")
	green(t, push(t, r, renamed, docs))

	r.Git("rm", "-q", "-r", "src", "tests", "p")
	green(t, push(t, r, docs, r.Commit("deletion only")))

	if err := os.Symlink("README.md", r.Path("link.py")); err != nil {
		t.Fatal(err)
	}
	sub := gitrepo.New(t, t.TempDir(), "main")
	sub.Write("bad.py", "(")
	sub.Commit("sub")
	r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.Dir, "mod.py")
	green(t, push(t, r, docs, r.Commit("a link and a submodule")))
}

func TestEveryLanguageIsJudged(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	base := r.Commit("base")
	r.Write("src/features/a/x.ts", "import { R } from '../b/repo'\n")
	r.Write("src/features/b/repo.ts", "export interface R { x: number }\n")
	r.Write("lib/long.rs", strings.Repeat("// x\n", 700))
	r.Write("pkg/pay.kt", "fun pay(x: Int): Int { if (x > 0) return 1; return 2 }\n")
	r.Write("web/bad.js", "let = = ;\n")
	r.Write("bin/tool", "#!/bin/bash\nif true; then\n")
	reports := push(t, r, base, r.Commit("all wrong"))
	for _, name := range []string{"import_boundary", "file_size", "coverage_gate", "compile_check"} {
		want(t, reports, name, lint.Fail)
	}
	if skipped := reports["compile_check"].Skipped; len(skipped) != 1 || !strings.Contains(skipped[0], "tsc: not installed (2 files)") {
		t.Errorf("skipped %q, want the missing tsc", skipped)
	}
}

func TestThreeThousandFiles(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	base := r.Commit("base")
	for i := range 1000 {
		r.Write(fmt.Sprintf("d%02d/pay%04d.py", i%50, i), fmt.Sprintf("def pay%04d(x):\n    if x:\n        return 1\n    return 2\n", i))
		r.Write(fmt.Sprintf("d%02d/test_pay%04d.py", i%50, i), fmt.Sprintf("from pay%04d import pay%04d\n\ndef test_it():\n    assert pay%04d(1) == 1\n", i, i, i))
		r.Write(fmt.Sprintf("conf/c%04d.yaml", i), "a: 1\nb:\n  - c\n")
	}
	green(t, push(t, r, base, r.Commit("many")))
}

func TestReportsAreBoundedAndRedacted(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	noisy := lint.Linter{Name: "noisy", Run: func(context.Context, *lint.Input) (found []lint.Finding, skipped []string, looked int, err error) {
		for range 1000 {
			found = append(found, lint.Finding{File: strings.Repeat("d/", 500) + "\n", Text: secret + strings.Repeat("x", 5000)})
			skipped = append(skipped, secret+"\x1b"+strings.Repeat("y", 5000))
		}
		return append(found, lint.Finding{Text: "last", Fail: true}), skipped, 0, nil
	}}
	report := lint.RunThese(t.Context(), lint.Input{}, []lint.Linter{noisy})[0]
	text := fmt.Sprintf("%+v", report)
	if len(report.Findings) > 101 || len(report.Skipped) > 21 || len(text) > 80_000 || strings.Contains(text, secret) || strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("report of %d findings, %d skipped, %d bytes", len(report.Findings), len(report.Skipped), len(text))
	}
	if !report.Findings[0].Fail || report.Status != lint.Fail {
		t.Errorf("first finding %+v, status %s; want the failure first", report.Findings[0], report.Status)
	}
}

func TestACancelledCheckIsNoPass(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	base := r.Commit("base")
	r.Write("a.py", "x = 1\n")
	tip := r.Commit("a")
	repo, err := gitx.Find(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	objects := t.TempDir()
	changes, err := repo.Changes(t.Context(), objects, base, tip)
	if err != nil {
		t.Fatal(err)
	}
	after, err := lint.CommitTree(t.Context(), repo, objects, tip)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, rep := range lint.Run(ctx, lint.Input{Before: after, After: after, Changes: changes}) {
		if rep.Status != lint.Fail {
			t.Errorf("%s: %s after a cancel, want fail", rep.Linter, rep.Status)
		}
	}
}
