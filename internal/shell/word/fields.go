package word

import "strings"

// DefaultIFS is what bash splits fields at.
const DefaultIFS = " \t\n"

// Fields builds the words that one word of the source becomes. The zero value is ready for use.
type Fields struct {
	Whole bool // nothing is split: assignments, redirections, case words

	done []Word
	cur  Word
	b    strings.Builder
	open bool
}

// Text gives the builder of the present field, for literal text.
func (f *Fields) Text() *strings.Builder {
	f.open = true
	return &f.b
}

// Mark gives the flags of the present field.
func (f *Fields) Mark() *Word { return &f.cur }

// Quote notes that a quoted part follows: the field exists even if that part is empty.
func (f *Fields) Quote() { f.cur.Quoted, f.open = true, true }

// Written adds text that is known only at run time, as it is written.
func (f *Fields) Written(text string) {
	f.cur.Dynamic = true
	f.Text().WriteString(text)
}

// Add adds a value. An unquoted one is split at the characters of ifs, and what it holds of * ? [ is a pattern.
func (f *Fields) Add(v Word, quoted bool, ifs string) {
	if quoted || f.Whole {
		f.cur.Dynamic = f.cur.Dynamic || v.Dynamic
		f.cur.Glob = f.cur.Glob || v.Glob // of a value: a pattern that was expanded when the value was set
		f.Text().WriteString(v.Text)
		return
	}
	for s := v.Text; s != ""; {
		end := chunk(s, v.Dynamic, ifs)
		if end == 0 {
			f.Close()
			s = s[1:]
			continue
		}
		f.Text().WriteString(s[:end])
		f.cur.Dynamic = f.cur.Dynamic || v.Dynamic && strings.ContainsAny(s[:end], "$`(")
		f.cur.Glob = f.cur.Glob || v.Glob || strings.ContainsAny(s[:end], "*?[")
		s = s[end:]
	}
}

// chunk is the length of the text before the next separator; expansions that are kept as written count as one piece.
func chunk(s string, dynamic bool, ifs string) int {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(ifs, s[i]) >= 0 {
			return i
		}
		if dynamic && (s[i] == '$' || s[i] == '`' || s[i] == '<' || s[i] == '>') {
			i += expansion(s[i:])
		}
	}
	return len(s)
}

// expansion is the length, without its last byte, of an expansion at the start of s; 0 if there is none with brackets.
func expansion(s string) int {
	if s[0] == '`' {
		if k := strings.IndexByte(s[1:], '`'); k >= 0 {
			return k + 1
		}
		return len(s)
	}
	if len(s) < 2 || s[1] != '(' && (s[1] != '{' || s[0] != '$') {
		return 0
	}
	depth, closing := 0, byte(')')
	if s[1] == '{' {
		closing = '}'
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case s[1]:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// List adds the values of "$@" or "${a[@]}": each a field of its own, the first and the last joined to what stands beside them.
func (f *Fields) List(list []Word, quoted bool, ifs string) {
	for i, v := range list {
		if i > 0 {
			if f.Whole {
				f.Text().WriteByte(' ')
			} else {
				f.Close()
			}
		}
		if quoted {
			f.Quote()
		}
		f.Add(v, quoted, ifs)
	}
}

// Close ends the present field, if there is one.
func (f *Fields) Close() {
	if !f.open || f.Whole {
		return
	}
	f.cur.Text = f.b.String()
	f.done = append(f.done, f.cur)
	f.cur, f.open = Word{}, false
	f.b.Reset()
}

// Append closes the last field and adds all to out.
func (f *Fields) Append(out []Word) []Word {
	f.Close()
	return append(out, f.done...)
}

// One returns what was built as a single word.
func (f *Fields) One() Word {
	f.cur.Text = f.b.String()
	return f.cur
}

// Join is the words with blanks between them, as eval, ssh and "$*" see them.
func Join(list []Word, sep string) Word {
	if len(list) == 1 {
		return list[0]
	}
	var b strings.Builder
	var out Word
	for i, x := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(x.Text)
		out.Dynamic, out.Glob, out.Quoted = out.Dynamic || x.Dynamic, out.Glob || x.Glob, out.Quoted || x.Quoted
	}
	out.Text = b.String()
	return out
}

// Quoted is the words joined by blanks and quoted so that a shell reads the same words again. Run-time parts stay as written.
func Quoted(list []Word) Word {
	var b strings.Builder
	var out Word
	for i, x := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		out.Dynamic, out.Glob = out.Dynamic || x.Dynamic, out.Glob || x.Glob
		switch {
		case x.Dynamic || x.Text != "" && !strings.ContainsAny(x.Text, "\\'\"`$&|;<>()*?[]{}~#! \t\n"):
			b.WriteString(x.Text)
		default:
			b.WriteString("'" + strings.ReplaceAll(x.Text, "'", `'\''`) + "'")
		}
	}
	out.Text = b.String()
	return out
}
