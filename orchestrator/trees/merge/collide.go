package merge

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key is what a path becomes where neither letter case nor Unicode form counts: two paths with one key are one file on macOS and
// Windows. Bytes that are no UTF-8 keep their case, but for ASCII.
func Key(name string) string {
	if !utf8.ValidString(name) {
		return lowerASCII(name)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// collide looks for a new path that differs from another one of the tree by letter case or Unicode form only. It reads the folders on
// the way to new paths. One process, none without new paths.
func (s *Store) collide(ctx context.Context, commit, tree string, fresh []string) error {
	if len(fresh) == 0 {
		return nil
	}
	want := map[string]map[string]bool{} // folder → names in it that are new, or on the way to something new
	for _, p := range fresh {
		for at := p; at != "."; at = path.Dir(at) {
			dir := path.Dir(at)
			if want[dir] == nil {
				want[dir] = map[string]bool{}
			}
			if want[dir][path.Base(at)] {
				break
			}
			want[dir][path.Base(at)] = true
		}
	}
	folders := make([]string, 0, len(want))
	for dir := range want {
		folders = append(folders, dir)
	}
	slices.Sort(folders)
	names := make([]string, len(folders))
	for i, dir := range folders {
		if names[i] = tree + ":"; dir != "." {
			names[i] += dir
		}
	}
	objects, err := s.batch(ctx, names)
	if err != nil {
		return fmt.Errorf("look for colliding paths: %w", err)
	}
	for i, dir := range folders {
		siblings, err := treeNames(objects[i], len(tree)/2)
		if err != nil {
			return fmt.Errorf("look for colliding paths in %q: %w", dir, err)
		}
		if a, b, found := twins(siblings, want[dir]); found {
			return &CollisionError{Commit: commit, A: path.Join(dir, a), B: path.Join(dir, b)}
		}
	}
	return nil
}

// twins finds a wanted name that another name equals; the other one comes first unless both are wanted.
func twins(names []string, wanted map[string]bool) (a, b string, found bool) {
	byKey := map[string]string{}
	for _, name := range names {
		key := Key(name)
		other, ok := byKey[key]
		if !ok {
			byKey[key] = name
			continue
		}
		switch {
		case wanted[name] && wanted[other]:
			return min(name, other), max(name, other), true
		case wanted[name]:
			return other, name, true
		case wanted[other]:
			return name, other, true
		}
	}
	return "", "", false
}

// treeNames reads a tree object: mode SP name NUL hash.
func treeNames(data []byte, hash int) ([]string, error) {
	var names []string
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		_, name, ok2 := bytes.Cut(head, []byte{' '})
		if !ok || !ok2 || len(rest) < hash {
			return nil, fmt.Errorf("not a tree")
		}
		names, data = append(names, string(name)), rest[hash:]
	}
	return names, nil
}
