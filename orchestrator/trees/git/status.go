package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Change is a file that differs from the index, or that the index does not know.
type Change struct {
	Path      string // slash path below the top of the work tree; a nested repository that git does not look into ends in a slash
	Staged    byte   // letter of the difference between HEAD and index, '.' for none, '?' for a new file
	Work      byte   // letter of the difference between index and work tree
	Submodule bool
	Link      bool // a symbolic link in the work tree; false for a new file, which has to be looked at
}

// State is what git says of a work tree.
type State struct {
	Head    string // commit; "" before the first
	Branch  string // "" when HEAD is detached
	Changes []Change
	Ignored []string // paths that a pattern hides, as the pattern names them: a folder ends in a slash; only when asked for
}

// Status compares a work tree with its index. Renames are not looked for, the inside of submodules is not looked at, and no index is
// written. It is complete or an error. One process.
func (r Runner) Status(ctx context.Context, ignored bool, more ...string) (State, error) {
	args := []string{"status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty", "--no-ahead-behind"}
	if ignored {
		args = append(args, "--ignored=matching")
	}
	res, err := r.Run(ctx, Call{Args: append(args, more...)})
	if err != nil {
		return State{}, err
	}
	s, err := parseStatus(res.Stdout)
	if err != nil {
		return State{}, fmt.Errorf("git status: %w", err)
	}
	if len(res.Stderr) > 0 && bytes.Contains(res.Stderr, []byte("warning: could not open directory")) {
		return State{}, fmt.Errorf("git status: %w", &Error{Command: "status", Stderr: string(res.Stderr[:min(len(res.Stderr), 4<<10)])})
	}
	return s, nil
}

// Fields of a line of `status --porcelain=v2` before its path, and how it starts (git-status(1)).
const (
	changedFields  = 8  // 1 XY sub mH mI mW hH hI path
	unmergedFields = 10 // u XY sub m1 m2 m3 mW h1 h2 h3 path
)

func parseStatus(out []byte) (State, error) {
	var s State
	for record := range bytes.SplitSeq(out, []byte{0}) {
		line := string(record)
		if line == "" {
			continue
		}
		kind, rest, ok := strings.Cut(line, " ")
		if !ok || rest == "" {
			return s, fmt.Errorf("unexpected line %q", line)
		}
		switch kind {
		case "#":
			header(&s, rest)
		case "?":
			s.Changes = append(s.Changes, Change{Path: rest, Staged: '?', Work: '?'})
		case "!":
			s.Ignored = append(s.Ignored, rest)
		case "1", "u":
			n := changedFields
			if kind == "u" {
				n = unmergedFields
			}
			f := strings.SplitN(line, " ", n+1)
			if len(f) != n+1 || len(f[1]) != 2 || f[2] == "" || f[n] == "" {
				return s, fmt.Errorf("unexpected line %q", line)
			}
			mode := f[5] // of the work tree
			if kind == "u" {
				mode = f[6]
			}
			s.Changes = append(s.Changes, Change{Path: f[n], Staged: f[1][0], Work: f[1][1], Submodule: f[2][0] == 'S', Link: mode == "120000"})
		default:
			return s, fmt.Errorf("unexpected line %q", line)
		}
	}
	return s, nil
}

func header(s *State, rest string) {
	key, value, _ := strings.Cut(rest, " ")
	switch {
	case key == "branch.oid" && value != "(initial)":
		s.Head = value
	case key == "branch.head" && value != "(detached)":
		s.Branch = value
	}
}
