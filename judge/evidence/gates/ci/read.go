// Package ci finds checks that still stand in the build but can no longer fail it: in workflows and pipelines, make and just
// files, tox and nox, manifests with scripts, hooks and shell scripts.
//
// It compares the check commands of a file before and after, as package command reads them, and owns no table.
package ci

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
	"github.com/devflow-suite/devflow/judge/evidence/gates/yamltree"
)

// form is how a file holds commands.
type form uint8

const (
	noForm form = iota
	yamlForm
	makeForm
	jsonForm
	iniForm
	shellForm
	groovyForm
	noxForm
)

// check is one command that checks the code, at one place.
type check struct {
	line  int
	class command.Class
	core  string
	text  string // the line's commands
	key   string // of its script, in a manifest
	loss  command.Loss
	at    int // where the loss stands; 0 = line
}

// formOf tells how a file holds commands, by its path.
func formOf(p string) form {
	base := strings.ToLower(path.Base(p))
	dir := strings.ToLower(path.Dir(p)) + "/"
	ext := path.Ext(base)
	yaml := ext == ".yml" || ext == ".yaml"
	switch {
	case yaml && (strings.Contains(dir, ".github/") || strings.Contains(dir, ".gitlab") || strings.Contains(dir, ".circleci/") || strings.Contains(dir, ".buildkite/") || strings.Contains(dir, ".azure") || strings.Contains(dir, ".woodpecker") || strings.Contains(dir, ".semaphore/") || strings.Contains(dir, "/ci/") || strings.HasPrefix(dir, "ci/")):
		return yamlForm
	case yaml && dir == "./":
		for _, w := range [...]string{".gitlab-ci", ".travis", "azure-pipelines", "bitbucket-pipelines", ".drone", "cloudbuild", "appveyor", ".cirrus", "taskfile", "lefthook", ".pre-commit", "melos", "action", ".woodpecker", "codefresh", "wercker", "buildspec", "build", ".appveyor", "circle", "shippable", ".lefthook", "codemagic"} {
			if strings.HasPrefix(base, w) {
				return yamlForm
			}
		}
	case base == "makefile" || base == "gnumakefile" || ext == ".mk" || base == "justfile" || base == ".justfile" || strings.HasPrefix(base, "makefile."):
		return makeForm
	case base == "package.json" || base == "composer.json" || base == "deno.json" || base == "deno.jsonc" || base == "project.json":
		return jsonForm
	case base == "tox.ini" || base == "pyproject.toml" || base == "setup.cfg" || base == "tox.toml" || base == "hatch.toml":
		return iniForm
	case base == "noxfile.py":
		return noxForm
	case strings.HasPrefix(base, "jenkinsfile") || ext == ".jenkinsfile":
		return groovyForm
	case ext == ".sh" || ext == ".bash" || ext == "" && (strings.HasPrefix(dir, ".husky/") || strings.HasPrefix(dir, ".githooks/") || strings.HasPrefix(dir, "ci/") || strings.HasPrefix(dir, "script/") || strings.HasPrefix(dir, "scripts/") || strings.HasPrefix(dir, ".github/scripts/") || strings.HasPrefix(dir, "hooks/") || strings.HasPrefix(dir, "bin/")):
		return shellForm
	}
	return noForm
}

// read lists the checks of a file.
func read(p, src string) []check {
	switch formOf(p) {
	case yamlForm:
		return yaml(p, src)
	case makeForm:
		return recipes(src)
	case jsonForm:
		return scripts(src)
	case iniForm:
		return lists(src)
	case shellForm:
		return block(numbered(src), true)
	case groovyForm:
		return groovy(src)
	case noxForm:
		return sessions(src)
	}
	return nil
}

// command lines with their numbers.
type numberedLine struct {
	n    int
	text string
}

func numbered(src string) []numberedLine {
	var out []numberedLine
	n := 0
	for l := range strings.Lines(src) {
		n++
		out = append(out, numberedLine{n, strings.TrimRight(l, "\r\n")})
	}
	return out
}

// checks lists the checks of one line of commands.
func checks(n int, text string) []check {
	var out []check
	parts := command.Split(text)
	for i := range parts {
		class, core := command.ClassOf(parts[i].Text)
		if class == command.None {
			continue
		}
		out = append(out, check{line: n, class: class, core: core, text: text, loss: command.Lost(parts, i)})
	}
	return out
}

