package gitcmd

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Files are the aliases in git's configuration files. Nothing is read before the first question; each folder is read once.
// It may be used from many goroutines.
type Files struct {
	cwd, home string

	mu    sync.Mutex
	known map[string]map[string]string // by folder: alias in lower case → text
}

// ReadAliases gives the aliases that hold for commands which start in cwd, for the user whose home is home.
func ReadAliases(cwd, home string) *Files { return &Files{cwd: cwd, home: home} }

// Alias is the text of an alias for a command that runs in dir (relative to cwd), empty when there is none or it cannot be
// read. The repository's own configuration wins over the user's, the user's over the machine's.
func (f *Files) Alias(dir shell.Dir, name string) string {
	at := dir.Path
	switch {
	case at == "~" || strings.HasPrefix(at, "~/"):
		at = filepath.Join(f.home, at[1:])
	case !filepath.IsAbs(at):
		at = filepath.Join(f.cwd, at)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list, ok := f.known[at]
	if !ok {
		list = f.read(at)
		if f.known == nil {
			f.known = map[string]map[string]string{}
		}
		f.known[at] = list
	}
	return list[strings.ToLower(name)]
}

func (f *Files) read(dir string) map[string]string {
	list := map[string]string{}
	for _, path := range f.paths(dir) {
		readConfig(path, f.home, maxInclude, func(key, value string) {
			if name, ok := strings.CutPrefix(strings.ToLower(key), "alias."); ok {
				list[strings.TrimSuffix(name, ".command")] = value
			}
		})
	}
	return list
}

// paths lists the configuration files for a folder, the weakest first.
func (f *Files) paths(dir string) []string {
	var list []string
	if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		if system, ok := os.LookupEnv("GIT_CONFIG_SYSTEM"); ok {
			list = append(list, system)
		} else {
			list = append(list, "/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
		}
	}
	if global, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		list = append(list, global)
	} else if f.home != "" {
		xdg := os.Getenv("XDG_CONFIG_HOME")
		if xdg == "" {
			xdg = filepath.Join(f.home, ".config")
		}
		list = append(list, filepath.Join(xdg, "git", "config"), filepath.Join(f.home, ".gitconfig"))
	}
	if repo, err := gitx.Find(dir); err == nil {
		return append(list, filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree"))
	}
	for at := dir; ; at = filepath.Dir(at) { // a bare repository, or a git folder that was named
		if info, err := os.Stat(filepath.Join(at, "HEAD")); err == nil && info.Mode().IsRegular() {
			return append(list, filepath.Join(at, "config"), filepath.Join(at, "config.worktree"))
		}
		if at == filepath.Dir(at) {
			return list
		}
	}
}

// Bounds of a configuration file: bytes, and files that include files.
const (
	maxConfig  = 4 << 20
	maxInclude = 10
)

// readConfig gives every setting of a file and of what it includes to set, in order. Conditions of includeIf are taken to hold:
// an alias too many is harmless, one too few is not.
func readConfig(path, home string, depth int, set func(key, value string)) {
	if depth == 0 {
		return
	}
	text, err := regular.Read(path, maxConfig)
	if err != nil {
		return
	}
	ParseConfig(string(text), func(key, value string) {
		section, _, _ := strings.Cut(key, ".")
		if (section == "include" || section == "includeif") && strings.HasSuffix(key, ".path") {
			switch rest, below := strings.CutPrefix(value, "~/"); {
			case below:
				value = filepath.Join(home, rest)
			case !filepath.IsAbs(value):
				value = filepath.Join(filepath.Dir(path), value)
			}
			readConfig(value, home, depth-1, set)
			return
		}
		set(key, value)
	})
}

// overlay puts aliases that the command line itself defines over others.
type overlay struct {
	own  map[string]string
	rest Aliases
}

func (o overlay) Alias(dir shell.Dir, name string) string {
	if text := o.own[strings.ToLower(name)]; text != "" {
		return text
	}
	if o.rest == nil {
		return ""
	}
	return o.rest.Alias(dir, name)
}

// Declared adds the aliases that a command line defines itself (`git config alias.p push && git p`) to others, which may be
// nil. The order of the commands does not matter: an alias counts for the whole line.
func Declared(cmds []shell.Command, a Aliases) Aliases {
	var own map[string]string
	for i := range cmds {
		g, ok := Parse(&cmds[i])
		if !ok || g.Sub != "config" {
			continue
		}
		for j := 0; j+1 < len(g.Args); j++ {
			name, ok := strings.CutPrefix(strings.ToLower(g.Args[j].Text), "alias.")
			if !ok {
				continue
			}
			value := g.Args[j+1].Text
			if !g.Args[j+1].Literal() { // known only at run time: a line that cannot be read
				value = "!" + value
			}
			if own == nil {
				own = map[string]string{}
			}
			own[strings.TrimSuffix(name, ".command")] = value
			break
		}
	}
	if own == nil {
		return a
	}
	return overlay{own: own, rest: a}
}
