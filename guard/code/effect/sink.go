package effect

import (
	"path"
	"strings"
)

// Sink collects effects. Reset it before use.
type Sink struct {
	Out  Effects
	Cwd  Value // where the code went with chdir; Unknown: where it started
	seen map[string]struct{}
	work int
}

// Reset forgets everything.
func (s *Sink) Reset() {
	s.Out, s.Cwd = Effects{}, Value{}
	s.seen = map[string]struct{}{}
}

// Ask notes that something computed is run or deleted.
func (s *Sink) Ask() { s.Out.Unreadable = true }

// once reports whether the effect was not seen yet.
func (s *Sink) once(kind, what string) bool {
	key := kind + what
	if _, dup := s.seen[key]; dup {
		return false
	}
	s.seen[key] = struct{}{}
	return true
}

// Run records a command line for a shell, or a list of arguments. input is what it reads, if something is written to it.
func (s *Sink) Run(cmd Value, opts []Value) {
	cwd := s.Cwd
	if v, ok := Option(opts, "cwd", "chdir", "dir"); ok && v.Kind != Constant && v.Kind != Object {
		cwd = v
	}
	input, fed := Option(opts, "input", "stdin_data")
	for _, c := range cmd.Options() {
		switch {
		case c.Known() && strings.Trim(c.Text, " \t\n") == Computed:
			s.Out.Unreadable = true
		case c.Known() && strings.TrimSpace(c.Text) == "":
		case c.Known():
			s.shellLine(c.Text, cwd, input, fed)
		case c.Kind == List && len(c.Items) > 0:
			for _, argv := range s.argvs(c.Items) {
				s.argvLine(argv, cwd, input, fed)
			}
		case c.Kind == Constant, c.Kind == List:
		default:
			s.Out.Unreadable = true
		}
	}
}

// argvLine records a started program: as a line if it has its own folder or input.
func (s *Sink) argvLine(argv []string, cwd, input Value, fed bool) {
	if len(argv) == 1 && argv[0] == Computed {
		s.Out.Unreadable = true
		return
	}
	if !fed && (cwd.Kind == Unknown || cwd.Text == "." || cwd.Text == "") {
		s.Program(argv)
		return
	}
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = quote(a, false)
	}
	s.shellLine(strings.Join(words, " "), cwd, input, fed)
}

func (s *Sink) shellLine(line string, cwd, input Value, fed bool) {
	if fed && input.Kind != Constant {
		line += " <<< " + quote(input.Part().Text, false)
	}
	if cwd.Known() && cwd.Text != "." && cwd.Text != "" {
		line = "cd " + quote(cwd.Text, false) + " && " + line
	}
	if s.once("l", line) {
		s.Out.Lines = append(s.Out.Lines, line)
	}
}

// argvs lists the argument lists that items may be: one for each possible Value, up to MaxChoices.
func (s *Sink) argvs(items []Value) [][]string {
	out := [][]string{nil}
	put := func(tails ...[]string) {
		var next [][]string
		for _, head := range out {
			for _, tail := range tails {
				if len(next) < MaxChoices {
					next = append(next, append(head[:len(head):len(head)], tail...))
				}
			}
		}
		out = next
	}
	if len(items) > MaxChoices {
		items = items[:MaxChoices]
	}
	for _, x := range items {
		if opts := x.Options(); len(out) == 1 && len(opts) == 1 && x.Kind != List {
			out[0] = append(out[0], x.Part().Text)
			continue
		} else if x.Kind != List {
			tails := make([][]string, len(opts))
			for i, y := range opts {
				if y.Kind == List {
					tails[i] = s.argvs(y.Items)[0]
				} else {
					tails[i] = []string{y.Part().Text}
				}
			}
			put(tails...)
			continue
		}
		put(s.argvs(x.Items)...)
	}
	return out
}

// Program records a program started with arguments, or one that stands for a library call.
func (s *Sink) Program(argv []string) {
	if s.once("p", strings.Join(argv, "\x00")) {
		s.Out.Programs = append(s.Out.Programs, argv)
	}
}

// Paths turns v into the paths it may be. Constants (file descriptors) are none.
func (s *Sink) Paths(v Value) []Path {
	switch v.Kind {
	case Choice, List:
		var out []Path
		for _, x := range v.Items {
			out = append(out, s.Paths(x)...)
		}
		return out
	case Each:
		return s.Paths(v.Items[0])
	case Constant, Object:
		return nil
	case Text:
		p := Path{Text: v.Text, Dynamic: v.Dyn, Glob: v.Glob, Line: v.Line}
		for _, home := range [...]string{"$HOME", "${HOME}"} {
			if rest, ok := strings.CutPrefix(p.Text, home); ok && (rest == "" || rest[0] == '/') {
				p.Text = "~" + rest
			}
		}
		p.Text = strings.TrimPrefix(p.Text, "file://")
		if s.Cwd.Kind != Unknown && p.Text != "" && p.Text[0] != '/' && p.Text[0] != '~' && !strings.HasPrefix(p.Text, Computed) {
			p.Text = path.Join(s.Cwd.Part().Text, p.Text)
			p.Dynamic = p.Dynamic || s.Cwd.Dyn
		}
		if strings.HasPrefix(p.Text, Computed) {
			p.Text, p.Glob = "", false
		}
		if p.Text == "" && !p.Dynamic {
			return nil
		}
		return []Path{p}
	}
	return []Path{{Dynamic: true}}
}

// Write records that a file is written.
func (s *Sink) Write(v Value, appends bool, line int) {
	for _, p := range s.Paths(v) {
		if p.Line, p.Append = line, appends; s.once("w", p.Text) {
			s.Out.Writes = append(s.Out.Writes, p)
		}
	}
}

// Remove records a deletion. Removing everything below a folder is removing the folder.
func (s *Sink) Remove(v Value, tree bool, line int) {
	for _, p := range s.Paths(v) {
		p.Line = line
		if p.Text == "" {
			s.Out.Unreadable = true
			continue
		}
		whole := tree
		for _, all := range [...]string{"/**/*", "/**"} {
			if base, ok := strings.CutSuffix(p.Text, all); ok && p.Glob {
				p.Text, whole = base, true
				p.Glob = strings.ContainsAny(base, "*?[")
				if base == "" {
					p.Text = "/"
				}
				break
			}
		}
		switch {
		case !s.once("d", p.Text):
		case whole:
			s.Out.Trees = append(s.Out.Trees, p)
		default:
			s.Out.Deletes = append(s.Out.Deletes, p)
		}
	}
}

// As records a library call as the program that does the same to the paths.
func (s *Sink) As(argv []string, paths ...Value) {
	for _, v := range paths {
		ps := s.Paths(v)
		if len(ps) == 0 {
			return
		}
		t := ps[0].Text
		if t == "" {
			t = Computed
		}
		argv = append(argv, t)
	}
	s.Program(argv)
}

// Option finds a keyword argument or a field of an options object.
func Option(opts []Value, names ...string) (Value, bool) {
	for i := range opts {
		for _, n := range names {
			if v, ok := opts[i].Get(n); ok {
				return v, true
			}
		}
	}
	return Value{}, false
}
