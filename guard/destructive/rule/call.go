package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Call is one command on its way through the rules.
type Call struct {
	Script *shell.Script
	Cmd    *shell.Command
	World  place.World
	Name   string       // the program, in small letters, also where only its last part is readable, and behind a runner (npx, bundle exec)
	Words  []shell.Word // its arguments

	git *Git // read on demand
}

// New looks at one command of the script.
func New(s *shell.Script, c *shell.Command, w place.World) *Call {
	k := &Call{Script: s, Cmd: c, World: w}
	k.read()
	return k
}

// read fills in the program: its name where it is known, or could be by a pattern, and never the runner in front of it.
func (k *Call) read() {
	k.Name = strings.ToLower(k.Cmd.Name)
	if len(k.Cmd.Words) == 0 {
		return
	}
	first := k.Cmd.Words[0]
	k.Words = k.Cmd.Words[1:]
	if k.Name == "" {
		base := path.Base(first.Text)
		switch {
		case !strings.ContainsAny(base, "$`*?[\x01"):
			k.Name = base
		case first.Glob && !first.Dynamic:
			k.Name = couldBe(base)
		}
	}
	k.Name = trimExe(k.Name)
	for range 4 {
		if !k.runner() {
			break
		}
	}
	k.sameProgram()
}

func trimExe(name string) string {
	for _, s := range [...]string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, s)
	}
	return name
}

// couldBe gives a dangerous program that the pattern matches.
func couldBe(pattern string) string {
	for _, n := range [...]string{"rm", "dd", "mkfs", "shred", "chmod", "chown", "git", "find", "unlink", "truncate", "wipefs", "reboot", "shutdown", "kill", "mv"} {
		if ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), n); ok && err == nil {
			return n
		}
	}
	return ""
}

// runner steps over a program that starts the next word: npx prisma …, bundle exec rails …, python manage.py ….
func (k *Call) runner() bool {
	if len(k.Words) == 0 {
		return false
	}
	skip := 0
	switch k.Name {
	case "npx", "bunx", "pnpx", "uvx", "pipx", "shx", "toybox":
	case "bundle", "poetry", "uv", "pipenv", "pnpm", "npm", "yarn", "bun", "rye", "hatch", "pdm", "mise", "direnv", "asdf", "composer", "rbenv", "pyenv", "dotenv", "volta":
		switch {
		case OneOf(k.Words[0].Text, "exec", "run", "dlx", "x", "r"):
			skip = 1
		case k.Name != "yarn" && k.Name != "pnpm" && k.Name != "dotenv":
			return false
		}
	case "python", "python3", "php", "ruby", "node", "deno", "symfony":
		if first := k.Words[0].Text; !(k.Name == "symfony" && first == "console") && (strings.HasPrefix(first, "-") || !OneOf(path.Base(first), "manage.py", "artisan", "console", "rails", "rake")) {
			return false
		}
	default:
		return false
	}
	rest := k.Words[skip:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		if OneOf(rest[0].Text, "-p", "--package", "--dir", "-C", "--filter", "--prefix", "--python", "--with", "-e") && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	if len(rest) == 0 || !rest[0].Literal() {
		return false
	}
	k.Name, k.Words = trimExe(strings.ToLower(path.Base(rest[0].Text))), rest[1:]
	if at := strings.IndexByte(k.Name, '@'); at > 0 {
		k.Name = k.Name[:at]
	}
	return true
}

// Env gives the value that a variable is set to for this command.
func (k *Call) Env(name string) string {
	for _, a := range slices.Backward(k.Cmd.Assign) {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v
		}
	}
	return ""
}

// Targets resolves a word of the command to the places on this machine, or elsewhere, that it names.
func (k *Call) Targets(x shell.Word) []Effect {
	var list []Effect
	for _, x := range braces(x) {
		if !k.Cmd.Remote {
			list = append(list, Effect{Target: k.World.Resolve(k.Cmd.Dir, x)})
			continue
		}
		list = append(list, k.elsewhere(x)...)
	}
	for i := range list {
		t := &list[i]
		if t.Target.Key {
			t.Op |= Keyed
		}
		if t.Target.Unset {
			t.Op |= Unset
		}
	}
	return list
}

// elsewhere resolves a word in a container or on another machine. What is mounted from here is looked at here.
func (k *Call) elsewhere(x shell.Word) []Effect {
	t := place.World{}.Resolve(k.Cmd.Dir, x)
	var list []Effect
	inside := strings.TrimSuffix(strings.TrimSuffix(t.Path, "*"), "/")
	for _, m := range k.Cmd.Mounts {
		at := path.Clean("/" + m.Inside)
		host := m.Host
		switch {
		case t.Path == "" || !strings.HasPrefix(host.Text, "/") && !strings.HasPrefix(host.Text, ".") && !strings.HasPrefix(host.Text, "~") && !strings.HasPrefix(host.Text, "$"):
			continue // a volume with a name
		case inside == at || strings.HasPrefix(t.Path, strings.TrimSuffix(at, "/")+"/"):
			host.Text += t.Path[min(len(strings.TrimSuffix(at, "/")), len(t.Path)):]
			host.Glob = host.Glob || t.Glob
			if !m.ReadOnly {
				list = append(list, Effect{Target: k.World.Resolve(shell.Dir{}, host)})
			}
			return list
		case inside == "" || strings.HasPrefix(at, inside+"/"):
			if !m.ReadOnly {
				list = append(list, Effect{Target: k.World.Resolve(shell.Dir{}, host)})
			}
		}
	}
	if t.Zone == place.Build && !k.Cmd.Wrapped("ssh") {
		return list // made again by the next build in the container
	}
	return append(list, Effect{Op: Remote, Target: t})
}

