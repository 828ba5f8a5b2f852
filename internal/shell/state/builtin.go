package state

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/static"
	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/word"
	"github.com/devflow-suite/devflow/internal/shell/wrap"
)

// Builtin is a command of the shell itself.
type Builtin struct {
	Name      string
	Args      []word.Word
	Assign    []string  // what stands before it, NAME=value
	Stdin     word.Word // its input, if Fed
	Fed       bool
	Condition bool           // it stands in the condition of a loop and runs many times
	Spend     func(int) bool // takes bytes of work from what is left
}

// Changes reports whether the named builtin changes what Run follows.
func Changes(name string) bool {
	switch name {
	case "cd", "chdir", "pushd", "popd", "set", "shift", "unset", "mapfile", "readarray", "getopts", "let", "alias", "unalias", "read", "printf":
		return true
	}
	return false
}

// Run follows what the builtins of the shell change: directory, options, variables, parameters.
func (s *State) Run(c Builtin) {
	switch c.Name {
	case "cd", "chdir", "pushd":
		s.chdir(&c)
	case "popd":
		s.Dir.Unknown, s.Dir.From = true, ""
	case "set":
		s.set(&c)
	case "shift":
		switch {
		case len(c.Args) > 0 || !s.Given:
			s.Given = false
		case len(s.Params) > 1:
			s.Params = append([]word.Word{s.Params[0]}, s.Params[2:]...)
		}
	case "mapfile", "readarray":
		s.mapfile(&c)
	case "unset", "getopts", "let":
		for _, a := range c.Args {
			if name, _, _ := strings.Cut(a.Text, "="); wrap.IsName(name) {
				s.Unknown(name)
			}
		}
	case "alias":
		for _, a := range c.Args {
			if name, value, ok := strings.Cut(a.Text, "="); ok && len(value) <= 4096 {
				s.Vars = s.Vars.Set(alias+name, vars.One(word.Word{Text: value, Dynamic: a.Dynamic}))
			}
		}
	case "unalias":
		for _, a := range c.Args {
			s.Vars = s.Vars.Set(alias+a.Text, vars.Value{})
		}
	case "read":
		s.read(&c)
	case "printf":
		if len(c.Args) > 1 && c.Args[0].Text == "-v" && wrap.IsName(c.Args[1].Text) {
			if out, ok := static.Output("printf", c.Args[2:], word.Word{}, false); ok && c.Spend(len(out.Text)) {
				s.Assign(c.Args[1].Text, vars.One(out))
			} else {
				s.Unknown(c.Args[1].Text)
			}
		}
	}
}

func (s *State) chdir(c *Builtin) {
	args := c.Args
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		args = args[1:] // -P, -L, --
	}
	from := s.Dir
	defer func() { s.Prev, s.Moved = from, true }()
	switch {
	case len(args) == 1 && args[0].Text == "-" && args[0].Literal() && s.Moved && c.Name != "pushd":
		s.Dir = s.Prev
	case len(args) == 0 && c.Name != "pushd":
		s.Dir = Dir{Path: "~"}
	case len(args) == 0 || !args[0].Literal() || args[0].Text == "-" || args[0].Text[:min(1, len(args[0].Text))] == "+":
		s.Dir.Unknown, s.Dir.From = true, ""
		if len(args) == 1 && !args[0].Glob && strings.HasPrefix(args[0].Text, "$") && len(args[0].Text) <= maxPath {
			s.Dir.From = args[0].Text
		}
	default:
		s.Dir = s.Dir.Join(args[0].Text)
	}
}

func (s *State) set(c *Builtin) {
	for i, x := range c.Args {
		a := x.Text
		on := strings.HasPrefix(a, "-")
		if a == "--" || !on && !strings.HasPrefix(a, "+") {
			rest := c.Args[i:]
			if a == "--" {
				rest = rest[1:]
			} else if i > 0 && (c.Args[i-1].Text == "-o" || c.Args[i-1].Text == "+o" || strings.HasSuffix(c.Args[i-1].Text, "o") && c.Args[i-1].Text[0] == '-') {
				continue
			}
			s.Params, s.Given, s.Open = append([]word.Word{{}}, rest...), true, false
			return
		}
		if strings.Contains(a, "e") {
			s.Errexit = on
		}
		if strings.HasSuffix(a, "o") && i+1 < len(c.Args) {
			switch c.Args[i+1].Text {
			case "pipefail":
				s.Pipefail = on
			case "errexit":
				s.Errexit = on
			}
		}
	}
}

