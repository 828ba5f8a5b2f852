// Package effect holds what interpreter code does to files and which programs it starts, and the partly known values from which that
// is gathered. It owns no table and no file; it knows no language.
package effect

import "strings"

// Lang is a language that is read.
type Lang string

// The languages. Node stands for every JavaScript and TypeScript runtime, Awk for all awks.
const (
	Python      Lang = "python"
	Node        Lang = "node"
	Perl        Lang = "perl"
	Ruby        Lang = "ruby"
	PHP         Lang = "php"
	Awk         Lang = "awk"
	Lua         Lang = "lua"
	R           Lang = "r"
	AppleScript Lang = "applescript"
)

// Computed stands in the texts of Effects for a part that is known only at run time. A shell reads it as an unset variable, so a
// line that holds it can be parsed as it is.
const Computed = "${computed}"

// Path is a file or folder that the code names.
type Path struct {
	Text    string // "~/x" for paths below the home folder; if Dynamic, the known beginning followed by Computed, or ""
	Dynamic bool   // computed at run time, in whole or in part
	Glob    bool   // Text is a pattern as a shell with globstar reads it: "build/**/*.o"
	Line    int    // line of the source, from 1
	Append  bool   // of a write: the old content stays
}

// Effects is what code does, in source order within each list, without repetitions.
type Effects struct {
	Lines    []string   // command lines given to a shell
	Programs [][]string // programs started with a list of arguments; also mv, cp, chmod, ln, rmdir, kill, sqlite3 … in place of the library calls that do the same
	Writes   []Path     // files created or changed
	Deletes  []Path     // files removed
	Trees    []Path     // folders removed with everything in them
	// Unreadable: something computed is run, or a path without a known beginning is deleted.
	Unreadable bool
}

// Empty reports whether there is nothing to judge.
func (e *Effects) Empty() bool {
	return !e.Unreadable && len(e.Lines)+len(e.Programs)+len(e.Writes)+len(e.Deletes)+len(e.Trees) == 0
}

// Shell writes the effects as command lines that do the same and that shell.Parse reads: `rm -r -- PATH`, `tee -a -- PATH`, the
// lines and programs themselves. Computed parts are the variable Computed. Paths without a known beginning are left out.
func (e *Effects) Shell() []string {
	out := append([]string(nil), e.Lines...)
	for _, argv := range e.Programs {
		words := make([]string, len(argv))
		for i, a := range argv {
			words[i] = quote(a, false)
		}
		out = append(out, strings.Join(words, " "))
	}
	paths := func(verb string, list []Path) {
		for _, p := range list {
			if p.Text == "" {
				continue
			}
			v := verb
			if p.Append {
				v += " -a"
			}
			out = append(out, v+" -- "+quote(p.Text, p.Glob))
		}
	}
	paths("tee", e.Writes)
	paths("rm -f", e.Deletes)
	paths("rm -r", e.Trees)
	return out
}

// quote writes s as one shell word. A leading ~ and the variable Computed keep their meaning, glob characters only on request.
func quote(s string, glob bool) string {
	plain := s != ""
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("_-./:=,@%+", c) >= 0 ||
			glob && strings.IndexByte("*?[]", c) >= 0 || c >= 0x80 || i == 0 && c == '~' && (len(s) == 1 || s[1] == '/')
	}
	if plain {
		return s
	}
	var b strings.Builder
	if s == "~" || strings.HasPrefix(s, "~/") {
		n := min(len(s), 2)
		b.WriteString(s[:n])
		s = s[n:]
	}
	for s != "" {
		before, after, found := strings.Cut(s, Computed)
		if before != "" && glob {
			b.WriteString(quoteGlob(before))
		} else if before != "" {
			b.WriteString("'" + strings.ReplaceAll(before, "'", `'\''`) + "'")
		}
		if found {
			b.WriteString(`"` + Computed + `"`)
		}
		s = after
	}
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

func quoteGlob(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c|0x20 < 'a' && (c < '0' || c > '9') && strings.IndexByte("_-./*?[]", c) < 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
