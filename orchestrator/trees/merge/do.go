package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// candidate is a commit to be merged.
type candidate struct {
	oid, tree, subject string
	parents            []string
}

// Merge merges commits into tip, one after the other. A commit that tip contains already is passed over, one that stands directly on
// it becomes the new tip itself. The error is a *ConflictError, *LostError or *CollisionError for a commit that does not fit; what was
// merged before it is of no use then. Per commit three processes, four when it adds files, and one for all together.
func (s *Store) Merge(ctx context.Context, tip string, commits []string) (Merged, error) {
	tree, err := s.Tree(ctx, tip)
	if err != nil {
		return Merged{}, err
	}
	m := Merged{tip, tree}
	missing, err := s.missing(ctx, tip, commits)
	if err != nil {
		return Merged{}, err
	}
	held := map[string]bool{} // merged by this call
	for _, oid := range commits {
		c, ok := missing[oid]
		if !ok || held[oid] {
			continue
		}
		before := m.Commit
		if m, err = s.one(ctx, m, c, missing); err != nil {
			return Merged{}, err
		}
		s.note(m, before, oid)
		reach(missing, oid, held)
	}
	return m, nil
}

// reach adds what is reachable from a commit, as far as tip does not have it.
func reach(missing map[string]candidate, from string, held map[string]bool) {
	todo := []string{from}
	for len(todo) > 0 {
		oid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c, ok := missing[oid]; ok && !held[oid] {
			held[oid] = true
			todo = append(todo, c.parents...)
		}
	}
}

// missing gives what is reachable from commits and not from tip.
func (s *Store) missing(ctx context.Context, tip string, commits []string) (map[string]candidate, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	args := append([]string{"log", "-z", "--no-color", "--no-show-signature", "--no-notes", "--no-mailmap", "--format=%H%n%T%n%P%n%s", "--end-of-options"}, commits...)
	res, err := s.git.Run(ctx, git.Call{Args: append(args, "^"+tip, "--")})
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	found := map[string]candidate{}
	for record := range bytes.SplitSeq(res.Stdout, []byte{0}) {
		f := strings.SplitN(string(record), "\n", 4)
		if len(f) == 4 {
			found[f[0]] = candidate{oid: f[0], tree: f[1], parents: strings.Fields(f[2]), subject: f[3]}
			s.remember(f[0], f[1])
		}
	}
	return found, nil
}

// one merges one commit.
func (s *Store) one(ctx context.Context, into Merged, c candidate, missing map[string]candidate) (Merged, error) {
	if len(c.parents) == 1 && c.parents[0] == into.Commit {
		m := Merged{c.oid, c.tree}
		diffs, err := s.diffs(ctx, [2]string{into.Tree, c.tree})
		if err != nil {
			return Merged{}, err
		}
		return m, s.collide(ctx, c.oid, m.Tree, added(diffs[0]))
	}
	bases, err := s.bases(ctx, into.Commit, c, missing)
	if err != nil {
		return Merged{}, err
	}
	tree, err := s.mergeTree(ctx, into.Commit, c.oid)
	if err != nil {
		return Merged{}, err
	}
	var fresh []string
	for i, base := range bases { // of several bases, one that shows nothing lost is enough
		sides, err := s.sides(ctx, base, into.Tree, c.tree, tree)
		if err != nil {
			return Merged{}, err
		}
		fresh = sides.fresh()
		err = s.prove(ctx, c.oid, sides)
		var lost *LostError
		if err != nil && (!errors.As(err, &lost) || i == len(bases)-1) {
			return Merged{}, err
		}
		if err == nil {
			break
		}
	}
	if err := s.collide(ctx, c.oid, tree, fresh); err != nil {
		return Merged{}, err
	}
	commit, err := s.Commit(ctx, tree, []string{into.Commit, c.oid}, "Merge: "+c.subject+"\n")
	return Merged{commit, tree}, err
}

// bases gives the trees of the merge bases. A commit whose only parent is in tip needs no process: that is the base.
func (s *Store) bases(ctx context.Context, tip string, c candidate, missing map[string]candidate) ([]string, error) {
	var commits []string
	if len(c.parents) == 1 {
		if _, outside := missing[c.parents[0]]; !outside {
			commits = c.parents
		}
	}
	if commits == nil {
		res, err := s.git.Run(ctx, git.Call{Args: []string{"merge-base", "--all", tip, c.oid}, OK: []int{1}})
		if err != nil {
			return nil, fmt.Errorf("find merge base of %s: %w", short(c.oid), err)
		}
		if commits = strings.Fields(string(res.Stdout)); len(commits) == 0 {
			return nil, &ConflictError{Commit: c.oid, Text: "it has no history in common with the integration branch"}
		}
	}
	trees := make([]string, len(commits))
	for i, commit := range commits {
		tree, err := s.Tree(ctx, commit)
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	return trees, nil
}

// mergeTree is `git merge-tree`: the tree, or a *ConflictError.
func (s *Store) mergeTree(ctx context.Context, tip, commit string) (string, error) {
	res, err := s.git.Run(ctx, git.Call{Args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--messages", tip, commit}, OK: []int{1}})
	if err != nil {
		return "", fmt.Errorf("merge %s: %w", short(commit), err)
	}
	fields := strings.Split(string(res.Stdout), "\x00")
	if fields[0] == "" {
		return "", fmt.Errorf("merge %s: unexpected answer of git merge-tree", short(commit))
	}
	if res.Exit == 0 {
		return fields[0], nil
	}
	conflict := &ConflictError{Commit: commit}
	seen := map[string]bool{}
	i := 1
	for ; i < len(fields) && fields[i] != ""; i++ {
		if !seen[fields[i]] {
			seen[fields[i]] = true
			conflict.Paths = append(conflict.Paths, fields[i])
		}
	}
	for i++; i < len(fields); i++ { // number of paths, paths, kind, message
		n := 0
		if _, err := fmt.Sscan(fields[i], &n); err != nil || n < 0 || i+n+2 >= len(fields) {
			break
		}
		if kind := fields[i+n+1]; strings.HasPrefix(kind, "CONFLICT") {
			conflict.Text += fields[i+n+2]
		}
		i += n + 2
	}
	conflict.Text = strings.TrimSpace(conflict.Text)
	return "", conflict
}
