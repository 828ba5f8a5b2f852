package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
)

// content is what a file will hold, as far as the line tells.
type content struct {
	data  []byte
	known bool
	from  string // the file that it is a copy of, not read yet
	text  string // of the command that wrote it
}

// writer looks at the writes of one line in their order.
type writer struct {
	e       *sight.Eyes
	written map[string]content // by path as it is
	found   []verdict.Finding
}

// maxWritten bounds the files and links of a line that are remembered.
const maxWritten = 4096

// maxSource bounds the source that is kept of the commands behind a file, in bytes.
const maxSource = 8 << 10

// Writes says what speaks against the files that a command line writes, moves or deletes. It follows the links that are there, and
// those that the line makes before it uses them.
func Writes(list []write.Write, w place.World, p Places) []verdict.Finding {
	if len(list) == 0 {
		return nil
	}
	k := writer{e: sight.New(p, filled(w, p)), written: map[string]content{}}
	for i := range list {
		k.write(&list[i])
	}
	return k.found
}

func (k *writer) write(w *write.Write) {
	list := k.e.Targets(w.Dir, w.Path)
	if w.Delete && !strings.HasPrefix(w.Via, "rsync") && !strings.HasPrefix(w.Via, "find") {
		list = k.e.Bare(w.Dir, w.Path)
	}
	for _, t := range list {
		t = k.entry(w, t)
		switch {
		case w.Delete:
			k.deletion(w, t)
		default:
			k.change(w, t)
		}
	}
	if w.From.Text != "" {
		k.source(w)
	}
}

// segment is what a finding quotes.
func segment(w *write.Write) string {
	if w.Text != "" {
		return w.Text
	}
	return "> " + w.Path.Text
}

// entry goes to the file in a folder that cp, mv and the like would write.
func (k *writer) entry(w *write.Write, t sight.Target) sight.Target {
	if w.Base == "" || t.Path == "" || w.Delete {
		return t
	}
	if info, err := os.Stat(t.Path); err != nil || !info.IsDir() {
		if !strings.HasSuffix(w.Path.Text, "/") {
			return t
		}
	}
	t.Path = k.e.Real(filepath.Join(t.Path, w.Base))
	return t
}

// deletion judges rm, mv away, find -delete.
func (k *writer) deletion(w *write.Write, t sight.Target) {
	kind := k.e.Kind(t)
	at := sight.Shown(t.Path, k.e.World.Home)
	switch kind {
	case sight.RootDir, sight.OwnSpec, sight.Database, sight.Binary, sight.GitHook:
		k.deny(w, kind, at+" would be gone")
		return
	case sight.SettingsFile:
		if keys := change.Guarded(sight.Read(t.Path)); len(keys) > 0 || t.Path == "" || t.Glob {
			k.deny(w, kind, at+" would be gone, and with it "+strings.Join(keys, ", "))
		}
		return
	case sight.ProjectFile:
		if why := change.Project(k.e.Places.Root, sight.Read(t.Path), nil); why != "" {
			k.deny(w, kind, "without "+at+" the rules are looser: "+why)
		}
		return
	case sight.GitConfig:
		if change.MovesHooks(sight.Read(t.Path), nil) {
			k.deny(w, kind, "without "+at+" git's hooks are elsewhere")
		}
		return
	}
	if !w.Tree || t.Bare && isLink(t.Path) {
		return
	}
	if hook := k.hooks(t); hook != "" && len(w.Names) == 0 {
		k.deny(w, sight.GitHook, sight.Shown(hook, k.e.World.Home)+" lies in "+at)
	}
	if held, path := k.e.Holds(t, w.Names); held != sight.Other {
		k.deny(w, held, sight.Shown(path, k.e.World.Home)+" lies in "+at)
	}
}

