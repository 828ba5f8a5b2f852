package docs

import (
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/reference/project"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
)

// claim is something that a new line of a document says to be there.
type claim struct {
	file  *change.File
	line  int
	text  string   // as written
	forms []string // what code may write for it
	words []string // by which they are searched
	kind  string
}

// phantom finds new sentences about what is nowhere.
func phantom(c *change.Change, report func(rule.Finding)) {
	v := project.Of(c)
	if v == nil || c.Partial {
		return
	}
	claims := all(v)
	if len(claims) == 0 {
		return
	}
	found := v.Places(claimed(claims))
	seen := map[string]bool{}
	for _, x := range claims {
		if seen[x.text] || known(v, x, found) {
			continue
		}
		seen[x.text] = true
		report(rule.Finding{
			Path: x.file.Path, Line: x.line, Unit: x.text, Text: fmt.Sprintf("%s:%d speaks of the %s %s, which is nowhere in this project", x.file.Path, x.line, x.kind, x.text),
			Evidence: strings.TrimSpace(x.file.After.Lines(x.line, x.line)), Fix: "make it, or write what is there",
		})
	}
}

// claimed lists the words by which claims are searched.
func claimed(claims []claim) []string {
	var words []string
	for _, x := range claims {
		words = append(words, x.words...)
	}
	return words
}

type key struct{}

// all lists the claims of all new lines, read once.
func all(v *project.View) []claim {
	return v.C.Once(key{}, func() any { return claims(v) }).([]claim)
}

func claims(v *project.View) []claim {
	var claims []claim
	for _, f := range v.C.Files {
		if f.After == nil || !told(f.Path) || f.Deleted() {
			continue
		}
		fenced := false
		for n := 1; n <= f.After.NumLines(); n++ {
			line := f.After.Lines(n, n)
			if t := strings.TrimSpace(line); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
				fenced = !fenced
				continue
			}
			if !f.Touched(n, n) || past(line) {
				continue
			}
			claims = append(claims, read(v, f, n, line, fenced)...)
		}
	}
	return claims
}

// known reports whether something other than the new lines has a form of the claim.
func known(v *project.View, x claim, found map[string][]change.Place) bool {
	if len(x.words) == 0 {
		return false
	}
	for _, w := range x.words {
		if project.Common(found[w]) {
			return true
		}
		for _, p := range found[w] {
			if f := v.Changed(p.Path); f != nil && f.Touched(p.Line, p.Line) && !isCode(p.Path) {
				continue
			}
			for _, form := range x.forms {
				if strings.Contains(p.Text, form) {
					return true
				}
			}
		}
	}
	return false
}

// read lists the claims of one line.
func read(v *project.View, f *change.File, n int, line string, fenced bool) []claim {
	var out []claim
	add := func(kind, text string, words []string, forms ...string) {
		out = append(out, claim{file: f, line: n, text: text, forms: forms, words: words, kind: kind})
	}
	if fenced {
		if cmd := command(v, strings.TrimPrefix(strings.TrimSpace(line), "$ ")); cmd != "" {
			add("command", cmd, nil)
		}
		return out
	}
	foreign := tools(line)
	for k, span := range strings.Split(strings.ReplaceAll(line, "``", "`"), "`") {
		if k%2 == 0 || span == "" || len(span) > 120 {
			continue
		}
		if cmd := command(v, span); cmd != "" {
			add("command", cmd, nil)
			continue
		}
		switch name := strings.TrimSpace(span); {
		case strings.HasPrefix(name, "--"):
			name, _, _ = strings.Cut(strings.TrimLeft(name, "-"), "=")
			name, _, _ = strings.Cut(name, " ")
			name = strings.TrimPrefix(strings.Trim(name, "[]<>"), "no-")
			if flag(name) && len(name) > 3 && !foreign {
				forms := []string{name, strings.ReplaceAll(name, "-", "_"), camel(name, false), camel(name, true), strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
				add("option", "--"+name, append([]string{longest(name)}, forms[1:]...), forms...)
			}
		case strings.HasSuffix(name, ")"):
			head, _, _ := strings.Cut(name, "(")
			root, last := ends(head)
			if last == "" || len(last) < 5 || !coded(last) && len(last) < 8 || strings.HasPrefix(name, "(") {
				continue
			}
			if root != "" && root != "self" && root != "this" { // of something else, unless that is ours
				continue
			}
			add("function", last+"()", []string{last}, last)
		case variable(name) && len(name) > 7 && !foreign:
			add("setting", name, []string{name}, name)
		case word(name) && coded(name) && len(name) >= 10 && !foreign && strings.Contains(strings.Trim(name, "_"), "_"):
			add("name", name, []string{name}, name)
		case strings.Contains(name, "/") && !strings.ContainsAny(name, " <>{}*$~:@\\()|,\"'=#?%+") && missing(v, f.Path, name):
			add("file", name, nil)
		}
	}
	return append(out, links(v, f, n, line)...)
}

// links finds relative addresses of files that are not there.
func links(v *project.View, f *change.File, n int, line string) []claim {
	if ext := path.Ext(f.Path); ext != ".md" && ext != ".markdown" {
		return nil
	}
	var out []claim
	for rest := line; ; {
		k := strings.Index(rest, "](")
		if k < 0 {
			return out
		}
		rest = rest[k+2:]
		target, _, ok := strings.Cut(rest, ")")
		if !ok {
			return out
		}
		target, _, _ = strings.Cut(target, "#")
		target, _, _ = strings.Cut(target, " ")
		ext := path.Ext(target)
		if target == "" || strings.Contains(target, ":") || strings.ContainsAny(target, "<>{}$?*") || strings.HasPrefix(target, "/") || ext == "" || ext == ".html" || len(ext) > 6 || strings.Count(line[:len(line)-len(rest)], "`")%2 == 1 {
			continue
		}
		p := path.Join(path.Dir(f.Path), target)
		if strings.HasPrefix(p, "..") || v.Has(p) || v.HasDir(p) || v.Has(path.Clean(target)) {
			continue
		}
		if site(v, f.Path) { // addresses of a site, not of files
			continue
		}
		out = append(out, claim{file: f, line: n, text: target, kind: "file"})
	}
}

// site reports documents that a generator turns into pages.
func site(v *project.View, p string) bool {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		for _, base := range [...]string{"conf.py", "docusaurus.config.js", "docusaurus.config.ts", "_config.yml", "astro.config.mjs", "hugo.toml", "config.toml", "sidebars.js", ".vitepress", "book.toml"} {
			if v.Has(path.Join(d, base)) {
				return true
			}
		}
	}
	return v.Has("mkdocs.yml") || v.HasDir("website") && strings.HasPrefix(p, "docs/")
}

