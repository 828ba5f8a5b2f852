// Package matter is what a verdict is about: the change of a task, a range or a patch, with the signals, the test run and
// the project around it, and what of it could not be seen.
//
// It owns no table and comes to no outcome. A Case belongs to one goroutine, but for Spend.
package matter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"github.com/devflow-suite/devflow/judge/verdict"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/look"
	"github.com/devflow-suite/devflow/tdd"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// Doubts are what looking at the case itself gave cause to say.
func (c *Case) Doubts() []verdict.Reason { return c.blind }

// Resolved are the signals that are no longer true, as far as Forced has looked.
func (c *Case) Resolved() []telemetry.Key { return c.resolved }

// Close lets go of what the case has opened. It can be used again.
func (c *Case) Close() error {
	if c.finder == nil {
		return nil
	}
	return c.finder.Close()
}

// Case is everything that a verdict may be based on. Examiners read it and leave it as it is.
type Case struct {
	Task          telemetry.Task
	Spec          string // text of the plan when the task has one in the project, else its description
	Root          string // project root with links resolved
	BaseTree      string
	NowTree       string
	DiffSHA       string         // identifies the two trees; empty when there are none
	NoDiff        bool           // both trees were seen and are equal
	Files         []File         // every file that differs, in path order
	Change        *change.Change // the same for the rules of the evidence engine; nil when nobody could look
	Signals       []telemetry.Signal
	LastTest      *journal.TestRun // newest test command of the task; nil when there was none
	TestIsStale   bool             // a source file was edited after LastTest
	SourceDirs    []string         // where a missing test is a finding; empty: everywhere
	TestsOptional bool             // the user has switched the tdd module off
	Clock         func() time.Time // nil = time.Now

	Repo    gitx.Repo // where the trees are; the zero value for a patch
	Objects string    // the object folder with them

	patch    []byte
	account  account
	finder   *tdd.Finder
	Edited   []string         // source and test files that hooks saw being edited
	blind    []verdict.Reason // what looking itself could not see
	resolved []telemetry.Key  // signals that are no longer true, filled by forced
}

// File is one changed file. The content is read of every file that may be text.
type File struct {
	changeset.File
	Kind tdd.Kind
	Lang tdd.Lang
}

// Code is true for a source or test file whose present content is a regular file.
func (f *File) Code() bool { return isCode(f.Path) && f.Regular() }

func isCode(path string) bool {
	kind := tdd.Classify(path)
	return kind == tdd.Impl || kind == tdd.Test
}

// DiffSHA names the difference of two trees.
func DiffSHA(now, base string) string {
	sum := sha256.Sum256([]byte(now + base))
	return hex.EncodeToString(sum[:])
}

// look fills in what git knows. What cannot be seen becomes a reason of class verdict.Blind or verdict.Soft; it never returns an error.
func (c *Case) Look(ctx context.Context, paths config.Paths) {
	blind := func(format string, args ...any) {
		c.blind = append(c.blind, verdict.Reason{Prefix: "judge", Class: verdict.Blind, Text: "could not judge: " + fmt.Sprintf(format, args...)})
	}
	repo, err := gitx.Find(c.Root)
	if err != nil {
		blind("%s is in no git work tree", c.Root)
		return
	}
	c.Root = repo.Root
	if c.BaseTree == "" || c.BaseTree == telemetry.NoTree {
		blind("the work tree was not recorded before the task's first change")
		return
	}
	objs := gitx.ObjectDir(paths.Objects, repo.Root)
	snap, err := repo.Snap(ctx, objs, c.Edited...)
	if err != nil {
		blind("%s", cause(err))
		return
	}
	c.NowTree, c.DiffSHA = snap.Tree, DiffSHA(snap.Tree, c.BaseTree)
	files, err := changeset.Read(ctx, repo, objs, c.BaseTree, snap.Tree, look.Wanted)
	if err != nil {
		blind("%s", cause(err))
	}
	c.Take(ctx, repo, objs, files)
	c.notSeen(snap)
	c.elsewhere(ctx, repo, objs)
	for i := range c.Files {
		c.unread(&c.Files[i], err)
	}
	c.tooMuch()
}

// Take puts the files that differ between the case's trees into it. nil means that nobody could list them. ctx bounds
// what rules ask of the repository later.
func (c *Case) Take(ctx context.Context, repo gitx.Repo, objs string, files []changeset.File) {
	c.NoDiff = files != nil && len(files) == 0
	for _, f := range files {
		c.Files = append(c.Files, File{File: f, Kind: tdd.Classify(f.Path), Lang: tdd.LanguageOf(f.Path)})
	}
	c.Repo, c.Objects = repo, objs
	c.Change = look.Trees(ctx, repo, objs, c.BaseTree, c.NowTree, files)
	c.Change.Task = c.Task.Description
}

