package settings

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommand bounds the hook command strings that are parsed, in bytes. Ours
// are a path and nine bytes; a longer one is somebody else's program.
const maxCommand = 16 << 10

// calls lists the simple commands of shell text in the order of the text, each
// as its words after quoting. "~/" and $HOME become home; another expansion
// stays as it is written. Text that is no shell gives nil.
func calls(src, home string) [][]string {
	if len(src) > maxCommand || strings.Count(src, "(")+strings.Count(src, "{")+strings.Count(src, "`") > 64 {
		return nil // deep nesting is recursion in the parser
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil {
		return nil
	}
	var out [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := make([]string, len(call.Args))
			for i, w := range call.Args {
				words[i] = word(w, home)
			}
			out = append(out, words)
		}
		return true
	})
	return out
}

func word(w *syntax.Word, home string) string {
	s := parts(w.Parts, home, false)
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		if lit, isLit := w.Parts[0].(*syntax.Lit); isLit && strings.HasPrefix(lit.Value, "~/") {
			return filepath.Join(home, rest)
		}
	}
	return s
}

func parts(list []syntax.WordPart, home string, quoted bool) string {
	var b strings.Builder
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteByte('$')
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(parts(p.Parts, home, true))
		case *syntax.ParamExp:
			if p.Param != nil && p.Param.Value == "HOME" && p.Exp == nil && !p.Length {
				b.WriteString(home)
			} else if p.Param != nil {
				b.WriteString("$" + p.Param.Value)
			}
		default:
			b.WriteByte('$')
		}
	}
	return b.String()
}

// unescape removes backslashes as a POSIX shell does, inside double quotes
// (quoted) or outside.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Owner decides which hook commands are devflow's: the first word, after shell
// quoting, is an absolute path, its last element is one of Binaries, and its
// folder is known.
type Owner struct {
	// Dirs are the folders that a manifest or the caller names.
	Dirs []string
	// Vouch, if not nil, is asked about a folder that is not in Dirs (for
	// example: does a manifest beside it list it?).
	Vouch func(dir string) bool
	// Home replaces "~" and $HOME at the start of a path.
	Home string
}

// Ours reports whether h is an entry of devflow.
func (o Owner) Ours(h Handler) bool {
	dir, _, ok := o.Look(h)
	return ok && (slices.Contains(o.Dirs, dir) || o.Vouch != nil && o.Vouch(dir))
}

// Look returns folder and name of the devflow hook executable that h runs,
// whoever installed it. ok is false for all other commands.
func (o Owner) Look(h Handler) (dir, binary string, ok bool) {
	path := h.Command
	if h.Type != "command" {
		return "", "", false
	}
	if !h.Exec {
		list := calls(h.Command, o.Home)
		if len(list) == 0 {
			return "", "", false
		}
		path = list[0][0]
	}
	if !filepath.IsAbs(path) {
		return "", "", false
	}
	path = filepath.Clean(path)
	binary = filepath.Base(path)
	return filepath.Dir(path), binary, slices.Contains(Binaries(), binary)
}
