package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// annotation reads @Name of Java, Kotlin, Scala, Swift and Dart.
func (r *reader) annotation(i int) {
	name, j := r.name(i + 1)
	l := last(name)
	what := "@" + l
	s := Switch{Kind: Skip, What: what}
	cond, ok := "", false
	switch {
	case r.Lang == source.Dart:
		s.Whole = true
		cond, ok = map[string]string{"TestOn": "platform", "OnPlatform": "platform"}[l], l == "Skip" || l == "TestOn" || l == "OnPlatform"
	case l == "Disabled" || l == "Ignore" || l == "Ignored" || l == "DoNotRun":
		ok = true
	case strings.HasPrefix(l, "DisabledOn") || strings.HasPrefix(l, "EnabledOn") || strings.HasPrefix(l, "DisabledFor") || strings.HasPrefix(l, "EnabledForJre") || strings.HasPrefix(l, "DisabledInNative"):
		cond, ok = "platform", true
	case strings.HasPrefix(l, "EnabledIf") || strings.HasPrefix(l, "DisabledIf"):
		cond, ok = r.Span(j, r.Close(j)+1), true
		if strings.Contains(l, "EnvironmentVariable") || strings.Contains(l, "SystemProperty") {
			cond = "env " + r.named(j)
			if strings.HasPrefix(l, "Enabled") {
				cond = "! " + cond
			}
		}
	case l == "Test" || l == "Suite":
		if r.has(j, "enabled", "false") || r.has(j, "ignore", "true") || r.Is(j, "(") && r.mentions(j, r.Close(j), "disabled") {
			s.What, ok = what+" disabled", true
		}
		if r.Is(j, "(") && r.mentions(j, r.Close(j), "disabled") && r.mentions(j, r.Close(j), "if") {
			cond = r.Span(j, r.Close(j))
		}
	}
	if !ok {
		return
	}
	if !s.Whole {
		d, found := r.decl(j)
		if !found {
			return
		}
		s.From, s.To = i, d.To
	}
	r.guarded(s, i, cond)
}

// named is the value of named = "X" in an annotation.
func (r *reader) named(open int) string {
	for k := open; k < r.Close(open); k++ {
		if r.Is(k, "named") && r.Is(k+1, "=") {
			return r.Text(k + 2)
		}
	}
	return ""
}

// java reads the calls of the JVM's frameworks.
func (r *reader) java(i int) {
	switch w := r.Text(i); w {
	case "assumeTrue", "assumeFalse", "assumeThat", "assume", "assumingThat":
		if !r.Is(i+1, "(") || w == "assumingThat" || r.Is(i-1, "void") || r.Is(i-1, "def") || r.Is(i-1, "fun") {
			return
		}
		cond := r.argument(i + 1)
		if w != "assumeFalse" {
			switch strings.TrimSpace(cond) {
			case "true":
				return
			case "false":
				cond = ""
			default:
				cond = "!(" + cond + ")"
			}
		}
		outer := r.conditions(i, false)
		from, to, whole := r.within(i)
		r.guarded(Switch{Kind: Skip, What: w, From: from, To: to, Whole: whole}, i, strings.TrimSpace(outer+" "+cond))
	case "SkipException", "TestAbortedException", "AssumptionViolatedException", "TestSkippedException":
		if r.Is(r.first(i), "throw") || r.Is(i-1, "new") {
			r.call(i, w)
		}
	case "abort":
		if r.Is(i-1, ".") && r.Is(i-2, "Assumptions") {
			r.call(i, w)
		}
	case "enabled":
		if r.Lang == source.Kotlin && r.Is(i+1, "=") && r.Is(i+2, "false") && r.parent[i] > 0 && r.Is(int(r.parent[i])-1, "config") {
			r.add(Switch{Kind: Skip, What: "enabled = false", From: i, To: i + 1}, i)
		}
	case "xtest", "xit", "xshould", "xdescribe", "xcontext", "xscenario", "xgiven", "xfeature":
		if r.Is(i+1, "(") && r.Lang == source.Kotlin {
			c := r.Close(i+1) + 1
			r.add(Switch{Kind: Skip, What: w, From: i, To: max(r.Close(c), i+1)}, i)
		}
	case "ignore", "pending", "pendingUntilFixed", "cancel":
		if r.Lang == source.Scala && !r.Is(i-1, ".") && (r.Is(i+1, "{") || r.Is(i+1, "(") || w == "pending") {
			r.add(Switch{Kind: Skip, What: w, From: i, To: max(r.Close(i+1), i+1)}, i)
		}
	}
}

// xunit reads the calls of C#, PHP, Swift, C and C++.
func (r *reader) xunit(i int) {
	w := r.Text(i)
	switch w {
	case "markTestSkipped", "markTestIncomplete", "GTEST_SKIP", "TEST_IGNORE", "TEST_IGNORE_MESSAGE", "XCTSkip", "cester_ignore":
		r.call(i, w)
	case "XCTSkipIf", "XCTSkipUnless":
		cond := r.argument(i + 1)
		if w == "XCTSkipUnless" {
			if strings.TrimSpace(cond) == "false" {
				cond = "true"
			} else {
				cond = "!(" + cond + ")"
			}
		}
		from, to, whole := r.within(i)
		r.guarded(Switch{Kind: Skip, What: w, From: from, To: to, Whole: whole}, i, strings.TrimSpace(r.conditions(i, false)+" "+cond))
	case "Ignore", "Inconclusive":
		if r.Is(i-1, ".") && r.Is(i-2, "Assert") {
			r.call(i, "Assert."+w)
		}
	case "skip", "todo", "only":
		if r.Lang == source.PHP && r.Is(i-1, "->") && r.Is(i+1, "(") {
			kind := Skip
			if w == "only" {
				kind = Only
			}
			f := r.first(i)
			for f > 0 && r.Is(f, "->") {
				f = r.first(f - 1)
			}
			r.guarded(Switch{Kind: kind, What: "->" + w, From: min(f, i-2), To: i}, i, "")
		}
	}
}

