package guard

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/shell"
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

// maxScript bounds a script file that is read, in bytes.
const maxScript = 256 << 10

// Around is what a command line finds here: git's aliases, and the script files that it runs. A script that git tracks and that is
// as it was committed is the project's own and not looked into; nor is what belongs to the system.
func (o Origin) Around() line.Around {
	return line.Around{Aliases: gitcmd.ReadAliases(o.Cwd, o.Paths.Home), Script: o.script}
}

func (o Origin) script(d shell.Dir, name shell.Word) (string, bool) {
	w := o.Scene().World
	at := w.Resolve(d, name)
	if at.Path == "" || at.Dynamic || at.Glob || at.Zone == place.System {
		return "", false
	}
	if rel, ok := w.Rel(at); ok && w.Disk != nil && w.Disk.Tracked(rel) && !w.Disk.Changed(rel) {
		return "", false
	}
	data, err := regular.Read(at.Path, maxScript)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return "", false // not there, or a program
	}
	return string(data), true
}
