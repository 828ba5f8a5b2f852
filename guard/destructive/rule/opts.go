package rule

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Opts are the arguments of a program that follows the GNU conventions.
type Opts struct {
	Flags    []Flag
	Operands []shell.Word
}

// Flag is one option: "r" for a letter, "--recursive" for a word.
type Flag struct {
	Name  string
	Value shell.Word
}

// Parse reads arguments. value holds the letters, long (between spaces) the words whose value may be the next argument.
func Parse(words []shell.Word, value, long string) Opts {
	var o Opts
	for i := 0; i < len(words); i++ {
		t := words[i].Text
		switch {
		case t == "--":
			o.Operands = append(o.Operands, words[i+1:]...)
			return o
		case len(t) < 2 || t[0] != '-':
			o.Operands = append(o.Operands, words[i])
		case t[1] == '-':
			name, v, attached := strings.Cut(t, "=")
			f := Flag{Name: name, Value: shell.Word{Text: v, Dynamic: words[i].Dynamic, Glob: words[i].Glob}}
			if !attached && strings.Contains(long, " "+name+" ") && i+1 < len(words) {
				i++
				f.Value = words[i]
			}
			o.Flags = append(o.Flags, f)
		default:
			for j := 1; j < len(t); j++ {
				f := Flag{Name: t[j : j+1]}
				if strings.IndexByte(value, t[j]) >= 0 {
					f.Value = shell.Word{Text: t[j+1:], Dynamic: words[i].Dynamic, Glob: words[i].Glob}
					if j+1 == len(t) && i+1 < len(words) {
						i++
						f.Value = words[i]
					}
					j = len(t)
				}
				o.Flags = append(o.Flags, f)
			}
		}
	}
	return o
}

// Has reports whether one of the options was given. Words may be abbreviated, as getopt_long allows.
func (o Opts) Has(names ...string) bool {
	_, ok := o.Get(names...)
	return ok
}

// Get gives the value of the first of the options.
func (o Opts) Get(names ...string) (shell.Word, bool) {
	for _, f := range o.Flags {
		for _, n := range names {
			if f.Name == n || len(f.Name) > 4 && strings.HasPrefix(n, f.Name) && strings.HasPrefix(n, "--") {
				return f.Value, true
			}
		}
	}
	return shell.Word{}, false
}

// Texts gives the operands as text.
func (o Opts) Texts() []string {
	list := make([]string, len(o.Operands))
	for i, x := range o.Operands {
		list[i] = x.Text
	}
	return list
}

// Operand gives the i-th operand, "" if there are fewer.
func (o Opts) Operand(i int) string {
	if i < len(o.Operands) {
		return o.Operands[i].Text
	}
	return ""
}

// OneOf reports whether s is one of the names.
func OneOf(s string, names ...string) bool {
	for _, n := range names {
		if s == n {
			return true
		}
	}
	return false
}

// Arg reports whether one of the texts is an argument of the program as it stands. It is for programs whose options begin
// with one dash (find, terraform) or whose words may come in any order.
func (k *Call) Arg(texts ...string) bool {
	for _, x := range k.Words {
		if OneOf(x.Text, texts...) {
			return true
		}
	}
	return false
}

// Plain lists the arguments that are no options.
func (k *Call) Plain() []string {
	var list []string
	for _, x := range k.Words {
		if !strings.HasPrefix(x.Text, "-") {
			list = append(list, x.Text)
		}
	}
	return list
}

// AsksOnly reports whether the program only explains itself.
func (k *Call) AsksOnly() bool {
	for _, x := range k.Words {
		switch x.Text {
		case "--help", "--version", "-help":
			return true
		case "--":
			return false
		}
	}
	return false
}

// maxBraces bounds how many words a brace list may become.
const maxBraces = 64

// braces expands the brace lists of a word, outermost first. Text with more than maxBraces results stays as it is.
func braces(x shell.Word) []shell.Word {
	if !x.Glob || strings.IndexByte(x.Text, '{') < 0 || len(x.Text) > 4096 {
		return []shell.Word{x}
	}
	list := []string{x.Text}
	for i := 0; i < len(list); {
		parts := brace(list[i])
		if len(parts) < 2 {
			i++
			continue
		}
		if len(list)+len(parts) > maxBraces {
			break
		}
		list = append(list[:i], append(parts, list[i+1:]...)...)
	}
	out := make([]shell.Word, len(list))
	for i, t := range list {
		out[i] = x
		out[i].Text = t
	}
	return out
}

// brace expands the first brace list with a comma.
func brace(s string) []string {
	for Open := 0; Open < len(s); Open++ {
		if s[Open] != '{' || Open > 0 && s[Open-1] == '$' {
			continue
		}
		depth, from := 0, Open+1
		var items []string
		for i := Open; i < len(s); i++ {
			switch {
			case s[i] == '{':
				depth++
			case s[i] == ',' && depth == 1:
				items = append(items, s[from:i])
				from = i + 1
			case s[i] == '}':
				depth--
			}
			if depth > 0 {
				continue
			}
			if items = append(items, s[from:i]); len(items) < 2 {
				break
			}
			for j := range items {
				items[j] = s[:Open] + items[j] + s[i+1:]
			}
			return items
		}
	}
	return nil
}
