package pushed

import (
	"context"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// Memory is a tree that exists in memory only.
type Memory map[string]string

// Files lists the paths.
func (m Memory) Files() []string {
	out := make([]string, 0, len(m))
	for p := range m {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// Read gives the content of a file.
func (m Memory) Read(_ context.Context, path string) ([]byte, bool, error) {
	s, ok := m[path]
	return []byte(s), ok, nil
}

// Between lists what differs between two trees in memory, without renames and names of blobs.
func Between(before, after Memory) (out []gitx.Change) {
	const regular, none = "100644", "000000"
	for p, now := range after {
		old, had := before[p]
		switch {
		case !had:
			out = append(out, gitx.Change{Status: 'A', Path: p, OldMode: none, NewMode: regular})
		case old != now:
			out = append(out, gitx.Change{Status: 'M', Path: p, OldMode: regular, NewMode: regular})
		}
	}
	for p := range before {
		if _, has := after[p]; !has {
			out = append(out, gitx.Change{Status: 'D', Path: p, OldMode: regular, NewMode: none})
		}
	}
	slices.SortFunc(out, func(a, b gitx.Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}