// hooks returns a git hook of devflow that lies in a folder named hooks or .git.
func (k *writer) hooks(t sight.Target) string {
	dir := t.Path
	switch filepath.Base(dir) {
	case ".git":
		dir = filepath.Join(dir, "hooks")
	case "hooks", ".husky", ".githooks":
	default:
		return ""
	}
	for _, name := range [...]string{"pre-push", "pre-commit", "commit-msg"} {
		if file := filepath.Join(dir, name); k.e.OurHook(file) {
			return file
		}
	}
	return ""
}

// change judges everything that leaves a file behind.
func (k *writer) change(w *write.Write, t sight.Target) {
	kind := k.e.Kind(t)
	at := sight.Shown(t.Path, k.e.World.Home)
	if at == "" {
		at = w.Path.Text
	}
	next := k.after(w, t, kind)
	if t.Path != "" && !t.Glob {
		if k.written[t.Path] = next; len(k.written) > maxWritten {
			k.written = map[string]content{}
		}
	}
	switch kind {
	case sight.RootDir, sight.Database, sight.Binary, sight.GitHook:
		k.deny(w, kind, "it writes "+at)
	case sight.OwnSpec:
		if w.Link {
			k.deny(w, sight.RootDir, "it replaces "+at+" by a link")
		}
	case sight.SettingsFile:
		k.settings(w, t, at, next)
	case sight.ProjectFile:
		if next.known {
			if why := change.Project(k.e.Places.Root, sight.Read(t.Path), next.data); why != "" {
				k.deny(w, kind, why)
			}
		} else if fileExists(t.Path) {
			k.ask(w, kind, "what "+at+" would say cannot be told")
		}
	case sight.GitConfig:
		if next.known && change.MovesHooks(sight.Read(t.Path), next.data) || !next.known && strings.Contains(strings.ToLower(next.text), "hookspath") {
			k.deny(w, kind, "it sets core.hooksPath in "+at)
		}
	case sight.StartFile:
		text := string(next.data)
		if !next.known {
			text = next.text + " " + w.Content.Text
		}
		if name := change.SwitchesOff(text); name != "" {
			k.found = append(k.found, deny(RuleEnv, segment(w), "it sets "+name+" for every command that follows"))
		}
	case sight.Other:
		k.tree(w, t)
	}
}

// settings judges a change of a settings file.
func (k *writer) settings(w *write.Write, t sight.Target, at string, next content) {
	before := sight.Read(t.Path)
	switch {
	case w.Link && w.Hard && !next.known:
		k.ask(w, sight.SettingsFile, "what "+at+" would hold cannot be told")
	case next.known:
		if why := change.Settings(before, next.data); why != "" {
			k.deny(w, sight.SettingsFile, why)
		}
	case change.Mentions(next.text):
		k.deny(w, sight.SettingsFile, "it reaches for hooks, env or disableAllHooks in "+at)
	default:
		own := func(x shell.Word) bool { return k.e.Target(w.Dir, x).Path == t.Path }
		if after, ok := change.Simulate(next.text, before, own); ok {
			if why := change.Settings(before, after); why != "" {
				k.deny(w, sight.SettingsFile, why)
			}
			return
		}
		k.ask(w, sight.SettingsFile, "what "+at+" would hold cannot be told; the Edit tool shows it")
	}
}

// after is what the file will hold.
func (k *writer) after(w *write.Write, t sight.Target, kind sight.Kind) content {
	c := content{text: w.Text}
	switch {
	case w.From.Text != "":
		from := k.e.Target(w.Dir, w.From)
		if from.Path == "" || from.Glob {
			return c
		}
		if made, ok := k.written[from.Path]; ok {
			made.data = slices.Clip(made.data) // only the first file may grow in place
			if len(made.text) < maxSource {
				made.text += "\n" + w.Text
			}
			if made.from != "" && kind != sight.Other {
				made.data = sight.Read(made.from)
				made.known = made.data != nil
			}
			return made
		}
		if kind == sight.Other {
			c.from = from.Path
			return c
		}
		data := sight.Read(from.Path)
		if data == nil && from.Path != "/dev/null" || t.Path == "" {
			return c
		}
		if w.Append {
			data = append(slices.Clip(k.present(t.Path)), data...)
		}
		return content{data: data, known: true, text: w.Text}
	case !w.Content.Dynamic && !w.Partial:
		c.known = true
		if w.Append {
			c.data = k.present(t.Path) // grows in place: a line of many `>> log` stays linear
		}
		c.data = append(c.data, w.Content.Text...)
	}
	return c
}

