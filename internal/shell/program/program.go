// Package program knows what well-known command line programs do when they are called with given arguments: which of them run
// tests, which compile or check, and which only start another program or a named script of a project.
//
// It works on the tokenised commands of internal/shell, never on text: `cat pytest.ini` and `echo jest` are not test runs,
// `cd a && FOO=1 npx vitest run` is one, in directory a. It owns no table and no file, reads nothing but its arguments, and does
// not know what its callers make of the answers. All functions are pure and safe for concurrent use.
package program

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Call is a command after script runners (npx, uv run, bundle exec, python -m …) have been stripped.
type Call struct {
	Name string    // "pytest", "go", "npm"; versions and platform suffixes are gone (python3.11 → python, gradlew → gradle)
	Args []string  // arguments of Name
	Task string    // script or target of a task runner: "test:unit" in `npm run test:unit`; "" if none was named
	Dir  shell.Dir // where it works, options such as `make -C` included
}

// Has reports whether one of the arguments is one of the words.
func (c *Call) Has(words ...string) bool {
	for _, a := range c.Args {
		if slices.Contains(words, a) {
			return true
		}
	}
	return false
}

// Sub returns the first argument that is not an option, "" if there is none. value lists options that take the next word.
func (c *Call) Sub(value ...string) string {
	sub, _ := split(c.Args, value...)
	return sub
}

// maxRunners bounds `npx npx npx …`.
const maxRunners = 8

// Resolve strips script runners from c. ok is false if c has no readable program.
func Resolve(c *shell.Command) (call Call, ok bool) {
	if c.Unreadable || c.Opaque || c.Name == "" {
		return Call{}, false
	}
	if c.Remote && !c.Wrapped("docker") && !c.Wrapped("podman") && !c.Wrapped("docker-compose") {
		return Call{}, false // another machine; a container mostly sees the files of this one
	}
	call = Call{Name: plainName(c.Name), Args: c.Args, Dir: c.Dir}
	for range maxRunners {
		if !call.step() {
			break
		}
	}
	return call, call.Name != ""
}

// plainName removes what differs between platforms and versions.
func plainName(name string) string {
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".phar"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch name {
	case "gradlew":
		return "gradle"
	case "mvnw", "mvnd":
		return "mvn"
	case "sbtx", "sbtn":
		return "sbt"
	case "gmake", "nmake", "mingw32-make":
		return "make"
	case "py.test":
		return "pytest"
	case "nodejs":
		return "node"
	}
	for _, base := range []string{"python", "pypy", "pip", "ruby", "php", "gcc", "g++", "clang", "clang++"} {
		if v, ok := strings.CutPrefix(name, base); ok && strings.Trim(v, "0123456789.-") == "" {
			if base == "pypy" {
				return "python"
			}
			return base
		}
	}
	return name
}

// split finds the first argument that is not an option and what follows it. value lists options whose value is the next word.
func split(args []string, value ...string) (sub string, rest []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			if i+1 < len(args) {
				return args[i+1], args[i+2:]
			}
			return "", nil
		case strings.HasPrefix(a, "-") && len(a) > 1:
			for _, v := range value {
				if a == v {
					i++
				}
			}
		default:
			return a, args[i+1:]
		}
	}
	return "", nil
}

// option returns the value of the first of the options that is given, as `-C dir` or `--dir=dir`.
func option(args []string, names ...string) (string, bool) {
	for i, a := range args {
		if a == "--" {
			return "", false
		}
		for _, n := range names {
			if a == n && i+1 < len(args) {
				return args[i+1], true
			}
			if v, ok := strings.CutPrefix(a, n+"="); ok && strings.HasPrefix(n, "--") {
				return v, true
			}
		}
	}
	return "", false
}

func (c *Call) chdir(names ...string) {
	if v, ok := option(c.Args, names...); ok {
		c.Dir = c.Dir.Join(v)
	}
}

// become replaces the call by the program in sub, without a version or a path.
func (c *Call) become(sub string, rest []string) bool {
	if sub == "" {
		return false
	}
	if i := strings.LastIndexByte(sub, '@'); i > 0 {
		sub = sub[:i]
	}
	c.Name, c.Args, c.Task = plainName(path.Base(sub)), rest, ""
	return true
}

