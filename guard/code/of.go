package code

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// invocation is an interpreter with the code it is given.
type invocation struct {
	lang    Lang
	src     shell.Word
	argv    []string     // arguments after the code: sys.argv[1:]
	inPlace []shell.Word // files that perl -i, ruby -i or gawk -i inplace rewrites
}

// Of finds the code that c gives to an interpreter: by an option (-c, -e, --eval …, attached or in a bundle such as -Sc), as awk's
// first operand, or on standard input by a here-document, a here-string or a known text in a pipe. A script file is not code.
func Of(c *shell.Command) (lang Lang, src shell.Word, ok bool) {
	inv, ok := invocationOf(c)
	return inv.lang, inv.src, ok
}

// interpreter describes the command line of an interpreter.
type interpreter struct {
	lang   Lang
	code   string // short options whose value is code
	long   string // long options whose value is code, between spaces
	values string // short options that take another value
	longs  string // long options that take another value as the next word, between spaces
	attach string // short options whose value, if any, is attached: the rest of the bundle
	stdin  bool   // reads code from standard input when no file is named
	sub    string // subcommands before the code, between spaces
}

func interpreterOf(name string) (interpreter, bool) {
	base := strings.TrimRight(name, "0123456789.")
	switch strings.TrimSuffix(base, "-config") {
	case "python", "pypy", "py", "ipython", "pythonw", "bpython", "micropython", "graalpy":
		return interpreter{lang: Python, code: "c", values: "mWX", longs: " --check-hash-based-pycs ", stdin: true}, true
	case "node", "nodejs", "tsx", "ts-node", "bun", "electron", "qjs", "esno":
		return interpreter{
			lang: Node, code: "ep", long: " --eval --print -pe ", values: "rCO", stdin: true,
			longs: " --require --import --loader --experimental-loader --conditions --env-file --input-type --project --compiler-options ",
		}, true
	case "deno":
		return interpreter{lang: Node, code: "", sub: " eval run repl ", values: "cr", longs: " --ext --config --import-map ", stdin: true}, true
	case "perl":
		return interpreter{lang: Perl, code: "eE", values: "I", attach: "iMmFl0CdDVx", stdin: true}, true
	case "ruby", "jruby", "truffleruby", "irb":
		return interpreter{lang: Ruby, code: "e", values: "ICrE", attach: "iFTKWx0", stdin: true}, true
	case "php":
		return interpreter{lang: PHP, code: "rBRE", values: "dcfFzSt", long: " --run --process-code --process-begin --process-end ", stdin: true}, true
	case "awk", "gawk", "mawk", "nawk", "original-awk", "goawk":
		return interpreter{lang: Awk, code: "e", values: "Fvfi", long: " --source ", longs: " --assign --field-separator --include --file --load "}, true
	case "lua", "luajit", "luau":
		return interpreter{lang: Lua, code: "e", values: "l", stdin: true}, true
	case "Rscript", "r", "R":
		return interpreter{lang: R, code: "e", values: "f", stdin: true}, true
	case "osascript":
		return interpreter{lang: AppleScript, code: "e", values: "ls", stdin: true}, true
	}
	return interpreter{}, false
}

// invocationOf reads c. Runners that start an interpreter (uv run python …) are looked through.
func invocationOf(c *shell.Command) (invocation, bool) {
	if len(c.Words) == 0 {
		return invocation{}, false
	}
	name, args := strings.TrimSuffix(c.Name, ".exe"), c.Words[1:]
	in, ok := interpreterOf(name)
	if !ok {
		name, args, ok = behindRunner(name, args)
		if !ok {
			return invocation{}, false
		}
		in, _ = interpreterOf(name)
	}
	if in.lang == Python && len(args) > 2 { // manage.py shell -c 'code'
		for i := range args[:len(args)-2] {
			if path.Base(args[i].Text) == "manage.py" && args[i+1].Text == "shell" {
				args = args[i+2:]
				break
			}
		}
	}
	inv, found := in.scan(args)
	if found {
		return inv, true
	}
	if !in.stdin || inv.lang == "" {
		return invocation{}, false
	}
	inv.src, ok = stdinText(c)
	return inv, ok
}

// behindRunner finds the interpreter that a project runner starts.
func behindRunner(name string, args []shell.Word) (string, []shell.Word, bool) {
	verb := ""
	switch name {
	case "uv", "poetry", "pipenv", "pdm", "rye", "hatch", "conda", "mamba", "micromamba", "pixi":
		verb = "run"
	case "bundle", "rbenv", "pyenv", "asdf", "mise", "pnpm", "npm", "yarn", "direnv", "nodenv":
		verb = "exec"
	case "rails":
		if len(args) > 1 && (args[0].Text == "runner" || args[0].Text == "r") {
			return "ruby", append([]shell.Word{{Text: "-e"}}, args[1:]...), true
		}
		return "", nil, false
	case "npx", "bunx":
		verb = ""
	default:
		return "", nil, false
	}
	seen := verb == ""
	for i, a := range args {
		if !seen {
			seen = a.Text == verb
			continue
		}
		if base := path.Base(a.Text); !strings.HasPrefix(a.Text, "-") {
			if _, ok := interpreterOf(base); ok {
				return base, args[i+1:], true
			}
		}
	}
	if seen && name == "uv" && len(args) > 0 && args[len(args)-1].Text == "-" {
		return "python", args[len(args)-1:], true
	}
	return "", nil, false
}

