package shape

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

const (
	// bigFile is the size from which on hosting services refuse a file, in bytes (GitHub: 100 MB).
	bigFile = 100 << 20
	// maxAttributes bounds what is read of one .gitattributes file, in bytes.
	maxAttributes = 1 << 20
)

// looked is what the index and the configuration say.
type looked struct {
	submodules []string
	big        []string
	lfs        bool
	filters    []string // others that .gitattributes names
	sparse     bool
	partial    bool
	unmerged   bool
	tracked    bool // something is tracked below the project's folder
}

// look reads the index once and the configuration once; two git processes, three in a subfolder.
func look(ctx context.Context, g git.Runner, p Project) (looked, error) {
	var l looked
	res, err := g.Run(ctx, git.Call{Args: []string{"ls-files", "-s", "-z"}})
	if err != nil {
		return l, fmt.Errorf("examine %s: %w", p.Dir, err)
	}
	filters := map[string]bool{}
	for record := range bytes.SplitSeq(res.Stdout, []byte{0}) { // mode SP oid SP stage TAB path
		head, name, ok := strings.Cut(string(record), "\t")
		if !ok {
			continue
		}
		if err := l.take(p, head, name, filters); err != nil {
			return l, err
		}
	}
	attributes(filepath.Join(p.CommonDir, "info", "attributes"), filters)
	l.lfs = filters["lfs"]
	delete(filters, "lfs")
	for name := range filters {
		l.filters = append(l.filters, name)
	}
	slices.Sort(l.filters)
	if err := l.configuration(ctx, g, p); err != nil {
		return l, err
	}
	if p.Prefix == "" {
		return l, nil
	}
	res, err = g.Run(ctx, git.Call{Args: []string{"check-ignore", "-q", "--", p.Prefix}, OK: []int{1}})
	if err != nil {
		return l, fmt.Errorf("examine %s: %w", p.Dir, err)
	}
	if res.Exit == 0 && !l.tracked {
		return l, &RefusedError{
			Reason: fmt.Sprintf("the repository at %s ignores %s, so work there could not be committed", p.Top, p.Prefix),
			Hint:   fmt.Sprintf("make it a repository of its own: git -C %s init", p.Dir), Err: ErrNoRepo,
		}
	}
	return l, nil
}

func (l *looked) take(p Project, head, name string, filters map[string]bool) error {
	mode, stage, _ := strings.Cut(head, " ")
	l.unmerged = l.unmerged || !strings.HasSuffix(stage, " 0")
	if mode == "160000" {
		if p.Prefix == name || strings.HasPrefix(p.Prefix, name+"/") {
			return &RefusedError{Reason: fmt.Sprintf("%s is in the submodule %s, which is not checked out", p.Dir, name), Hint: fmt.Sprintf("run: git -C %s submodule update --init", p.Top)}
		}
		l.submodules = append(l.submodules, name)
		return nil
	}
	l.tracked = l.tracked || p.Prefix != "" && strings.HasPrefix(name, p.Prefix+"/")
	full := filepath.Join(p.Top, filepath.FromSlash(name))
	if path.Base(name) == ".gitattributes" {
		attributes(full, filters)
	}
	if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && info.Size() > bigFile && len(l.big) <= maxNamed {
		l.big = append(l.big, name)
	}
	return nil
}

// attributes adds the filters that a file of attributes names. One that cannot be read names none.
func attributes(file string, filters map[string]bool) {
	text, err := regular.Read(file, maxAttributes)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		for _, field := range strings.Fields(line) {
			if name, ok := strings.CutPrefix(field, "filter="); ok && !strings.HasPrefix(line, "#") {
				filters[name] = true
			}
		}
	}
}

func (l *looked) configuration(ctx context.Context, g git.Runner, p Project) error {
	config, err := g.Config(ctx, `^(core\.sparsecheckout|extensions\.partialclone|remote\..*\.promisor)$`)
	if err != nil {
		return fmt.Errorf("examine %s: %w", p.Dir, err)
	}
	var sparse []string
	for _, kv := range config {
		if kv[0] == "core.sparsecheckout" {
			sparse = append(sparse, kv[1])
		} else {
			l.partial = l.partial || kv[1] != "false"
		}
	}
	if n := len(sparse); n > 1 { // the last one is our own setting
		l.sparse = sparse[n-2] == "true"
	}
	return nil
}

// notes says it in sentences.
func (l looked) notes(p Project, shallow bool) []string {
	var notes []string
	add := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(p.Head == "", "The repository has no commit yet: workers start from an empty tree, and what lies in the folder is not part of it.")
	add(p.Head != "" && p.Branch == "", "HEAD is detached at %.12s: the run starts from that commit.", p.Head)
	add(p.Prefix != "", "The project is the folder %s of the repository at %s: workers see the whole repository and change only the project.", p.Prefix, p.Top)
	for _, s := range [...][2]string{
		{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		_, err := os.Lstat(filepath.Join(p.GitDir, s[0]))
		add(err == nil, "A %s is in progress; it is left alone, and the run starts from HEAD as it is.", s[1])
	}
	add(l.unmerged, "Some files are not merged yet; they are left alone.")
	add(shallow, "The clone is shallow; nothing is fetched.")
	add(l.partial, "The clone is partial; nothing is fetched, so files whose content is missing here are missing in the workers' trees.")
	add(l.sparse, "The work tree is sparse; the workers' trees are complete.")
	add(len(l.submodules) > 0, "Submodules are empty folders in the workers' trees and cannot be changed: %s.", list(l.submodules))
	add(l.lfs, "Files under Git LFS are pointers in the workers' trees; a new file there is committed as it is.")
	add(len(l.filters) > 0, "Filters of .gitattributes do not run, and a change to a file behind one is refused: %s.", list(l.filters))
	add(len(l.big) > 0, "Files above 100 MB are tracked: %s.", list(l.big))
	return notes
}