// step strips one runner and reports whether it did.
func (c *Call) step() bool {
	switch c.Name {
	case "npx", "bunx", "pnpx":
		if v, ok := option(c.Args, "-c", "--call"); ok {
			f := strings.Fields(v)
			return len(f) > 0 && c.become(f[0], f[1:])
		}
		return c.become(split(c.Args, "-p", "--package", "-w", "--workspace"))
	case "npm", "pnpm", "yarn", "bun":
		return c.node()
	case "uvx", "pipx":
		if c.Name == "pipx" && c.Sub() != "run" {
			return false
		}
		sub, rest := split(c.Args, "--from", "--with", "-p", "--python")
		if c.Name == "pipx" {
			sub, rest = split(rest, "--spec")
		}
		return c.become(sub, rest)
	case "uv", "poetry", "pipenv", "pdm", "rye", "hatch", "bundle", "rbenv", "pyenv", "asdf", "mise", "conda", "mamba", "micromamba":
		return c.environment()
	case "python":
		return c.python()
	case "node", "php", "ruby", "deno", "tsx", "ts-node":
		return c.interpreter()
	case "go":
		c.chdir("-C")
		switch sub, rest := split(c.Args, "-C"); sub {
		case "run":
			pkg, more := split(rest, "-exec", "-C", "-modfile", "-tags")
			if strings.Contains(pkg, "@") || strings.Count(pkg, "/") > 1 && !strings.HasPrefix(pkg, ".") {
				return c.become(strings.TrimRight(strings.SplitN(pkg, "@", 2)[0], "/"), more)
			}
		case "tool":
			return c.become(split(rest, "-modfile"))
		}
		return false
	}
	c.taskRunner()
	return false
}

// node handles the package managers of JavaScript.
func (c *Call) node() bool {
	valued := []string{"--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F"}
	if c.Name == "pnpm" { // -w is --workspace-root there
		valued = []string{"--prefix", "-C", "--dir", "--filter", "-F"}
	}
	c.chdir("--prefix", "-C", "--dir", "--cwd")
	sub, rest := split(c.Args, valued...)
	switch sub {
	case "exec", "x", "dlx":
		return c.become(split(rest, "-p", "--package", "-c"))
	case "run", "run-script", "rum", "urn":
		c.Task, c.Args = split(rest, valued...)
		if c.Name == "bun" && strings.ContainsAny(c.Task, "./") { // a file
			return c.become("node", append([]string{c.Task}, c.Args...))
		}
		return false
	case "t", "tst", "test":
		c.Task = "test"
		return false
	case "workspace": // yarn workspace NAME …
		if len(rest) > 1 {
			c.Args = rest[1:]
			return true
		}
	case "workspaces": // yarn workspaces foreach … run NAME
		for i, a := range rest {
			if (a == "run" || a == "exec") && i+1 < len(rest) {
				c.Args = rest[i:]
				return true
			}
		}
	case "", "install", "i", "ci", "add", "remove", "rm", "un", "uninstall", "update", "up", "upgrade", "publish", "pack", "link", "init",
		"create", "audit", "outdated", "list", "ls", "view", "info", "why", "config", "cache", "version", "login", "import", "dedupe", "prune",
		"start", "build", "pm", "rebuild", "store", "set", "plugin", "help":
		if sub == "start" || sub == "build" {
			c.Task = sub
		}
	default: // yarn, pnpm and bun run a script or a binary of that name
		if c.Name == "npm" {
			return false
		}
		c.Task = sub
		if testPrograms(sub) || compilers(sub) {
			return c.become(sub, rest)
		}
	}
	return false
}

// environment handles programs that run another one in a prepared environment.
func (c *Call) environment() bool {
	c.chdir("--directory", "--project", "-C", "-p")
	valued := []string{"--directory", "--project", "-C", "-p", "-n", "--name", "--python", "--with", "--extra", "--group", "--package", "--env-file", "-e"}
	sub, rest := split(c.Args, valued...)
	switch sub {
	case "run", "exec", "x":
		prog, more := split(rest, valued...)
		if c.Name == "hatch" { // hatch run [ENV:]SCRIPT
			prog = prog[strings.LastIndexByte(prog, ':')+1:]
			c.Task = prog
		}
		if c.Name == "mise" && sub == "run" {
			c.Task = prog
			return false
		}
		if strings.Contains(prog, "@") { // mise exec node@20 -- npm test
			if i := index(more, "--"); i >= 0 && i+1 < len(more) {
				prog, more = more[i+1], more[i+2:]
			}
		}
		return c.become(prog, more)
	case "test":
		if c.Name == "hatch" || c.Name == "rye" || c.Name == "pdm" {
			c.Task = "test"
		}
	case "pip", "tool": // uv pip install
		if c.Name == "uv" && sub == "pip" {
			return c.become("pip", rest)
		}
		if c.Name == "uv" && len(rest) > 0 && rest[0] == "run" {
			return c.become(split(rest[1:], "--from", "--with"))
		}
	}
	return false
}

