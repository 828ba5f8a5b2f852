package write

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// spec names the options of a program that take a value: short letters, and long names between spaces.
type spec struct{ short, long string }

// option is one option as written. A cluster of short letters (-xzf) gives one option for each.
type option struct {
	name  string // "-t" or "--target-directory"
	value shell.Word
}

// parsed is a command line split into options and operands.
type parsed struct {
	opts []option
	ops  []shell.Word
}

// split separates options and operands the way getopt_long does: options may stand anywhere before "--".
func split(words []shell.Word, s spec) parsed {
	var p parsed
	for i := 0; i < len(words); i++ {
		w := words[i]
		t := w.Text
		switch {
		case t == "--" && !w.Dynamic:
			p.ops = append(p.ops, words[i+1:]...)
			return p
		case len(t) < 2 || t[0] != '-':
			p.ops = append(p.ops, w)
			continue
		case strings.HasPrefix(t, "--"):
			name, value, attached := strings.Cut(t, "=")
			o := option{name: name}
			if attached {
				o.value = part(w, value)
			} else if known(s.long, name) && i+1 < len(words) {
				i++
				o.value = words[i]
			}
			p.opts = append(p.opts, o)
			continue
		}
		for j := 1; j < len(t); j++ {
			o := option{name: "-" + t[j:j+1]}
			if strings.IndexByte(s.short, t[j]) >= 0 {
				if j+1 < len(t) {
					o.value = part(w, t[j+1:])
				} else if i+1 < len(words) {
					i++
					o.value = words[i]
				}
				j = len(t)
			}
			p.opts = append(p.opts, o)
		}
	}
	return p
}

// part is the rest of a word.
func part(w shell.Word, text string) shell.Word {
	w.Text = text
	return w
}

// known reports whether name is one of the long options, or an abbreviation of one of them.
func known(long, name string) bool {
	return len(name) > 3 && strings.Contains(long, " "+name)
}

// value returns the last value of an option; names are exact short ones, or long ones that may be abbreviated.
func (p parsed) value(names ...string) (shell.Word, bool) {
	for i := len(p.opts) - 1; i >= 0; i-- {
		for _, n := range names {
			if p.opts[i].is(n) {
				return p.opts[i].value, true
			}
		}
	}
	return shell.Word{}, false
}

func (p parsed) has(names ...string) bool {
	_, ok := p.value(names...)
	return ok
}

func (o option) is(name string) bool {
	return o.name == name || len(o.name) > 3 && strings.HasPrefix(name, o.name)
}

// base is the last element of a path or URL as written.
func base(t string) string {
	t = strings.TrimRight(t, `/`)
	return t[strings.LastIndexByte(t, '/')+1:]
}
