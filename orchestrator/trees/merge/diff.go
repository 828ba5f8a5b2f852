package merge

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// blob is what a path holds in a tree.
type blob struct{ mode, oid string }

func (b blob) there() bool { return b.mode != "" }

// entry is a path that differs between two trees.
type entry struct {
	old, new blob
	from     string // path in the old tree when it was renamed
}

// diffs compares pairs of trees, without renames. One process for all.
func (s *Store) diffs(ctx context.Context, pairs ...[2]string) ([]map[string]entry, error) {
	var in strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&in, "%s %s\n", p[0], p[1])
	}
	res, err := s.git.Run(ctx, git.Call{Args: []string{"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"}, Stdin: []byte(in.String())})
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	all := make([]map[string]entry, len(pairs))
	out := res.Stdout
	for i, p := range pairs {
		head := []byte(p[0] + " " + p[1] + "\n")
		rest, ok := bytes.CutPrefix(out, head)
		if !ok {
			return nil, fmt.Errorf("compare trees: unexpected answer %q", out[:min(len(out), 100)])
		}
		if all[i], out, err = parseRaw(rest); err != nil {
			return nil, fmt.Errorf("compare trees: %w", err)
		}
	}
	return all, nil
}

// renamed compares two trees, with renames. One process.
func (s *Store) renamed(ctx context.Context, a, b string) (map[string]entry, error) {
	res, err := s.git.Run(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "--raw", "-M", "-l0", "--no-abbrev", a, b}})
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	entries, _, err := parseRaw(res.Stdout)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	return entries, nil
}

// parseRaw reads records of `--raw -z` until something else comes.
func parseRaw(out []byte) (map[string]entry, []byte, error) {
	entries := map[string]entry{}
	for len(out) > 0 && out[0] == ':' {
		head, rest, ok := bytes.Cut(out[1:], []byte{0})
		f := strings.Fields(string(head))
		if !ok || len(f) != 5 {
			return nil, nil, fmt.Errorf("unexpected line %q", head)
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return nil, nil, fmt.Errorf("line without a path %q", head)
		}
		e := entry{old: blobOf(f[0], f[2]), new: blobOf(f[1], f[3])}
		if f[4][0] == 'R' || f[4][0] == 'C' {
			e.from = string(name)
			if name, rest, ok = bytes.Cut(rest, []byte{0}); !ok {
				return nil, nil, fmt.Errorf("rename without a path %q", head)
			}
		}
		entries[string(name)] = e
		out = rest
	}
	return entries, out, nil
}

func blobOf(mode, oid string) blob {
	if strings.Trim(mode, "0") == "" {
		return blob{}
	}
	return blob{mode, oid}
}

// added gives the paths that only the new tree has.
func added(diff map[string]entry) []string {
	var paths []string
	for path, e := range diff {
		if !e.old.there() {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// sides are a merge: what each tree makes of the base.
type sides struct {
	base, ours, theirs string // trees
	o, t, m            map[string]entry
}

// sides compares ours, theirs and merged with the base. One process.
func (s *Store) sides(ctx context.Context, base, ours, theirs, merged string) (sides, error) {
	d, err := s.diffs(ctx, [2]string{base, ours}, [2]string{base, theirs}, [2]string{base, merged})
	if err != nil {
		return sides{}, err
	}
	return sides{base: base, ours: ours, theirs: theirs, o: d[0], t: d[1], m: d[2]}, nil
}

// at is what a path holds on the side of diff. Only paths that some side changed may be asked for.
func (x sides) at(diff map[string]entry, path string) blob {
	if e, ok := diff[path]; ok {
		return e.new
	}
	return x.was(path)
}

// was is what a path held in the base.
func (x sides) was(path string) blob {
	for _, diff := range [...]map[string]entry{x.o, x.t, x.m} {
		if e, ok := diff[path]; ok {
			return e.old
		}
	}
	return blob{}
}

// paths are all that any side changed, sorted.
func (x sides) paths() []string {
	seen := map[string]bool{}
	var all []string
	for _, diff := range [...]map[string]entry{x.o, x.t, x.m} {
		for path := range diff {
			if !seen[path] {
				seen[path] = true
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// fresh are the paths that the merged tree has and ours has not.
func (x sides) fresh() []string {
	var paths []string
	for _, path := range x.paths() {
		if x.at(x.m, path).there() && !x.at(x.o, path).there() {
			paths = append(paths, path)
		}
	}
	return paths
}
