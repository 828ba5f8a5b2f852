package desk

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// ProjectOptions say which project a command is about.
type ProjectOptions struct {
	Dir  string
	Init bool   // make a repository when there is none
	Base string // revision; "" = HEAD, and nothing may be uncommitted
}

// Flag takes the folder.
func (o *ProjectOptions) Flag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "of the project in `DIR` instead of this folder", Destination: &o.Dir}
}

// Folder is the absolute path of the project.
func (a *App) Folder(dir string) (string, error) {
	wd, err := a.WorkDir()
	if err != nil || dir == "" {
		return wd, err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(wd, dir)
	}
	return filepath.Clean(dir), nil
}

// Examined is the project, with every reason not to start a run said.
func (a *App) Examined(ctx context.Context, e engine.Engine, o ProjectOptions) (p trees.Project, base string, err error) {
	dir, err := a.Folder(o.Dir)
	if err != nil {
		return p, "", err
	}
	p, err = e.Examine(ctx, dir)
	if errors.Is(err, trees.ErrNoRepo) && o.Init {
		p, err = e.Init(ctx, dir)
	}
	switch {
	case errors.Is(err, trees.ErrNoRepo):
		return p, "", frame.Hint(err, "add --init to make one with what is there, or run: git init")
	case err != nil:
		return p, "", Refused(err)
	}
	if len(p.Dirty) > 0 && o.Base == "" {
		return p, "", frame.Hint(errors.New(uncommitted(len(p.Dirty))), "commit them, or start from a commit with: --base HEAD")
	}
	_ = show.Notes(a.Stderr, p.Notes, frame.Columns(a.Stderr)) // a closed stderr is no reason not to work
	if o.Base == "" || o.Base == "HEAD" {
		return p, p.Head, nil
	}
	if base, err = e.Commit(ctx, p, o.Base); err != nil {
		return p, "", frame.Hint(err, "git log --oneline")
	}
	return p, base, nil
}

func uncommitted(n int) string {
	if n == 1 {
		return "1 file has changes that are not committed, and workers would not see them"
	}
	return fmt.Sprintf("%d files have changes that are not committed, and workers would not see them", n)
}

// Refused adds the hint that a refusal of the project has.
func Refused(err error) error {
	var r *trees.RefusedError
	if errors.As(err, &r) && !frame.Hinted(err) {
		return frame.Hint(err, r.Hint)
	}
	return err
}
