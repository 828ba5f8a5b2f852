// Package boundary looks for imports that cross a border of the project.
//
// By default a file below …/features/<X>/ must not import from another feature <Y> but through its public surface, and a file below
// modules/<X>/src, domains/<X>/src or packages/<X>/src not from another one's src. The public surface is the folder itself or its index,
// mod or api; for Dart also what declares nothing but abstract things outside of data. Tests, imports of types only, and what was already
// so before the push are let be. Borders of the configuration hold for every file. Imports are read by tokens and resolved by paths in
// the pushed tree; what cannot be resolved crosses nothing. The package reads files through the trees only and owns no table.
package boundary

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// maxPerFile bounds the findings about one file.
const maxPerFile = 10

// crossing is an import that crosses a border.
type crossing struct {
	key  string // tells it from others of the file
	line int
	text string
}

// Check is the linter. An error is one of reading the trees.
func Check(ctx context.Context, in *pushed.Input) (found []pushed.Finding, skipped []string, looked int, err error) {
	var p *project
	for _, c := range in.Written() {
		if ctx.Err() != nil {
			return found, nil, looked, context.Cause(ctx)
		}
		lang := source.Of(c.Path)
		if !speaks(lang) || pushed.Vendored(c.Path) || pushed.Fixture(c.Path) || len(zonesOf(c.Path)) == 0 && !configured(in.Config.Boundaries, c.Path) {
			continue
		}
		now, ok, err := in.After.Read(ctx, c.Path)
		if errors.Is(err, gitx.ErrTooLarge) {
			found = append(found, pushed.Finding{File: c.Path, Text: "too large to look for its imports", Fail: true})
			continue
		}
		if err != nil {
			return found, nil, looked, err
		}
		old, err := in.Old(ctx, c)
		if err != nil {
			return found, nil, looked, err
		}
		if !ok || pushed.Generated(c.Path, old, now) {
			continue
		}
		if p == nil {
			p = newProject(in.After)
		}
		looked++
		found = append(found, p.compared(ctx, in, c, lang, old, now)...)
	}
	return found, nil, looked, nil
}

// compared compares the crossings of a file with those that it had.
func (p *project) compared(ctx context.Context, in *pushed.Input, c gitx.Change, lang source.Lang, old, now []byte) (found []pushed.Finding) {
	crossings := p.crossings(ctx, in, c.Path, lang, now)
	if len(crossings) == 0 {
		return nil
	}
	was := c.Path
	if c.OldPath != "" {
		was = c.OldPath
	}
	had := map[string]bool{}
	if len(old) > 0 {
		for _, x := range p.crossings(ctx, in, was, source.Of(was), old) {
			had[x.key] = true
		}
	}
	for _, x := range crossings[:min(len(crossings), maxPerFile)] {
		f := pushed.Finding{File: c.Path, Line: x.line, Text: x.text, Fail: !had[x.key]}
		if !f.Fail {
			f.Text += " (so it was before the push)"
		}
		found = append(found, f)
	}
	return found
}

func speaks(lang source.Lang) bool {
	switch lang {
	case source.Dart, source.TS, source.JS, source.Python, source.Go, source.Kotlin, source.Swift, source.Java, source.Rust:
		return true
	}
	return false
}

func configured(list []pushed.Boundary, p string) bool {
	return slices.ContainsFunc(list, func(b pushed.Boundary) bool { return match(b.From, p) })
}

func (p *project) crossings(ctx context.Context, in *pushed.Input, at string, lang source.Lang, src []byte) (out []crossing) {
	seen := map[string]bool{}
	zones := zonesOf(at)
	if layout.IsTest(at) {
		zones = nil
	}
	for _, r := range imports(lang, src) {
		targets := p.targets(ctx, at, lang, r)
		text := ""
		for _, t := range targets {
			if !r.types {
				for _, z := range zones {
					if text == "" {
						text = p.crosses(ctx, z, lang, t)
					}
				}
			}
		}
		if text == "" {
			text = p.denied(in.Config.Boundaries, at, r, targets)
		}
		key := r.spec + " " + strings.Repeat(".", r.level) + strings.Join(r.names, ",")
		if text != "" && !seen[key] {
			seen[key] = true
			out = append(out, crossing{key, r.line, text})
		}
	}
	return out
}

// zone is the feature or package that a file is in.
type zone struct {
	root    string // the folder of all features or packages
	name    string // of this one
	sources bool   // only what is below its src counts
}

// zonesOf tells in which feature and in which package a file is.
func zonesOf(p string) (out []zone) {
	parts := strings.Split(p, "/")
	for i, d := range parts[:len(parts)-1] {
		if strings.EqualFold(d, "features") {
			name := parts[i+1]
			if i+2 == len(parts) { // a feature that is one file
				if name = stem(name); surface(name) {
					break
				}
			}
			if !steps(name) {
				out = append(out, zone{root: path.Join(parts[:i+1]...), name: name})
			}
			break
		}
	}
	for i, d := range parts {
		if (d == "modules" || d == "domains" || d == "packages") && i+3 < len(parts) && parts[i+2] == "src" {
			return append(out, zone{root: path.Join(parts[:i+1]...), name: parts[i+1], sources: true})
		}
	}
	return out
}