// missing reports whether a path names a file in a folder of the project that is not there.
func missing(v *project.View, doc, p string) bool {
	p = strings.TrimPrefix(p, "./")
	ext := path.Ext(p)
	if ext == "" || len(ext) > 6 || strings.HasPrefix(p, "/") || strings.HasPrefix(p, ".") || strings.HasPrefix(p, "path/") || strings.Trim(ext[1:], "0123456789") == "" {
		return false
	}
	first, _, _ := strings.Cut(p, "/")
	switch first {
	case "node_modules", "dist", "build", "target", "out", "bin", "coverage", "example", "examples", "my-app", "app", "vendor", "tmp":
		return false
	}
	if !v.HasDir(first) {
		return false
	}
	if v.Has(path.Clean(p)) || v.Has(path.Join(path.Dir(doc), p)) || v.HasDir(p) {
		return false
	}
	for _, q := range v.Named(path.Base(p)) {
		if strings.HasSuffix("/"+q, "/"+p) {
			return false
		}
	}
	return true
}

// command gives a make target or package script that the line calls and that is not there.
func command(v *project.View, line string) string {
	w := strings.Fields(line)
	if len(w) < 2 || strings.ContainsAny(line, "<>{}$|") {
		return ""
	}
	switch {
	case w[0] == "make" && v.Has("Makefile") && len(w) == 2 && flag(w[1]):
		text := "\n" + v.Text("Makefile")
		if strings.Contains(text, w[1]) || strings.Contains(text, "include ") || strings.Contains(text, "%") {
			return ""
		}
		return "make " + w[1]
	case (w[0] == "npm" || w[0] == "pnpm" || w[0] == "yarn") && w[1] == "run" && len(w) == 3 && v.Has("package.json"):
		for _, p := range v.Named("package.json") {
			if strings.Contains(v.Text(p), `"`+w[2]+`"`) {
				return ""
			}
		}
		return w[0] + " run " + w[2]
	}
	return ""
}

// tools reports lines that speak of other programs, whose options and settings are not the project's.
func tools(line string) bool {
	for _, w := range change.Words(line) {
		switch w {
		case "git", "docker", "pip", "npm", "cargo", "gh", "brew", "curl", "kubectl", "pytest", "mvn", "gradle", "flutter", "dart", "python", "node", "eslint", "tsc", "make", "yarn", "pnpm", "npx", "go", "rustc",
			"apt", "uv", "poetry", "tox", "bash", "zsh", "fish", "jest", "vitest", "mypy", "ruff", "black", "rustup", "helm", "terraform", "aws", "gcloud", "GitHub", "Docker", "CI", "webpack", "vite", "gcc", "clang", "cmake":
			return true
		}
	}
	return false
}

// ends splits a dotted name into what it begins and ends with; both "" when it is no name.
func ends(s string) (root, last string) {
	s = strings.TrimPrefix(strings.ReplaceAll(s, "::", "."), ".")
	if strings.ContainsAny(s, " <>[]{}\"'/-+=,;!&|@#$%^*~") {
		return "", ""
	}
	parts := strings.Split(s, ".")
	if len(parts) > 1 {
		root = parts[0]
	}
	return root, parts[len(parts)-1]
}

func word(s string) bool {
	for i := range len(s) {
		if !letter(s[i]) || s[i] >= 0x80 {
			return false
		}
	}
	return s != ""
}

// camel writes a-b as aB or AB.
func camel(s string, first bool) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "-") {
		if part != "" && (i > 0 || first) {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}
