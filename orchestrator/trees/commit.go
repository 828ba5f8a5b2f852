package trees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/audit"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/refs"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
	"github.com/devflow-suite/devflow/orchestrator/trees/work"
)

// bigFile is the size from which on a committed file is mentioned, in bytes: hosting services refuse it.
const bigFile = 100 << 20

// Outside gives what was changed in the region's tree and is not for the region to change, as slash paths below the top of the
// repository: new, changed, deleted and re-typed files outside its folders, and inside them symbolic links that lead out, submodules,
// nested repositories, and files behind a filter that does not run. Where the path alone does not say why, a reason in parentheses
// follows it. Ignored files do not count: they are never committed. One process, two where filters are configured.
func (t *Trees) Outside(ctx context.Context, name string) ([]string, error) {
	r, unlock, err := t.enter(ctx, name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	found, err := t.outside(ctx, r)
	if err != nil {
		if found = r.work.TooDeep(ctx, r.inside); len(found) == 0 { // git cannot look there
			return nil, fmt.Errorf("audit region %s: %w", name, err)
		}
	}
	return found, nil
}

// enter locks a region whose tree stands where Begin put it.
func (t *Trees) enter(ctx context.Context, name string) (*region, func(), error) {
	r, err := t.get(name)
	if err != nil {
		return nil, nil, err
	}
	unlock, err := t.lock(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if !work.Exists(r.Root) || !work.Exists(r.work.Index()) || r.work.GitDir == "" {
		unlock()
		return nil, nil, fmt.Errorf("region %s: its tree %s is gone: %w", name, r.Root, ErrRegion)
	}
	if r.work.Half() {
		unlock()
		return nil, nil, fmt.Errorf("region %s: %w", name, ErrBegin)
	}
	return r, unlock, nil
}

func (t *Trees) outside(ctx context.Context, r *region) ([]string, error) {
	if err := r.work.Settle(ctx, false); err != nil {
		return nil, err
	}
	g := r.work.Git()
	s, err := g.Status(ctx, true)
	if err != nil {
		return nil, err
	}
	c := audit.Case{Root: r.Root, Inside: r.inside, Changes: s.Changes, Ignored: s.Ignored}
	c.Absent = r.work.Absent()
	if c.Submodules, err = r.work.Submodules(); err != nil {
		return nil, err
	}
	if c.Filters, err = t.filtered(ctx, g, s.Changes); err != nil {
		return nil, err
	}
	found, err := audit.Outside(c)
	if err != nil {
		return nil, err
	}
	if gitDir, good := r.work.Link(); !good || gitDir != r.GitDir {
		found = append(found, ".git (the link of the work tree was changed)")
	}
	return found, nil
}

// filtered gives the changed files that a configured filter other than LFS would have to run on. No process without such a filter.
func (t *Trees) filtered(ctx context.Context, g git.Runner, changes []git.Change) (map[string]string, error) {
	if len(g.Filters) == 1 || len(changes) == 0 { // lfs is always there
		return nil, nil
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	values, err := checkAttr(ctx, g, "filter", paths)
	if err != nil {
		return nil, err
	}
	for path, v := range values {
		if v == "lfs" || v == "unset" || v == "set" {
			delete(values, path)
		}
	}
	return values, nil
}

// Commit commits the changes in the region's folders, and nothing else, on top of where Begin put the tree, and moves the region's
// branch there. changed is false when there is nothing to commit; commit is then the start itself. A commit that was made since Begin
// is replaced by one that holds its changes too. A *RefusedError says that git does not accept a file. Five processes, one when
// nothing has changed.
func (t *Trees) Commit(ctx context.Context, name string, m Message) (commit string, changed bool, err error) {
	r, unlock, err := t.enter(ctx, name)
	if err != nil {
		return "", false, err
	}
	defer unlock()
	if commit, changed, err = t.commit(ctx, r, m); err != nil {
		return "", false, fmt.Errorf("commit region %s: %w", name, err)
	}
	return commit, changed, nil
}

func (t *Trees) commit(ctx context.Context, r *region, m Message) (string, bool, error) {
	if err := t.known(ctx, r); err != nil {
		return "", false, err
	}
	if err := r.work.Settle(ctx, false); err != nil {
		return "", false, err
	}
	if at := work.Crooked(r.Root, r.inside); at != "" {
		return "", false, &RefusedError{Reason: fmt.Sprintf("%q is no folder any more, so the work of the region cannot be found", at)}
	}
	s, err := r.work.Git().Status(ctx, false)
	if err != nil {
		return "", false, err
	}
	paths, err := t.mine(r, s.Changes)
	if err != nil {
		return "", false, err
	}
	if len(paths) == 0 && r.branch == r.start {
		return r.start, false, nil
	}
	tree, keep, err := r.work.Stage(ctx, paths)
	var failed *git.Error
	if errors.As(err, &failed) && failed.Command == "update-index" {
		return "", false, &RefusedError{Reason: "git does not accept a file: " + failed.Error(), Err: err}
	}
	if err != nil {
		return "", false, err
	}
	before, err := t.store.Tree(ctx, r.start)
	if err != nil {
		return "", false, err
	}
	commit := r.start
	if tree != before {
		if commit, err = t.store.Commit(ctx, tree, []string{r.start}, m.text()); err != nil {
			return "", false, err
		}
	}
	if err := t.moveBranch(ctx, r, commit); err != nil {
		return "", false, err
	}
	return commit, commit != r.start, keep()
}

// known reads where branch and start stand, once per process and region.
func (t *Trees) known(ctx context.Context, r *region) error {
	if r.start != "" && r.branch != "" {
		return nil
	}
	have, err := t.regionRefs(ctx, r.Name)
	if err != nil {
		return err
	}
	r.start, r.branch = have[t.startRef(r.Name)], have["refs/heads/"+t.branch(r.Name)]
	if r.start == "" || r.branch == "" {
		return fmt.Errorf("no branch %s: %w", t.branch(r.Name), gitx.ErrNoRev)
	}
	return nil
}

// mine gives the changed paths that the region may commit.
func (t *Trees) mine(r *region, changes []git.Change) ([]string, error) {
	var paths []string
	for _, c := range changes {
		if c.Work == '.' || !audit.Inside(strings.TrimSuffix(c.Path, "/"), r.inside) {
			continue
		}
		if c.Submodule || strings.HasSuffix(c.Path, "/") {
			return nil, &RefusedError{Reason: fmt.Sprintf("%q is a repository of its own and cannot be committed here", strings.TrimSuffix(c.Path, "/"))}
		}
		if info, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(c.Path))); err == nil && info.Mode().IsRegular() && info.Size() > bigFile {
			t.o.Log.Warn("file above 100 MB is committed", "region", r.Name, "path", c.Path, "bytes", info.Size())
		}
		paths = append(paths, c.Path)
	}
	return paths, nil
}

// moveBranch moves the region's branch, wherever it stands; a commit that it leaves is kept by a ref. One process when it stands where
// we believe.
func (t *Trees) moveBranch(ctx context.Context, r *region, to string) error {
	ref := "refs/heads/" + t.branch(r.Name)
	move := func(from string) error {
		updates := []refs.Change{{Ref: ref, New: to, Old: from}}
		if from != "" && from != r.start && from != to {
			kept := t.kept(r.Name, from)
			have, err := t.refs.List(ctx, kept)
			if err != nil {
				return err
			}
			if have[kept] == "" {
				updates = append(updates, refs.Change{Ref: kept, New: from, Old: ""})
			}
		}
		return t.refs.Update(ctx, updates)
	}
	err := move(r.branch)
	var failed *git.Error
	if errors.As(err, &failed) { // a worker that can write to the repository moved it
		have, listErr := t.refs.List(ctx, ref)
		if listErr != nil {
			return listErr
		}
		if have[ref] == r.branch {
			return err
		}
		err = move(have[ref])
	}
	if err == nil {
		r.branch = to
	}
	return err
}

// text is the message as git keeps it.
func (m Message) text() string {
	line := func(s string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "")), " ")
	}
	text := line(m.Subject)
	if text == "" {
		text = "Work of a region"
	}
	text += "\n"
	if body := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(m.Body, "?"), "\x00", "")); body != "" {
		text += "\n" + body + "\n"
	}
	for i, trailer := range m.Trailers {
		if i == 0 {
			text += "\n"
		}
		text += line(trailer) + "\n"
	}
	return text
}

