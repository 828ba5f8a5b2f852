package gitx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
)

// Repo is a work tree and its git folders. All three paths are absolute with symbolic links resolved. It is a value:
// copy it freely, use it from many goroutines.
type Repo struct {
	Root      string // the work tree
	GitDir    string // its own git folder; below CommonDir/worktrees in a linked work tree
	CommonDir string // where objects, refs and config are; equal to GitDir in a main work tree
}

// Bounds of what is read of git's own files, in bytes.
const (
	maxLine = 64 << 10
	maxRefs = 64 << 20
)

// maxSymref bounds a chain of symbolic references, as git does.
const maxSymref = 5

// Find gives the repository whose work tree holds dir, by reading files only. It returns ErrNoRepo (wrapped) when dir is
// in none, is inside a .git folder, or does not exist.
func Find(dir string) (Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, fmt.Errorf("find repository: %w", err)
	}
	start, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return Repo{}, fmt.Errorf("find repository of %s: %w: %w", dir, ErrNoRepo, err)
	}
	for at := start; ; at = filepath.Dir(at) {
		if r, ok := open(at); ok {
			return r, nil
		}
		if isGitDir(at) || at == filepath.Dir(at) {
			return Repo{}, fmt.Errorf("find repository of %s: %w", dir, ErrNoRepo)
		}
	}
}

// open tells whether root itself is the top of a work tree.
func open(root string) (Repo, bool) {
	dotGit := filepath.Join(root, ".git")
	info, err := os.Stat(dotGit)
	if err != nil {
		return Repo{}, false
	}
	gitDir := dotGit
	if !info.IsDir() {
		target, ok := strings.CutPrefix(readLine(dotGit), "gitdir:")
		if !ok {
			return Repo{}, false
		}
		gitDir = resolve(root, strings.TrimSpace(target))
	}
	if gitDir, err = filepath.EvalSymlinks(gitDir); err != nil {
		return Repo{}, false
	}
	common := gitDir
	if c := readLine(filepath.Join(gitDir, "commondir")); c != "" {
		if common, err = filepath.EvalSymlinks(resolve(gitDir, c)); err != nil {
			return Repo{}, false
		}
	}
	if !isFile(filepath.Join(gitDir, "HEAD")) || !isDir(filepath.Join(common, "objects")) {
		return Repo{}, false
	}
	return Repo{Root: root, GitDir: gitDir, CommonDir: common}, true
}

// Branch is the short name of the checked-out branch, also before its first commit; empty when HEAD is detached.
func (r Repo) Branch() string {
	ref, ok := strings.CutPrefix(readLine(filepath.Join(r.GitDir, "HEAD")), "ref:")
	if !ok {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
	if !ok || name == ".invalid" { // what a reftable repository writes for old readers
		return ""
	}
	return name
}

// Head is the object name of the checked-out commit, empty when there is none yet or it cannot be read.
func (r Repo) Head() string {
	value := readLine(filepath.Join(r.GitDir, "HEAD"))
	for range maxSymref {
		ref, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			if isOID(value) {
				return value
			}
			return ""
		}
		name := strings.TrimSpace(ref)
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return ""
		}
		value = readLine(filepath.Join(r.CommonDir, filepath.FromSlash(name)))
		if value == "" {
			value = r.packedRef(name)
		}
	}
	return ""
}

// Rel gives the slash path of a file below the work tree; false when it is not below it. The file need not exist.
func (r Repo) Rel(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Root, path)
	}
	folder, rest := filepath.Clean(path), ""
	for { // the deepest folder that exists decides where the path really is
		real, err := filepath.EvalSymlinks(folder)
		if err == nil {
			path = filepath.Join(real, rest)
			break
		}
		if folder == filepath.Dir(folder) {
			break
		}
		folder, rest = filepath.Dir(folder), filepath.Join(filepath.Base(folder), rest)
	}
	rel, err := filepath.Rel(r.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// EmptyTree is the name of the tree without entries, in the hash of the object name it is given (any name of the
// repository, or empty for SHA-1). git knows it without storing it.
func EmptyTree(like string) string {
	if len(like) == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

func (r Repo) packedRef(name string) string {
	text, err := regular.Read(filepath.Join(r.CommonDir, "packed-refs"), maxRefs)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		oid, ref, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if ok && ref == name && isOID(oid) {
			return oid
		}
	}
	return ""
}

// isOID is true for a full object name of SHA-1 or SHA-256.
func isOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// readLine is the first line of a small file, without surrounding blanks; empty when there is none.
func readLine(path string) string {
	text, err := regular.Read(path, maxLine)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

func resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// isGitDir is true for a bare repository or the inside of a .git folder.
func isGitDir(dir string) bool {
	return isFile(filepath.Join(dir, "HEAD")) && isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.IsDir()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