// block lists the checks of lines that one shell runs in order.
func block(lines []numberedLine, file bool) []check {
	var out []check
	whole := ""
	for _, l := range lines {
		whole += l.text + "\n"
	}
	counted := strings.Contains(whole, "$?") || strings.Contains(whole, "PIPESTATUS") || strings.Contains(whole, "exit $") || strings.Contains(whole, "pipestatus")
	lenient, left := 0, 0
	safe := strings.Contains(whole, "pipefail")
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		n, text := l.n, strings.TrimSpace(l.text)
		for strings.HasSuffix(text, "\\") && i+1 < len(lines) {
			i++
			text = strings.TrimSuffix(text, "\\") + " " + strings.TrimSpace(lines[i].text)
		}
		switch {
		case text == "" || text[0] == '#':
			continue
		case strings.HasPrefix(text, "set +e") || text == "set +o errexit":
			lenient = n
		case strings.HasPrefix(text, "set -e") || strings.HasPrefix(text, "set -o errexit") || strings.HasPrefix(text, "set -eu"):
			lenient = 0
		case (text == "exit 0" || text == "exit") && (!file || l.text == text):
			left = n
		}
		found := checks(n, text)
		for k := range found {
			g := &found[k]
			switch {
			case g.loss.Why != "" && (!strings.Contains(g.loss.Why, "pipe") || !safe):
			case left > 0:
				g.loss, g.at = command.Loss{Why: "the script ends before it (exit 0)", Hard: true}, left
			case lenient > 0 && !counted:
				g.loss, g.at = command.Loss{Why: "set +e lets the script go on after a failure", Hard: true}, lenient
			case strings.Contains(g.loss.Why, "pipe"):
				g.loss = command.Loss{}
			}
		}
		out = append(out, found...)
	}
	return out
}

// recipes lists the checks of a make or just file.
func recipes(src string) []check {
	var out []check
	for _, l := range numbered(src) {
		if l.text == "" || l.text[0] != '\t' && l.text[0] != ' ' {
			if i := strings.Index(l.text, ": ;"); i > 0 {
				out = append(out, checks(l.n, strings.TrimSpace(l.text[i+3:]))...)
			}
			continue
		}
		text := strings.TrimSpace(l.text)
		ignore := false
		for text != "" && strings.IndexByte("@-+", text[0]) >= 0 {
			ignore = ignore || text[0] == '-'
			text = strings.TrimSpace(text[1:])
		}
		if strings.HasPrefix(text, "#") {
			continue
		}
		found := checks(l.n, strings.ReplaceAll(text, "$$", "$"))
		for k := range found {
			if ignore && found[k].loss.Why == "" {
				found[k].loss = command.Loss{Why: "a leading - ignores its failure", Hard: true}
			}
		}
		out = append(out, found...)
	}
	return out
}

// lists lists the checks of lists of commands in INI and TOML files.
func lists(src string) []check {
	var out []check
	for _, l := range numbered(src) {
		text := strings.TrimSpace(l.text)
		if text == "" || text[0] == '#' || text[0] == ';' || text[0] == '[' && strings.HasSuffix(text, "]") && !strings.Contains(text, "\"") {
			continue
		}
		if key, value, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(strings.TrimSpace(key), " -/{") {
			switch k := strings.Trim(strings.TrimSpace(key), `"'`); {
			case strings.HasPrefix(k, "command"), k == "script", k == "cmd", k == "shell", command.Name(k) != command.None:
				text = strings.TrimSpace(value)
			default:
				continue
			}
		}
		text = strings.Trim(text, "\"',[]{}")
		ignore := strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\t")
		text = strings.TrimSpace(strings.TrimPrefix(text, "- "))
		found := checks(l.n, text)
		for k := range found {
			if ignore && found[k].loss.Why == "" {
				found[k].loss = command.Loss{Why: "a leading - ignores its failure", Hard: true}
			}
		}
		out = append(out, found...)
	}
	return out
}

// groovy lists the checks of a Jenkinsfile.
func groovy(src string) []check {
	var out []check
	swallowed := false
	for _, l := range numbered(src) {
		t := strings.TrimSpace(l.text)
		if strings.HasPrefix(t, "//") {
			continue
		}
		if strings.Contains(t, "catchError") && (strings.Contains(t, "SUCCESS") || strings.Contains(t, "UNSTABLE")) {
			swallowed = true
		}
		text := t
		if i := strings.IndexAny(t, "'\""); i >= 0 && (strings.HasPrefix(t, "sh") || strings.HasPrefix(t, "bat") || strings.Contains(t, "script:")) {
			text = strings.Trim(t[i:strings.LastIndexAny(t, "'\"")+1], "'\"")
		}
		found := checks(l.n, text)
		for k := range found {
			switch {
			case found[k].loss.Why != "":
			case strings.Contains(t, "returnStatus: true"):
				found[k].loss = command.Loss{Why: "its status is returned and not looked at (returnStatus)", Hard: !strings.Contains(t, "=") && !strings.HasPrefix(t, "if")}
				if strings.Contains(strings.SplitN(t, "sh", 2)[0], "=") {
					found[k].loss = command.Loss{}
				}
			case swallowed:
				found[k].loss = command.Loss{Why: "catchError lets the build succeed", Hard: true}
			}
		}
		if t == "}" {
			swallowed = false
		}
		out = append(out, found...)
	}
	return out
}

