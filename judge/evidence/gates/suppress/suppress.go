// Package suppress finds warnings of linters, type checkers and compilers that a change silences instead of answering: for a
// whole file, all at once, or on code that it does not change.
//
// It owns no table. A narrow suppression on new code, or one with a reason, is nobody's business.
package suppress

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "lint-suppressed", Axis: verdict.GateIntegrity, Class: verdict.Soft,
		What: "warnings are silenced for a file, all at once, or on code that did not change", Why: "the next real one is silent, too",
		Question: "Which warning is silenced here, and is it wrong?", Find: find,
	}}
}

// breadth is how much a directive silences.
type breadth uint8

const (
	none   breadth = iota
	narrow         // one place, named warnings
	bare           // one place, all warnings
	all            // a whole file, or everything in an item
)

func find(c *change.Change, report func(rule.Finding)) {
	gone := map[string]int{}
	code := map[string]bool{}
	for _, f := range c.Files {
		for _, l := range f.Removed {
			if t := strings.TrimSpace(l.Text); t != "" {
				code[t] = true
				if b, d := directive(l.Text, f.Lang); b != none {
					gone[d]++
				}
			}
		}
	}
	for _, f := range c.Files {
		if f.After == nil || len(f.Added) == 0 || f.Kind == layout.Generated || f.Kind == layout.Doc || f.IsTest() {
			continue
		}
		if f.Lang == "" {
			settings(f, report)
			continue
		}
		told := 0
		for _, l := range f.Added {
			b, d := directive(l.Text, f.Lang)
			if b == none {
				continue
			}
			if gone[d] > 0 {
				gone[d]--
				continue
			}
			if f.IsNew() && b != all || b != all && !existing(f, l.N, l.Text, d, code) || b == narrow && (explained(l.Text, d) || renewed(c)) || b == all && f.IsNew() && generated(f) {
				continue
			}
			if told++; told > 3 {
				break
			}
			what := "a warning is silenced on code that did not change"
			if b == all {
				what = "all warnings are silenced"
			}
			report(rule.Finding{Path: f.Path, Line: l.N, Text: what + ": " + clip(d), Evidence: strings.TrimSpace(l.Text), Fix: "answer the warning, or name it and say why it is wrong"})
		}
	}
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

func generated(f *change.File) bool {
	head := strings.ToLower(f.After.Lines(1, 6))
	return strings.Contains(head, "generated") || strings.HasSuffix(f.Path, ".d.ts")
}

// explained reports whether a reason stands behind a directive.
func explained(line, d string) bool {
	i := strings.Index(line, d)
	if i < 0 {
		return false
	}
	rest := line[i+len(d):]
	if strings.Contains(d, " -- ") || strings.Contains(rest, "--") {
		return true
	}
	return len(strings.Fields(rest)) >= 3 || strings.Contains(d, "reason")
}

// existing reports whether a directive stands on code that was there before.
func existing(f *change.File, n int, line, d string, code map[string]bool) bool {
	i := strings.Index(line, d)
	if head := strings.TrimSpace(strings.TrimRight(line[:max(i, 0)], "/*# ")); head != "" {
		return code[head] || code[strings.TrimRight(head, ",;")]
	}
	for k := n + 1; k < n+6 && k <= f.After.NumLines(); k++ { // the code that follows
		t := strings.TrimSpace(f.After.Lines(k, k))
		if t == "" || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "#[") || strings.HasPrefix(t, "@") || strings.HasPrefix(t, "*") || strings.HasPrefix(t, "/*") {
			continue
		}
		return !f.Touched(k, k)
	}
	return false
}

