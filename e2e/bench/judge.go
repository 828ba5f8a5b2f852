package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// judged are the files that the judge is measured with: ten sources and their tests, in the seven languages with rules of
// their own. The two texts are a unit and a test of it, with a number and a factor.
var judged = [...]struct{ source, test, head, unit, testHead, testUnit, testEnd string }{
	{"go/calc%d.go", "go/calc%d_test.go", "package calc\n\nimport \"errors\"\n", "\n// Scale%[1]d multiplies n, which must not be negative.\nfunc Scale%[1]d(n int) (int, error) {\n\tif n < 0 {\n\t\treturn 0, errors.New(\"negative\")\n\t}\n\treturn n * %[2]d, nil\n}\n",
		"package calc\n\nimport \"testing\"\n", "\nfunc TestScale%[1]d(t *testing.T) {\n\tgot, err := Scale%[1]d(3)\n\tif err != nil || got != 3*%[2]d {\n\t\tt.Errorf(\"Scale%[1]d = %%d, %%v\", got, err)\n\t}\n}\n", ""},
	{"py/calc%d.py", "tests/test_calc%d.py", "\"\"\"Scales.\"\"\"\n", "\n\ndef scale_%[1]d(n):\n    \"\"\"Multiply n.\"\"\"\n    if n < 0:\n        raise ValueError(\"negative\")\n    return n * %[2]d\n",
		"from py.calc import *\n", "\n\ndef test_scale_%[1]d():\n    got = scale_%[1]d(3)\n    assert got == 3 * %[2]d\n", ""},
	{"src/calc%d.ts", "src/calc%d.test.ts", "// Scales.\n", "\n/** Multiplies n. */\nexport function scale%[1]d(n: number): number {\n  if (n < 0) {\n    throw new RangeError('negative')\n  }\n  return n * %[2]d\n}\n",
		"import * as calc from './calc'\n\ndescribe('calc', () => {\n", "  it('scales by %[2]d (%[1]d)', () => {\n    const got = calc.scale%[1]d(3)\n    expect(got).toBe(3 * %[2]d)\n  })\n", "})\n"},
	{"lib/calc%d.js", "test/calc%d.test.js", "'use strict'\n", "\nexports.scale%[1]d = function (n) {\n  if (n < 0) throw new RangeError('negative')\n  return n * %[2]d\n}\n",
		"const calc = require('../lib/calc')\n", "\ntest('scales %[1]d', () => {\n  expect(calc.scale%[1]d(3)).toBe(3 * %[2]d)\n})\n", ""},
	{"src/main/java/Calc%d.java", "src/test/java/Calc%dTest.java", "final class Calc {\n", "\n    /** Multiplies n. */\n    static int scale%[1]d(int n) {\n        if (n < 0) {\n            throw new IllegalArgumentException(\"negative\");\n        }\n        return n * %[2]d;\n    }\n",
		"class CalcTest {\n", "\n    @Test\n    void scales%[1]d() {\n        assertEquals(3 * %[2]d, Calc.scale%[1]d(3));\n    }\n", "}\n"},
	{"src/calc%d.rs", "tests/calc%d.rs", "//! Scales.\n", "\n/// Multiplies n.\npub fn scale_%[1]d(n: i64) -> Result<i64, Negative> {\n    if n < 0 {\n        return Err(Negative);\n    }\n    Ok(n * %[2]d)\n}\n",
		"use calc::*;\n", "\n#[test]\nfn scales_%[1]d() {\n    assert_eq!(scale_%[1]d(3).unwrap(), 3 * %[2]d);\n}\n", ""},
	{"lib/calc%d.dart", "test/calc%d_test.dart", "// Scales.\n", "\n/// Multiplies n.\nint scale%[1]d(int n) {\n  if (n < 0) {\n    throw ArgumentError('negative');\n  }\n  return n * %[2]d;\n}\n",
		"import 'package:calc/calc.dart';\n\nvoid main() {\n", "  test('scales %[1]d', () {\n    expect(scale%[1]d(3), 3 * %[2]d);\n  });\n", "}\n"},
}

// Sizes of the judged change: pairs of files, units in each, and how many of these change in a source and in a test.
const (
	judgedPairs = 10
	judgedUnits = 60
	newSource   = 10
	newTest     = 5
)

// judgedFiles are the files before (0) or after (1) the change.
func judgedFiles(after int) map[string]string {
	files := map[string]string{}
	for i := range judgedPairs {
		l := judged[i%len(judged)]
		var source, test strings.Builder
		source.WriteString(l.head)
		test.WriteString(l.testHead)
		for u := range judgedUnits + after*newSource {
			factor := u + 2
			if after == 1 && u%12 == 0 {
				factor += 100
			}
			fmt.Fprintf(&source, l.unit, u, factor)
			if u < judgedUnits+after*newTest {
				fmt.Fprintf(&test, l.testUnit, u, factor)
			}
		}
		if strings.HasSuffix(l.source, ".java") {
			source.WriteString("}\n")
		}
		test.WriteString(l.testEnd)
		files[fmt.Sprintf(l.source, i)], files[fmt.Sprintf(l.test, i)] = source.String(), test.String()
	}
	return files
}

// judgeTable measures `devflow judge` of a work tree: processor time, its git processes included, on one core.
func judgeTable(w *world, o options, r *report) error {
	repo := w.path("judged")
	write := func(files map[string]string) error {
		for name, text := range files {
			file := filepath.Join(repo, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				return err
			}
		}
		return nil
	}
	if err := write(judgedFiles(0)); err != nil {
		return err
	}
	git := []string{"git", "-c", "user.name=bench", "-c", "user.email=bench@example.test", "-c", "init.defaultBranch=work"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		if err := w.run(repo, w.env("GIT_CONFIG_GLOBAL=/dev/null"), append(git, args...)...); err != nil {
			return err
		}
	}
	if err := write(judgedFiles(1)); err != nil {
		return err
	}
	env := w.env("GIT_CONFIG_GLOBAL=/dev/null", "GOMAXPROCS=1")
	judge := &program{name: "devflow judge, 20 files", argv: []string{w.hook("devflow"), "judge", "--json"}, env: env, dir: repo}
	empty := &program{name: "smallest Go program that reads JSON", argv: []string{w.gojson}, env: env, dir: repo, stdin: []byte("{}")}
	if err := alternate(max(o.rounds/10, 10), 2, judge, empty); err != nil {
		return err
	}
	r.title("The judge by hand: processor time of the whole process and its git processes, GOMAXPROCS=1")
	for _, p := range []*program{judge, empty} {
		fmt.Fprintf(r.out, "%s: p10 %s ms, p50 %s ms of processor time\n", p.name, ms(p.spent(0.1)), ms(p.spent(0.5)))
	}
	r.times(judge, empty)
	r.bound("judge of 1,000 changed lines in 20 files, ms of one core", float64(min(judge.spent(0.5), judge.spent(0.1)))/float64(time.Millisecond), 150, 60)
	return nil
}
