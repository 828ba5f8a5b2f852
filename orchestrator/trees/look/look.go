// Package look answers questions about folders of a commit without a work tree: which files are there, and which lines hold a word.
//
// It owns no table and writes nothing.
package look

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/trees/shape"
)

// maxOutput bounds what is read of one answer of git, in bytes.
const maxOutput = 1 << 20

// maxLine bounds a line that is given back, in bytes.
const maxLine = 300

// At is a commit of a project. Paths in and out are relative to the project's folder, with slashes.
type At struct {
	Project shape.Project
	Commit  string
}

func (a At) runner() git.Runner { return git.Runner{Dir: a.Project.Top, GitDir: a.Project.CommonDir} }

func (a At) full(paths []string) []string {
	full := make([]string, len(paths))
	for i, p := range paths {
		full[i] = path.Join(a.Project.Prefix, p)
	}
	return git.Literal(full)
}

// Files lists the files below the folders, at most limit.
func (a At) Files(ctx context.Context, folders []string, limit int) ([]string, error) {
	args := append([]string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", a.Commit, "--"}, prefixed(a.Project.Prefix, folders)...)
	res, err := a.runner().Run(ctx, git.Call{Args: args, Max: maxOutput})
	if err != nil && !errors.Is(err, gitx.ErrTooLarge) {
		return nil, fmt.Errorf("list files of %.12s: %w", a.Commit, err)
	}
	var files []string
	for name := range strings.SplitSeq(string(res.Stdout), "\x00") {
		if name != "" && len(files) < limit {
			files = append(files, strings.TrimPrefix(strings.TrimPrefix(name, a.Project.Prefix), "/"))
		}
	}
	return files, nil
}

func prefixed(prefix string, folders []string) []string {
	list := make([]string, len(folders))
	for i, f := range folders {
		list[i] = path.Join(prefix, f)
	}
	return list
}

// Texts reads files as they are in the commit, by name. Names that are no plain files, or whose files are larger than most bytes, are
// missing in the answer.
func (a At) Texts(ctx context.Context, files []string, most int64) (map[string][]byte, error) {
	args := append([]string{"ls-tree", "-z", "-l", "--full-tree", a.Commit, "--"}, prefixed(a.Project.Prefix, files)...)
	res, err := a.runner().Run(ctx, git.Call{Args: args, Max: maxOutput})
	if err != nil {
		return nil, fmt.Errorf("find files of %.12s: %w", a.Commit, err)
	}
	texts := map[string][]byte{}
	for record := range strings.SplitSeq(string(res.Stdout), "\x00") { // <mode> blob <oid> <size> TAB <file>
		head, file, _ := strings.Cut(record, "\t")
		name := strings.TrimPrefix(strings.TrimPrefix(file, a.Project.Prefix), "/")
		f := strings.Fields(head)
		if len(f) != 4 || f[0] != "100644" && f[0] != "100755" || !slices.Contains(files, name) {
			continue
		}
		if size, err := strconv.ParseInt(f[3], 10, 64); err != nil || size > most {
			continue
		}
		blob, err := a.runner().Run(ctx, git.Call{Args: []string{"cat-file", "blob", f[2]}, Max: int(most)})
		if err != nil {
			return nil, fmt.Errorf("read %s of %.12s: %w", file, a.Commit, err)
		}
		texts[name] = blob.Stdout
	}
	return texts, nil
}

// Lines gives the lines below the folders that hold one of the words, as "file:number: text", at most limit.
func (a At) Lines(ctx context.Context, folders, words []string, limit int) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	args := []string{"grep", "-n", "-I", "-i", "-F", "-z", "--full-name", "--max-depth", "-1", "-m", "5"}
	for _, w := range words {
		args = append(args, "-e", w)
	}
	args = append(append(args, a.Commit, "--"), a.full(folders)...)
	res, err := a.runner().Run(ctx, git.Call{Args: args, OK: []int{1}, Max: maxOutput})
	if err != nil && !errors.Is(err, gitx.ErrTooLarge) {
		return nil, fmt.Errorf("search %.12s: %w", a.Commit, err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(res.Stdout), "\n") { // <commit>:<file> NUL <number> NUL <text>
		parts := strings.SplitN(line, "\x00", 3)
		if len(parts) != 3 || len(lines) == limit {
			continue
		}
		file := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(parts[0], a.Commit+":"), a.Project.Prefix), "/")
		lines = append(lines, file+":"+parts[1]+": "+strings.ToValidUTF8(parts[2][:min(len(parts[2]), maxLine)], "?"))
	}
	return lines, nil
}