// Attempted finds a commit of a region whose message ends with a block that holds the trailer line: on its branch since the run's base,
// otherwise the newest that is kept. One process.
func (t *Trees) Attempted(ctx context.Context, name, trailer string) (commit string, found bool, err error) {
	if !shape.RegionName(name) {
		return "", false, fmt.Errorf("region %q: %w", name, ErrRegion)
	}
	branch := "refs/heads/" + t.branch(name)
	res, err := t.place.Repo().Run(ctx, git.Call{Args: []string{
		"log", "-z", "--no-color", "--no-show-signature", "--no-notes", "--no-mailmap", "--encoding=UTF-8", "--source", "--date-order", "--format=%H %S%n%B",
		"--ignore-missing", "--glob=" + t.keptPrefix(name) + "*", branch, "--not", t.base, "--",
	}})
	if err != nil {
		return "", false, fmt.Errorf("look for %q in region %s: %w", trailer, name, err)
	}
	for record := range strings.SplitSeq(string(res.Stdout), "\x00") {
		head, text, _ := strings.Cut(record, "\n")
		oid, ref, _ := strings.Cut(head, " ")
		if (commit == "" || ref == branch) && hasTrailer(text, trailer) {
			if commit = oid; ref == branch {
				break
			}
		}
	}
	return commit, commit != "", nil
}

// hasTrailer looks at the last paragraph of a message only: what stands before it may be anybody's words.
func hasTrailer(text, trailer string) bool {
	text = strings.TrimRight(text, "\n")
	at := strings.LastIndex(text, "\n\n")
	if at < 0 {
		return false
	}
	for line := range strings.SplitSeq(text[at+2:], "\n") {
		if line == trailer {
			return true
		}
	}
	return false
}
