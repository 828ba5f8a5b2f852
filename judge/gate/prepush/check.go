package prepush

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
)

// legacyName is where pre-commit moves a hook that it finds, and runs it from; oldName is where lefthook moves one and
// forgets it.
const (
	legacyName = "pre-push.legacy"
	oldName    = "pre-push.old"
)

func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// Check tells whether git runs our hook before a push. It changes nothing and starts one git process, two for a
// hook in the work tree.
func Check(ctx context.Context, repo gitx.Repo) (State, error) {
	p, err := locate(ctx, repo)
	if err != nil {
		return State{}, fmt.Errorf("check pre-push hook: %w", err)
	}
	s, err := p.check()
	if err == nil {
		s.Exposed, err = p.exposed(ctx, s)
	}
	if err != nil {
		return s, fmt.Errorf("check pre-push hook: %w", err)
	}
	return s, nil
}

// exposed tells whether our hook lies where `git add` finds it.
func (p place) exposed(ctx context.Context, s State) (bool, error) {
	rel, err := filepath.Rel(p.repo.Root, s.Hook)
	if err != nil || !filepath.IsLocal(rel) || s.Kind != Ours || s.By != "" || inside(p.repo.GitDir, p.hooks) || inside(p.repo.CommonDir, p.hooks) {
		return false, nil
	}
	out, err := runGit(ctx, p.repo, "--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", filepath.ToSlash(rel))
	return out != "", err
}

func (p place) check() (State, error) {
	s := State{Kind: None, Hook: p.path(hookName)}
	hook, err := read(s.Hook)
	if err != nil {
		return s, err
	}
	unused := false
	switch {
	case hook.exists && ours(hook.text):
		s.Kind = Ours
		s.Exe = exeOf(hook.text)
		if !hook.runs {
			s.Kind, s.Why = Replaced, "it is not executable, and git ignores it"
		}
	case hook.exists && hook.runs:
		s.By = owner(s.Hook, hook.text)
		legacy, err := read(p.path(legacyName))
		if err != nil {
			return s, err
		}
		switch {
		case s.By == "pre-commit" && legacy.runs && ours(legacy.text):
			s.Kind, s.Exe = Ours, exeOf(legacy.text)
		case runsGate(hook.text) || p.configured(s.By):
			s.Kind = Ours
		}
		unused = s.By == "husky" && filepath.Base(p.hooks) == "_" && absent(filepath.Join(filepath.Dir(p.hooks), hookName)) != ""
	}
	if s.Kind == Ours && (s.By == "" || s.By == "pre-commit") {
		if chained, err := read(p.path(chainedName)); err == nil && chained.runs {
			s.Chained = p.path(chainedName)
		}
		s.Missing = s.Exe != "" && !executable(s.Exe)
	}
	if s.Kind == None {
		p.missed(&s, hook)
	}
	if s.Kind == None && unused {
		s.By = "" // husky's stub runs nothing: the user has no script for it
	}
	return s, nil
}

// missed finds out whether our hook should be there, and what became of it.
func (p place) missed(s *State, hook file) {
	known := notes(p.repo)
	usual := filepath.Join(p.repo.CommonDir, "hooks", hookName)
	if stray, err := read(usual); err == nil && usual != s.Hook && ours(stray.text) {
		known = append(known, note{Hook: usual, Exe: exeOf(stray.text)})
	}
	if old, err := read(p.path(oldName)); err == nil && ours(old.text) {
		known = append(known, note{Hook: s.Hook, Exe: exeOf(old.text)})
	}
	if len(known) == 0 {
		return
	}
	n := known[0]
	s.Kind, s.Exe = Replaced, n.Exe
	switch {
	case n.Hook != s.Hook:
		s.Why = "core.hooksPath now leads to " + p.hooks
	case hook.exists && !hook.runs:
		s.Why = "another file that is not executable is in its place"
	case hook.exists:
		s.Why = "its file was overwritten"
	default:
		s.Why = "its file is gone"
	}
}

// configured tells whether the user has put the gate into the settings of another tool.
func (p place) configured(by string) bool {
	var paths []string
	switch by {
	case "husky":
		paths = []string{filepath.Join(filepath.Dir(p.hooks), hookName)}
	case "lefthook":
		for _, name := range [...]string{"lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook-local.yml", ".config/lefthook.yml", "lefthook.toml", "lefthook.json"} {
			paths = append(paths, filepath.Join(p.repo.Root, filepath.FromSlash(name)))
		}
	case "simple-git-hooks", "captainhook", "overcommit":
		for _, name := range [...]string{"package.json", ".simple-git-hooks.json", "captainhook.json", ".overcommit.yml"} {
			paths = append(paths, filepath.Join(p.repo.Root, name))
		}
	}
	for _, path := range paths {
		if text, err := regular.Read(path, maxHook); err == nil && runsGate(text) {
			return true
		}
	}
	return false
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
