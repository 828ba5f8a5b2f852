// Package lib knows what the functions and methods of the languages' libraries do to files and which of them start programs. It owns
// no table and no file; it reads no code, package eval does.
package lib

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/guard/code/act"
	"github.com/devflow-suite/devflow/guard/code/effect"
)

// Canonical gives one name to the spellings of a function: module paths without their aliases, dots between the parts.
func Canonical(lang effect.Lang, full string) string {
	if len(full) > 200 {
		return full[:200]
	}
	if strings.Contains(full, "::") {
		full = strings.ReplaceAll(full, "::", ".")
	}
	cut := func(prefixes ...string) {
		for _, p := range prefixes {
			if rest, ok := strings.CutPrefix(full, p); ok && rest != "" {
				full = rest
			}
		}
	}
	switch lang {
	case effect.Python:
		cut("builtins.", "__builtins__.", "pathlib.", "six.moves.")
		for _, posix := range [...]string{"posix.", "nt."} {
			if rest, ok := strings.CutPrefix(full, posix); ok {
				full = "os." + rest
			}
		}
		switch full {
		case "PosixPath", "WindowsPath", "PurePath", "anyio.Path":
			full = "Path"
		}
		full = strings.Replace(full, ".__dict__", "", 1)
	case effect.Node:
		cut("node:", "globalThis.", "global.", "window.", "process.mainModule.", "module.")
		for _, same := range [...][2]string{
			{"fs/promises", "fs"}, {"fs-extra", "fs"}, {"graceful-fs", "fs"}, {"fs.promises", "fs"}, {"fs.default", "fs"}, {"memfs", "-"},
			{"child_process.default", "child_process"}, {"path.posix", "path"}, {"path.default", "path"}, {"os.default", "os"},
		} {
			if rest, ok := strings.CutPrefix(full, same[0]); ok && (rest == "" || rest[0] == '.') {
				full = same[1] + rest
			}
		}
	case effect.Ruby:
		cut("Kernel.", "Object.", "self.")
	case effect.Perl:
		cut("CORE.GLOBAL.", "CORE.", "File.Path.", "File.Copy.", "POSIX.", "File.Spec.Functions.")
	case effect.PHP:
		full = strings.ToLower(strings.TrimLeft(full, "\\"))
	}
	return full
}

// ConstantOf gives attributes of modules that are values.
func ConstantOf(lang effect.Lang, full string) (effect.Value, bool) {
	switch full {
	case "os.sep", "path.sep", "File.SEPARATOR":
		return effect.Str("/"), true
	case "os.curdir":
		return effect.Str("."), true
	case "os.pardir":
		return effect.Str(".."), true
	case "os.devnull":
		return effect.Str("/dev/null"), true
	case "sys.executable":
		return effect.Str("python3"), true
	case "process.execPath", "process.argv0":
		return effect.Str("node"), true
	case "process.env.HOME", "process.env.USERPROFILE", "Bun.env.HOME":
		return effect.Str("~"), true
	case "process.env.PWD", "import.meta.dirname", "import.meta.dir":
		return effect.Str("."), true
	case "process.env.TMPDIR", "process.env.TEMP":
		return effect.Str("/tmp"), true
	}
	return effect.Value{}, lang == effect.Node && strings.HasPrefix(full, "process.env.") || lang == effect.Python && strings.HasPrefix(full, "string.")
}

// Special gives the names that a language sets itself.
func (m *Machine) Special(name string) (effect.Value, bool) {
	switch name {
	case "__dirname", "__DIR__":
		return effect.Str("."), true
	case "__file__", "__FILE__", "__filename", "$0":
		return effect.Value{Kind: effect.Text, Text: effect.Computed, Dyn: true}, true
	case "@ARGV", "ARGV", "$argv", "$ARGV":
		return m.arguments(0), true
	case "$ENV", "%ENV", "ENV", "ENVIRON", "$_ENV", "$_SERVER":
		return effect.Value{Kind: effect.Ref, Text: "ENV"}, true
	case "@_":
		if p := m.Host.Params(); m.Lang == effect.Perl && p != nil && name == "@_" {
			return effect.Value{Kind: effect.List, Items: p}, true
		}
	case "$^X":
		return effect.Str("perl"), true
	}
	return effect.Value{}, false
}

// arguments are the words behind the code on the command line, after skip names of the script itself.
func (m *Machine) arguments(skip int) effect.Value {
	if m.Argv == nil {
		return effect.Value{}
	}
	v := effect.Value{Kind: effect.List}
	for range skip {
		v.Items = append(v.Items, effect.Value{Kind: effect.Constant})
	}
	for _, a := range m.Argv {
		v.Items = append(v.Items, effect.Value{Kind: effect.Text, Text: a, Dyn: a == effect.Computed})
	}
	return v
}

// environment is the value of a variable of the environment.
func environment(key effect.Value) effect.Value {
	switch key.Text {
	case "HOME", "USERPROFILE":
		return effect.Str("~")
	case "PWD":
		return effect.Str(".")
	case "TMPDIR", "TEMP", "TMP":
		return effect.Str("/tmp")
	}
	return effect.Unsure()
}

// Index is module[key].
func (m *Machine) Index(v, key effect.Value, keys []effect.Value) effect.Value {
	switch v.Text {
	case "os.environ", "ENV", "process.env", "Deno.env", "Bun.env":
		return environment(key)
	case "sys.argv":
		if a := m.arguments(1); a.Kind == effect.List {
			if len(keys) > 1 {
				a.Items = a.Items[1:]
				return a
			}
			return m.pick(a, key)
		}
		return effect.Unsure()
	case "process.argv":
		if a := m.arguments(1); a.Kind == effect.List {
			return m.pick(a, key)
		}
		return effect.Unsure()
	case "sys.modules":
		return effect.Value{Kind: effect.Ref, Text: Canonical(m.Lang, key.Text)}
	case "globals()":
		if key.Known() && !key.Dyn {
			return m.Host.Lookup(key.Text)
		}
		return effect.Value{Kind: effect.Ref, Text: act.Hidden}
	case "Dir":
		return m.globbed(keys)
	case "global", "globalThis", "window", "__builtins__", "builtins", "self":
		if key.Known() && !key.Dyn {
			return effect.Value{Kind: effect.Ref, Text: Canonical(m.Lang, key.Text)}
		}
		return effect.Value{Kind: effect.Ref, Text: act.Hidden}
	}
	switch {
	case key.Known() && !key.Dyn:
		return m.Attr(v, key.Text)
	case m.Lang == effect.Node && (v.Text == "fs" || v.Text == "child_process"):
		return effect.Value{Kind: effect.Ref, Text: act.Hidden}
	}
	return effect.Value{}
}

func (m *Machine) pick(v, key effect.Value) effect.Value {
	for n := range v.Items {
		if n < 100 && strconv.Itoa(n) == key.Text {
			return v.Items[n]
		}
	}
	return effect.Choose(v.Items)
}

// Attr is v.name.
func (m *Machine) Attr(v effect.Value, name string) effect.Value {
	switch v.Kind {
	case effect.Ref:
		full := Canonical(m.Lang, v.Text+"."+name)
		if x, ok := ConstantOf(m.Lang, full); ok {
			return x
		}
		return effect.Value{Kind: effect.Ref, Text: full}
	case effect.Object:
		if x, ok := v.Get(name); ok {
			return x
		}
	}
	return effect.Value{Kind: effect.Method, Text: name, Items: []effect.Value{v}}
}
