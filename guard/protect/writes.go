package protect

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
)

// content is what a file will hold, as far as the line tells.
type content struct {
	data  []byte
	known bool
	text  string // of the command that wrote it
}

// writer looks at the writes of one line in their order.
type writer struct {
	e       *eyes
	written map[string]content // by path as it is
	found   []verdict.Finding
}

// Writes says what speaks against the files that a command line writes, moves or deletes. It follows the links that are there, and
// those that the line makes before it uses them.
func Writes(list []write.Write, w place.World, p Places) []verdict.Finding {
	if len(list) == 0 {
		return nil
	}
	k := writer{e: newEyes(p, p.world(w)), written: map[string]content{}}
	for i := range list {
		k.write(&list[i])
	}
	return k.found
}

func (k *writer) write(w *write.Write) {
	for _, t := range k.e.targets(w.Dir, w.Path) {
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
func (k *writer) entry(w *write.Write, t target) target {
	if w.Base == "" || t.path == "" || w.Delete {
		return t
	}
	if info, err := os.Stat(t.path); err != nil || !info.IsDir() {
		if !strings.HasSuffix(w.Path.Text, "/") {
			return t
		}
	}
	t.path = k.e.real(filepath.Join(t.path, w.Base))
	return t
}

// deletion judges rm, mv away, find -delete.
func (k *writer) deletion(w *write.Write, t target) {
	kind := k.e.kind(t)
	at := shown(t.path, k.e.w.Home)
	switch kind {
	case rootDir, ownSpec, database, binary, gitHook:
		k.deny(w, kind, at+" would be gone")
		return
	case settingsFile:
		if keys := guarded(read(t.path)); len(keys) > 0 || t.path == "" || t.glob {
			k.deny(w, kind, at+" would be gone, and with it "+strings.Join(keys, ", "))
		}
		return
	case projectFile:
		if why := loosenedConfig(k.e.p.Root, read(t.path), nil); why != "" {
			k.deny(w, kind, "without "+at+" the rules are looser: "+why)
		}
		return
	case gitConfig:
		if movesHooks(read(t.path), nil) {
			k.deny(w, kind, "without "+at+" git's hooks are elsewhere")
		}
		return
	}
	if !w.Tree {
		return
	}
	if held, path := k.e.holds(t, w.Names); held != other {
		k.deny(w, held, shown(path, k.e.w.Home)+" lies in "+at)
	}
}

// change judges everything that leaves a file behind.
func (k *writer) change(w *write.Write, t target) {
	kind := k.e.kind(t)
	at := shown(t.path, k.e.w.Home)
	if at == "" {
		at = w.Path.Text
	}
	next := k.after(w, t)
	if t.path != "" && !t.glob && (kind != other || next.known && len(next.data) < maxRead) {
		if k.written[t.path] = next; len(k.written) > maxMemory {
			k.written = map[string]content{}
		}
	}
	switch kind {
	case rootDir, database, binary, gitHook:
		k.deny(w, kind, "it writes "+at)
	case ownSpec:
		if w.Link {
			k.deny(w, rootDir, "it replaces "+at+" by a link")
		}
	case settingsFile:
		k.settings(w, t, at, next)
	case projectFile:
		if next.known {
			if why := loosenedConfig(k.e.p.Root, read(t.path), next.data); why != "" {
				k.deny(w, kind, why)
			}
		} else if fileExists(t.path) {
			k.ask(w, kind, "what "+at+" would say cannot be told")
		}
	case gitConfig:
		if next.known && movesHooks(read(t.path), next.data) || !next.known && strings.Contains(strings.ToLower(next.text), "hookspath") {
			k.deny(w, kind, "it sets core.hooksPath in "+at)
		}
	case startFile:
		text := string(next.data)
		if !next.known {
			text = next.text + " " + w.Content.Text
		}
		if name := switchesOff(text); name != "" {
			k.found = append(k.found, deny(RuleEnv, segment(w), "it sets "+name+" for every command that follows"))
		}
	case other:
		k.tree(w, t)
	}
}

// settings judges a change of a settings file.
func (k *writer) settings(w *write.Write, t target, at string, next content) {
	before := read(t.path)
	switch {
	case w.Link && w.Hard && !next.known:
		k.ask(w, settingsFile, "what "+at+" would hold cannot be told")
	case next.known:
		if why := loosened(before, next.data); why != "" {
			k.deny(w, settingsFile, why)
		}
	case mentionsGuarded(next.text):
		k.deny(w, settingsFile, "it reaches for hooks, env or disableAllHooks in "+at)
	default:
		if after, ok := simulate(next.text, before, at); ok {
			if why := loosened(before, after); why != "" {
				k.deny(w, settingsFile, why)
			}
			return
		}
		k.ask(w, settingsFile, "what "+at+" would hold cannot be told; the Edit tool shows it")
	}
}

// after is what the file will hold.
func (k *writer) after(w *write.Write, t target) content {
	c := content{text: w.Text}
	switch {
	case w.From.Text != "":
		from := k.e.target(w.Dir, w.From)
		if from.path == "" || from.glob {
			return c
		}
		if made, ok := k.written[from.path]; ok {
			made.text += " " + w.Text
			return made
		}
		if data := read(from.path); data != nil && t.path != "" {
			return content{data: data, known: true, text: w.Text}
		}
	case !w.Content.Dynamic && !w.Partial:
		c.known = true
		if w.Append {
			c.data = append(c.data, k.present(t.path)...)
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
	if k.e.kindOf(path) == other {
		return nil // nobody will ask
	}
	return read(path)
}

// tree judges writing a whole tree over a folder that holds protected things.
func (k *writer) tree(w *write.Write, t target) {
	if !w.Tree || t.path == "" {
		return
	}
	held, path := k.e.holds(t, w.Names)
	if held == other {
		return
	}
	at := shown(path, k.e.w.Home)
	if w.From.Text != "" {
		from := k.e.target(w.Dir, w.From)
		if from.path != "" && !from.glob && !t.glob {
			rel, err := filepath.Rel(t.path, path)
			if err == nil && !fileExists(filepath.Join(from.path, rel)) {
				return // the source has nothing of that name
			}
		}
		k.deny(w, held, "it writes over "+at)
		return
	}
	switch near := filepath.Dir(path) == t.path || filepath.Dir(filepath.Dir(path)) == t.path && filepath.Base(t.path) == ".claude"; {
	case w.Partial && near:
		k.deny(w, held, "it writes over "+at)
	case near && filepath.Base(t.path) != filepath.Base(k.e.w.Home):
		k.ask(w, held, "it may write over "+at)
	}
}

// source judges what a copy, move or link takes from: a second name for a protected file, a copy of a hook program.
func (k *writer) source(w *write.Write) {
	for _, t := range k.e.targets(w.Dir, w.From) {
		kind := k.e.kind(t)
		if t.path != "" && k.e.ours(filepath.Base(t.path)) && k.e.p.isHook(filepath.Base(t.path)) && kind == binary {
			k.deny(w, binary, "a copy of "+shown(t.path, k.e.w.Home)+" could be called in place of a person")
			continue
		}
		if !w.Link {
			continue
		}
		if w.Hard && kind != other && kind != ownSpec {
			k.deny(w, kind, "it gives "+shown(t.path, k.e.w.Home)+" a second name")
			continue
		}
		k.remember(w, t)
	}
}

// remember notes a link that the line makes.
func (k *writer) remember(w *write.Write, to target) {
	if to.path == "" || len(k.e.links) > maxMemory {
		return
	}
	for _, at := range k.e.targets(w.Dir, w.Path) {
		at = k.entry(w, at)
		if at.path == "" || at.path == to.path {
			continue
		}
		if k.e.links == nil {
			k.e.links = map[string]string{}
		}
		k.e.links[at.path] = to.path
	}
}

func (k *writer) deny(w *write.Write, kind kind, why string) {
	k.found = append(k.found, deny(kind.rule(), segment(w), why))
}

func (k *writer) ask(w *write.Write, kind kind, why string) {
	k.found = append(k.found, ask(kind.rule(), segment(w), why))
}

// rule is the id of the findings about a kind of path.
func (k kind) rule() string {
	switch k {
	case database:
		return RuleDatabase
	case binary:
		return RuleBinary
	case settingsFile:
		return RuleSettings
	case projectFile:
		return RuleConfig
	case gitHook:
		return RuleGitHook
	case gitConfig:
		return RuleHooksPath
	case startFile:
		return RuleEnv
	}
	return RuleRoot
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return path != "" && err == nil
}

// simulate computes what two kinds of commands that people use on settings leave behind: sed -i with plain texts, and jq with
// assignments to keys that are not guarded.
func simulate(text string, before []byte, _ string) ([]byte, bool) {
	s, err := shell.Parse(text)
	if err != nil || len(s.Commands) == 0 {
		return nil, false
	}
	c := &s.Commands[0]
	switch c.Name {
	case "sed", "gsed":
		return sed(c.Args, before)
	case "jq":
		if len(c.Args) > 0 && harmlessFilter(c.Args) {
			return before, true
		}
	}
	return nil, false
}

// sed applies `-i s/plain/text/g` to data.
func sed(args []string, data []byte) ([]byte, bool) {
	out := string(data)
	done := false
	for i, a := range args {
		if len(a) > 0 && a[0] == '-' || a == "" {
			if a == "-e" || strings.HasPrefix(a, "-i") || a == "" || a == "-E" || a == "-r" {
				continue
			}
			return nil, false
		}
		if i == len(args)-1 {
			break // the file
		}
		if len(a) < 4 || a[0] != 's' {
			return nil, false
		}
		parts := strings.Split(a[1:], a[1:2])
		if len(parts) != 4 || strings.Trim(parts[3], "g") != "" || strings.ContainsAny(parts[1], `\*[^$`) || strings.ContainsAny(parts[2], `\&`) || parts[1] == "" {
			return nil, false
		}
		// A dot fits any character; only the text itself is replaced here, which decides about the same keys.
		if strings.Contains(parts[1], ".") && !strings.Contains(out, parts[1]) {
			return nil, false
		}
		out = strings.ReplaceAll(out, parts[1], parts[2])
		done = true
	}
	return []byte(out), done
}

// harmlessFilter reports whether a jq command only assigns to, or deletes, members that are not guarded.
func harmlessFilter(args []string) bool {
	filter := ""
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--arg" || a == "--argjson":
			i += 2
		case a == "--indent":
			i++
		case a == "-S" || a == "-M" || a == "-r" || a == "--tab" || a == "--sort-keys":
		case strings.HasPrefix(a, "-"):
			return false
		case filter == "":
			filter = a
		}
	}
	if filter == "" || strings.ContainsAny(filter, "#`\\") {
		return false
	}
	for part := range strings.SplitSeq(filter, "|") {
		part = strings.TrimSuffix(strings.TrimSpace(part), ")")
		part = strings.TrimPrefix(part, "=") // of |=
		part, deletes := strings.CutPrefix(strings.TrimSpace(part), "del(")
		name := strings.TrimLeft(part, ".")
		if name == part {
			return false
		}
		end := 0
		for end < len(name) && nameByte(name[end]) {
			end++
		}
		rest := strings.TrimSpace(name[end:])
		if end == 0 || !deletes && !strings.Contains(rest, "=") || strings.Contains(rest, "..") || strings.Contains(rest, ",") && deletes {
			return false
		}
		for _, k := range guardedKeys {
			if name[:end] == k {
				return false
			}
		}
	}
	return true
}
