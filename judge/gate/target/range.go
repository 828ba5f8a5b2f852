package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// Range gives the two ends of what is new for the remote: base is a commit that it has, or the empty tree, tip the commit that
// is pushed. Both are equal when nothing is new, and empty for a deletion. For a pending update tip is what there is now, empty
// on a branch without a commit.
//
// The base is the remote's own commit when that is an ancestor of the tip; else the newest commit below the tip that any branch
// of the remote has by the remote-tracking refs (of any remote, when there are none of this one); else the empty tree. A tag of
// something that is no commit has that object as tip and the empty tree as base.
func Range(ctx context.Context, repo gitx.Repo, u Update) (base, tip string, err error) {
	if u.Delete {
		return "", "", nil
	}
	base, tip, err = span(ctx, repo, u)
	if err != nil {
		return "", "", fmt.Errorf("find range of %s: %w", u.RemoteRef, err)
	}
	return base, tip, nil
}

func span(ctx context.Context, repo gitx.Repo, u Update) (base, tip string, err error) {
	if u.LocalOID == "" {
		return gitx.EmptyTree(u.RemoteOID), "", nil
	}
	if tip, err = object(ctx, repo, u.LocalOID+"^{commit}"); err != nil {
		return "", "", err
	}
	if tip == "" {
		whole, err := object(ctx, repo, u.LocalOID+"^{object}")
		if err == nil && whole == "" {
			err = fmt.Errorf("object %s is missing", clip(u.LocalOID))
		}
		return gitx.EmptyTree(u.LocalOID), u.LocalOID, err
	}
	known, old, err := published(ctx, repo, u)
	if err != nil {
		return "", "", err
	}
	boundary, fresh, err := frontier(ctx, repo, tip, known)
	switch {
	case err != nil:
		return "", "", err
	case !fresh:
		return tip, tip, nil
	}
	if old != "" {
		if ok, err := isAncestor(ctx, repo, old, tip); err != nil || ok {
			return old, tip, err
		}
	}
	if len(boundary) == 0 {
		return gitx.EmptyTree(tip), tip, nil
	}
	if len(boundary) == 1 {
		return boundary[0], tip, nil
	}
	// Several: one that is below none of the others.
	out, _, err := run(ctx, repo, nil, 1, append([]string{"merge-base", "--independent"}, boundary[:min(len(boundary), maxTips)]...)...)
	if err != nil {
		return "", "", err
	}
	if best, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); isOID(best) {
		return best, tip, nil
	}
	return boundary[0], tip, nil
}

// published lists commits that the remote has. old is the remote ref's own, empty when it is not known or not here.
func published(ctx context.Context, repo gitx.Repo, u Update) (known []string, old string, err error) {
	cfg, err := readConfig(ctx, repo, nil)
	if err != nil {
		return nil, "", err
	}
	s := &state{repo: repo, cfg: cfg}
	if err := s.readRefs(ctx); err != nil {
		return nil, "", err
	}
	seen := map[string]bool{}
	add := func(oid string) {
		if oid != "" && !seen[oid] {
			seen[oid] = true
			known = append(known, oid)
		}
	}
	if u.Remote != "." {
		there := s.known(u.Remote)
		if len(there) == 0 && u.URL != "" {
			there = s.known(u.URL)
		}
		for _, oid := range there {
			add(oid)
		}
	}
	if len(known) == 0 {
		for _, ref := range s.refs {
			if strings.HasPrefix(ref, "refs/remotes/") {
				add(s.oids[ref])
			}
		}
	}
	if u.RemoteOID != "" {
		if old, err = object(ctx, repo, u.RemoteOID+"^{commit}"); err != nil {
			return nil, "", err
		}
		add(old)
	}
	return known, old, nil
}

// frontier walks from tip to what is known: fresh is true when there is a commit in between, and boundary holds the known
// commits directly below those.
func frontier(ctx context.Context, repo gitx.Repo, tip string, known []string) (boundary []string, fresh bool, err error) {
	out, err := walk(ctx, repo, tip, known, "rev-list", "--boundary", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, false, err
	}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if oid, ok := strings.CutPrefix(line, "-"); ok {
			boundary = append(boundary, oid)
		} else if line != "" {
			fresh = true
		}
	}
	return boundary, fresh, nil
}

func walk(ctx context.Context, repo gitx.Repo, tip string, known []string, args ...string) (string, error) {
	var in strings.Builder
	in.WriteString(tip + "\n")
	for _, oid := range known {
		in.WriteString("^" + oid + "\n")
	}
	out, _, err := run(ctx, repo, []byte(in.String()), 0, args...)
	return out, err
}

// Paths lists the files that the new commits themselves touch, in the order git gives them, each once: unlike the difference of
// the two ends of Range it leaves out what a merge brought from a branch that the remote has already. It is empty for a
// deletion.
func Paths(ctx context.Context, repo gitx.Repo, u Update) ([]string, error) {
	if u.Delete || u.LocalOID == "" {
		return nil, nil
	}
	paths, err := touched(ctx, repo, u)
	if err != nil {
		return nil, fmt.Errorf("list paths of %s: %w", u.RemoteRef, err)
	}
	return paths, nil
}

func touched(ctx context.Context, repo gitx.Repo, u Update) ([]string, error) {
	tip, err := object(ctx, repo, u.LocalOID+"^{commit}")
	if err != nil || tip == "" {
		return nil, err
	}
	known, _, err := published(ctx, repo, u)
	if err != nil {
		return nil, err
	}
	out, err := walk(ctx, repo, tip, known, "log", "--format=", "--name-only", "-z", "--cc", "--root", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, err
	}
	var paths []string
	seen := map[string]bool{}
	for path := range strings.SplitSeq(out, "\x00") {
		if path = strings.TrimLeft(path, "\n"); path != "" && !seen[path] {
			seen[path] = true
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Rewrites is true when the update takes commits away from the remote ref: it is deleted, or what the remote has is no ancestor
// of what is pushed, or is not here so that nobody can tell. A tag that changes always counts.
func Rewrites(ctx context.Context, repo gitx.Repo, u Update) (bool, error) {
	switch {
	case u.Delete:
		return true, nil
	case u.RemoteOID == "" || u.RemoteOID == u.LocalOID:
		return false, nil
	case u.Tag:
		return true, nil
	}
	old, err := object(ctx, repo, u.RemoteOID+"^{commit}")
	if err != nil || old == "" || u.LocalOID == "" {
		return true, err
	}
	ok, err := isAncestor(ctx, repo, old, u.LocalOID)
	return !ok, err
}

func isAncestor(ctx context.Context, repo gitx.Repo, old, tip string) (bool, error) {
	_, code, err := run(ctx, repo, nil, 1, "merge-base", "--is-ancestor", old, tip)
	return err == nil && code == 0, err
}
