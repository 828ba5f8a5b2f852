package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// checkConfig reads the two configuration files as a hook does that was started
// in the project, and tells all that it did not follow.
func (e *exam) checkConfig() {
	root := e.Project
	if repo, err := gitx.Find(root); root != "" && err == nil {
		root = repo.Root // hooks look for the project's file there
	}
	_, problems := config.Load(e.Paths, root)
	if len(problems) == 0 {
		e.add("config", OK, "", "%s", e.present(root))
		return
	}
	status := Warn
	var texts []string
	for _, p := range problems {
		if p.Ignored {
			status = Fail
		}
		texts = append(texts, p.String())
	}
	e.add("config", status, "correct that line; until then the defaults hold", "%s", strings.Join(texts, "\n"))
}

// present says which of the files there are.
func (e *exam) present(root string) string {
	files := []string{e.File}
	if root != "" {
		files = append(files, filepath.Join(root, config.ProjectFile))
	}
	var there []string
	for _, file := range files {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			there = append(there, file)
		}
	}
	if len(there) == 0 {
		return "no configuration file; the defaults hold"
	}
	return "all of it is followed: " + strings.Join(there, ", ")
}