// sessions lists the checks of a noxfile: session.run("pytest", …).
func sessions(src string) []check {
	var out []check
	for _, l := range numbered(src) {
		t := strings.TrimSpace(l.text)
		i := strings.Index(t, ".run(")
		if i < 0 || strings.HasPrefix(t, "#") {
			continue
		}
		args := strings.Trim(t[i+len(".run("):], ") ")
		text := strings.NewReplacer(`", "`, " ", `','`, " ", `', '`, " ", `"`, "", `'`, "", ",", " ").Replace(args)
		found := checks(l.n, text)
		for k := range found {
			if strings.Contains(args, "success_codes") && strings.Contains(args, "1") && found[k].loss.Why == "" {
				found[k].loss = command.Loss{Why: "its failure counts as a success (success_codes)", Hard: true}
			}
		}
		out = append(out, found...)
	}
	return out
}

// yaml lists the checks of a pipeline.
func yaml(p, src string) []check {
	nodes := yamltree.Parse(src)
	var out []check
	emit := func(i int, found []check) {
		if len(found) == 0 {
			found = guess(nodes, i)
		}
		for k := range found {
			why, at := around(p, nodes, i)
			if found[k].loss.Why == "" || !found[k].loss.Hard && why.Hard {
				if why.Why != "" {
					found[k].loss, found[k].at = why, nodes[at].Line
				}
			}
			if strings.Contains(found[k].loss.Why, "pipe") && pipesafe(nodes, i) {
				found[k].loss = command.Loss{}
			}
		}
		out = append(out, found...)
	}
	for i := 0; i < len(nodes); i++ {
		nd := nodes[i]
		if nd.Text || nd.Value == "" || dull(nd.Key) {
			continue
		}
		switch {
		case strings.HasPrefix(nd.Value, "|") || strings.HasPrefix(nd.Value, ">"):
			var lines []numberedLine
			for k := i + 1; k < len(nodes) && nodes[k].Text && nodes[k].Parent == i; k++ {
				lines = append(lines, numberedLine{nodes[k].Line, nodes[k].Value})
			}
			if strings.HasPrefix(nd.Value, ">") && len(lines) > 0 { // folded: one line
				whole := ""
				for _, l := range lines {
					whole += " " + l.text
				}
				lines = []numberedLine{{lines[0].n, strings.TrimSpace(whole)}}
			}
			emit(i, block(lines, false))
		case nd.Key == "uses":
			if action := strings.ToLower(nd.Value); strings.Contains(action, "lint") || strings.Contains(action, "pre-commit/") || strings.Contains(action, "-test") {
				name, _, _ := strings.Cut(action, "@")
				emit(i, []check{{line: nd.Line, class: command.Lint, core: "uses " + name, text: nd.Value}})
			}
		case nd.Key == "id" && strings.Contains(p, "pre-commit"):
			emit(i, []check{{line: nd.Line, class: command.Lint, core: "hook " + nd.Value, text: nd.Value}})
		default:
			for _, text := range inline(nd.Value) {
				emit(i, checks(nd.Line, text))
			}
		}
	}
	return out
}

// guess takes a command that is not known for a check by its words: a goal of a build tool, a script of the project.
func guess(nodes []yamltree.Node, i int) []check {
	switch nodes[i].Key {
	case "run", "script", "command", "bash", "cmd":
	default:
		return nil
	}
	text, line := nodes[i].Value, nodes[i].Line
	if strings.HasPrefix(text, "|") || strings.HasPrefix(text, ">") {
		if i+1 >= len(nodes) || !nodes[i+1].Text {
			return nil
		}
		text, line = nodes[i+1].Value, nodes[i+1].Line
	}
	if !speaks(text) || command.Hollow(text) {
		return nil
	}
	parts := command.Split(text)
	return []check{{line: line, class: command.Lint, core: clip(parts[0].Text), text: text, loss: command.Lost(parts, 0)}}
}

// speaks reports whether a word of a command says that it checks something.
func speaks(text string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch w {
		case "test", "tests", "lint", "check", "verify", "validate", "typecheck", "audit", "clippy", "spec", "pytest", "coverage", "analyze":
			return true
		}
	}
	return false
}

// inline splits ["a", "b"].
func inline(v string) []string {
	if !strings.HasPrefix(v, "[") || !strings.HasSuffix(v, "]") {
		return []string{v}
	}
	var out []string
	for _, s := range strings.Split(strings.Trim(v, "[]"), ",") {
		out = append(out, strings.Trim(strings.TrimSpace(s), "\"'"))
	}
	return out
}

// dull names keys whose values are no commands.
func dull(key string) bool {
	switch strings.ToLower(key) {
	case "name", "description", "if", "title", "displayname", "label", "on", "path", "key", "image", "working-directory", "shell", "needs", "group", "cron", "restore-keys", "condition", "when", "stage", "url", "default", "version", "files", "exclude", "language", "desc", "summary", "node-version", "os", "types":
		return true
	}
	return false
}

// pipesafe reports whether a pipe of the step fails when any part of it does.
func pipesafe(nodes []yamltree.Node, i int) bool {
	for _, k := range yamltree.Beside(nodes, i) {
		if nodes[k].Key == "shell" {
			return nodes[k].Value == "bash" || strings.Contains(nodes[k].Value, "pipefail")
		}
	}
	return false
}