// Patch is the change as git prints it; empty when it is too large to be shown or there is none. At most one git process.
func (c *Case) Patch(ctx context.Context) []byte {
	if c.patch == nil && c.Repo.Root != "" && !c.NoDiff {
		c.patch, _ = c.Repo.Patch(ctx, c.Objects, c.BaseTree, c.NowTree)
	}
	return c.patch
}

// maxSpec bounds the plan of a task, in bytes.
const maxSpec = 64 << 10

// spec is what the task was meant to do. A plan outside of the project is not read.
func (c *Case) ReadSpec() string {
	rel := c.Task.PlanPath
	if filepath.IsAbs(rel) {
		within, err := filepath.Rel(c.Root, rel)
		if err != nil {
			return c.Task.Description
		}
		rel = within
	}
	if rel == "" || !filepath.IsLocal(rel) {
		return c.Task.Description
	}
	root, err := os.OpenRoot(c.Root)
	if err != nil {
		return c.Task.Description
	}
	defer root.Close()
	f, err := root.Open(rel)
	if err != nil {
		return c.Task.Description
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return c.Task.Description
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSpec))
	if err != nil || len(text) == 0 {
		return c.Task.Description
	}
	return strings.ToValidUTF8(string(text), "?")
}

// cause is an error for people: git missing and sizes are said in plain words.
func cause(err error) string {
	switch {
	case errors.Is(err, gitx.ErrNoGit):
		return "the git program is missing"
	case errors.Is(err, gitx.ErrTooLarge):
		return "the change is too large to read (" + err.Error() + ")"
	}
	return err.Error()
}

// doubt says what was not looked at, or not in the usual way.
func (c *Case) doubt(class verdict.Class, path, text, fix string) {
	c.blind = append(c.blind, verdict.Reason{Prefix: "judge", Class: class, File: path, Text: text, Fix: fix})
}

// isBlind reports whether the task could not be looked at as a whole.
func (c *Case) IsBlind() bool {
	return slices.ContainsFunc(c.blind, func(r verdict.Reason) bool { return r.Class == verdict.Blind })
}

// notSeen turns what a snapshot left out into reasons.
func (c *Case) notSeen(snap gitx.Snap) {
	for _, s := range snap.Skipped {
		class, name := verdict.Soft, s.Path
		if name != "" && !isCode(name) {
			class = verdict.Note
		}
		if name == "" {
			name = "part of the work tree"
		}
		c.doubt(class, s.Path, "not looked at: "+name+": "+s.Why, "make it readable, or list it in .gitignore")
	}
	for _, path := range snap.Unseen {
		c.doubt(verdict.Soft, path, "not looked at: "+path+": git ignores it, or another repository has it", "work in that repository, or take the file out of .gitignore")
	}
	for _, path := range snap.Hidden {
		if c.file(path) != nil {
			c.doubt(verdict.Soft, path, "changed although git is told not to see it: "+path, "git update-index --no-assume-unchanged --no-skip-worktree "+path)
		}
	}
}

// unread says of a changed source or test file what of it could not be read.
func (c *Case) unread(f *File, err error) {
	switch {
	case !f.Code():
	case f.Hidden:
		c.doubt(verdict.Soft, f.Path, "text that .gitattributes hides from diffs: "+f.Path, "take the attribute away")
	case f.After == nil && err != nil:
		c.doubt(verdict.Soft, f.Path, "not looked at: "+f.Path+": too large to read", "")
	case f.Lines.Unreadable != "":
		c.doubt(verdict.Soft, f.Path, "not looked at: "+f.Path+": its part of the patch cannot be read", "")
	case f.Lines.Binary:
		c.doubt(verdict.Soft, f.Path, "not looked at: "+f.Path+": its content is not text", "")
	}
}

// tests is the finder of tests in the work tree.
func (c *Case) tests() *tdd.Finder {
	if c.finder == nil {
		c.finder = tdd.NewFinder(c.Root)
	}
	return c.finder
}

// abs is the place of a project file on disk.
func (c *Case) abs(rel string) string { return filepath.Join(c.Root, filepath.FromSlash(rel)) }

// file gives the changed file of a path, nil when it did not change.
func (c *Case) file(path string) *File {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return &c.Files[i]
		}
	}
	return nil
}
