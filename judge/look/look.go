// Package look reads the difference of two trees of a repository, and the trees around it, into what the rules of the
// judge look at.
//
// It is the only place where the evidence engine meets git: a few processes for a change, and one for each question
// about the rest of the project, whose answers are kept. It owns no table and judges nothing.
package look

import (
	"context"
	"fmt"
	"sort"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/diff"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/change"
)

// MaxText bounds one file that the rules read, in bytes. What is larger is no text that a person wrote.
const MaxText = 2 << 20

// MaxAll bounds what the rules read of a change altogether, both sides, in bytes: they compare units with each other, and
// more than this nobody reviews at once. The small files come first.
const MaxAll = 6 << 20

// fit takes the texts away that are too much, the largest first.
func fit(sources []change.Source) []change.Source {
	size := func(s *change.Source) int { return len(s.Before) + len(s.After) }
	order := make([]int, len(sources))
	total := 0
	for i := range sources {
		order[i] = i
		total += size(&sources[i])
	}
	if total <= MaxAll {
		return sources
	}
	sort.SliceStable(order, func(a, b int) bool { return size(&sources[order[a]]) < size(&sources[order[b]]) })
	total = 0
	for _, i := range order {
		s := &sources[i]
		if total += size(s); total > MaxAll {
			s.Before, s.After, s.Lines.Added, s.Lines.Removed = nil, nil, nil, nil
		}
	}
	return sources
}

// Wanted reports whether the content of a changed file is read: all but what can be told from its name not to be text.
func Wanted(path string) bool { return !binaryName(path) }

// Trees makes the change of two trees whose files were read already. ctx bounds the questions that rules ask later.
func Trees(ctx context.Context, r gitx.Repo, objDir, base, now string, files []changeset.File) *change.Change {
	sources := make([]change.Source, 0, len(files))
	for i := range files {
		f := &files[i]
		if f.Submodule() {
			continue
		}
		s := change.Source{Path: f.Path, OldPath: f.OldPath, Status: f.Status, Lines: f.Lines, Binary: f.Lines.Binary && !f.Hidden}
		if f.Status != 'A' && f.OldPath == "" {
			s.OldPath = f.Path
		}
		s.Before, s.After = text(f.Before, f.OldMode), text(f.After, f.NewMode)
		sources = append(sources, s)
	}
	c := change.New(fit(sources))
	c.Now = &tree{ctx: ctx, repo: r, objs: objDir, oid: now}
	c.Base = &tree{ctx: ctx, repo: r, objs: objDir, oid: base}
	return c
}

// text is a content that rules may read, nil when it is none.
func text(content []byte, mode string) []byte {
	if content == nil || len(content) > MaxText || mode == "120000" || changeset.IsBinary(content) {
		return nil
	}
	return content
}

// Patch makes the change that a patch describes, without a repository: the files are the hunks, at their lines. It fails
// for a text that is no patch; a piece that cannot be read becomes a file of unread, with the reason.
func Patch(patch []byte) (c *change.Change, unread []string, err error) {
	files, err := diff.Fragments(patch)
	if err != nil {
		return nil, nil, fmt.Errorf("read patch: %w", err)
	}
	var sources []change.Source
	for i := range files {
		f := &files[i]
		if f.Unreadable != "" || f.Binary {
			why := f.Unreadable
			if f.Binary {
				why = "binary"
			}
			unread = append(unread, f.Path()+": "+why)
			continue
		}
		if len(f.Added)+len(f.Removed) == 0 && f.Status != diff.Added { // a deletion, a new name or another mode, without the text
			name, what := f.Path(), "the patch does not show its content"
			if f.Old != "" && f.Old != name {
				name, what = f.Old, "the patch calls it "+name+" now and does not show its content"
			}
			unread = append(unread, name+": "+what)
			continue
		}
		sources = append(sources, change.Source{Path: f.Path(), OldPath: f.Old, Status: byte(f.Status), Lines: f.File, Before: f.Before, After: f.After})
	}
	c = change.New(fit(sources))
	c.Partial = true
	return c, unread, nil
}
