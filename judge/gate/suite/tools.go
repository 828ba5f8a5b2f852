package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/regular"
)

// maxManifest bounds a package.json or a settings file of a package manager, in bytes.
const maxManifest = 4 << 20

// resolve gives the argument list with the program that is meant, or the name of the program that is missing.
func (r *runner) resolve(c Command, dir string) (argv []string, missing string) {
	argv = slices.Clone(c.Argv)
	if len(argv) == 0 {
		return nil, "empty command"
	}
	program := argv[0]
	switch {
	case strings.Contains(program, "/"):
		path := program
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, filepath.FromSlash(program))
		}
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			return nil, program
		}
		if info.Mode()&0o111 == 0 { // a wrapper script that was committed without its mode
			argv = append([]string{"sh"}, argv...)
		}
	case program == "python3":
		python := r.python(dir)
		if python == "" {
			return nil, program
		}
		argv[0] = python
	case r.look(program) == "":
		return nil, program
	}
	return argv, ""
}

// python is the interpreter of the virtual environment in dir or the nearest folder above it, else that on the PATH.
func (r *runner) python(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range [...]string{".venv", "venv", "env", ".virtualenv"} {
			if path := filepath.Join(at, name, "bin", "python"); executable(path) {
				return path
			}
		}
		if at == r.root || at == filepath.Dir(at) {
			break
		}
	}
	for _, name := range [...]string{"python3", "python"} {
		if path := r.look(name); path != "" {
			return path
		}
	}
	return ""
}

// look finds a program on the PATH that the tests get; relative folders are not searched.
func (r *runner) look(name string) string {
	list := value(r.env, "PATH")
	if list == "" {
		list = os.Getenv("PATH") // internal/proc passes it on
	}
	for _, folder := range filepath.SplitList(list) {
		if path := filepath.Join(folder, name); filepath.IsAbs(folder) && executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// The exit statuses of a shell that cannot execute a program and of one that does not find it.
const (
	notExecutable = 126
	notFound      = 127
)

// absent names the tool whose absence made a command fail; empty when it failed by itself.
func (r *runner) absent(c Command, dir string, out proc.Result) string {
	text := plain(string(out.Stdout))
	switch c.Toolchain {
	case Override: // whoever wrote the command wants it to run
		return ""
	case "python":
		line := strings.TrimSpace(text)
		if _, module, ok := strings.Cut(line, ": No module named "); ok && out.Exit == 1 && !strings.Contains(line, "\n") && slices.Contains(c.Argv, module) {
			return module
		}
	case "ruby":
		if strings.Contains(text, "Run `bundle install` to install missing gems") {
			return "gems of the Gemfile"
		}
	case "node":
		if !installed(dir) {
			return "node_modules"
		}
	}
	if out.Exit == notFound || c.Toolchain == "make" && strings.Contains(text, "Error 127") {
		return unknownProgram(text)
	}
	return ""
}

// unknownProgram reads the name from the last complaint of a shell: `sh: 1: jest: not found`, `sh: jest: command not
// found`, `command not found: jest`. A path is a file that the project lacks, not a tool.
func unknownProgram(text string) string {
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		found := ""
		if _, after, ok := strings.Cut(line, "command not found: "); ok {
			found = after
		} else if before, ok := strings.CutSuffix(line, ": command not found"); ok {
			found = before[strings.LastIndex(before, " ")+1:]
		} else if before, ok := strings.CutSuffix(line, ": not found"); ok {
			found = before[strings.LastIndex(before, " ")+1:]
		} else if before, ok := strings.CutSuffix(line, ": No such file or directory"); ok && strings.HasPrefix(line, "make") {
			found = before[strings.LastIndex(before, " ")+1:]
		}
		if found != "" {
			name = found
		}
	}
	if strings.ContainsAny(name, "/ \t'\"`") {
		return ""
	}
	return name
}

// installed is false when package.json in dir names dependencies and nothing was ever installed for it.
func installed(dir string) bool {
	data, err := regular.Read(filepath.Join(dir, "package.json"), maxManifest)
	var pkg struct {
		Dependencies    map[string]any `json:"dependencies"`
		DevDependencies map[string]any `json:"devDependencies"`
	}
	if err != nil || json.Unmarshal(data, &pkg) != nil || len(pkg.Dependencies)+len(pkg.DevDependencies) == 0 {
		return true
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range [...]string{"node_modules", ".pnp.cjs", ".pnp.js"} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				return true
			}
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// stubs gives a meaningless value to variables that were withheld and that the settings of a package manager name: Yarn
// refuses to start without them.
func (r *runner) stubs(dir string) []string {
	var env []string
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range [...]string{".npmrc", ".yarnrc.yml"} {
			data, err := regular.Read(filepath.Join(at, name), maxManifest)
			if err != nil {
				continue
			}
			for _, held := range r.withheld {
				if strings.Contains(string(data), "${"+held+"}") {
					env = append(env, held+"=withheld")
				}
			}
		}
		if at == r.root || at == filepath.Dir(at) {
			return env
		}
	}
}
