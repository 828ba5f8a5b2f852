package prepush

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/gitx"
)

// Errors of Install that a caller may test for with errors.Is. Each comes with what the user can do.
var (
	ErrShared  = errors.New("hooks folder is outside of the repository") // by core.hooksPath: other repositories use it, too
	ErrTracked = errors.New("hook belongs to the project")               // git tracks it
	ErrOff     = errors.New("hooks are switched off")                    // core.hooksPath is no folder
)

// scriptMode is that of git's own hooks.
const scriptMode = 0o755

// Install makes git run `exe gate pre-push` before a push, after the hook that is there already. exe is absolute. The
// result is what Check says then. It is idempotent: a second call writes nothing. When our hook was replaced, the one
// that replaced it becomes the chained one. A power cut or an error in between leaves the old hook or the new one.
func Install(ctx context.Context, repo gitx.Repo, exe string) (State, error) {
	if !filepath.IsAbs(exe) || strings.ContainsAny(exe, "\n\x00") {
		return State{}, fmt.Errorf("install pre-push hook: executable %q: want an absolute path in one line", exe)
	}
	p, err := locate(ctx, repo)
	if err == nil {
		err = p.allowed(ctx, exe)
	}
	if err != nil {
		return State{}, fmt.Errorf("install pre-push hook: %w", err)
	}
	s, err := p.install(exe)
	if err == nil {
		s.Exposed, err = p.exposed(ctx, s)
	}
	if err != nil {
		return s, fmt.Errorf("install pre-push hook: %w", err)
	}
	return s, nil
}

// allowed refuses hooks that are not this repository's own.
func (p place) allowed(ctx context.Context, exe string) error {
	if info, err := os.Stat(p.hooks); err == nil && !info.IsDir() {
		return fmt.Errorf("core.hooksPath is %s: %w", p.hooks, ErrOff)
	}
	if p.shared() {
		return fmt.Errorf("core.hooksPath is %s: %w; add to its pre-push the line: %s", p.hooks, ErrShared, Line(exe))
	}
	tracked, err := p.tracked(ctx)
	if err != nil {
		return err
	}
	if tracked {
		return fmt.Errorf("git tracks %s: %w; add to it the line: %s", p.path(hookName), ErrTracked, Line(exe))
	}
	return nil
}

func (p place) install(exe string) (State, error) {
	n := note{Hook: p.path(hookName), Exe: exe}
	n.Made = absent(p.hooks)
	for _, old := range notes(p.repo) {
		if old.Hook == n.Hook && old.Made != "" {
			n.Made = old.Made
		}
	}
	if err := os.MkdirAll(p.hooks, 0o755); err != nil { // as git makes it
		return State{}, err
	}
	before, err := p.check()
	if err != nil {
		return before, err
	}
	name := hookName
	if before.Kind == Ours && before.By == "pre-commit" { // runs ours from where it moved it
		name = legacyName
		if err := p.unloop(); err != nil {
			return before, err
		}
	} else if before.Kind == Ours && before.By != "" {
		return before, nil // the user's own line
	} else if err := p.chain(); err != nil {
		return before, err
	}
	if err := p.write(name, exe); err != nil {
		return before, err
	}
	if err := p.forget(oldName); err != nil {
		return before, err
	}
	if err := writeNote(p.noteDir(), n); err != nil {
		return before, err
	}
	return p.check()
}

// chain puts a hook of somebody else under the name of the chained one. It stays under its own name until ours replaces
// it.
func (p place) chain() error {
	hook, err := read(p.path(hookName))
	if err != nil || !hook.exists || ours(hook.text) {
		return err
	}
	chained, err := read(p.path(chainedName))
	if err != nil {
		return err
	}
	if chained.exists {
		if same(hook, chained) {
			return nil
		}
		if err := p.displace(); err != nil {
			return err
		}
	}
	return duplicate(p.path(hookName), p.path(chainedName))
}

// unloop drops a chained hook of pre-commit when pre-commit runs ours: it would run itself by us.
func (p place) unloop() error {
	chained, err := read(p.path(chainedName))
	if err != nil || !chained.exists || owner(p.path(chainedName), chained.text) != "pre-commit" {
		return err
	}
	return os.Remove(p.path(chainedName))
}

func same(a, b file) bool { return len(a.text) > 0 && bytes.Equal(a.text, b.text) && a.runs == b.runs }

// displace moves a chained hook that another tool has replaced to where that tool would have moved it, if it had found it
// in place of ours, else beside.
func (p place) displace() error {
	target := oldName
	old, err := read(p.path(oldName))
	if err != nil {
		return err
	}
	if old.exists && !ours(old.text) || !old.exists {
		for i := 0; ; i++ {
			target = chainedName + ".old"
			if i > 0 {
				target += "." + strconv.Itoa(i)
			}
			if _, err := os.Lstat(p.path(target)); errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
	}
	return os.Rename(p.path(chainedName), p.path(target))
}

// duplicate gives a file a second name: a second link, a link that says the same, or, where the file system knows no
// links, only the second name.
func duplicate(from, to string) error {
	if link, err := os.Readlink(from); err == nil {
		return os.Symlink(link, to)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return os.Rename(from, to)
}

// write puts our script in place, and the link to the chained hook when it needs one.
func (p place) write(name, exe string) error {
	chained, err := read(p.path(chainedName))
	if err != nil {
		return err
	}
	var text []byte
	if chained.exists {
		if text = chained.text; text == nil {
			text = []byte{}
		}
		dir := p.path(chainedDir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.Symlink("../"+chainedName, filepath.Join(dir, hookName)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	want := script(exe, text)
	have, err := read(p.path(name))
	if err != nil || have.runs && bytes.Equal(have.text, want) {
		return err
	}
	temp := p.path(hookName + ".devflow-new") // a link in the place of the hook is replaced, not followed
	if err := atomicfile.WriteFile(temp, want, scriptMode); err != nil {
		return err
	}
	return os.Rename(temp, p.path(name))
}

// forget deletes a copy of our script that another tool has moved away.
func (p place) forget(name string) error {
	old, err := read(p.path(name))
	if err != nil || !old.exists || !ours(old.text) {
		return err
	}
	return os.Remove(p.path(name))
}
