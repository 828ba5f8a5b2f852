package ci

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "check-neutered", Axis: verdict.GateIntegrity, Class: verdict.Hard,
		What: "a check of the build can no longer fail it", Why: "what it would find goes through",
		Question: "Can this job still go red if a test fails?", Find: find,
	}}
}

// side counts the checks of one version of a file.
type side struct {
	list    []check
	healthy map[string]int // by core
	lost    map[string]int // by core and reason
	class   map[command.Class]int
	fine    map[command.Class]int // healthy ones by class
}

func count(p, src string) side {
	s := side{list: read(p, src), healthy: map[string]int{}, lost: map[string]int{}, class: map[command.Class]int{}, fine: map[command.Class]int{}}
	for _, c := range s.list {
		s.class[c.class]++
		if c.loss.Why == "" {
			s.healthy[c.core]++
			s.fine[c.class]++
		} else {
			s.lost[c.core+"\x00"+c.loss.Why]++
		}
	}
	return s
}

func find(c *change.Change, report func(rule.Finding)) {
	for _, f := range c.Files {
		if f.Deleted() {
			removed(c, f, report)
			continue
		}
		if formOf(f.Path) == noForm || f.After == nil || f.IsTest() && formOf(f.Path) != yamlForm || len(f.Added)+len(f.Removed) == 0 {
			continue
		}
		before := side{}
		if f.Before != nil {
			before = count(f.OldPath, f.Before.Src)
		}
		after := count(f.Path, f.After.Src)
		seen := map[int]bool{}
		tell := func(r rule.Finding) {
			seen[r.Line] = true
			report(r)
		}
		neutered(f, &before, &after, tell)
		if f.Before != nil {
			replaced(c, f, &before, &after, tell)
			stray(c, f, &before, &after, tell)
			triggers(f, len(after.list) > 0, report)
		}
		bypass(f, report)
		if f.Before != nil {
			appended(f, report)
			overwritten(f, seen, report)
		}
	}
}

// appended reports lines about checks, of whatever kind, that were there before and got an excuse at their end.
func appended(f *change.File, report func(rule.Finding)) {
	was := map[string]bool{}
	for _, l := range f.Removed {
		was[strings.TrimSpace(l.Text)] = true
	}
	for _, l := range f.Added {
		t := strings.TrimSpace(l.Text)
		i := strings.LastIndex(t, "||")
		if i < 0 {
			i = strings.LastIndex(t, ";")
		}
		if i <= 0 || !was[strings.TrimSpace(t[:i])] || t[0] == '#' || !speaks(t[:i]) || len(checksOf(f, l.N)) > 0 {
			continue
		}
		rest := strings.Trim(strings.TrimLeft(t[i:], "|;"), " \"',")
		if w := command.Words(rest); len(w) == 0 || w[0] != "true" && w[0] != ":" && w[0] != "echo" && rest != "exit 0" {
			continue
		}
		report(rule.Finding{Path: f.Path, Line: l.N, Text: "a failure is thrown away (" + rest + ")", Evidence: t, Fix: "let its failure fail the build"})
	}
}

