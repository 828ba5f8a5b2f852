package place

import (
	"path"
	"strings"
)

// substitute replaces what the words $HOME, ${PWD}, $(pwd), $(mktemp -d) and the like stand for. Everything else that is
// known only at run time becomes unknownPart, and the second result says so.
func (w World) substitute(text string) (string, bool) {
	var b strings.Builder
	dynamic := false
	for i := 0; i < len(text); {
		c := text[i]
		if c != '$' && c != '`' && !((c == '<' || c == '>') && strings.HasPrefix(text[i+1:], "(")) {
			b.WriteByte(c)
			i++
			continue
		}
		expr, end := expression(text, i)
		if end <= i+1 { // a lone $
			b.WriteByte(c)
			i++
			continue
		}
		value, ok := w.value(expr)
		if !ok {
			dynamic = true
			value = unknownPart
		}
		b.WriteString(value)
		i = end
	}
	return b.String(), dynamic
}

// expression cuts one expansion from text[i:] and returns it with its end.
func expression(text string, i int) (string, int) {
	if text[i] == '`' {
		if n := strings.IndexByte(text[i+1:], '`'); n >= 0 {
			return text[i : i+n+2], i + n + 2
		}
		return text[i:], len(text)
	}
	j := i + 1
	if j < len(text) && (text[j] == '{' || text[j] == '(') {
		return bracketed(text, i, j)
	}
	for j < len(text) && (text[j] == '_' || text[j]|0x20 >= 'a' && text[j]|0x20 <= 'z' || j > i+1 && text[j] >= '0' && text[j] <= '9') {
		j++
	}
	if j == i+1 && j < len(text) && strings.IndexByte("0123456789@*#?$!-", text[j]) >= 0 {
		j++
	}
	return text[i:j], j
}

// bracketed cuts ${…} and $(…) with their inner brackets.
func bracketed(text string, i, j int) (string, int) {
	open, shut := text[j], byte('}')
	if open == '(' {
		shut = ')'
	}
	depth := 0
	for k := j; k < len(text); k++ {
		switch text[k] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return text[i : k+1], k + 1
			}
		}
	}
	return text[i:], len(text)
}

// value gives what an expansion stands for, as far as the World knows.
func (w World) value(expr string) (string, bool) {
	name := expr
	switch {
	case strings.HasPrefix(expr, "${"):
		name = strings.TrimSuffix(expr[2:], "}")
	case strings.HasPrefix(expr, "$(("):
		return "", false
	case strings.HasPrefix(expr, "$("):
		return w.output(strings.TrimSuffix(expr[2:], ")"))
	case strings.HasPrefix(expr, "`"):
		return w.output(strings.Trim(expr, "`"))
	case strings.HasPrefix(expr, "$"):
		name = expr[1:]
	default:
		return "", false
	}
	var rest string
	if n := strings.IndexAny(name, ":-=?+%#/"); n > 0 {
		name, rest = name[:n], name[n:]
	}
	value, ok := w.variable(name)
	rest = strings.TrimPrefix(rest, ":")
	switch {
	case rest == "" || ok && (rest[0] == '-' || rest[0] == '=' || rest[0] == '?'):
		return value, ok
	case rest[0] == '-' || rest[0] == '=':
		if def, dynamic := w.substitute(rest[1:]); !dynamic {
			return def, def != ""
		}
	}
	return "", false
}

func (w World) variable(name string) (string, bool) {
	switch name {
	case "HOME":
		return w.home(), true
	case "PWD":
		return w.Cwd, w.Cwd != ""
	case "TMPDIR", "TMP", "TEMP", "RUNNER_TEMP":
		if w.Temp != "" {
			return w.Temp, true
		}
		return "/tmp", true
	case "USER", "LOGNAME":
		return path.Base(w.home()), true
	case "CLAUDE_PROJECT_DIR", "GITHUB_WORKSPACE", "CI_PROJECT_DIR":
		return w.Project, w.Project != ""
	}
	return "", false
}

// mktemp gives the path that mktemp makes, as far as its template tells.
func (w World) mktemp(args []string) (string, bool) {
	dir, name := "/tmp", "tmp.XXXXXX"
	for i, a := range args {
		a = strings.Trim(a, `"'`)
		switch {
		case a == "-p" && i+1 < len(args):
			dir = strings.Trim(args[i+1], `"'`)
		case strings.HasPrefix(a, "--tmpdir="):
			dir = a[len("--tmpdir="):]
		case strings.HasPrefix(a, "-") || i > 0 && args[i-1] == "-p":
		default:
			name = a
		}
	}
	if strings.Contains(name, "/") {
		dir, name = path.Split(name)
	}
	dir, dynamic := w.substitute(dir)
	return dir + "/" + name, !dynamic && !strings.ContainsAny(name, "$`")
}

// output gives what a few well-known commands print.
func (w World) output(cmd string) (string, bool) {
	fields := strings.Fields(cmd)
	if len(fields) == 0 {
		return "", false
	}
	switch {
	case fields[0] == "pwd" && w.Cwd != "":
		return w.Cwd, true
	case fields[0] == "mktemp":
		return w.mktemp(fields[1:])
	case strings.Join(fields, " ") == "git rev-parse --show-toplevel" && w.Project != "":
		return w.Project, true
	case (fields[0] == "echo" || fields[0] == "printf") && len(fields) == 2 && strings.HasPrefix(fields[1], "~"):
		return w.home() + fields[1][1:], true
	case fields[0] == "whoami" || strings.Join(fields, " ") == "id -un":
		return path.Base(w.home()), true
	}
	return "", false
}
