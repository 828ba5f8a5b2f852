package rule

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Git is a git command line behind its global options.
type Git struct {
	Opts
	Sub       string
	Elsewhere bool         // --git-dir, --work-tree, GIT_DIR …
	named     bool         // … other than by -C
	folders   []shell.Word // of -C
	Config    []string
}

// valueOptions are the options of subcommands whose value may be the next word, as far as the rules meet them.
func gitValues(sub string) (letters, long string) {
	switch sub {
	case "checkout", "switch":
		return "bBcCs", " --orphan --conflict --pathspec-from-file --create --force-create "
	case "restore":
		return "sU", " --source --conflict --pathspec-from-file --unified "
	case "clean":
		return "e", " --exclude "
	case "push":
		return "o", " --push-option --repo --receive-pack --exec --recurse-submodules "
	case "stash":
		return "m", " --message --pathspec-from-file "
	case "branch":
		return "u", " --set-upstream-to --contains --no-contains --merged --no-merged --points-at --sort --format "
	}
	return "", ""
}

// readGit reads the command as git's, false if it is not. It does so once.
func (k *Call) readGit() (Git, bool) {
	if k.Name != "git" && !strings.HasPrefix(k.Name, "git-") {
		return Git{}, false
	}
	if k.git == nil {
		g, _ := k.parseGit()
		k.git = &g
	}
	return *k.git, k.git.Sub != ""
}

func (k *Call) parseGit() (Git, bool) {
	g := Git{}
	if k.Name != "git" {
		sub, ok := strings.CutPrefix(k.Name, "git-")
		if !ok {
			return g, false
		}
		g.Sub = sub
		letters, long := gitValues(g.Sub)
		g.Opts = Parse(k.Words, letters, long)
		return g, true
	}
	words := k.Words
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		t := words[0].Text
		words = words[1:]
		name, _, attached := strings.Cut(t, "=")
		g.Elsewhere = g.Elsewhere || name == "--git-dir" || name == "--work-tree" || name == "-C"
		g.named = g.named || name == "--git-dir" || name == "--work-tree"
		if attached && strings.HasPrefix(t, "--") || !OneOf(name, "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path", "--attr-source") || name == "--exec-path" {
			continue
		}
		if len(words) == 0 {
			return g, false
		}
		if name == "-C" {
			g.folders = append(g.folders, words[0])
		}
		if name == "-c" {
			g.Config = append(g.Config, strings.ToLower(words[0].Text))
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return g, false
	}
	for _, v := range [...]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		g.Elsewhere = g.Elsewhere || k.Env(v) != ""
		g.named = g.named || k.Env(v) != ""
	}
	g.Sub = words[0].Text
	letters, long := gitValues(g.Sub)
	g.Opts = Parse(words[1:], letters, long)
	return g, true
}

// Throwaway reports whether git works in a temporary folder, where everything may be deleted anyway. Where the project itself lies
// in one, nothing else there is taken for throwaway.
func (k *Call) Throwaway(g Git) bool {
	if g.named || k.Cmd.Remote || len(g.folders) > 1 {
		return false
	}
	plain := place.World{Home: k.World.Home, Temp: k.World.Temp}
	for _, own := range [...]string{k.World.Project, k.World.Cwd} {
		if z := plain.Resolve(shell.Dir{}, shell.Word{Text: own}).Zone; own != "" && (z == place.Temp || z == place.TempTop) {
			return false
		}
	}
	at := shell.Word{Text: "."}
	if len(g.folders) == 1 {
		at = g.folders[0]
	}
	t := k.World.Resolve(k.Cmd.Dir, at)
	return t.Zone == place.Temp && !t.Glob
}

// Own reports whether git works in a throwaway repository with refs of its own: no work tree linked to another one.
func (k *Call) Own(g Git) bool {
	if k.long() || !k.Throwaway(g) {
		return false
	}
	made := false
	for i := range k.Script.Commands {
		c := &k.Script.Commands[i]
		for _, a := range c.Args {
			if c.Name == "git" && a == "worktree" {
				return false
			}
			made = made || c.Name == "git" && (a == "init" || a == "clone")
		}
	}
	return made
}

// Networked reports whether the script names a repository on another machine.
func (k *Call) Networked() bool {
	for i := range k.Script.Commands {
		if c := &k.Script.Commands[i]; c.Name == "git" || c.Name == "gh" {
			for _, a := range c.Args {
				if strings.Contains(a, "://") || strings.Contains(a, "@") || strings.Contains(a, ":/") || c.Name == "gh" || strings.Contains(a, "$") && !strings.HasPrefix(a, "$(mktemp") {
					return true
				}
			}
		}
	}
	return false
}

// GitSub reads the command if it is the named subcommand.
func (k *Call) GitSub(names ...string) (Git, bool) {
	g, ok := k.readGit()
	if !ok || !OneOf(g.Sub, names...) || g.Has("h") && len(g.Flags) == 1 {
		return g, false
	}
	return g, true
}
