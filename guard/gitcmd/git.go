// Package gitcmd reads one git command line: which subcommand runs where with which configuration, and what else git would
// start because of it (aliases, rebase --exec, submodule foreach, pagers and editors).
//
// It owns no table. It reads git's configuration files for aliases, and only when a subcommand is met that git does not have.
// It decides nothing and starts no process. Formats are those of git 2.39 to 2.51.
package gitcmd

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Git is one git command. All values are plain data.
type Git struct {
	Sub        string       // subcommand, "push"; empty when there is none or it is known only at run time
	Args       []shell.Word // what follows the subcommand
	Dir        shell.Dir    // where it runs: the command's folder and every -C
	GitDir     string       // --git-dir or GIT_DIR, relative to Dir; empty = found from Dir
	WorkTree   string       // --work-tree or GIT_WORK_TREE, relative to Dir; empty = found from Dir
	Namespace  string       // --namespace or GIT_NAMESPACE
	Config     []string     // "key=value" of -c, --config-env and GIT_CONFIG_*, the last one counts; a value known only at run time starts with "$"
	Bare       bool         // --bare
	Help       bool         // --help, --version and the like: nothing but a text is shown
	Unreadable bool         // the subcommand or an option before it is known only at run time

	at int // index of the subcommand in the words of the command; after the last word when there is none
}

// Parse reads c as a git command: git under any path and spelling of its name, hub (which hands on to git), and the dashed
// form git-push. It is false for every other program.
func Parse(c *shell.Command) (Git, bool) {
	name := programName(c)
	g := Git{Dir: c.Dir, at: 1}
	sub, dashed := strings.CutPrefix(name, "git-")
	switch {
	case name == "git" || name == "hub":
	case dashed && sub != "" && (isBuiltin(sub) || isScript(sub)):
	default:
		return Git{}, false
	}
	g.environment(c.Assign)
	if dashed {
		g.Sub, g.Args, g.at = sub, c.Words[1:], 0
		g.helpWord()
		return g, true
	}
	g.global(c.Words)
	return g, true
}

// programName is the name without a Windows suffix, in lower case: the file systems of macOS and Windows ignore case.
func programName(c *shell.Command) string {
	name := strings.ToLower(c.Name)
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	for _, suffix := range [...]string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// global reads the options of git itself.
func (g *Git) global(words []shell.Word) {
	i := 1
	for ; i < len(words); i++ {
		w := words[i]
		if w.Dynamic && !strings.HasPrefix(w.Text, "-") || w.Glob {
			g.Unreadable = true
			break
		}
		if !strings.HasPrefix(w.Text, "-") || w.Text == "-" {
			break
		}
		name, value, attached := strings.Cut(w.Text, "=")
		if !attached && takesValue(name) {
			i++
			if i == len(words) {
				break
			}
			value = words[i].Text
			if words[i].Dynamic && name == "-C" {
				g.Dir.Unknown = true
				continue
			}
		}
		g.option(name, value, w.Text)
	}
	g.at = i
	if i >= len(words) {
		return
	}
	g.Args = words[i+1:]
	if !g.Unreadable {
		g.Sub = words[i].Text
	}
	g.helpWord()
}

// takesValue is true for the options of git itself whose value may be the next word.
func takesValue(name string) bool {
	switch name {
	case "-C", "-c", "--config-env", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--shallow-file", "--attr-source":
		return true
	}
	return false
}

func (g *Git) option(name, value, whole string) {
	switch name {
	case "-C":
		if value != "" {
			g.Dir = g.Dir.Join(value)
		}
	case "-c":
		g.Config = append(g.Config, value)
	case "--config-env":
		if key, env, ok := strings.Cut(value, "="); ok {
			g.Config = append(g.Config, key+"=$"+env)
		}
	case "--git-dir":
		g.GitDir = value
	case "--work-tree":
		g.WorkTree = value
	case "--namespace":
		g.Namespace = value
	case "--bare":
		g.Bare = true
	case "-h", "--help", "-v", "--version", "--html-path", "--man-path", "--info-path", "--list-cmds":
		g.Help = true
	case "--exec-path":
		g.Help = g.Help || whole == name // without a value it prints the present one
	}
}

// helpWord notices `git push --help`, which git turns into `git help push`, and -h as the only argument.
func (g *Git) helpWord() {
	if len(g.Args) > 0 && g.Args[0].Text == "--help" || len(g.Args) == 1 && g.Args[0].Text == "-h" {
		g.Help = true
	}
}

// environment reads the variables of git that stand before the command.
func (g *Git) environment(assign []string) {
	for _, kv := range assign {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || !strings.HasPrefix(name, "GIT_") {
			continue
		}
		switch name {
		case "GIT_DIR":
			g.GitDir = value
		case "GIT_WORK_TREE":
			g.WorkTree = value
		case "GIT_NAMESPACE":
			g.Namespace = value
		case "GIT_CONFIG_PARAMETERS":
			words, _ := splitLine(value)
			g.Config = append(g.Config, words...)
		default:
			if n, ok := strings.CutPrefix(name, "GIT_CONFIG_KEY_"); ok {
				g.Config = append(g.Config, value+"="+assigned(assign, "GIT_CONFIG_VALUE_"+n))
			}
		}
	}
	for i, kv := range g.Config { // --config-env names a variable that may stand here as well
		if key, env, ok := strings.Cut(kv, "=$"); ok {
			if v := assigned(assign, env); v != "" {
				g.Config[i] = key + "=" + v
			}
		}
	}
}

func assigned(assign []string, name string) string {
	value := ""
	for _, kv := range assign {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// Value is the last setting of a configuration key on the command line or in its environment. Section and name of a key are
// compared without case, what stands between them exactly.
func (g *Git) Value(key string) (string, bool) {
	for i := len(g.Config) - 1; i >= 0; i-- {
		k, v, ok := strings.Cut(g.Config[i], "=")
		if sameKey(k, key) {
			if !ok {
				v = "true"
			}
			return v, true
		}
	}
	return "", false
}

func sameKey(a, b string) bool {
	if len(a) != len(b) || !strings.EqualFold(a, b) {
		return false
	}
	first, last := strings.IndexByte(a, '.'), strings.LastIndexByte(a, '.')
	return first < 0 || a[first:last+1] == b[first:last+1]
}

// Path joins a path of the command line to the folder the command runs in.
func (g *Git) Path(p string) shell.Dir {
	return g.Dir.Join(path.Clean(p))
}