// attribute reads #[…] of Rust and PHP and […] of C#. open is the bracket.
func (r *reader) attribute(i, open int) {
	end := r.Close(open)
	if r.Lang == source.Rust {
		r.rustAttribute(i, open, end)
		return
	}
	d, found := r.decl(end)
	if !found {
		return
	}
	for k := open + 1; k < end; k++ {
		if r.Kind(k) != source.Name {
			continue
		}
		s := Switch{Kind: Skip, What: "[" + r.Text(k) + "]", From: i, To: d.To}
		switch r.Text(k) {
		case "Ignore", "Explicit", "IgnoreAttribute":
			r.guarded(s, k, "")
		case "Skip":
			if r.Is(k+1, "=") && !r.Is(k+2, "null") || r.Is(k+1, "(") {
				r.guarded(s, k, "")
			}
		}
		if r.Lang == source.CSharp {
			continue
		}
		k = max(k, r.Close(k))
	}
}

// rustAttribute reads #[ignore], #[cfg(…)] and #[cfg_attr(…, ignore)].
func (r *reader) rustAttribute(i, open, end int) {
	s := Switch{Kind: Skip, What: "#[" + r.Text(open+1) + "]", From: i}
	cond := ""
	switch r.Text(open + 1) {
	case "ignore":
	case "cfg":
		cond = r.Span(open+3, end-1)
	case "cfg_attr":
		args := r.Args(open + 2)
		if len(args) < 2 || !r.Is(args[1][0], "ignore") {
			return
		}
		if cond = r.Span(args[0][0], args[0][1]); cond == "test" || cond == "all()" {
			cond = ""
		} else {
			cond = "not(" + cond + ")"
		}
	default:
		return
	}
	j := end + 1
	for r.Is(j, "#") && r.Is(j+1, "[") {
		j = r.Close(j+1) + 1
	}
	for k := j; k < j+6 && k < len(r.Tokens); k++ {
		if r.Is(k, "mod") && r.Is(k+2, "{") {
			s.To = r.Close(k + 2)
			break
		}
	}
	if s.To == 0 {
		d, ok := r.decl(j)
		if !ok || r.TokenLine(d.At) > r.TokenLine(j)+3 {
			return
		}
		s.To = d.To
	}
	r.cfg(s, i, cond, s.What == "#[ignore]")
}

// cfg adds a switch that hangs on a condition of Rust's compiler.
func (r *reader) cfg(s Switch, i int, cond string, certain bool) {
	flat := strings.ReplaceAll(cond, " ", "")
	switch {
	case certain || cond == "" || flat == "any()" || flat == "not(test)" || flat == "not(all())" || flat == "FALSE" || flat == "false":
		if !certain && cond == "" && s.What == "#[cfg]" {
			return
		}
		r.guarded(s, i, "")
		return
	case flat == "test" || flat == "all()" || flat == "not(any())" || flat == "true":
		return
	}
	s.What += " " + cond
	s.Guard = Platform
	if c := Classify(cond); c.Guard == Other && !strings.HasPrefix(flat, "not(") {
		s.Guard, s.OptIn = Env, true
		f := source.Lex(source.Rust, []byte(cond))
		for k := range f.Tokens {
			switch {
			case f.Kind(k) == source.String:
				s.Vars = append(s.Vars, f.Unquote(k))
			case f.Kind(k) == source.Name && !f.Is(k+1, "(") && !f.Is(k+1, "=") && !f.Is(k, "test"):
				s.Vars = append(s.Vars, f.Text(k))
			}
		}
		if strings.HasPrefix(flat, "any(") && strings.Contains(flat, "test") {
			s.Guard = Platform
		}
	}
	r.add(s, i)
}

// rustInner reads #![cfg(…)], which holds for the file or module that it stands in.
func (r *reader) rustInner() {
	for i := range r.Tokens {
		if !r.Is(i, "#") || !r.Is(i+1, "!") || !r.Is(i+2, "[") || !r.Is(i+3, "cfg") {
			continue
		}
		s := Switch{Kind: Skip, What: "#![cfg]", Whole: r.parent[i] < 0}
		if !s.Whole {
			s.From, s.To = int(r.parent[i]), r.Close(int(r.parent[i]))
		}
		r.cfg(s, i, r.Span(i+5, r.Close(i+2)-1), false)
	}
}

// directive reads #if 0 … #endif.
func (r *reader) directive(i int) {
	if !r.Is(i, "#") || !r.Tokens[i].First || !r.Is(i+1, "if") {
		return
	}
	line, cond := r.Tokens[i].Line, ""
	k := i + 2
	for k < len(r.Tokens) && r.Tokens[k].Line == line {
		cond += r.Text(k)
		k++
	}
	if c := strings.ToLower(cond); c != "0" && c != "false" && c != "(0)" && c != "never" && c != "disabled" {
		return
	}
	depth := 1
	for ; k < len(r.Tokens); k++ {
		if !r.Is(k, "#") || !r.Tokens[k].First {
			continue
		}
		switch r.Text(k + 1) {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
		case "else", "elif":
			if depth == 1 {
				depth = 0
			}
		}
		if depth == 0 {
			break
		}
	}
	r.add(Switch{Kind: Dead, What: "#if " + cond, From: i, To: k}, i)
}
