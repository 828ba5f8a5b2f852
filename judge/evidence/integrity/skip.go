package integrity

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/installed"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/off"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// place identifies a switch of the present side.
type place struct {
	file *change.File
	at   int
	what string
}

// switched finds switches that hold for a test that ran before.
func (s *survey) switched() {
	covered := map[place]int{}
	var order []place
	first := map[place]change.TestPair{}
	which := map[place]off.Switch{}
	for _, p := range s.c.Tests() {
		if p.Before != nil && p.After == nil {
			s.renamed(p)
		}
		if p.Before == nil || p.After == nil {
			continue
		}
		now := s.off(p.New.After)
		if len(now) == 0 {
			continue
		}
		for _, sw := range now {
			if sw.Kind == off.Only || sw.Guard == off.Platform || !sw.Covers(p.After) || s.wasOff(p, sw) || sw.Needs != "" && installed.Known(s.c, p.New, sw.Needs) {
				continue
			}
			k := place{p.New, sw.At, sw.What}
			if covered[k]++; covered[k] == 1 {
				order = append(order, k)
				first[k], which[k] = p, sw
			}
		}
	}
	for _, k := range order {
		s.report(first[k], which[k], covered[k])
	}
}

// wasOff reports whether the test was already off, or already under this switch, or the switch belongs to a part of the
// test that is new.
func (s *survey) wasOff(p change.TestPair, sw off.Switch) bool {
	if p.Old.Before == nil {
		return false
	}
	for _, b := range s.off(p.Old.Before) {
		if b.Kind == off.Only || !b.Covers(p.Before) {
			continue
		}
		if b.Guard == off.Always || b.Key() == sw.Key() || sw.Guard != off.Always && b.Guard >= off.Env && b.Guard != off.Platform {
			return true
		}
	}
	return s.newPart(p, sw)
}

// newPart reports whether a switch stands in a subtest that the former test did not have.
func (s *survey) newPart(p change.TestPair, sw off.Switch) bool {
	f := p.New.After
	if f.Lang != source.Go || sw.Whole {
		return false
	}
	for i := sw.At; i > p.After.From; i-- {
		if f.Is(i, "Run") && f.Is(i-1, ".") && f.Is(i+1, "(") && f.Close(i+1) > sw.At && f.Kind(i+2) == source.String {
			return !strings.Contains(p.Before.Body(), f.Text(i+2))
		}
	}
	return false
}

// report says what a switch does.
func (s *survey) report(p change.TestPair, sw off.Switch, n int) {
	f := p.New
	k, class := skipped, verdict.Hard
	verb := "is skipped now by `" + short(sw.What) + "`"
	fix := "let the test run again, and make the code pass it"
	if sw.Kind == off.Dead {
		k, verb = commentedOut, "is never reached any more: `"+short(sw.What)+"`"
	}
	unit := title(p.After)
	if n > 1 {
		unit = fmt.Sprintf("%s and %d more tests of %s", unit, n-1, f.Path)
		verb = strings.Replace(strings.Replace(verb, "is skipped", "are skipped", 1), "is never", "are never", 1)
	}
	if sw.Whole {
		k = fileDisabled
	}
	switch sw.Guard {
	case off.Other:
		class = verdict.Soft
		verb += ", where it ran always before"
	case off.Env:
		var ok bool
		if k, class, verb, ok = s.environment(f, sw, k); !ok {
			return
		}
		fix = "let the test run always, or set the variable in a workflow that runs it"
	}
	if class == verdict.Hard && k == skipped && n == 1 && referred(f, sw) {
		class = verdict.Soft
		verb += ", with a reference to an issue"
	}
	s.add(k, class, f.After, rule.Finding{
		Path: f.Path, Line: max(sw.Line, 1), Text: unit + " " + verb, Fix: fix, Unit: p.After.Name, Before: p.Before.Text(), After: p.After.Text(),
	})
}

// referred reports whether the lines of a switch, or a comment above it, name the address of an issue.
func referred(f *change.File, sw off.Switch) bool {
	const above = 3
	for n := max(sw.Line-above, 1); n <= sw.Line+1; n++ {
		if !f.Touched(n, n) {
			continue
		}
		line := f.After.Lines(n, n)
		for _, w := range [...]string{"/issues/", "/pull/", "/browse/", "show_bug.cgi?id="} {
			_, rest, ok := strings.Cut(line, w)
			if ok && strings.Contains(line, "://") && strings.ContainsAny(rest, "0123456789") {
				return true
			}
		}
	}
	return false
}