// read follows `read a b` and `read -a list` from an input that is known.
func (s *State) read(c *Builtin) {
	var names []string
	plain, list := true, false
	for i := 0; i < len(c.Args); i++ {
		switch a := c.Args[i].Text; {
		case a == "-p" || a == "-t":
			i++
		case len(a) > 1 && a[0] == '-':
			list = list || strings.HasSuffix(a, "a")
			plain = plain && strings.Trim(a[1:], "rsea") == ""
		case wrap.IsName(a):
			names = append(names, a)
		}
	}
	line, _, _ := strings.Cut(c.Stdin.Text, "\n")
	ifs := s.IFS()
	for _, a := range c.Assign {
		if v, ok := strings.CutPrefix(a, "IFS="); ok {
			ifs = v
		}
	}
	known := plain && c.Fed && !c.Condition && c.Spend(len(line))
	for i, name := range names {
		switch {
		case !known:
			s.Unknown(name)
			continue
		case list:
			v := vars.Value{Known: true, List: true}
			for f := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(ifs, r) }) {
				v.Words = append(v.Words, word.Word{Text: f, Dynamic: c.Stdin.Dynamic})
			}
			s.Assign(name, v)
			return
		}
		line = strings.Trim(line, " \t")
		value := line
		if k := strings.IndexAny(line, ifs); k >= 0 && i+1 < len(names) {
			value, line = line[:k], line[k+1:]
		} else if i+1 < len(names) {
			line = ""
		}
		s.Assign(name, vars.One(word.Word{Text: value, Dynamic: c.Stdin.Dynamic}))
	}
}

// mapfile follows `mapfile -t list` from an input that is known.
func (s *State) mapfile(c *Builtin) {
	v := vars.Value{Known: true, List: true}
	plain := c.Fed && c.Spend(len(c.Stdin.Text))
	name := "MAPFILE"
	for _, a := range c.Args {
		if strings.HasPrefix(a.Text, "-") {
			plain = plain && a.Text == "-t"
		} else {
			name = a.Text
		}
	}
	for l := range strings.Lines(c.Stdin.Text) {
		v.Words = append(v.Words, word.Word{Text: strings.TrimRight(l, "\n"), Dynamic: c.Stdin.Dynamic})
	}
	switch {
	case !wrap.IsName(name):
	case plain:
		s.Assign(name, v)
	default:
		s.Unknown(name)
	}
}

// Reads is the variable of a condition that is nothing but `read x`.
func Reads(cond []*syntax.Stmt) (name string, ok bool) {
	if len(cond) != 1 {
		return "", false
	}
	c, ok := cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) < 2 || c.Args[0].Lit() != "read" {
		return "", false
	}
	args := c.Args[1:]
	for len(args) > 1 && args[0].Lit() == "-r" {
		args = args[1:]
	}
	return args[0].Lit(), len(args) == 1 && wrap.IsName(args[0].Lit())
}

// alias marks the names of aliases among the variables.
const alias = "alias "

// Alias returns what the words of a command become if the first is an alias that the script has set.
func (s *State) Alias(words []word.Word) (script word.Word, ok bool) {
	if s.Vars == nil || words[0].Quoted || words[0].Dynamic {
		return word.Word{}, false
	}
	v, assigned := s.Vars.Lookup(alias + words[0].Text)
	if !assigned || !v.Known || strings.HasPrefix(v.Words[0].Text+" ", words[0].Text+" ") { // alias ls='ls --color' is not read again
		return word.Word{}, false
	}
	args := word.Quoted(words[1:])
	return word.Word{Text: v.Words[0].Text + " " + args.Text, Dynamic: v.Words[0].Dynamic || args.Dynamic}, true
}
