package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Paths are the places that devflow reads and writes. Every field is absolute.
type Paths struct {
	Home     string // the user's home folder
	Root     string // $DEVFLOW_HOME, default ~/.claude/devflow
	DB       string // $DEVFLOW_DB, default <Root>/telemetry/devflow.db
	State    string // <Root>/state: one folder per session with exports for people
	Logs     string // <Root>/logs
	Spool    string // <Root>/spool: rows that could not be stored in time
	Fallback string // folder in the temporary directory, one per user, root and database, used when Root cannot be written
	Bin      string // <Root>/bin: the installed executables
	Objects  string // <Root>/objects: private git objects of task snapshots
	File     string // <Root>/config.toml
}

// ProjectFile is the name of a project's own configuration file, beside its .git.
const ProjectFile = ".devflow.toml"

// ErrNoHome is returned when neither DEVFLOW_HOME nor HOME tells where the root is.
var ErrNoHome = errors.New("resolve devflow root: neither DEVFLOW_HOME nor HOME is set")

// ResolvePaths derives all places from the environment. It touches no file. It returns ErrNoHome when no root can be
// derived, and refuses relative paths: hooks run in whatever folder the model is in, and each would have its own root.
func ResolvePaths(getenv func(string) string) (Paths, error) {
	home := getenv("HOME")
	root := getenv("DEVFLOW_HOME")
	db := getenv("DEVFLOW_DB")
	if root == "" && home == "" {
		return Paths{}, ErrNoHome
	}
	for _, v := range [...]struct{ name, value string }{{"DEVFLOW_HOME", root}, {"DEVFLOW_DB", db}} {
		if v.value != "" && !filepath.IsAbs(v.value) {
			return Paths{}, fmt.Errorf("%s is %q, want an absolute path", v.name, v.value)
		}
	}
	if root == "" {
		if !filepath.IsAbs(home) {
			return Paths{}, fmt.Errorf("HOME is %q, want an absolute path", home)
		}
		root = filepath.Join(home, ".claude", "devflow")
	}
	if db == "" {
		db = filepath.Join(root, "telemetry", "devflow.db")
	}
	root, db = filepath.Clean(root), filepath.Clean(db)
	tmp := getenv("TMPDIR")
	if !filepath.IsAbs(tmp) {
		tmp = "/tmp"
	}
	return Paths{
		Home:     home,
		Root:     root,
		DB:       db,
		State:    filepath.Join(root, "state"),
		Logs:     filepath.Join(root, "logs"),
		Spool:    filepath.Join(root, "spool"),
		Fallback: filepath.Join(tmp, "devflow-"+strconv.Itoa(os.Getuid())+"-"+mark(root+"\x00"+db)),
		Bin:      filepath.Join(root, "bin"),
		Objects:  filepath.Join(root, "objects"),
		File:     filepath.Join(root, "config.toml"),
	}, nil
}

// mark tells installations apart by a short hash (FNV-1a): what one of them could not store must not end up in another.
func mark(text string) string {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * prime
	}
	return strconv.FormatUint(uint64(h), 36)
}

// SpoolDirs lists the folders that may hold spooled rows, the preferred one first.
func (p Paths) SpoolDirs() []string {
	return []string{p.Spool, filepath.Join(p.Fallback, "spool")}
}

// LogFiles lists the files that may hold the hooks' log, the preferred one first.
func (p Paths) LogFiles() []string {
	return []string{filepath.Join(p.Logs, "hooks.jsonl"), filepath.Join(p.Fallback, "hooks.jsonl")}
}

// SessionDir is the folder with one session's exports. The session key must be one that claude.SessionKey returned.
func (p Paths) SessionDir(session string) string { return filepath.Join(p.State, session) }
