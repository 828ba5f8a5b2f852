// Package compile looks for files that cannot be read by their language.
//
// Go, JSON, TOML and YAML are read in process; Python, JavaScript, TypeScript, shell, Ruby, PHP and Dart by their own parsers, once for
// all files, which get the pushed content and run nothing of it. A tool that is missing, or older than the project wants, is passed over
// and said. A file that was broken before the push and still is makes a note. Vendored files, data of tests, and templates are left out.
// The package owns no table; private folders are removed.
package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// kind is a way to read files.
type kind string

const (
	goFile   kind = "go"
	jsonFile kind = "json"
	tomlFile kind = "toml"
	yamlFile kind = "yaml"
	python   kind = "python"
	script   kind = "javascript" // also JSX
	typed    kind = "typescript"
	shell    kind = "shell"
	ruby     kind = "ruby"
	php      kind = "php"
	dart     kind = "dart"
)

// file is a text to be read.
type file struct {
	path string
	data []byte
	kind kind
	old  []byte // as it was before the push; nil if it is new
}

// problem is what is wrong with a file.
type problem struct {
	line int
	text string
	note bool // not certain
	skip bool // not looked at: text says why
}

// reader reads files and says what is wrong with them, in the order of the files; nil for those that are fine. missing says why none
// could be read.
type reader func(ctx context.Context, t *tools, files []file) (problems []*problem, missing string, err error)

// order of the kinds in reports.
var order = [...]kind{goFile, jsonFile, tomlFile, yamlFile, python, script, typed, shell, ruby, php, dart}

func readerOf(k kind) reader {
	switch k {
	case python:
		return readPython
	case script:
		return readScript
	case typed:
		return readTyped
	case shell:
		return readShell
	case ruby:
		return readRuby
	case php:
		return readPHP
	case dart:
		return readDart
	}
	return func(ctx context.Context, _ *tools, files []file) ([]*problem, string, error) {
		return inProcess(ctx, k, files)
	}
}

// Check is the linter. An error is one of reading the trees or of starting a tool that is there.
func Check(ctx context.Context, in *pushed.Input) (found []pushed.Finding, skipped []string, looked int, err error) {
	files, found, skipped, err := collect(ctx, in)
	if err != nil {
		return found, skipped, 0, err
	}
	t := &tools{in: in}
	for _, k := range order {
		some := files[k]
		if len(some) == 0 {
			continue
		}
		more, passed, n, err := one(ctx, t, k, some)
		found, skipped, looked = append(found, more...), append(skipped, passed...), looked+n
		if err != nil {
			return found, skipped, looked, err
		}
	}
	return found, skipped, looked, nil
}

// one reads the files of one kind, and those that are broken once more as they were before the push.
func one(ctx context.Context, t *tools, k kind, files []file) (found []pushed.Finding, skipped []string, looked int, err error) {
	read := readerOf(k)
	problems, missing, err := read(ctx, t, files)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("check %s: %w", k, err)
	}
	if missing != "" {
		return nil, []string{fmt.Sprintf("%s (%s)", missing, count(len(files)))}, 0, nil
	}
	var olds []file
	var at []int
	for i, p := range problems {
		if p != nil && !p.skip && template(files[i].path, files[i].data) {
			problems[i] = &problem{skip: true, text: "a template"}
			continue
		}
		if p != nil && !p.note && !p.skip && files[i].old != nil {
			olds, at = append(olds, file{path: files[i].path, data: files[i].old, kind: k}), append(at, i)
		}
	}
	if len(olds) > 0 {
		before, _, err := read(ctx, t, olds)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("check %s: %w", k, err)
		}
		for i, p := range before {
			if p != nil && !p.skip && !p.note {
				problems[at[i]].note = true
				problems[at[i]].text += " (so it was before the push)"
			}
		}
	}
	for i, p := range problems {
		switch {
		case p == nil:
			looked++
		case p.skip:
			skipped = append(skipped, pushed.Printable(files[i].path)+": "+p.text)
		default:
			looked++
			found = append(found, pushed.Finding{File: files[i].path, Line: p.line, Text: p.text, Fail: !p.note})
		}
	}
	return found, gather(skipped), looked, nil
}

