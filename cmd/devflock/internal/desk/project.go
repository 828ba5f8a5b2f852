package desk

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// ProjectOptions say which project a command is about.
type ProjectOptions struct {
	Dir  string
	Init bool     // make a repository when there is none
	Base string   // revision; "" = HEAD, and nothing may be uncommitted
	Own  []string // files that the command reads itself: they need not be committed
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
		return p, "", frame.Hint(reason(err), "add --init to make one with what is there, or run: git init")
	case err != nil:
		return p, "", Refused(err)
	}
	if dirty := a.dirty(p, o.Own); len(dirty) > 0 && o.Base == "" {
		return p, "", frame.Hint(errors.New(uncommitted(p.Top, dirty)), "commit them, or start from a commit with: --base HEAD")
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

// dirty is what is not committed, without the files that the command reads itself.
func (a *App) dirty(p trees.Project, own []string) []string {
	wd, err := a.WorkDir()
	if err != nil {
		return p.Dirty
	}
	mine := map[string]bool{}
	for _, file := range own {
		if file == "" {
			continue
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(wd, file)
		}
		if real, err := filepath.EvalSymlinks(file); err == nil {
			mine[real] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Dirty), func(path string) bool {
		return mine[filepath.Join(p.Top, filepath.FromSlash(path))]
	})
}

// namedFiles is how many files a refusal names.
const namedFiles = 3

func uncommitted(top string, files []string) string {
	what := "1 file in %s has changes that are not committed, and workers would not see it: %s"
	if len(files) > 1 {
		what = strconv.Itoa(len(files)) + " files in %s have changes that are not committed, and workers would not see them: %s"
	}
	list := strings.Join(files[:min(len(files), namedFiles)], ", ")
	if len(files) > namedFiles {
		list += ", …"
	}
	return fmt.Sprintf(what, grid.Clean(top), grid.Clean(list))
}

// reason is a refusal without what could be done, which the command knows better.
func reason(err error) error {
	var r *trees.RefusedError
	if errors.As(err, &r) && r.Reason != "" {
		return errors.New(strings.Replace(err.Error(), r.Error(), r.Reason, 1))
	}
	return err
}

// Refused adds the hint that a refusal of the project has.
func Refused(err error) error {
	var r *trees.RefusedError
	if errors.As(err, &r) && !frame.Hinted(err) {
		return frame.Hint(reason(err), r.Hint)
	}
	return err
}
