package flock_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// own is everything that belongs to the person, file by file with mode, time and content: the work trees, HEAD, index, refs, stash,
// configuration and hooks of the repository, and the home folder. Only what devflock says is its own is left out.
func (s *stage) own() string {
	s.Helper()
	var b strings.Builder
	for _, top := range []string{s.repo.Dir, s.home, filepath.Join(s.dir, "linked")} {
		err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				if os.IsNotExist(err) && path == top {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(s.repo.Dir, path)
			if err != nil {
				return err
			}
			switch {
			case ours(rel):
				if e.IsDir() {
					return filepath.SkipDir
				}
				return nil
			case e.IsDir():
				fmt.Fprintf(&b, "%s/\n", rel)
				return nil
			}
			return describe(&b, path, rel)
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	for ref := range strings.Lines(s.repo.Git("for-each-ref") + "\n") {
		if strings.TrimSpace(ref) != "" && !strings.Contains(ref, "refs/heads/devflock/") && !strings.Contains(ref, "refs/devflock/") {
			b.WriteString(ref)
		}
	}
	return b.String()
}

// ours is what devflock may change in a repository: objects, its own refs, and its registered work trees.
func ours(rel string) bool {
	for _, p := range []string{".git/objects", ".git/refs/devflock", ".git/refs/heads/devflock", ".git/logs/refs/heads/devflock", ".git/logs/refs/devflock"} {
		if rel == p || strings.HasPrefix(rel, p+"/") {
			return true
		}
	}
	return strings.HasPrefix(rel, ".git/worktrees/") && rel != ".git/worktrees/linked" && !strings.HasPrefix(rel, ".git/worktrees/linked/")
}

func describe(b *strings.Builder, path, rel string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	var data []byte
	switch {
	case info.Mode().IsRegular():
		if data, err = os.ReadFile(path); err != nil {
			return err
		}
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		data = []byte(target)
	}
	fmt.Fprintf(b, "%s %v %d %d %x\n", rel, info.Mode(), info.ModTime().UnixNano(), len(data), sha256.Sum256(data))
	return nil
}

// untouched wants the person's own things as they were, no hook of the person's to have run, and no work tree of ours to be left.
func (s *stage) untouched() {
	s.Helper()
	if diff := cmp.Diff(strings.Split(s.before, "\n"), strings.Split(s.own(), "\n")); diff != "" {
		s.Errorf("the person's own things have changed (-before +after):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "hooked")); err == nil {
		s.Error("a hook of the person's was run")
	}
	for line := range strings.Lines(s.repo.Git("worktree", "list") + "\n") {
		if strings.Contains(line, s.root) {
			s.Errorf("work tree is left: %s", line)
		}
	}
}

// keyless wants that the key lies nowhere but in the endpoints file of the run, whose mode keeps others out.
func (s *stage) keyless() {
	s.Helper()
	endpoints := filepath.Join(s.folder(), "endpoints.toml")
	err := filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch has := strings.Contains(string(data), realKey); {
		case path == endpoints && (!has || info.Mode().Perm() != 0o600):
			s.Errorf("%s: has the key: %v, mode %v", path, has, info.Mode())
		case path != endpoints && has:
			s.Errorf("the key is in %s", path)
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	for pid, line := range commandLines(s.T) {
		if strings.Contains(line, realKey) {
			s.Errorf("the key is in the command line of process %d: %s", pid, line)
		}
	}
	for _, r := range s.srv.Requests() {
		if strings.Contains(string(r.Body), realKey) || strings.Contains(string(r.Body), "PERSONAL-NOTE") {
			s.Errorf("request %d holds the key, or something personal", r.N)
		}
	}
}