func count(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// gather joins lines that give the same reason.
func gather(skipped []string) []string {
	var reasons []string
	first, times := map[string]string{}, map[string]int{}
	for _, s := range skipped {
		_, why, _ := strings.Cut(s, ": ")
		if times[why]++; times[why] == 1 {
			reasons, first[why] = append(reasons, why), s
		}
	}
	out := make([]string, 0, len(reasons))
	for _, why := range reasons {
		if n := times[why]; n > 1 {
			out = append(out, fmt.Sprintf("%s and %d more: %s", strings.TrimSuffix(first[why], ": "+why), n-1, why))
		} else {
			out = append(out, first[why])
		}
	}
	return out
}

// collect reads the changed files that some language is to read.
func collect(ctx context.Context, in *pushed.Input) (files map[kind][]file, found []pushed.Finding, skipped []string, err error) {
	files = map[kind][]file{}
	for _, c := range in.Written() {
		if ctx.Err() != nil {
			return nil, found, skipped, context.Cause(ctx)
		}
		k, known := kindOf(c.Path)
		if !known || pushed.Vendored(c.Path) || pushed.Fixture(c.Path) {
			continue
		}
		now, ok, err := in.After.Read(ctx, c.Path)
		if errors.Is(err, gitx.ErrTooLarge) {
			skipped = append(skipped, pushed.Printable(c.Path)+": too large to read")
			continue
		}
		if err != nil {
			return nil, found, skipped, err
		}
		if !ok {
			continue
		}
		if k, ok = byContent(c.Path, k, now); !ok {
			continue
		}
		if bytes.HasPrefix(now, []byte{0xff, 0xfe}) || bytes.HasPrefix(now, []byte{0xfe, 0xff}) {
			skipped = append(skipped, pushed.Printable(c.Path)+": UTF-16")
			continue
		}
		old, err := in.Old(ctx, c)
		if err != nil {
			return nil, found, skipped, err
		}
		files[k] = append(files[k], file{path: c.Path, data: now, kind: k, old: old})
	}
	return files, found, gather(skipped), nil
}

// kindOf tells by the name who reads a file. The kind of one without an ending, and of a shell script, is up to its first line.
func kindOf(p string) (k kind, known bool) {
	base := strings.ToLower(path.Base(p))
	for d := range strings.SplitSeq(path.Dir(p), "/") {
		if strings.HasPrefix(d, "_") && path.Ext(base) == ".go" || d == "node_modules" { // the go tool does not look there either
			return "", false
		}
	}
	switch path.Ext(base) {
	case "":
		return "", base != "" && base[0] != '.'
	case ".go":
		return goFile, base[0] != '_' && base[0] != '.'
	case ".json", ".jsonc", ".webmanifest", ".code-workspace", ".ipynb":
		return jsonFile, true
	case ".toml":
		return tomlFile, true
	case ".yaml", ".yml":
		return yamlFile, true
	case ".py", ".pyi", ".pyw":
		return python, true
	case ".js", ".mjs", ".cjs", ".jsx":
		return script, true
	case ".ts", ".tsx", ".mts", ".cts":
		return typed, true
	case ".sh", ".bash":
		return shell, true
	case ".rb", ".rake", ".gemspec":
		return ruby, true
	case ".php":
		return php, !strings.HasSuffix(base, ".blade.php")
	case ".dart":
		return dart, true
	}
	return "", false
}

// byContent lets the first line have its say.
func byContent(p string, k kind, data []byte) (kind, bool) {
	prog, has := interpreter(data)
	if !has {
		return k, k != ""
	}
	switch prog = strings.TrimRight(prog, "0123456789."); {
	case prog == "python" && bytes.Contains(firstLine(data), []byte("python2")):
		return "", false
	case prog == "python" || prog == "pypy":
		k = python
	case prog == "sh" || prog == "bash" || prog == "dash" || prog == "ash":
		k = shell
	case prog == "node" || prog == "nodejs":
		if k == "" || k == shell {
			k = script
		}
	case prog == "ruby":
		k = ruby
	case prog == "php":
		k = php
	case prog == "bun" || prog == "deno" || prog == "tsx" || prog == "ts-node":
		return k, k == typed || k == script
	case k == "" || k == shell: // zsh, fish, awk …
		return "", false
	}
	return k, true
}

func firstLine(data []byte) []byte {
	line, _, _ := bytes.Cut(data[:min(len(data), 300)], []byte{'\n'})
	return bytes.TrimRight(line, "\r")
}

// interpreter reads a #! line.
func interpreter(data []byte) (prog string, ok bool) {
	line, ok := bytes.CutPrefix(bytes.TrimPrefix(firstLine(data), []byte("\xef\xbb\xbf")), []byte("#!"))
	if !ok {
		return "", false
	}
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return "", false
	}
	prog = path.Base(words[0])
	if prog != "env" {
		return prog, true
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return path.Base(w), true
		}
	}
	return "", false
}

// template reports a file of which a generator makes the real one.
func template(p string, data []byte) bool {
	in := slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(p)), "/"), func(d string) bool {
		switch d {
		case "templates", "template", "_templates", "stubs", "skeleton", "archetypes", "archetype-resources", "boilerplate", "generators", "schematics", "scaffold", "scaffolding", "blueprints":
			return true
		}
		return strings.Contains(d, "cookiecutter") || strings.Contains(d, "copier")
	})
	if !in {
		return false
	}
	for _, mark := range [...]string{"{{", "{%", "<%", "${", "__name__", "@@", "%{", "$name$"} {
		if bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return false
}
