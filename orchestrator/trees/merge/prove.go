package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

const (
	wholeFile = "the merged file is not what the only side that changed it made of it"
	// maxLines bounds how many lost lines an error names.
	maxLines = 10
)

// file is one file of a merge, followed through renames: what it was, what both sides made of it, and what the merge holds.
type file struct {
	path string // in the merged tree
	base blob
	ours blob
	them blob
	got  blob
}

// expected is what the merge must hold when at most one side changed the file.
func (f file) expected() (blob, bool) {
	switch {
	case f.ours == f.them, f.them == f.base:
		return f.ours, true
	case f.ours == f.base:
		return f.them, true
	}
	return blob{}, false
}

// prove shows that the merged tree has everything that both sides made: a file that one side changed is that side's, byte for byte;
// in a file that both changed, every line that a side added and every line that neither removed is there, as often as it must be.
// The error is a *LostError, or a *ConflictError for a file that its attributes forbid to merge as text. No process when no file was
// changed by both.
func (s *Store) prove(ctx context.Context, commit string, x sides) error {
	files, odd := x.files()
	if odd { // something is elsewhere: renamed, or lost
		var err error
		if files, err = s.follow(ctx, x); err != nil {
			return err
		}
	}
	var both []file
	for _, f := range files {
		want, one := f.expected()
		switch {
		case !one:
			both = append(both, f)
		case want != f.got:
			return &LostError{Commit: commit, Path: f.path, Why: wholeFile}
		}
	}
	if len(both) == 0 {
		return nil
	}
	if err := s.mergeable(ctx, commit, x.ours, both); err != nil {
		return err
	}
	return s.lines(ctx, commit, both)
}

// files takes every path for itself. odd is true when that does not add up.
func (x sides) files() (files []file, odd bool) {
	for _, path := range x.paths() {
		f := file{path: path, base: x.was(path), ours: x.at(x.o, path), them: x.at(x.t, path), got: x.at(x.m, path)}
		want, one := f.expected()
		odd = odd || one && want != f.got || !one && !(f.base.there() && f.ours.there() && f.them.there() && f.got.there())
		files = append(files, f)
	}
	return files, odd
}

// follow takes renames of both sides into account. Two processes.
func (s *Store) follow(ctx context.Context, x sides) ([]file, error) {
	o, err := s.renamed(ctx, x.base, x.ours)
	if err != nil {
		return nil, err
	}
	t, err := s.renamed(ctx, x.base, x.theirs)
	if err != nil {
		return nil, err
	}
	oTo, tTo := targets(o), targets(t)
	moved := map[string]bool{} // paths that a rename made
	for _, to := range [...]map[string]string{oTo, tTo} {
		for _, path := range to {
			moved[path] = true
		}
	}
	var files []file
	for _, path := range x.paths() {
		was := x.was(path)
		if !was.there() {
			if !moved[path] {
				files = append(files, file{path: path, ours: x.at(x.o, path), them: x.at(x.t, path), got: x.at(x.m, path)})
			}
			continue
		}
		f := file{path: path, base: was}
		ourPath, ourMoved := oTo[path]
		theirPath, theirMoved := tTo[path]
		if !ourMoved {
			ourPath = path
		}
		if !theirMoved {
			theirPath = path
		}
		f.ours, f.them = x.at(x.o, ourPath), x.at(x.t, theirPath)
		if f.path = ourPath; !ourMoved {
			f.path = theirPath
		}
		f.got = x.at(x.m, f.path)
		files = append(files, f)
	}
	return files, nil
}

// targets maps the old path of every rename to the new one.
func targets(diff map[string]entry) map[string]string {
	to := map[string]string{}
	for path, e := range diff {
		if e.from != "" && !diff[e.from].new.there() {
			to[e.from] = path
		}
	}
	return to
}

// mergeable refuses files that .gitattributes excludes from merging as text, or gives to a program.
func (s *Store) mergeable(ctx context.Context, commit, ours string, both []file) error {
	if s.o.Attributes == nil {
		return nil
	}
	paths := make([]string, len(both))
	for i, f := range both {
		paths[i] = f.path
	}
	values, err := s.o.Attributes(ctx, ours, paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		switch v := values[path]; v {
		case "", "unspecified", "set", "text", "union":
		case "unset", "binary":
			return &ConflictError{Commit: commit, Paths: []string{path}, Text: "both sides changed it, and its attributes say that it cannot be merged as text"}
		default:
			return &ConflictError{Commit: commit, Paths: []string{path}, Text: fmt.Sprintf("both sides changed it, and its attributes give it to the merge driver %q, which does not run", v)}
		}
	}
	return nil
}

// lines proves files that both sides changed. Two processes per file, and one for all.
func (s *Store) lines(ctx context.Context, commit string, both []file) error {
	var oids []string
	for _, f := range both {
		oids = append(oids, f.base.oid, f.ours.oid, f.them.oid, f.got.oid)
	}
	slices.Sort(oids)
	content, err := s.blobs(ctx, slices.Compact(oids))
	if err != nil {
		return err
	}
	for _, f := range both {
		if !f.got.there() || !f.ours.there() || !f.them.there() {
			return &LostError{Commit: commit, Path: f.path, Why: "one side changed the file, and the other or the merge has none"}
		}
		if want := mode(f); f.got.mode != want {
			return &LostError{Commit: commit, Path: f.path, Why: fmt.Sprintf("the merged file has mode %s instead of %s", f.got.mode, want)}
		}
		ours, err := s.hunks(ctx, f.base.oid, f.ours.oid, content)
		if err != nil {
			return err
		}
		theirs, err := s.hunks(ctx, f.base.oid, f.them.oid, content)
		if err != nil {
			return err
		}
		if lost := lost(content[f.base.oid], ours, theirs, content[f.got.oid]); len(lost) > 0 {
			return &LostError{Commit: commit, Path: f.path, Lines: lost[:min(len(lost), maxLines)], Why: fmt.Sprintf("%d lines would be lost", len(lost))}
		}
	}
	return nil
}

// mode is the merged one: that of the side that changed it.
func mode(f file) string {
	if f.ours.mode == f.base.mode {
		return f.them.mode
	}
	return f.ours.mode
}

// hunks compares two blobs as the merge does.
func (s *Store) hunks(ctx context.Context, base, side string, content map[string][]byte) ([]hunk, error) {
	if base == side {
		return nil, nil
	}
	if base == "" { // new on this side
		return []hunk{{plus: split(content[side])}}, nil
	}
	res, err := s.git.Run(ctx, git.Call{Args: []string{
		"diff", "--text", "--diff-algorithm=histogram", "--no-indent-heuristic", "-U1", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-function-context", base, side,
	}, OK: []int{1}})
	if err != nil {
		return nil, fmt.Errorf("compare blobs: %w", err)
	}
	return parseHunks(res.Stdout)
}
