package install

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/devflow-suite/devflow/install/binaries"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/internal/claude/span"
	"github.com/devflow-suite/devflow/internal/config"
)

// Hint is what a person can do about an error of Install or Uninstall. action
// is the command that was run, "install" or "uninstall".
func Hint(err error, action string, o Options) string {
	again := "devflow " + action
	if o.Scope != "" {
		again += " --scope " + string(o.Scope)
	}
	var syntax *span.SyntaxError
	var shape *settings.ShapeError
	var missing *binaries.MissingError
	var path *fs.PathError
	_, places := config.ResolvePaths(o.Getenv)
	switch {
	case places != nil:
		return "set HOME, DEVFLOW_HOME and DEVFLOW_DB to absolute paths, or leave the last two unset"
	case errors.As(err, &syntax), errors.As(err, &shape):
		return "correct the file at that place (Claude Code ignores it as it is), then run: " + again
	case errors.As(err, &missing):
		return "make build"
	case errors.As(err, &path) && (errors.Is(path, fs.ErrPermission) || errors.Is(path, syscall.EROFS)):
		return writable(path.Path, o)
	}
	return "devflow doctor"
}

// writable names the folder that refuses a file.
func writable(path string, o Options) string {
	home := ClaudeDir(o.Getenv)
	if o.Getenv("DEVFLOW_HOME") == "" && inside(home, path) {
		name := home
		if o.Getenv("CLAUDE_CONFIG_DIR") == "" {
			name = "~/.claude"
		}
		return "make " + name + " writable, or set DEVFLOW_HOME"
	}
	return "make " + filepath.Dir(path) + " writable"
}
