package matter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/look"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// WorkTree is the case of a work tree against a commit (empty: against nothing, as in a repository without commits),
// with no task and no signals. objs is a folder for objects that the caller removes.
func WorkTree(ctx context.Context, repo gitx.Repo, objs, rev string) (*Case, error) {
	base := gitx.EmptyTree("")
	if rev != "" {
		var err error
		if base, err = repo.Tree(ctx, objs, rev); err != nil {
			return nil, err
		}
	}
	snap, err := repo.Snap(ctx, objs)
	if err != nil {
		return nil, err
	}
	c, err := Range(ctx, repo, objs, base, snap.Tree)
	if err != nil {
		return nil, err
	}
	c.notSeen(snap)
	c.anything() // also of what the snapshot left out
	return c, nil
}

// Range is the case of two trees, with no task and no signals. The error is for a list of files that cannot be made;
// what else could not be read stands in the case.
func Range(ctx context.Context, repo gitx.Repo, objs, base, now string) (*Case, error) {
	c := &Case{BaseTree: base, NowTree: now, DiffSHA: DiffSHA(now, base), TestsOptional: true}
	files, err := changeset.Read(ctx, repo, objs, base, now, look.Wanted)
	if files == nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	c.Take(ctx, repo, objs, files)
	switch {
	case errors.Is(err, gitx.ErrTooLarge):
		c.doubt(verdict.Soft, "", "not everything was looked at: "+cause(err), "judge smaller changes")
	case err != nil: // something is broken: nobody knows what was not seen
		c.doubt(verdict.Blind, "", "could not judge: "+cause(err), "git fsck")
	}
	for i := range c.Files {
		c.unread(&c.Files[i], err)
	}
	c.tooMuch()
	c.anything()
	return c, nil
}

// OfPatch is the case of a patch without its repository. Questions about the rest of the project have no answer there.
func OfPatch(patch []byte) (*Case, error) {
	change, unread, err := look.Patch(patch)
	if err != nil {
		return nil, err
	}
	c := &Case{TestsOptional: true, Change: change, patch: patch, NoDiff: len(change.Files) == 0 && len(unread) == 0}
	for _, text := range unread {
		class := verdict.Soft
		if path, _, _ := strings.Cut(text, ": "); isCode(path) {
			class = verdict.Blind
		}
		c.doubt(class, "", "not looked at: "+text, "judge it in the repository: devflow judge")
	}
	c.tooMuch()
	c.anything()
	return c, nil
}

// tooMuch says which texts were not read because they, or all of them, are too large.
func (c *Case) tooMuch() {
	var left []string
	for _, f := range c.Change.Files {
		if f.Before == nil && f.After == nil && !f.Binary && look.Wanted(f.Path) {
			left = append(left, f.Path)
		}
	}
	if len(left) == 0 {
		return
	}
	names := strings.Join(left[:min(len(left), verdict.MaxListed)], ", ")
	if n := len(left) - verdict.MaxListed; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	c.doubt(verdict.Soft, "", fmt.Sprintf("not looked at: %d of %d changed files are too large, or too much together: %s", len(left), len(c.Change.Files), names), "judge smaller changes")
}

// anything makes a case of which no file could be read one that nobody could judge.
func (c *Case) anything() {
	texts := 0
	for _, f := range c.Change.Files {
		if f.Before != nil || f.After != nil {
			return
		}
		if (!f.Binary || isCode(f.Path)) && look.Wanted(f.Path) {
			texts++
		}
	}
	switch {
	case texts > 0 || len(c.Change.Files) == 0 && len(c.blind) > 0:
		c.doubt(verdict.Blind, "", "could not judge: none of the changed files could be read", "judge smaller changes")
	case !c.NoDiff:
		c.doubt(verdict.Soft, "", "not looked at: nothing in this change is text", "")
	}
}

// Read counts the changed files, and those of them whose text was read.
func (c *Case) Read() (files, read int) {
	if c.Change == nil {
		return len(c.Files), 0
	}
	for _, f := range c.Change.Files {
		if f.Before != nil || f.After != nil {
			read++
		}
	}
	return len(c.Change.Files), read
}
