package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/internal/claude"
)

// settingsFile is one file that the client reads.
type settingsFile struct {
	scope, path string
	file        *settings.File // nil if missing or ignored as a whole
}

// place is one devflow entry somewhere.
type place struct {
	where   string // scope:line
	scope   string
	command string
	dir     string
	timeout float64
	exec    bool
}

// checkHooks examines all settings files together, as the client merges them.
func (e *exam) checkHooks() {
	files := e.readSettings()
	e.checkDisabled(files)
	slots, stray, python := e.collect(files)
	e.checkRegistered(slots)
	e.checkDoubled(slots, stray)
	if len(python) > 0 {
		e.add("python-version", Warn, "devflow install --migrate-python", "hooks of the published Python version run as well: %s", list(python))
	}
}

// readSettings reads the files from the highest precedence down.
func (e *exam) readSettings() []settingsFile {
	files := []settingsFile{{scope: "managed", path: e.Managed}}
	for _, scope := range []install.Scope{install.Local, install.Project, install.User} {
		if scope != install.User && e.Project == "" {
			continue
		}
		path, err := install.SettingsPath(e.Getenv, scope, e.Project)
		if err != nil {
			e.add("settings", Fail, "give an absolute folder", "%v", err)
			continue
		}
		files = append(files, settingsFile{scope: string(scope), path: path})
	}
	var ignored, odd []string
	for i := range files {
		f := &files[i]
		data, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			ignored = append(ignored, err.Error())
			continue
		}
		file, err := settings.Read(data)
		if err != nil {
			ignored = append(ignored, fmt.Sprintf("%s: %v", f.path, err))
			continue
		}
		if file.Doc.Root == nil {
			ignored = append(ignored, f.path+": the file is empty")
			continue
		}
		if fatal := file.Fatal(false); len(fatal) > 0 {
			p := fatal[0]
			ignored = append(ignored, fmt.Sprintf("%s:%d:%d: %s %s", f.path, p.Line, p.Column, p.Path, p.Text))
			continue
		}
		for _, p := range file.Problems {
			text := fmt.Sprintf("%s:%d:%d: %s %s", f.path, p.Line, p.Column, p.Path, p.Text)
			if p.Effect == claude.EffectFile {
				text += " (client 2.1.197 ignores the whole file for it, 2.1.332 this entry)"
			}
			odd = append(odd, text)
		}
		f.file = file
	}
	switch {
	case len(ignored) > 0:
		e.add("settings", Fail, "correct the place that is named; Claude Code says nothing about it", "ignored as a whole by the client: %s", list(ignored))
	case len(odd) > 0:
		e.add("settings", Warn, "look at the places that are named", "%s", list(odd))
	default:
		e.add("settings", OK, "", "every settings file is one that the client reads")
	}
	return files
}

// checkDisabled evaluates the switches that silence hooks. The file of the
// highest precedence that sets disableAllHooks decides; managed hooks obey only
// the managed file.
func (e *exam) checkDisabled(files []settingsFile) {
	for _, name := range []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"} {
		if e.Getenv(name) == "1" {
			e.add("enabled", Fail, "unset "+name, "%s=1 makes the client run no hooks", name)
			return
		}
	}
	for _, f := range files {
		if f.file == nil {
			continue
		}
		if only, _ := f.file.Flag("allowManagedHooksOnly"); only && f.scope == "managed" && !e.ours(f.file) {
			e.add("enabled", Fail, "ask the administrator to add devflow's hooks to "+f.path, "%s allows managed hooks only (allowManagedHooksOnly)", f.path)
			return
		}
		if off, set := f.file.Flag("disableAllHooks"); set {
			if off {
				e.add("enabled", Fail, "remove disableAllHooks from "+f.path, "%s switches all hooks off (disableAllHooks)", f.path)
				return
			}
			break // an explicit false wins over every file below
		}
	}
	e.add("enabled", OK, "", "no settings file switches hooks off")
}

func (e *exam) ours(f *settings.File) bool { return slices.ContainsFunc(f.Handlers, e.owner.Ours) }

// collect sorts the devflow entries of all files by registration. An entry
// counts whoever installed it: two generations both run.
func (e *exam) collect(files []settingsFile) (slots [][]place, stray, python []string) {
	slots = make([][]place, len(settings.Registrations()))
	for _, f := range files {
		if f.file == nil {
			continue
		}
		for _, h := range f.file.Handlers {
			line, _ := f.file.Place(h)
			where := fmt.Sprintf("%s:%d", f.path, line)
			if script, _ := settings.Python(h, e.Home); script != "" {
				python = append(python, where+" "+filepath.Base(script))
				continue
			}
			dir, binary, ok := e.owner.Look(h)
			if !ok {
				continue
			}
			p := place{where: where, scope: f.scope, command: h.Command, dir: dir, timeout: h.Timeout, exec: h.Exec}
			if i := settings.Slot(h, binary); i >= 0 {
				slots[i] = append(slots[i], p)
			} else {
				stray = append(stray, fmt.Sprintf("%s runs %s on %s %q", where, binary, h.Event, h.Matcher))
			}
		}
	}
	return slots, stray, python
}

func (e *exam) checkRegistered(slots [][]place) {
	var missing, dead, times []string
	for i, reg := range settings.Registrations() {
		name := reg.Event
		if reg.Matcher != "" {
			name += " " + reg.Matcher
		}
		if len(slots[i]) == 0 {
			missing = append(missing, name)
		}
		for _, p := range slots[i] {
			path := filepath.Join(p.dir, reg.Binary)
			if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o111 == 0 {
				dead = append(dead, fmt.Sprintf("%s (%s) runs %s, which is not there", p.where, name, path))
			}
			if p.timeout != float64(reg.Timeout) {
				times = append(times, fmt.Sprintf("%s (%s) has %g s, want %d", p.where, name, p.timeout, reg.Timeout))
			}
		}
	}
	switch {
	case len(missing) == len(slots):
		e.add("registered", Fail, installHint, "no hook of devflow is registered")
	case len(missing) > 0:
		e.add("registered", Fail, installHint, "missing: %s", list(missing))
	case len(dead) > 0:
		e.add("registered", Fail, installHint, "%s", list(dead))
	case len(times) > 0:
		e.add("registered", Warn, installHint, "other timeouts: %s", list(times))
	default:
		e.add("registered", OK, "", "all %d entries are there", len(slots))
	}
}

// checkDoubled looks for hooks that run twice. The client runs equal command
// strings of one event once, also across files; different ones all run.
func (e *exam) checkDoubled(slots [][]place, stray []string) {
	var doubled []string
	dirs := map[string]bool{}
	for i, reg := range settings.Registrations() {
		distinct := map[string]string{}
		for _, p := range slots[i] {
			distinct[fmt.Sprint(p.exec, p.command)] = p.where
			dirs[p.dir] = true
		}
		if len(distinct) > 1 {
			var at []string
			for _, where := range distinct {
				at = append(at, where)
			}
			slices.Sort(at)
			doubled = append(doubled, reg.Event+" at "+strings.Join(at, " and "))
		}
	}
	switch {
	case len(doubled) > 0 && len(dirs) > 1:
		e.add("once", Fail, "keep one: run the other one's own 'devflow uninstall', then: "+installHint,
			"%d generations of devflow run side by side: %s", len(dirs), list(doubled))
	case len(doubled) > 0:
		e.add("once", Fail, installHint, "runs twice: %s", list(doubled))
	case len(stray) > 0:
		e.add("once", Warn, installHint, "entries that devflow does not register: %s", list(stray))
	default:
		e.add("once", OK, "", "no hook runs twice")
	}
}