// directive finds what silences warnings in a line of code, and how much of them.
func directive(line string, lang source.Lang) (breadth, string) {
	switch lang {
	case source.Python:
		return python(line)
	case source.Go:
		return golang(line)
	case source.JS, source.TS:
		return script(line, lang)
	case source.Java, source.Kotlin, source.Scala:
		for _, w := range [...]string{"@SuppressWarnings", "@Suppress(", "@file:Suppress"} {
			i := strings.Index(line, w)
			if i < 0 || strings.HasPrefix(strings.TrimSpace(line), "//") || strings.HasPrefix(strings.TrimSpace(line), "*") {
				continue
			}
			d := strings.TrimSpace(line[i:])
			if strings.Contains(d, `"all"`) || strings.Contains(d, "ALL") || w == "@file:Suppress" {
				return all, d
			}
			return narrow, d
		}
		if i := strings.Index(line, "CHECKSTYLE:OFF"); i >= 0 {
			return all, line[i:]
		}
		if i := strings.Index(line, "NOSONAR"); i >= 0 {
			return bare, line[i:]
		}
	case source.Rust:
		return rust(line)
	case source.Dart:
		if i := strings.Index(line, "// ignore_for_file:"); i >= 0 {
			return all, strings.TrimSpace(line[i:])
		}
		if i := strings.Index(line, "// ignore:"); i >= 0 {
			return narrow, strings.TrimSpace(line[i:])
		}
	case source.PHP:
		for _, w := range [...]string{"phpcs:ignoreFile", "phpcs:disable", "@phpstan-ignore-file", "@psalm-suppress all"} {
			if i := strings.Index(line, w); i >= 0 {
				return all, strings.TrimSpace(line[i:])
			}
		}
		for _, w := range [...]string{"@phpstan-ignore", "@psalm-suppress", "phpcs:ignore"} {
			if i := strings.Index(line, w); i >= 0 {
				return narrow, strings.TrimSpace(line[i:])
			}
		}
	case source.Ruby:
		if i := strings.Index(line, "rubocop:disable"); i >= 0 {
			if strings.Contains(line[i:], "all") {
				return all, strings.TrimSpace(line[i:])
			}
			return narrow, strings.TrimSpace(line[i:])
		}
	case source.CSharp:
		if i := strings.Index(line, "#pragma warning disable"); i >= 0 {
			if len(strings.Fields(line[i:])) == 3 {
				return all, strings.TrimSpace(line[i:])
			}
			return narrow, strings.TrimSpace(line[i:])
		}
	case source.Swift:
		if i := strings.Index(line, "swiftlint:disable"); i >= 0 {
			if strings.Contains(line[i:], " all") {
				return all, strings.TrimSpace(line[i:])
			}
			return narrow, strings.TrimSpace(line[i:])
		}
	case source.C, source.CPP:
		if i := strings.Index(line, "NOLINT"); i >= 0 {
			return bare, strings.TrimSpace(line[i:])
		}
	}
	return none, ""
}

func python(line string) (breadth, string) {
	i := strings.Index(line, "#")
	if i < 0 {
		return none, ""
	}
	own := strings.TrimSpace(line[:i]) == ""
	d := strings.TrimSpace(line[i:])
	flat := strings.ToLower(strings.ReplaceAll(d, " ", ""))
	switch {
	case own && (strings.HasPrefix(flat, "#mypy:ignore-errors") || strings.HasPrefix(flat, "#ruff:noqa") || strings.HasPrefix(flat, "#flake8:noqa") || strings.HasPrefix(flat, "#pylint:disable=all") || strings.HasPrefix(flat, "#pylint:skip-file") || strings.HasPrefix(flat, "#pyright:ignore") || strings.HasPrefix(flat, "#pyright:basic") || strings.HasPrefix(flat, "#type:ignore") || strings.HasPrefix(flat, "#pyre-ignore-all-errors") || strings.HasPrefix(flat, "#mypy:disable-error-code") || strings.HasPrefix(flat, "#pylint:disable=") || strings.HasPrefix(flat, "#fmt:off") && false):
		if strings.HasPrefix(flat, "#pylint:disable=") && flat != "#pylint:disable=all" {
			return narrow, d
		}
		return all, d
	}
	for _, w := range [...]string{"# type: ignore", "# noqa", "# pylint: disable", "# pyright: ignore", "# nosec", "# type:ignore", "#type: ignore", "#noqa", "# pyre-ignore", "# pyre-fixme", "# mypy: ignore"} {
		k := strings.Index(line, w)
		if k < 0 {
			continue
		}
		rest := line[k+len(w):]
		d = strings.TrimSpace(line[k:])
		if strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=") {
			if i := strings.Index(rest, "#"); i > 0 {
				d = strings.TrimSpace(w + rest[:i])
			}
			return narrow, d
		}
		return bare, d
	}
	return none, ""
}

