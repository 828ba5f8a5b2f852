package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/install/target"
	"github.com/devflow-suite/devflow/internal/config"
)

// Scope says which settings file is meant.
type Scope string

// The scopes. Claude Code reads project files only from the folder in which it
// was started.
const (
	User    Scope = "user"    // $CLAUDE_CONFIG_DIR or ~/.claude: settings.json
	Project Scope = "project" // <project>/.claude/settings.json, usually committed
	Local   Scope = "local"   // <project>/.claude/settings.local.json
)

// Options says what to install where. The zero value plus Getenv and From
// installs for the user.
type Options struct {
	Scope         Scope  // "": user; for Uninstall everything that was installed
	Project       string // absolute folder, for the scopes project and local
	BinDir        string // absolute folder of the installed executables; "" = <root>/bin
	From          string // absolute folder that holds the built executables
	DryRun        bool   // plan and show, write nothing
	MigratePython bool   // Install: take out the hooks of the published Python version
	Force         bool   // Install: also into a file that some client ignores because of a fault elsewhere in it
	Purge         bool   // Uninstall: also database, spool, logs, state, configuration
	Version       string // of the program that installs, for the manifest

	Getenv func(string) string
	Now    func() time.Time // nil = time.Now
	// Probe is asked whether the executables in a folder work: those in From
	// before anything is written, their copies before they are registered. An
	// error ends the installation. nil = do not ask.
	Probe func(ctx context.Context, dir string) error
}

// place is where everything is for one set of options.
type place struct {
	config.Paths
	bin      string
	claude   string // the user's Claude folder
	manifest string
	now      time.Time
}

// ManifestName is the name of the manifest below devflow's root.
const ManifestName = "install-manifest.json"

func (o Options) place() (place, error) {
	paths, err := config.ResolvePaths(o.Getenv)
	if err != nil {
		return place{}, err
	}
	if paths.Home == "" || !filepath.IsAbs(paths.Home) {
		return place{}, errors.New("resolve places: HOME is not an absolute path")
	}
	p := place{Paths: paths, bin: paths.Bin, claude: ClaudeDir(o.Getenv), manifest: filepath.Join(paths.Root, ManifestName)}
	if o.BinDir != "" {
		p.bin = filepath.Clean(o.BinDir)
	}
	p.now = time.Now()
	if o.Now != nil {
		p.now = o.Now()
	}
	for _, dir := range []string{p.bin, o.Project, o.From} {
		if dir != "" && !filepath.IsAbs(dir) {
			return place{}, fmt.Errorf("resolve places: %s is not an absolute path", dir)
		}
	}
	for _, taken := range []string{"/", paths.Home, p.claude, o.Project} {
		if taken != "" && target.SameDir(paths.Root, taken) {
			return place{}, fmt.Errorf("resolve places: DEVFLOW_HOME=%s is a folder of somebody else; use a folder of its own", paths.Root)
		}
	}
	return p, nil
}

// ClaudeDir is the user's Claude Code folder: $CLAUDE_CONFIG_DIR or ~/.claude.
func ClaudeDir(getenv func(string) string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(getenv("HOME"), ".claude")
}

// SettingsPath is the settings file of a scope. project is not used for User.
func SettingsPath(getenv func(string) string, scope Scope, project string) (string, error) {
	switch {
	case scope == User:
		return filepath.Join(ClaudeDir(getenv), "settings.json"), nil
	case scope != Project && scope != Local:
		return "", fmt.Errorf("resolve settings file: scope %q is none of user, project, local", string(scope))
	case !filepath.IsAbs(project):
		return "", fmt.Errorf("resolve settings file: scope %s needs the absolute folder of a project", scope)
	case scope == Project:
		return filepath.Join(project, ".claude", "settings.json"), nil
	}
	return filepath.Join(project, ".claude", "settings.local.json"), nil
}

// inside reports whether path lies in dir, by name.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