// present is what the file holds before the write, as far as the line has not changed it.
func (k *writer) present(path string) []byte {
	if c, ok := k.written[path]; ok {
		return c.data
	}
	if k.e.KindOf(path) == sight.Other {
		return nil // nobody will ask
	}
	return sight.Read(path)
}

// tree judges writing a whole tree over a folder that holds protected things.
func (k *writer) tree(w *write.Write, t sight.Target) {
	if !w.Tree || t.Path == "" {
		return
	}
	held, path := k.e.Holds(t, w.Names)
	if held == sight.Other {
		return
	}
	at := sight.Shown(path, k.e.World.Home)
	if w.From.Text != "" {
		from := k.e.Target(w.Dir, w.From)
		if from.Path != "" && !from.Glob && !t.Glob {
			rel, err := filepath.Rel(t.Path, path)
			if err == nil && !fileExists(filepath.Join(from.Path, rel)) {
				return // the source has nothing of that name
			}
		}
		k.deny(w, held, "it writes over "+at)
		return
	}
	switch near := filepath.Dir(path) == t.Path || filepath.Dir(filepath.Dir(path)) == t.Path && filepath.Base(t.Path) == ".claude"; {
	case w.Partial && near:
		k.deny(w, held, "it writes over "+at)
	case near && filepath.Base(t.Path) != filepath.Base(k.e.World.Home):
		k.ask(w, held, "it may write over "+at)
	}
}

// source judges what a copy, move or link takes from: a second name for a protected file, a copy of a hook program.
func (k *writer) source(w *write.Write) {
	for _, t := range k.e.Targets(w.Dir, w.From) {
		kind := k.e.Kind(t)
		if t.Path != "" && k.e.Ours(filepath.Base(t.Path)) && k.e.Places.IsHook(filepath.Base(t.Path)) && kind == sight.Binary {
			k.deny(w, sight.Binary, "a copy of "+sight.Shown(t.Path, k.e.World.Home)+" could be called in place of a person")
			continue
		}
		if !w.Link {
			continue
		}
		if w.Hard && kind != sight.Other && kind != sight.OwnSpec {
			k.deny(w, kind, "it gives "+sight.Shown(t.Path, k.e.World.Home)+" a second name")
			continue
		}
		k.remember(w, t)
	}
}

// remember notes a link that the line makes.
func (k *writer) remember(w *write.Write, to sight.Target) {
	if to.Path == "" || k.e.Links() > maxWritten {
		return
	}
	for _, at := range k.e.Targets(w.Dir, w.Path) {
		at = k.entry(w, at)
		if at.Path == "" || at.Path == to.Path {
			continue
		}
		k.e.Link(at.Path, to.Path)
	}
}

func (k *writer) deny(w *write.Write, kind sight.Kind, why string) {
	k.found = append(k.found, deny(ruleOf(kind), segment(w), why))
}

func (k *writer) ask(w *write.Write, kind sight.Kind, why string) {
	k.found = append(k.found, ask(ruleOf(kind), segment(w), why))
}

// ruleOf is the id of the findings about a kind of path.
func ruleOf(k sight.Kind) string {
	switch k {
	case sight.Database:
		return RuleDatabase
	case sight.Binary:
		return RuleBinary
	case sight.SettingsFile:
		return RuleSettings
	case sight.ProjectFile:
		return RuleConfig
	case sight.GitHook:
		return RuleGitHook
	case sight.GitConfig:
		return RuleHooksPath
	case sight.StartFile:
		return RuleEnv
	}
	return RuleRoot
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return path != "" && err == nil
}