// environment decides about a switch that hangs on a variable, a build tag or a feature.
func (s *survey) environment(f *change.File, sw off.Switch, k kind) (kind, verdict.Class, string, bool) {
	name := strings.Join(sw.Vars, ", ")
	set, others := s.setSomewhere(f, sw.Vars)
	ci := false
	for _, v := range sw.Vars {
		ci = ci || v == "CI" || v == "GITHUB_ACTIONS" || v == "CONTINUOUS_INTEGRATION" || v == "GITLAB_CI" || v == "TRAVIS" || v == "BUILD_ID"
	}
	switch {
	case sw.OptIn && (set || ci), !sw.OptIn && !set && !ci:
		return 0, "", "", false
	case !sw.OptIn:
		return optIn, verdict.Soft, "ran always and is off now where " + name + " is set, as workflows do", true
	case s.c.Now == nil:
		return optIn, verdict.Soft, "ran always and hangs on " + name + " now", true
	case k == fileDisabled && !others:
		return fileDisabled, verdict.Hard, "ran always and needs the build tag or feature " + name + " now, which no workflow and no configuration sets", true
	case k == fileDisabled:
		return fileDisabled, verdict.Soft, "ran always and needs " + name + " now, which no workflow sets", true
	}
	return optIn, verdict.Soft, "ran always and hangs on " + name + " now, which no workflow sets", true
}

// setSomewhere reports whether a workflow or another recipe of the project mentions one of the variables, and whether any
// other file does.
func (s *survey) setSomewhere(f *change.File, vars []string) (workflow, others bool) {
	if s.c.Now == nil {
		return false, false
	}
	const most = 200
	tag := f.Lang == source.Go && len(vars) == 1 && vars[0] == strings.ToLower(vars[0]) // a build tag, set by -tags
	var words []string
	for _, v := range vars {
		words = append(words, change.Words(v)...)
	}
	for _, places := range s.c.Now.Grep(words, most) {
		for _, p := range places {
			workflow = workflow || recipe(p.Path) && (!tag || strings.Contains(strings.ToLower(p.Text), "tag"))
			others = others || p.Path != f.Path && (strings.Contains(p.Text, "go:build") || strings.Contains(p.Text, "+build") || strings.Contains(p.Text, "cfg(") || strings.HasSuffix(p.Path, "Cargo.toml"))
		}
	}
	return workflow, others
}

// recipe reports whether a file says how tests are run.
func recipe(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	switch base {
	case "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml", "Taskfile.yaml", "tox.ini", "noxfile.py", "package.json", "pyproject.toml", "setup.cfg", "pytest.ini", ".travis.yml", ".gitlab-ci.yml",
		"Jenkinsfile", "appveyor.yml", ".appveyor.yml", "azure-pipelines.yml", "build.gradle", "build.gradle.kts", "pom.xml", "Dockerfile", "docker-compose.yml", "melos.yaml", "dart_test.yaml", "Rakefile", "bitrise.yml",
		"conftest.py", "phpunit.xml", "phpunit.xml.dist", "composer.json", "codemagic.yaml", "cloudbuild.yaml", "runtests.sh", "test.sh":
		return true
	}
	for _, dir := range [...]string{".github/", ".circleci/", ".buildkite/", "ci/", ".ci/", ".cargo/", ".woodpecker/", ".gitlab/", "scripts/"} {
		if strings.HasPrefix(path, dir) || strings.Contains(path, "/"+dir) {
			return true
		}
	}
	return false
}

// narrowed finds marks that let tests run alone.
func (s *survey) narrowed() {
	for _, f := range s.c.Files {
		if f.After == nil {
			continue
		}
		before := map[string]int{}
		if f.Before != nil {
			for _, b := range s.off(f.Before) {
				if b.Kind == off.Only {
					before[b.Key()]++
				}
			}
		}
		for _, sw := range s.off(f.After) {
			if sw.Kind != off.Only {
				continue
			}
			if before[sw.Key()]--; before[sw.Key()] >= 0 {
				continue
			}
			class := verdict.Hard
			if sw.Guard != off.Always || f.Before == nil {
				class = verdict.Soft
			}
			unit, t := "", covering(f.After, sw)
			if t != nil {
				unit = t.Name
			}
			s.add(narrowed, class, f.After, rule.Finding{
				Path: f.Path, Line: sw.Line, Unit: unit, Text: fmt.Sprintf("`%s` lets only this run: %s", short(sw.What), s.silenced(f, sw)),
				Fix: "remove it, so that all tests run",
			})
		}
	}
}

// silenced counts the tests that a mark switches off.
func (s *survey) silenced(f *change.File, sw off.Switch) string {
	n := 0
	for _, t := range f.After.Tests() {
		if !sw.Covers(t) {
			n++
		}
	}
	if n == 0 || sw.Whole {
		return "the other tests are off"
	}
	return fmt.Sprintf("the other %d tests of the file are off", n)
}

func covering(u *units.File, sw off.Switch) *units.Test {
	for _, t := range u.Tests() {
		if sw.Covers(t) && !sw.Whole {
			return t
		}
	}
	return nil
}

func short(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