func index(words []string, w string) int {
	for i, x := range words {
		if x == w {
			return i
		}
	}
	return -1
}

// python handles `python -m module` and scripts that stand for programs.
func (c *Call) python() bool {
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		if a == "-m" && i+1 < len(c.Args) {
			name := c.Args[i+1]
			if name == "unittest" || name == "doctest" || name == "compileall" || name == "py_compile" || name == "venv" {
				c.Task = name
				c.Args = c.Args[i+2:]
				return false
			}
			return c.become(name, c.Args[i+2:])
		}
		if a == "-c" {
			return false
		}
		if !strings.HasPrefix(a, "-") {
			switch path.Base(a) {
			case "manage.py", "setup.py": // Django and setuptools name their command first
				c.Task, _ = split(c.Args[i+1:], "--settings")
				c.Args = c.Args[i+1:]
				return false
			case "pytest", "tox", "nox", "pip":
				return c.become(a, c.Args[i+1:])
			}
			return false
		}
		if a == "-X" || a == "-W" {
			i++
		}
	}
	return false
}

// interpreter handles `php artisan test`, `node node_modules/.bin/jest`, `ruby -S rspec`.
func (c *Call) interpreter() bool {
	file, rest := split(c.Args, "-r", "--require", "-I", "-d", "-e", "--eval", "--import", "--loader")
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".js"), ".mjs")
	switch {
	case c.Name == "php" && base == "artisan", c.Name == "ruby" && base == "rails":
		c.Task, c.Args = split(rest)
		return false
	case c.Name == "deno":
		if file == "task" {
			c.Task, c.Args = split(rest)
		}
		return false
	case testPrograms(plainName(base)) && (strings.ContainsRune(file, '/') || c.Has("-S")):
		return c.become(base, rest)
	}
	return false
}

// taskRunner fills in Task and Dir of programs whose first argument names a target.
func (c *Call) taskRunner() {
	switch c.Name {
	case "make":
		c.chdir("-C", "--directory")
		for _, a := range positional(c.Args, "-C", "--directory", "-f", "--file", "-j", "-I", "-o", "-W") {
			if strings.Contains(a, "=") || strings.Trim(a, "0123456789") == "" {
				continue
			}
			if c.Task == "" || testTask(a) {
				c.Task = a
			}
		}
	case "just", "task", "rake", "invoke", "inv", "poe", "doit", "grunt", "gulp", "turbo", "lerna", "moon", "earthly", "ng", "nx", "composer", "rails", "mage":
		c.chdir("-d", "--dir", "--working-directory", "--working-dir", "--cwd")
		sub, rest := split(c.Args, "-d", "--dir", "--working-directory", "--working-dir", "--cwd", "-f", "--justfile", "--taskfile", "--filter", "-F", "-p")
		if sub == "run" || sub == "run-script" || sub == "run-many" || sub == "affected" || sub == "exec" {
			if v, ok := option(rest, "-t", "--target", "--targets"); ok {
				sub = v
			} else {
				sub, _ = split(rest, "--filter", "--scope", "--projects", "-p")
			}
			if i := strings.LastIndexByte(sub, ':'); c.Name == "nx" && i > 0 {
				sub = sub[i+1:]
			}
		}
		c.Task = strings.TrimPrefix(sub, "//#")
	case "ninja":
		c.chdir("-C")
		c.Task = c.Sub("-C", "-j", "-f")
	case "cmake":
		c.chdir("--build")
		c.Task, _ = option(c.Args, "--target", "-t")
	case "cargo":
		if v, ok := option(c.Args, "--manifest-path"); ok {
			c.Dir = c.Dir.Join(path.Dir(v))
		}
	case "mvn":
		if v, ok := option(c.Args, "-f", "--file"); ok {
			if strings.HasSuffix(v, ".xml") {
				v = path.Dir(v)
			}
			c.Dir = c.Dir.Join(v)
		}
	case "gradle":
		c.chdir("-p", "--project-dir")
	case "ctest":
		c.chdir("--test-dir")
	case "swift":
		c.chdir("--package-path")
	}
}

// positional returns the arguments that are neither options nor their values.
func positional(args []string, value ...string) []string {
	var out []string
	for len(args) > 0 {
		var sub string
		sub, args = split(args, value...)
		if sub == "" {
			break
		}
		out = append(out, sub)
	}
	return out
}
