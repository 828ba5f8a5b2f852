package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	// MaxPatch bounds a patch, in bytes: more is ErrTooLarge.
	MaxPatch = 32 << 20
	// MaxDiffed is the size from which on git is told to call a blob binary in a patch, in bytes: diffThreshold in numbers.
	MaxDiffed = 4 << 20
	// MaxBlobs bounds the blobs of one Blobs call together, in bytes.
	MaxBlobs = 64 << 20
)

// Change is one file that differs between two trees.
type Change struct {
	Status           byte   // A added, D deleted, M modified, R renamed, T other type
	Path             string // slash path in b, or in a when deleted; raw bytes, any but NUL
	OldPath          string // path in a when renamed, else empty
	OldOID, NewOID   string // blobs; all zeros when there is none
	OldMode, NewMode string // 100644, 100755, 120000 symbolic link, 160000 submodule; 000000 when there is none
}

// Submodule is true when either side is a link to another repository.
func (c Change) Submodule() bool { return c.OldMode == "160000" || c.NewMode == "160000" }

// Changes lists the files that differ between trees (or commits) a and b, in path order, with renames found. One git
// process. It is complete or an error.
func (r Repo) Changes(ctx context.Context, objDir, a, b string) ([]Change, error) {
	res, err := r.run(ctx, call{objs: objDir, args: diffTree(a, b, nil, "--raw", "-z")})
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	changes, err := parseRaw(res.Stdout)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return changes, nil
}

// Patch is the text of the difference of trees a and b, with three lines of context, for diff.Parse. Files with a NUL in
// their first bytes, files above 4 MB and those that .gitattributes calls binary appear without lines. With paths, only
// those files, and attributes do not hide their text. One git process. More than MaxPatch bytes is ErrTooLarge.
func (r Repo) Patch(ctx context.Context, objDir, a, b string, paths ...string) ([]byte, error) {
	flags := []string{"-p", "--unified=3"}
	if len(paths) > 0 {
		flags = append(flags, "--text")
	}
	res, err := r.run(ctx, call{objs: objDir, args: diffTree(a, b, paths, flags...), max: MaxPatch})
	if err != nil {
		return nil, fmt.Errorf("make patch: %w", err)
	}
	return res.Stdout, nil
}

func diffTree(a, b string, paths []string, flags ...string) []string {
	args := []string{
		"--literal-pathspecs", "diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--no-relative",
		"--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none", "--submodule=short",
	}
	args = append(append(args, flags...), "--end-of-options", a, b, "--")
	return append(args, paths...)
}

// parseRaw reads `--raw -z`: ":oldmode newmode oldoid newoid status" NUL path NUL, and a second path after a rename.
func parseRaw(out []byte) ([]Change, error) {
	var changes []Change
	fields := bytes.Split(out, []byte{0})
	for i := 0; i < len(fields) && len(fields[i]) > 0; {
		head := strings.Fields(strings.TrimPrefix(string(fields[i]), ":"))
		if len(head) != 5 || i+1 >= len(fields) {
			return nil, fmt.Errorf("unexpected line %q", firstLine(fields[i]))
		}
		c := Change{OldMode: head[0], NewMode: head[1], OldOID: head[2], NewOID: head[3], Status: head[4][0], Path: string(fields[i+1])}
		i += 2
		if c.Status == 'R' || c.Status == 'C' {
			if i >= len(fields) {
				return nil, fmt.Errorf("rename of %q without a second path", c.Path)
			}
			c.OldPath, c.Path = c.Path, string(fields[i])
			i++
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Blobs reads objects by name. Names of all zeros and objects that are not there are missing in the answer. One git
// process. When they are larger than MaxBlobs together it returns what fits and ErrTooLarge.
func (r Repo) Blobs(ctx context.Context, objDir string, oids []string) (map[string][]byte, error) {
	var want bytes.Buffer
	asked := map[string]bool{}
	for _, oid := range oids {
		if isOID(oid) && strings.Trim(oid, "0") != "" && !asked[oid] {
			asked[oid] = true
			want.WriteString(oid + "\n")
		}
	}
	if len(asked) == 0 {
		return map[string][]byte{}, nil
	}
	res, err := r.run(ctx, call{objs: objDir, args: []string{"cat-file", "--batch", "--buffer"}, stdin: want.Bytes(), max: MaxBlobs})
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return nil, fmt.Errorf("read blobs: %w", err)
	}
	blobs := parseBatch(res.Stdout[:min(len(res.Stdout), MaxBlobs)])
	if err != nil {
		return blobs, fmt.Errorf("read blobs: %w", err)
	}
	return blobs, nil
}

// parseBatch reads "oid type size" LF content LF, or "oid missing" LF. It stops at the first thing it does not know.
func parseBatch(out []byte) map[string][]byte {
	blobs := map[string][]byte{}
	for len(out) > 0 {
		line, rest, ok := bytes.Cut(out, []byte{'\n'})
		head := strings.Fields(string(line))
		if !ok || len(head) < 2 {
			return blobs
		}
		if len(head) == 2 {
			out = rest
			continue
		}
		size, err := strconv.Atoi(head[2])
		if err != nil || size < 0 || size >= len(rest) {
			return blobs
		}
		if head[1] == "blob" {
			blobs[head[0]] = rest[:size:size]
		}
		out = rest[size+1:]
	}
	return blobs
}
