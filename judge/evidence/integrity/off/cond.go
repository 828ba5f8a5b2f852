package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
)

// never marks a switch whose condition is always false.
const never = Guard(0xff)

// Cond is what a condition hangs on.
type Cond struct {
	Guard Guard
	Vars  []string
	OptIn bool
}

// Classify reads the conditions around a switch, joined by blanks; none is Always.
func Classify(cond string) Cond {
	cond = strings.TrimSpace(cond)
	switch without(cond, "() ") {
	case "", "true", "True", "1", "notFalse", "!false", "1==1", "!0", "not0":
		return Cond{}
	case "false", "False", "0", "notTrue", "!true", "None", "nil", "null", "any":
		return Cond{Guard: never}
	}
	if vars := variables(cond); len(vars) > 0 {
		return Cond{Guard: Env, Vars: vars, OptIn: negative(cond)}
	}
	for _, w := range change.Words(cond) {
		if platform(w) {
			return Cond{Guard: Platform}
		}
	}
	return Cond{Guard: Other}
}

// without takes single bytes out of a text.
func without(text, bytes string) string {
	if !strings.ContainsAny(text, bytes) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(bytes, r) {
			return -1
		}
		return r
	}, text)
}

// platform knows the words of conditions on the system, on versions and on what is installed.
func platform(word string) bool {
	w := strings.ToLower(strings.Trim(word, "_"))
	switch w {
	case "goos", "goarch", "platform", "windows", "win32", "win", "darwin", "linux", "macos", "mac", "unix", "posix", "version", "version_info", "versions", "version_string",
		"short", "race", "raceenabled", "arch", "target_os", "target_arch", "target_pointer_width", "target_family", "target_env", "ios", "android", "kisweb", "isweb",
		"lookpath", "which", "find_spec", "hasattr", "geteuid", "getuid", "euid", "root", "ipv6", "symlink", "browsername", "browser", "operatingsystem", "os", "jre", "jdk",
		"pypy", "cpython", "implementation", "maxsize", "docker", "libc", "glibc", "musl", "wasm32", "miri", "sanitize", "isfile", "exists", "importorskip", "python_implementation",
		"pointer_width", "cygwin", "wsl", "freebsd", "openbsd", "netbsd", "solaris", "aix", "plan9", "js", "wasm", "cgo", "available", "installed", "supported", "numcpu", "cpu_count", "teston",
		"debug_assertions", "locale", "tzset", "bigendian", "little_endian", "big_endian", "isatty":
		return true
	}
	for _, part := range [...]string{"windows", "macos", "darwin", "linux", "platform", "version", "supports", "pypy", "available", "installed", "python3", "py3", "node_", "jdk"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return strings.HasPrefix(w, "has_") || strings.HasPrefix(w, "have_") || strings.HasPrefix(w, "is_win") || strings.HasPrefix(w, "iswin")
}

// variables finds the environment variables that a condition asks for.
func variables(cond string) []string {
	f := source.Lex(source.TS, []byte(cond))
	var out []string
	env := false
	for i := range f.Tokens {
		switch w := f.Text(i); {
		case f.Kind(i) == source.Name && envWord(w):
			env = true
			if (w == "env" || w == "ENV") && f.Is(i+1, ".") && f.Kind(i+2) == source.Name && !f.Is(i+3, "(") {
				out = append(out, f.Text(i+2))
			}
		case f.Kind(i) == source.String && env && shouted(f.Unquote(i)):
			out = append(out, f.Unquote(i))
		}
	}
	if env && len(out) == 0 && strings.Contains(cond, "env") {
		for i := range f.Tokens {
			if f.Kind(i) == source.Name && shouted(f.Text(i)) && len(f.Text(i)) > 3 && f.Text(i) != "ENV" {
				out = append(out, f.Text(i))
			}
		}
	}
	return out
}

func envWord(w string) bool {
	switch w {
	case "Getenv", "LookupEnv", "environ", "getenv", "env", "ENV", "environment", "fromEnvironment", "getProperty", "getBoolean", "GetEnvironmentVariable", "var_os", "option_env", "processInfo":
		return true
	}
	return false
}

// shouted is the custom of names of environment variables.
func shouted(s string) bool {
	letters := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			letters = true
		case c == '_' || c >= '0' && c <= '9' || c == '.' || c == '-':
		case c >= 'a' && c <= 'z' && strings.ContainsAny(s, "._"):
			letters = true
		default:
			return false
		}
	}
	return letters
}

// negative reports whether a skip's condition is true where the variable is not set.
func negative(cond string) bool {
	flat := strings.ReplaceAll(without(cond, " ("), "'", `"`)
	for _, s := range [...]string{`==""`, `===""`, "isNone", "==nil", "==null", "===undefined", "==undefined", ".isEmpty", "!ok", `=="0"`, `!="1"`, `!=="1"`, `!="true"`, `!=="true"`, "is_err", "is_none", "!found", "!set", "!present"} {
		if strings.Contains(flat, s) {
			return true
		}
	}
	return strings.HasPrefix(flat, "!") || strings.HasPrefix(strings.TrimLeft(cond, "( "), "not ") || strings.HasPrefix(strings.TrimLeft(cond, "( "), "unless ")
}