// scan reads the arguments. found is false if they hold no code; inv.lang is empty then if they name a script file.
func (in interpreter) scan(args []shell.Word) (inv invocation, found bool) {
	inv.lang = in.lang
	inPlace, printing := false, false
	add := func(w shell.Word) {
		if found {
			w.Text = inv.src.Text + "\n" + w.Text
			w.Dynamic = w.Dynamic || inv.src.Dynamic
		}
		inv.src, found = w, true
	}
	i := 0
	for ; i < len(args); i++ {
		t := args[i].Text
		if i == 0 && in.sub != "" && strings.Contains(in.sub, " "+t+" ") {
			if t == "eval" {
				in.code = "\x00"
			}
			continue
		}
		if t == "-" || t == "/dev/stdin" || len(t) < 2 || t[0] != '-' {
			break
		}
		if t == "--" {
			i++
			break
		}
		next := func(attached string) shell.Word {
			if attached != "" {
				return shell.Word{Text: strings.TrimPrefix(attached, "="), Dynamic: args[i].Dynamic, Quoted: args[i].Quoted}
			}
			if i++; i < len(args) {
				return args[i]
			}
			return shell.Word{}
		}
		if strings.HasPrefix(t, "--") || in.lang == Node && t == "-pe" {
			name, value, attached := strings.Cut(t, "=")
			switch {
			case strings.Contains(in.long, " "+name+" "):
				printing = printing || name == "--print"
				if attached {
					add(shell.Word{Text: value, Dynamic: args[i].Dynamic})
				} else {
					add(next(""))
				}
			case !attached && strings.Contains(in.longs, " "+name+" "):
				if v := next(""); in.lang == Awk && name == "--include" && v.Text == "inplace" {
					inPlace = true
				}
			}
			continue
		}
	bundle:
		for j := 1; j < len(t); j++ {
			switch {
			case strings.IndexByte(in.code, t[j]) >= 0:
				if in.lang == Node && j+1 < len(t) && strings.IndexByte("ep", t[j+1]) >= 0 && t[j+1:] != "=" {
					continue // -pe
				}
				add(next(t[j+1:]))
				if in.lang == Python {
					inv.argv = texts(args[min(i+1, len(args)):])
					return inv, true
				}
				break bundle
			case strings.IndexByte(in.values, t[j]) >= 0:
				v := next(t[j+1:])
				if in.lang == Awk && t[j] == 'i' && v.Text == "inplace" {
					inPlace = true
				}
				if in.lang == Awk && t[j] == 'f' || in.lang == PHP && t[j] == 'f' || in.lang == Python && t[j] == 'm' {
					inv.lang = "" // a file or a module
					if !found {
						return inv, false
					}
				}
				break bundle
			case strings.IndexByte(in.attach, t[j]) >= 0:
				inPlace = inPlace || t[j] == 'i'
				if t[j] == '0' || t[j] == 'l' { // digits may follow, and then other options
					for j+1 < len(t) && t[j+1] >= '0' && t[j+1] <= '9' {
						j++
					}
					continue
				}
				if t[j] == 'i' && in.lang == Perl && strings.HasSuffix(t, "e") && len(t) == j+2 { // -pie: suffix "e", as perl reads it
					break bundle
				}
				break bundle
			}
		}
	}
	rest := args[min(i, len(args)):]
	if (in.lang == Awk || in.code == "\x00") && !found && len(rest) > 0 {
		add(rest[0])
		rest = rest[1:]
	}
	if !found && len(rest) > 0 && rest[0].Text != "-" && rest[0].Text != "/dev/stdin" && in.lang != R {
		return invocation{}, false
	}
	if !found && len(rest) > 0 {
		if rest[0].Text != "-" && rest[0].Text != "/dev/stdin" && !strings.HasPrefix(rest[0].Text, "-") {
			return invocation{}, false
		}
		rest = rest[1:]
	}
	inv.argv = texts(rest)
	if inPlace {
		for _, w := range rest {
			if in.lang != Awk || !strings.Contains(w.Text, "=") {
				inv.inPlace = append(inv.inPlace, w)
			}
		}
	}
	return inv, found
}

func texts(words []shell.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
		if w.Dynamic {
			out[i] = Computed
		}
	}
	return out
}

// stdinText returns what the command reads. Code that comes out of a pipe and is not known is a Dynamic word.
func stdinText(c *shell.Command) (w shell.Word, ok bool) {
	switch c.Stdin.Kind {
	case shell.FeedText:
		return c.Stdin.Text, true
	case shell.FeedPipe:
		return shell.Word{Text: "$(cat)", Dynamic: true}, true
	}
	return shell.Word{}, false
}
