package matter

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/devflow-suite/devflow/judge/verdict"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/tdd"
)

// elsewhere names what the two trees cannot show: work inside another repository, and source files that ignore rules
// written in this very task keep out of sight.
func (c *Case) elsewhere(ctx context.Context, repo gitx.Repo, objs string) {
	for i := range c.Files {
		if f := &c.Files[i]; f.Submodule() {
			c.doubt(verdict.Soft, f.Path, "not looked at: "+f.Path+": another repository", "work in that repository, or judge it there")
		}
	}
	if !c.rulesChanged(repo) {
		return
	}
	ignored, err := repo.Ignored(ctx, objs)
	if err != nil {
		c.doubt(verdict.Soft, "", "the ignore rules were changed, and what they hide cannot be listed: "+cause(err), "")
		return
	}
	named := 0
	for _, p := range ignored {
		said := slices.ContainsFunc(c.blind, func(r verdict.Reason) bool { return r.File == p })
		if tdd.Classify(p) != tdd.Impl || said || !c.written(c.abs(p)) || named == verdict.MaxListed {
			continue
		}
		named++
		c.doubt(verdict.Soft, p, "not looked at: "+p+": an ignore rule of this task hides it", "take the file out of .gitignore")
	}
}

// rulesChanged reports whether this task touched what git ignores.
func (c *Case) rulesChanged(repo gitx.Repo) bool {
	for i := range c.Files {
		if path.Base(c.Files[i].Path) == ".gitignore" {
			return true
		}
	}
	return c.written(filepath.Join(repo.CommonDir, "info", "exclude"))
}

// written reports whether a file was changed after the task began.
func (c *Case) written(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.ModTime().UnixMilli() >= c.Task.StartedMS
}
