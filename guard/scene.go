package guard

import (
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// Origin is where a tool call comes from.
type Origin struct {
	Paths   config.Paths
	Config  config.Config
	Project string // root, absolute with links resolved; "" for none
	Repo    gitx.Repo
	HasRepo bool
	Cwd     string
	Session string
	Exe     string // a program of the installation
	Getenv  func(string) string
}

// Scene is the scene of a call. Nothing is read before a question makes it necessary.
func (o Origin) Scene() Scene {
	w := place.World{Home: o.Paths.Home, Project: o.Project, Cwd: o.Cwd, Temp: o.Getenv("TMPDIR")}
	if o.Cwd != "" && o.Cwd != o.Project {
		if repo, err := gitx.Find(o.Cwd); err == nil { // a command works in the work tree of its folder, a linked one perhaps
			o.Repo, o.HasRepo, w.Project = repo, true, repo.Root
		}
	}
	if o.HasRepo {
		w.Linked = o.Repo.GitDir != o.Repo.CommonDir
		w.Disk = place.NewDisk(o.Repo.Root, o.Repo.GitDir, o.Repo.CommonDir, o.Paths.Home+"/.config/git/ignore")
	} else if o.Project != "" {
		w.Disk = place.NewPlainDisk(o.Project)
	}
	p := protect.Places{
		Root: o.Paths.Root, DB: o.Paths.DB, Bin: filepath.Dir(o.Exe), Home: o.Paths.Home, Project: o.Project, Cwd: o.Cwd, Session: o.Session,
		Settings: o.settings(),
	}
	return Scene{World: w, Places: p, Allowed: o.Config.Allowed}
}

// managed is where an administrator's settings are (docs/claude-hooks.md).
const managed = "/etc/claude-code/managed-settings.json"

// settings are the files that the client reads hooks from, the user's first.
func (o Origin) settings() []string {
	files := make([]string, 0, 7)
	user := o.Getenv("CLAUDE_CONFIG_DIR")
	if user == "" && o.Paths.Home != "" {
		user = o.Paths.Home + "/.claude"
	}
	for i, d := range [...]string{user, o.Project, o.Cwd} {
		if d == "" || i > 0 && d == user || i == 2 && d == o.Project {
			continue
		}
		if d = strings.TrimSuffix(filepath.Clean(d), "/"); i > 0 {
			d += "/.claude"
		}
		files = append(files, d+"/settings.json", d+"/settings.local.json")
	}
	return append(files, managed)
}

// Aliases are those of git for commands of this call.
func (o Origin) Aliases() gitcmd.Aliases { return gitcmd.ReadAliases(o.Cwd, o.Paths.Home) }