func golang(line string) (breadth, string) {
	for _, w := range [...]string{"//nolint", "// nolint"} {
		i := strings.Index(line, w)
		if i < 0 {
			continue
		}
		d := strings.TrimSpace(line[i:])
		names, _, _ := strings.Cut(strings.TrimPrefix(d, w), " ")
		if names == "" || names == ":all" {
			if strings.TrimSpace(line[:i]) == "" {
				return all, d
			}
			return bare, d
		}
		d, _, _ = strings.Cut(d, " //")
		return narrow, d
	}
	for _, w := range [...]string{"//lint:file-ignore", "//lint:ignore", "#nosec"} {
		if i := strings.Index(line, w); i >= 0 {
			if w == "//lint:file-ignore" {
				return all, strings.TrimSpace(line[i:])
			}
			return narrow, strings.TrimSpace(line[i:])
		}
	}
	return none, ""
}

func script(line string, lang source.Lang) (breadth, string) {
	for _, w := range [...]string{"@ts-nocheck", "tslint:disable", "biome-ignore-all", "oxlint-disable"} {
		if i := strings.Index(line, w); i >= 0 && strings.ContainsAny(line[:i], "/*") && !strings.Contains(line, "-next-line") {
			return all, strings.TrimSpace(line[i:])
		}
	}
	if i := strings.Index(line, "eslint-disable"); i >= 0 && strings.ContainsAny(line[:i], "/*") {
		d := strings.TrimSpace(line[i:])
		rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(d, "eslint-disable"), "-next-line"), "-line"), "*/"))
		oneLine := strings.HasPrefix(d, "eslint-disable-")
		switch {
		case rest == "" && !oneLine:
			return all, d
		case rest == "":
			return bare, d
		}
		return narrow, d
	}
	for _, w := range [...]string{"@ts-ignore", "@ts-expect-error", "$FlowFixMe", "biome-ignore", "prettier-ignore"} {
		if i := strings.Index(line, w); i >= 0 && strings.ContainsAny(line[:i], "/*") && w != "prettier-ignore" {
			return narrow, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line[i:i+len(w)]), "*/"))
		}
	}
	return none, ""
}

func rust(line string) (breadth, string) {
	for _, w := range [...]string{"#![allow(", "#[allow(", "#[expect(", "#![expect("} {
		i := strings.Index(line, w)
		if i < 0 || strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		d := strings.TrimSpace(line[i:])
		names, _, _ := strings.Cut(strings.TrimPrefix(d, w), ")")
		for _, n := range strings.Split(names, ",") {
			switch strings.TrimSpace(n) {
			case "warnings", "clippy::all", "unused", "clippy::pedantic", "clippy::correctness", "clippy::suspicious":
				return all, d
			}
		}
		if w == "#![allow(" {
			return all, d
		}
		return narrow, d
	}
	return none, ""
}

// settings reports switches of configuration that silence everything.
func settings(f *change.File, report func(rule.Finding)) {
	base := strings.ToLower(path.Base(f.Path))
	gone := map[string]bool{}
	for _, l := range f.Removed {
		gone[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(l.Text)), " ", "")] = true
	}
	for _, l := range f.Added {
		t := strings.TrimSpace(l.Text)
		flat := strings.TrimRight(strings.ReplaceAll(strings.ToLower(t), " ", ""), ",;")
		what := ""
		switch {
		case (strings.HasSuffix(base, ".toml") || strings.HasSuffix(base, ".cfg") || strings.HasSuffix(base, ".ini")) && (flat == "ignore_errors=true" || flat == "disable_error_code=*"):
			what = "errors of the type checker are ignored"
		case strings.HasPrefix(base, "tsconfig") && (flat == `"strict":false` || flat == `"noimplicitany":false`) && (gone[`"strict":true,`] || gone[`"strict":true`] || gone[`"noimplicitany":true,`] || gone[`"noimplicitany":true`]):
			what = "the type checker is less strict"
		case strings.HasPrefix(base, "build.gradle") && (flat == "abortonerrorfalse" || flat == "abortonerror=false" || flat == "allwarningsaserrors=false" && gone["allwarningsaserrors=true"]):
			what = "errors of the linter no longer fail the build"
		case strings.Contains(base, "golangci") && (flat == "disable-all:true" || flat == "default:none") && !gone[flat] && f.Before != nil && !strings.Contains(f.After.Src, "enable:"):
			what = "all linters are switched off"
		case strings.Contains(base, "eslintignore") && (t == "*" || t == "**" || t == "src" || t == "src/" || t == "**/*"):
			what = "the linter looks at no source"
		}
		if what != "" {
			report(rule.Finding{Path: f.Path, Line: l.N, Text: what, Evidence: t, Fix: "leave it on"})
		}
	}
}