// stem is a name without its endings.
func stem(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

// steps names folders of tests that Gherkin tools keep below features.
func steps(name string) bool {
	switch name {
	case "support", "step_definitions", "step-definitions", "stepDefinitions", "steps", "environment", "hooks":
		return true
	}
	return false
}

// shared names features that are there for all others.
func shared(name string) bool {
	switch strings.ToLower(name) {
	case "shared", "common", "core", "_shared", "_common", "base", "ui", "kit":
		return true
	}
	return false
}

// surface names what a feature shows to others.
func surface(name string) bool {
	switch strings.ToLower(name) {
	case "index", "mod", "api", "public_api", "public-api", "publicapi", "public", "__init__", "lib", "prelude", "package-info":
		return true
	}
	return false
}

// crosses says what is wrong with an import by the default rule, "" if nothing is.
func (p *project) crosses(ctx context.Context, z zone, lang source.Lang, t target) string {
	rest, ok := strings.CutPrefix(t.path, z.root+"/")
	if !ok {
		return ""
	}
	parts := strings.Split(rest, "/")
	name, inner := parts[0], parts[1:]
	if len(inner) == 0 {
		name = stem(name)
	}
	if name == z.name || shared(name) || steps(name) || surface(name) && len(inner) == 0 {
		return ""
	}
	if z.sources {
		if len(inner) == 0 || inner[0] != "src" {
			return ""
		}
		inner = inner[1:]
	}
	if p.public(ctx, z, lang, name, inner, t) {
		return ""
	}
	return fmt.Sprintf("imports %s of %s: from %s only its public surface (index, mod or api) may be imported", strings.Join(inner, "/"), path.Join(z.root, name), path.Join(z.root, z.name))
}

func (p *project) public(ctx context.Context, z zone, lang source.Lang, name string, inner []string, t target) bool {
	if len(inner) == 0 || strings.EqualFold(inner[0], "api") || surface(inner[0]) && len(inner) == 1 {
		return true
	}
	first := stem(inner[0])
	switch {
	case len(inner) == 1 && (surface(first) || first == name || strings.HasSuffix(first, "Api") || strings.HasSuffix(first, "API")):
		return true
	case lang == source.Swift:
		return true // a module is its own surface
	case lang == source.Rust:
		at := path.Join(z.root, name, inner[0])
		if z.sources {
			at = path.Join(z.root, name, "src", inner[0])
		}
		lower := inner[0] != "" && inner[0][0] >= 'a' && inner[0][0] <= 'z'
		return surface(inner[0]) || !p.files[at+".rs"] && !p.dirs[at] && (len(inner) == 1 || !lower) // an item of the module itself
	case lang == source.Dart:
		return p.abstract(ctx, t.path, inner)
	}
	return false
}

// abstract reports a Dart library outside of data that declares nothing but abstract and sealed classes and mixins.
func (p *project) abstract(ctx context.Context, at string, inner []string) bool {
	if slices.Contains(inner[:len(inner)-1], "data") || !p.files[at] {
		return false
	}
	src, ok, err := p.tree.Read(ctx, at)
	if err != nil || !ok {
		return false
	}
	x := source.Lex(source.Dart, src)
	closing := x.Brackets()
	some := false
	for i := 0; i < len(x.Tokens); i++ {
		switch {
		case x.Is(i, "{") || x.Is(i, "(") || x.Is(i, "["):
			if j := int(closing[i]); j > i {
				i = j
			}
		case x.Is(i, "class"):
			if !slices.ContainsFunc([]int{i - 1, i - 2, i - 3}, func(k int) bool { return x.Is(k, "abstract") || x.Is(k, "sealed") || x.Is(k, "mixin") && k == i-1 }) {
				return false
			}
			some = true
		case x.Is(i, "mixin"):
			some = true
		case x.Is(i, "enum") && x.Tokens[i].First, x.Is(i, "extension") && x.Tokens[i].First, x.Is(i, "=>"), x.Is(i, "="), x.Is(i, "export"):
			return false
		}
		if x.Is(i, ")") && (x.Is(i+1, "{") || x.Is(i+1, "async")) { // a function at the top
			return false
		}
	}
	return some
}

// denied says what is wrong with an import by the configuration.
func (p *project) denied(list []pushed.Boundary, at string, r ref, targets []target) string {
	for _, b := range list {
		if !match(b.From, at) {
			continue
		}
		names := []string{r.spec}
		for _, t := range targets {
			names = append(names, t.path)
			if f, ok := p.file(t.path); ok {
				names = append(names, f)
			}
		}
		fits := func(patterns []string) string {
			for _, pattern := range patterns {
				if slices.ContainsFunc(names, func(n string) bool { return match(pattern, n) }) {
					return pattern
				}
			}
			return ""
		}
		if pattern := fits(b.Deny); pattern != "" && fits(b.Allow) == "" {
			return fmt.Sprintf("imports %s: files of %s must not import %s", names[min(1, len(names)-1)], b.From, pattern)
		}
	}
	return ""
}