// conditions gives what must hold for token i to be reached, as far as `if` says so, below the test or function around it.
// In Python the blocks are indented, elsewhere braced. whole makes it look up to the top of the file.
func (r *reader) conditions(i int, whole bool) string {
	var parts []string
	if r.Lang == source.Python {
		parts = r.indented(i, whole)
	} else {
		if c := r.inline(i); c != "" {
			parts = append(parts, c)
		}
		for b := int(r.parent[i]); b >= 0; b = int(r.parent[b]) {
			if !r.Is(b, "{") {
				continue
			}
			cond, function := r.header(b)
			if function && !whole {
				break
			}
			if cond != "" {
				parts = append(parts, cond)
			}
		}
	}
	return strings.Join(parts, " ")
}

// inline finds the condition of a statement without braces: if (x) skip(), x && skip(), skip if x.
func (r *reader) inline(i int) string {
	start := i
	for start > 0 && !r.Tokens[start].First && !r.Is(start-1, ";") && !r.Is(start-1, "{") && !r.Is(start-1, ")") && !r.Is(start-1, "&&") {
		start--
	}
	switch {
	case r.Is(start-1, ")"):
		if o := int(r.opener[start-1]); o > 0 && (r.Is(o-1, "if") || r.Is(o-1, "while") || r.Is(o-1, "for")) {
			return r.Span(o+1, start-1)
		}
	case r.Is(start-1, "&&"):
		return r.Span(r.first(start-1), start-1)
	case r.Is(start-1, "else"):
		return "else"
	}
	if r.Lang == source.Ruby {
		line := r.Tokens[i].Line
		for k := i + 1; k < len(r.Tokens) && r.Tokens[k].Line == line; k++ {
			if r.Is(k, "if") || r.Is(k, "unless") {
				end := k
				for end < len(r.Tokens) && r.Tokens[end].Line == line {
					end++
				}
				if r.Is(k, "if") {
					k++
				}
				return r.Span(k, end)
			}
		}
	}
	return ""
}

// header reads what stands in front of the brace at token b: the condition of an if, or the head of a function.
func (r *reader) header(b int) (cond string, function bool) {
	for j, n := b-1, 0; j >= 0 && n < 80; j, n = j-1, n+1 {
		switch {
		case r.Is(j, ")") || r.Is(j, "]") || r.Is(j, "}"):
			o := int(r.opener[j])
			if r.Is(j, "}") && (o == 0 || j == b-1) {
				return "", false
			}
			if r.Is(j, ")") && (r.Is(o-1, "function") || r.Lang == source.Dart && j == b-1 && !r.Is(o-1, "if") && !r.Is(o-1, "for") && !r.Is(o-1, "while") && !r.Is(o-1, "switch") && !r.Is(o-1, "catch")) {
				return "", true
			}
			j = o
		case r.Is(j, "=>") || r.Is(j, "func") || r.Is(j, "function") || r.Is(j, "fn") || r.Is(j, "fun") || r.Is(j, "void"):
			return "", true
		case r.Is(j, "if") || r.Is(j, "unless") || r.Is(j, "guard"):
			text := r.Span(j+1, b)
			if r.Is(j, "guard") || r.Is(j, "unless") {
				text = "! " + text
			}
			return strings.TrimSpace(text), false
		case r.Is(j, "else"):
			return "else", false
		case r.Is(j, "for") || r.Is(j, "while") || r.Is(j, "switch") || r.Is(j, "match") || r.Is(j, "catch") || r.Is(j, "select"):
			return "", false
		case r.Is(j, "{") || r.Is(j, ";") && r.Lang != source.Go:
			return "", false
		}
	}
	return "", false
}

// indented is conditions for Python.
func (r *reader) indented(i int, whole bool) []string {
	var parts []string
	head := r.first(i)
	col := r.Tokens[head].Col
	for j := head - 1; j >= 0 && col > 0; j-- {
		t := &r.Tokens[j]
		if !t.First || t.Col >= col || r.parent[j] >= 0 {
			continue
		}
		col = t.Col
		switch {
		case (r.Is(j, "def") || r.Is(j, "async")) && !whole:
			return parts
		case r.Is(j, "if") || r.Is(j, "elif"):
			end := j + 1
			for end < len(r.Tokens) && (!r.Is(end, ":") || r.parent[end] >= 0) {
				end++
			}
			parts = append(parts, r.Span(j+1, end))
		case r.Is(j, "else"), r.Is(j, "except"):
			parts = append(parts, r.Text(j))
		}
	}
	return parts
}
