package survey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
)

// list gives the slash paths of the project's files, relative to dir, in no order.
func (t *taker) list(ctx context.Context, dir string) ([]string, error) {
	_, err := gitx.Find(dir)
	if errors.Is(err, gitx.ErrNoRepo) {
		return t.walk(ctx)
	}
	if err != nil {
		return nil, err
	}
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: []string{"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "core.splitIndex=false",
			"ls-files", "-z", "--cached", "--others", "--exclude-standard"},
		Dir: dir, Env: []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL="},
		MaxOutput: 2 * maxList, // the first half is kept whole
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("list files: %w", err)
	case res.Exit != 0:
		line, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n")
		return nil, fmt.Errorf("list files: git ls-files: exit %d: %.300s", res.Exit, strings.ToValidUTF8(line, "?"))
	}
	out := res.Stdout
	if res.Truncated || len(out) > maxList {
		out = out[:min(len(out), maxList)]
		out = out[:bytes.LastIndexByte(out, 0)+1]
		t.note("the list of files is longer than %d MB: only its beginning was read", maxList>>20)
	}
	var paths []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			paths = append(paths, string(name))
		}
	}
	return paths, nil
}

// walk lists the files of a folder that is in no repository. Hidden folders belong to tools.
func (t *taker) walk(ctx context.Context) ([]string, error) {
	var paths []string
	unread := 0
	err := fs.WalkDir(t.root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && p == ".":
			return err
		case err != nil:
			unread++
			return nil
		case d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || vendored(p+"/x")):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case len(paths) > MaxFiles:
			return fs.SkipAll
		}
		paths = append(paths, p)
		return nil
	})
	if unread > 0 {
		t.note("%d folders could not be read", unread)
	}
	return paths, err
}

// sort keeps the paths that count, in order, each once.
func (t *taker) sort(paths []string) {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	nested := 0
	for _, p := range paths {
		switch {
		case strings.HasSuffix(p, "/"): // a repository in the repository
			nested++
		case !printable(p):
			t.inv.Skipped.Odd++
		case vendored(p):
			t.inv.Skipped.Vendored++
		case len(t.files) == MaxFiles:
			t.note("there are more than %d files: only the first in order of their paths were looked at", MaxFiles)
			return
		default:
			t.files = append(t.files, file{path: p})
		}
	}
	if nested > 0 {
		t.note("%d folders are repositories of their own and were not looked at", nested)
	}
}

// printable reports whether a path can stand in a plan and on a terminal.
func printable(p string) bool {
	return utf8.ValidString(p) && len(p) < 1000 && !strings.ContainsFunc(p, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

// vendored reports whether a path lies in a folder of foreign or built files.
func vendored(p string) bool {
	dir := path.Dir(p)
	for part := range strings.SplitSeq(dir, "/") {
		switch strings.ToLower(part) {
		case "node_modules", "vendor", "third_party", "thirdparty", "bower_components", "jspm_packages", ".venv", "venv", "__pycache__", "site-packages", "pods", ".yarn", ".dart_tool",
			".gradle", ".idea", ".vscode", ".next", ".nuxt", ".terraform", ".tox", ".mypy_cache", ".pytest_cache", "dist", "target", "coverage", ".git", ".devflow", ".devflock":
			return true
		}
	}
	return false
}
