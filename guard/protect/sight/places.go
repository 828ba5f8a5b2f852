package sight

import (
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
)

// Places is where the things are that must stay as they are. Paths are absolute; "" means that there is none.
type Places struct {
	Root    string // devflow's folder
	DB      string // the database, inside Root or not
	Bin     string // the folder of the installed programs
	Home    string
	Project string
	Cwd     string // where a command line starts
	Session string // folder name of the present session below <Root>/state

	Binaries []string // names of the hook programs; empty = the seven of a usual installation
	Settings []string // every settings file that the client may read, present or not
}

// HookPrograms are the hook executables, as package install/settings names them.
var HookPrograms = [...]string{
	"devflow-session-start", "devflow-user-prompt-submit", "devflow-pre-tool-use", "devflow-post-tool-use", "devflow-pre-compact", "devflow-stop",
	"devflow-session-end",
}

// IsHook reports whether a program name is that of a hook executable.
func (p Places) IsHook(name string) bool {
	name = ProgramName(name)
	for _, b := range HookPrograms {
		if name == b {
			return true
		}
	}
	for _, b := range p.Binaries {
		if name == b && b != "devflow" && b != "devflow-telemetry" && b != "devflow-server" {
			return true
		}
	}
	return false
}

// ProgramName is a program's name without the endings and cases that Windows and macOS do not tell apart.
func ProgramName(name string) string {
	name = strings.ToLower(name[strings.LastIndexAny(name, `/\`)+1:])
	for _, ending := range [...]string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// maxRead bounds files whose content decides, in bytes.
const maxRead = 4 << 20

// home is the home folder.
func (p Places) home(w place.World) string {
	if p.Home != "" {
		return p.Home
	}
	return w.Home
}

// Shown shortens a path for a message.
func Shown(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return "~/" + rest
	}
	return path
}