// Effects gives every target of the word the op.
func (k *Call) Effects(o Op, x shell.Word) []Effect {
	list := k.Targets(x)
	for i := range list {
		list[i].Op |= o
	}
	return list
}

// Each gives every target of the words the op.
func (k *Call) Each(o Op, words []shell.Word) []Effect {
	var list []Effect
	for _, x := range words {
		list = append(list, k.Effects(o, x)...)
	}
	return list
}

// Harmless reports whether all of the words name build, cache or temporary folders.
func (k *Call) Harmless(words []shell.Word) bool {
	for _, e := range k.Each(0, words) {
		if z := e.Target.Zone; z != place.Build && z != place.Temp || e.Op&Remote != 0 {
			return false
		}
	}
	return true
}

// Kept reports whether nothing would be lost without the target: git has all of it unchanged, or nothing is there. It says no for
// the project's own top folders, and where the script moves things about before.
func (k *Call) Kept(t place.Target) bool {
	rel, ok := k.World.Rel(t)
	if !ok || t.Dynamic || k.Cmd.Remote || k.World.Disk == nil || place.MainFolder(rel) || strings.Contains(path.Dir(rel), "*") || strings.Contains(rel, "\\") {
		return false
	}
	if base := path.Base(rel); t.Glob && strings.Trim(base, "*?.") == "" && place.MainFolder(path.Dir(rel)) {
		return false
	}
	return !k.long() && !k.moves() && k.World.Disk.Keeps(rel)
}

// Made reports whether the script itself makes the folder before it deletes it, and nothing was there: git clone . ../copy.
func (k *Call) Made(t place.Target) bool {
	if k.long() || t.Path == "" || t.Dynamic || t.Glob || k.World.Disk == nil || t.Zone != place.Outside && t.Zone != place.HomeTop && t.Zone != place.Project || k.moves() || !k.World.Disk.Missing(t.Path) {
		return false
	}
	for i := range k.Script.Commands {
		c := &k.Script.Commands[i]
		if c == k.Cmd {
			return false
		}
		switch {
		case c.Remote || len(c.Words) == 0:
			continue
		case !OneOf(c.Name, "mkdir", "cp", "git", "rsync", "tar", "unzip", "npx", "npm", "cargo", "go", "django-admin", "degit", "cookiecutter"):
			continue
		case c.Name == "git" && !slices.Contains(c.Args, "clone") && !slices.Contains(c.Args, "init") && !slices.Contains(c.Args, "worktree"):
			continue
		}
		for _, x := range c.Words[1:] {
			if x.Text != "" && x.Text[0] != '-' && k.World.Resolve(c.Dir, x).Path == t.Path {
				return true
			}
		}
	}
	return false
}

// maxLook bounds the scripts in which the other commands are looked at for each one that deletes: what they excuse is for lines
// that people write, and a line of a megabyte must not cost its square.
const maxLook = 1000

// maxScript is the longest script that is searched for what comes before a command; in longer ones nothing is forgiven, so that
// the time stays linear.
const maxScript = 500

func (k *Call) long() bool { return len(k.Script.Commands) > maxScript }

// Earlier are the commands before this one, none in a script that is too long to search.
func (k *Call) Earlier() []shell.Command {
	if k.long() {
		return nil
	}
	for i := range k.Script.Commands {
		if &k.Script.Commands[i] == k.Cmd {
			return k.Script.Commands[:i]
		}
	}
	return nil
}

// moves reports whether the script moves or links files, or runs code that could. Of one that is too long it says so.
func (k *Call) moves() bool {
	if len(k.Script.Commands) > maxLook {
		return true
	}
	for i := range k.Script.Commands {
		c := &k.Script.Commands[i]
		switch c.Name {
		case "mv", "gmv", "ln", "gln", "rename", "mount", "perl", "ruby", "python", "python3", "node", "bun", "deno", "eval", "source", ".":
			return true
		case "git", "rsync":
			if slices.Contains(c.Args, "mv") || slices.Contains(c.Args, "--remove-source-files") {
				return true
			}
		}
		if c.Opaque || c.Unreadable {
			return true
		}
	}
	return false
}

// Word finds the argument with the text.
func (k *Call) Word(text string) shell.Word {
	for _, x := range k.Words {
		if x.Text == text {
			return x
		}
	}
	return shell.Word{Text: text}
}

func Join(words []shell.Word) string {
	var b strings.Builder
	for i, x := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.Text)
		if b.Len() > 2*maxText {
			break
		}
	}
	return b.String()
}