// overwritten reports lines whose words about a check gave way to something that says nothing, the rest of the line kept:
// what stood there need not be a command that is known.
func overwritten(f *change.File, told map[int]bool, report func(rule.Finding)) {
	for _, l := range f.Added {
		t := strings.TrimSpace(l.Text)
		if told[l.N] || t == "" || t[0] == '#' || !strings.Contains(t, "echo") && !strings.HasSuffix(strings.TrimRight(t, "\"',"), "true") && !strings.Contains(t, "exit 0") {
			continue
		}
		for _, old := range f.Removed {
			o := strings.TrimSpace(old.Text)
			n := 0
			for n < len(o) && n < len(t) && o[n] == t[n] {
				n++
			}
			for n > 0 && isWord(t[n-1]) { // whole words
				n--
			}
			was, now := o[n:], strings.Trim(t[n:], "\"', ")
			if at := f.Present(old.N); at < l.N-3 || at > l.N+3 || !speaks(was) && !mentions(was) || now == "" || command.Hollow(was) || strings.Contains(was, "||") {
				continue
			}
			if w := command.Words(now); w[0] != "echo" && now != "true" && now != "exit 0" && now != ":" || !command.Hollow(now) {
				continue
			}
			told[l.N] = true
			report(rule.Finding{Path: f.Path, Line: l.N, Text: "`" + clip(was) + "` is gone: `" + clip(now) + "` stands in its place", Evidence: t, Fix: "put it back", Before: o, After: t})
			break
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// mentions reports whether a text names a test or a linter within its words.
func mentions(text string) bool {
	low := strings.ToLower(text)
	for _, w := range [...]string{"test", "lint", "verify", "clippy", "tox", "jest", "mocha"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// checksOf lists the checks of a line of the present file.
func checksOf(f *change.File, n int) []check {
	var out []check
	for _, c := range read(f.Path, f.After.Src) {
		if c.line == n {
			out = append(out, c)
		}
	}
	return out
}

// neutered reports checks that are there and lost their bite.
func neutered(f *change.File, before, after *side, report func(rule.Finding)) {
	had := map[string]int{}
	for k, n := range before.lost {
		had[k] = n
	}
	told := map[int]bool{}
	for _, g := range after.list {
		if g.loss.Why == "" {
			continue
		}
		key := g.core + "\x00" + g.loss.Why
		line := g.line
		if g.at > 0 {
			line = g.at
		}
		if !f.Touched(line, line) && !f.Touched(g.line, g.line) {
			had[key]--
			continue
		}
		if had[key] > 0 {
			had[key]--
			continue
		}
		if !f.Touched(line, line) {
			line = g.line
		}
		if told[line] {
			continue
		}
		told[line] = true
		weaker := before.healthy[g.core] > after.healthy[g.core] || before.fine[g.class] > after.fine[g.class]
		out := rule.Finding{
			Path: f.Path, Line: line, Unit: g.core, Text: "`" + short(g.core) + "` can no longer fail the build: " + g.loss.Why,
			Evidence: strings.TrimSpace(f.After.Lines(line, line)), Fix: "let its failure fail the build",
		}
		if !weaker && !g.loss.Hard && !pipeOrSwitch(g.loss.Why) {
			continue
		}
		if !g.loss.Hard || !weaker {
			out.Class = verdict.Soft
		}
		report(out)
	}
}

// pipeOrSwitch reports reasons that deserve a word on a new check, too.
func pipeOrSwitch(why string) bool { return strings.Contains(why, "pipe") }

func short(core string) string { return strings.TrimPrefix(core, "script ") }

// replaced reports checks whose place is taken by something that says nothing, and files that check nothing any more.
func replaced(c *change.Change, f *change.File, before, after *side, report func(rule.Finding)) {
	present := map[string]int{}
	for _, g := range after.list {
		present[g.core]++
	}
	told := false
	for _, b := range before.list {
		if present[b.core] > 0 {
			present[b.core]--
			if !f.TouchedOld(b.line, b.line) || present[b.core] >= 0 && countOf(before, b.core) <= countOf(after, b.core) {
				continue
			}
		}
		if b.loss.Why != "" || !f.TouchedOld(b.line, b.line) {
			continue
		}
		at := f.Present(b.line)
		for _, n := range [...]int{at, at + 1, at - 1, at + 2} {
			if n < 1 || !f.Touched(n, n) {
				continue
			}
			why, ok := stands(f, n, b)
			if !ok {
				continue
			}
			report(rule.Finding{
				Path: f.Path, Line: n, Unit: b.core, Text: "`" + short(b.core) + "` is gone: " + why, Evidence: strings.TrimSpace(f.After.Lines(n, n)),
				Fix: "run `" + clip(b.text) + "` again", Before: b.text,
			})
			told = true
			break
		}
	}
	if told || before.fine[command.Test] == 0 || after.class[command.Test] > 0 || elsewhere(c, f) || scripted(c, f) {
		return
	}
	for _, b := range before.list {
		if b.class == command.Test && f.TouchedOld(b.line, b.line) {
			at := min(f.Present(b.line), max(f.After.NumLines(), 1))
			class := verdict.Hard
			if c.Now == nil || f.After.NumLines() < 3 {
				class = verdict.Soft
			}
			report(rule.Finding{
				Class: class, Path: f.Path, Line: at, Unit: b.core, Text: f.Path + " no longer runs `" + short(b.core) + "`, nor any other test",
				Evidence: strings.TrimSpace(f.After.Lines(at, at)), Fix: "say where the tests run now",
			})
			return
		}
	}
}

func countOf(s *side, core string) int {
	n := 0
	for _, g := range s.list {
		if g.core == core {
			n++
		}
	}
	return n
}

// stands tells what took the place of a check at line n, and whether it checks nothing.
func stands(f *change.File, n int, b check) (string, bool) {
	was := b.text
	text := strings.TrimSpace(f.After.Lines(n, n))
	bare := strings.TrimSpace(strings.TrimLeft(text, "#/; -@"))
	if strings.HasPrefix(text, "#") && strings.Contains(strings.ReplaceAll(bare, " ", ""), strings.ReplaceAll(clip(was), " ", "")) && was != "" {
		return "it is commented out", true
	}
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
		return "", false
	}
	cmd := text
	if b.key != "" {
		cmd = scriptAt(f.After.Src, n, b.key)
	} else {
		cmd = strings.TrimLeft(cmd, "@+")
		cmd = strings.TrimSpace(strings.TrimPrefix(cmd, "- "))
		if i := strings.Index(cmd, ": "); i > 0 && !strings.ContainsAny(cmd[:i], " '\"") {
			cmd = cmd[i+2:]
		} else if i := strings.Index(cmd, "="); i > 0 && strings.HasPrefix(cmd, "command") {
			cmd = cmd[i+1:]
		} else if i := strings.IndexAny(cmd, "'\""); i > 0 && (strings.HasPrefix(cmd, "sh ") || strings.HasPrefix(cmd, "bat ")) {
			cmd = cmd[i:]
		} else if i := strings.Index(cmd, ".run("); i > 0 {
			cmd = strings.NewReplacer(`"`, "", `'`, "", ",", " ", ")", "").Replace(cmd[i+len(".run("):])
		}
		if len(cmd) > 1 && (cmd[0] == '"' || cmd[0] == '\'') && cmd[len(cmd)-1] == cmd[0] {
			cmd = cmd[1 : len(cmd)-1]
		}
	}
	cmd = strings.TrimSpace(strings.TrimLeft(cmd, "@"))
	if cmd == "" || strings.HasSuffix(text, ":") && !strings.Contains(text, " :") {
		return "", false
	}
	if command.Hollow(cmd) && !strings.HasPrefix(cmd, "cat ") && !strings.HasPrefix(cmd, "ls ") {
		return "`" + clip(cmd) + "` stands in its place", true
	}
	return "", false
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// elsewhere reports whether another file of the change, or of the project, runs tests.
func elsewhere(c *change.Change, f *change.File) bool {
	for _, other := range c.Files {
		if other != f && other.After != nil && formOf(other.Path) != noForm && count(other.Path, other.After.Src).fine[command.Test] > 0 {
			return true
		}
	}
	if c.Now == nil {
		return true
	}
	for _, p := range c.Now.Paths() {
		if p == f.Path || formOf(p) != yamlForm && formOf(p) != groovyForm {
			continue
		}
		if src, ok := c.Now.Read(p); ok && count(p, string(src)).fine[command.Test] > 0 {
			return true
		}
	}
	return false
}

// bypass reports commands that switch hooks off.
func bypass(f *change.File, report func(rule.Finding)) {
	gone := map[string]bool{}
	for _, l := range f.Removed {
		gone[strings.TrimSpace(l.Text)] = true
	}
	for _, l := range f.Added {
		t := strings.TrimSpace(l.Text)
		if strings.HasPrefix(t, "#") || gone[t] || !strings.Contains(t, "--no-verify") && !strings.Contains(t, "HUSKY=0") && !strings.Contains(t, "core.hooksPath=/dev/null") {
			continue
		}
		for _, w := range [...]string{"git commit", "git push", "git merge", "git rebase", "git cherry-pick", "HUSKY=0", "core.hooksPath"} {
			if strings.Contains(t, w) {
				out := rule.Finding{Path: f.Path, Line: l.N, Text: "hooks are switched off", Evidence: t, Fix: "let the hooks run"}
				if w == "HUSKY=0" || strings.Contains(t, "release") || strings.Contains(t, "bot") {
					out.Class = verdict.Soft
				}
				report(out)
				break
			}
		}
	}
}
