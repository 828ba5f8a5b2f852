package desk

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
)

// Listed is how many runs are looked through.
const Listed = 1000

// Find gives the run that a command line names: by its id or the end of it, otherwise the newest one of this project that fits.
func (a *App) Find(c *cli.Command, e engine.Engine, po ProjectOptions, fits func(orchestrator.Run) bool) (orchestrator.Run, error) {
	if c.NArg() > 1 {
		return orchestrator.Run{}, frame.Usage(fmt.Errorf("one run, not %s", strings.Join(c.Args().Slice(), " ")))
	}
	return a.FindRun(c.Args().First(), e, po, fits)
}

// FindRun is Find with the name of the run, "" for none.
func (a *App) FindRun(name string, e engine.Engine, po ProjectOptions, fits func(orchestrator.Run) bool) (orchestrator.Run, error) {
	runs, err := e.Runs(Listed)
	if err != nil {
		return orchestrator.Run{}, err
	}
	if name != "" {
		return named(runs, name)
	}
	dir, err := a.Folder(po.Dir)
	if err != nil {
		return orchestrator.Run{}, err
	}
	var newest *orchestrator.Run
	for _, r := range runs {
		if !Within(dir, r.Project) {
			continue
		}
		if fits == nil || fits(r) {
			return r, nil
		}
		if newest == nil {
			newest = &r
		}
	}
	if newest != nil {
		return orchestrator.Run{}, frame.Hint(fmt.Errorf("no run of %s is in the state for that: the newest, %s, is %s", dir, newest.ID, newest.State), "devflock status "+string(newest.ID))
	}
	return orchestrator.Run{}, frame.Hint(fmt.Errorf("no run of %s", dir), "devflock status --all, or change into the project")
}

// Within reports whether a folder is a project or below it.
func Within(dir, project string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir == project || strings.HasPrefix(dir, project+string(filepath.Separator))
}

func named(runs []orchestrator.Run, name string) (orchestrator.Run, error) {
	var found []orchestrator.Run
	for _, r := range runs {
		switch id := string(r.ID); {
		case id == name:
			return r, nil
		case strings.HasPrefix(id, name), strings.HasSuffix(id, name):
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return orchestrator.Run{}, frame.Hint(fmt.Errorf("no run %q", name), "devflock status --all")
	}
	return orchestrator.Run{}, frame.Hint(fmt.Errorf("%q fits %d runs", name, len(found)), "devflock status --all")
}
