package ci

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// pipeline reports whether a file is one that a server reads to build the project.
func pipeline(p string) bool {
	base := strings.ToLower(path.Base(p))
	for _, local := range [...]string{".pre-commit", "lefthook", ".lefthook", "taskfile", "melos", "action."} {
		if strings.HasPrefix(base, local) {
			return false
		}
	}
	f := formOf(p)
	return f == yamlForm || f == groovyForm
}

// removed reports pipelines that ran the tests and are gone, when no other one of the project runs any.
func removed(c *change.Change, f *change.File, report func(rule.Finding)) {
	if f.Before == nil || c.Now == nil || !pipeline(f.OldPath) {
		return
	}
	before := count(f.OldPath, f.Before.Src)
	if before.fine[command.Test] == 0 || !automatic(f.OldPath, f.Before.Src) {
		return
	}
	class, tested := verdict.Hard, false
	for _, p := range c.Now.Paths() {
		tested = tested || layout.IsTest(p)
		if p == f.OldPath || !pipeline(p) {
			continue
		}
		text, ok := c.Now.Read(p)
		if !ok {
			continue
		}
		if count(p, string(text)).fine[command.Test] > 0 {
			return
		}
		if opaque(string(text)) {
			class = verdict.Soft
		}
	}
	for _, o := range c.Files { // a server that is not known
		if ext := path.Ext(o.Path); o.IsNew() && !pipeline(o.Path) && (ext == ".yml" || ext == ".yaml" || strings.HasPrefix(o.Path, ".")) {
			class = verdict.Soft
		}
	}
	if !tested {
		return
	}
	for _, b := range before.list {
		if b.class == command.Test && b.loss.Why == "" {
			report(rule.Finding{
				Class: class, Path: f.OldPath, Line: b.line, Old: true, Unit: b.core, Text: f.OldPath + " is gone, and nothing runs `" + short(b.core) + "` or any other test any more",
				Evidence: strings.TrimSpace(f.Before.Lines(b.line, b.line)), Fix: "say where the tests run now", Before: b.text,
			})
			return
		}
	}
}

// automatic reports whether a pipeline starts by itself on changes.
func automatic(p, src string) bool {
	if !strings.Contains(p, ".github/workflows/") {
		return true
	}
	t := starts(src)
	for _, e := range [...]string{"push", "pull_request", "merge_group", "pull_request_target"} {
		if _, ok := t.events[e]; ok {
			return true
		}
	}
	return false
}

// opaque reports whether a pipeline calls something that may run the tests out of sight: another workflow, a script, make.
func opaque(src string) bool {
	for _, w := range [...]string{"/.github/workflows/", "uses: ./", "include:", ".sh", "make", "script/", "scripts/", "docker build", "docker compose", "docker-compose", "gradlew", "mvn", "tox", "nox", "template:"} {
		if strings.Contains(src, w) {
			return true
		}
	}
	return false
}
