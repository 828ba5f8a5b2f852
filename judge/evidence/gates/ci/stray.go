package ci

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// stray reports test commands that were given a folder or file to run which the project does not have.
func stray(c *change.Change, f *change.File, before, after *side, report func(rule.Finding)) {
	if c.Now == nil {
		return
	}
	was := map[string]bool{}
	cores := map[string]bool{}
	for _, b := range before.list {
		cores[b.core] = true
		for _, w := range command.Words(b.text) {
			was[w] = true
		}
	}
	for _, g := range after.list {
		if g.class != command.Test || g.loss.Why != "" || !cores[g.core] || !f.Touched(g.line, g.line) {
			continue
		}
		for _, part := range command.Split(g.text) {
			arg := selected(part.Text)
			if arg == "" || was[arg] || exists(c, f, arg) {
				continue
			}
			report(rule.Finding{
				Class: verdict.Soft, Path: f.Path, Line: g.line, Unit: g.core, Text: "`" + short(g.core) + "` runs only " + arg + ", which is not there",
				Evidence: strings.TrimSpace(f.After.Lines(g.line, g.line)), Fix: "name a folder with tests, or none",
			})
			return
		}
	}
}

// selected is the first folder or file that a test command asks for, "" for none.
func selected(text string) string {
	switch _, core := command.ClassOf(text); core {
	case "pytest", "py.test", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "jasmine", "bats", "node --test", "tap", "uvu":
	default:
		return ""
	}
	words := command.Words(text)
	for i, w := range words {
		if i == 0 || strings.HasPrefix(w, "-") || strings.HasPrefix(words[i-1], "-") || strings.ContainsAny(w, "*$={}[]()<>?!|\\:@%") || !strings.Contains(w, "/") || strings.HasSuffix(words[i-1], ">") {
			continue
		}
		if len(w) == 0 || w[0] == '/' || strings.Contains(w, "..") || command.Words(text)[i-1] == "run" && path.Ext(w) == ".mjs" {
			continue
		}
		return w
	}
	return ""
}

// exists reports whether a path of the project contains the argument, or whether it names what a build brings about.
func exists(c *change.Change, f *change.File, arg string) bool {
	arg = strings.Trim(strings.TrimPrefix(arg, "./"), "/")
	for _, d := range strings.Split(arg, "/") {
		switch strings.TrimLeft(d, "._") {
		case "dist", "build", "out", "output", "lib", "target", "tmp", "temp", "node_modules", "bin", "esm", "cjs", "es", "vendor", "coverage", "compiled", "generated", "venv":
			return true
		}
	}
	stem := strings.TrimSuffix(arg, path.Ext(arg))
	for _, p := range c.Now.Paths() {
		if strings.Contains(p, stem) {
			return true
		}
	}
	return stem == ""
}
