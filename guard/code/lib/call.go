package lib

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/guard/code/act"
	"github.com/devflow-suite/devflow/guard/code/effect"
)

// Host is the evaluator that calls the library.
type Host interface {
	// Invoke calls a function value.
	Invoke(f effect.Value, args, named []effect.Value, line int) effect.Value
	// Execute reads code that the code executes.
	Execute(src string)
	// Narrow notes that a variable that holds any name is, or ends in, the given text.
	Narrow(v effect.Value, is string, suffix bool)
	// Lookup resolves a name.
	Lookup(name string) effect.Value
	// Params are the arguments of the function that is being read.
	Params() []effect.Value
}

// Machine knows the functions of the languages' libraries.
type Machine struct {
	*effect.Sink
	Lang effect.Lang
	Argv []string // arguments of the code; nil: not known
	Host Host
}

// Call is one call of a library function.
type Call struct {
	Name  string
	Args  []effect.Value
	Named []effect.Value // objects: keyword arguments, options
	Line  int
}

func (c *Call) arg(i int) effect.Value {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return effect.Value{Kind: effect.Constant}
}

func (c *Call) rest(i int) []effect.Value { return c.Args[min(i, len(c.Args)):] }

// Do notes what the call does and returns its result.
func (m *Machine) Do(c Call) effect.Value {
	a := act.Of(m.Lang, c.Name)
	if a == 0 {
		for _, suffix := range [...]string{".call", ".apply", ".bind", ".sync", ".new"} {
			if base, ok := strings.CutSuffix(c.Name, suffix); ok && act.Of(m.Lang, base) != 0 {
				if m.Lang == effect.Node && suffix != ".sync" && len(c.Args) > 0 {
					c.Args = c.Args[1:]
					if suffix == ".apply" && len(c.Args) > 0 && c.Args[0].Kind == effect.List {
						c.Args = c.Args[0].Items
					}
				}
				c.Name = base
				return m.Do(c)
			}
		}
		return effect.Value{}
	}
	if v, ok := m.values(a, &c); ok {
		return v
	}
	if v, ok := m.runs(a, &c); ok {
		return v
	}
	if v, ok := m.indirect(a, &c); ok {
		return v
	}
	m.files(a, &c)
	if a == act.Opens && m.Lang != effect.Perl {
		p := c.arg(0)
		return effect.Value{Kind: effect.Contents, Text: p.Text, Dyn: p.Dyn || !p.Known()}
	}
	return effect.Value{}
}

// values are functions that only compute.
func (m *Machine) values(a act.Act, c *Call) (effect.Value, bool) {
	switch a {
	case act.Passes0:
		return m.same(c), true
	case act.Passes1:
		return c.arg(1), true
	case act.Joins:
		parts := c.Args
		if len(parts) == 1 && parts[0].Kind == effect.List {
			parts = parts[0].Items
		}
		if c.Name != "os.path.join" && c.Name != "path.resolve" {
			parts = append([]effect.Value(nil), parts...)
			for i := 1; i < len(parts); i++ {
				if parts[i].Known() {
					parts[i].Text = strings.TrimLeft(parts[i].Text, "/")
				}
			}
		}
		return m.JoinPath(parts...), true
	case act.Strips:
		return c.arg(0).Parent(), true
	case act.Homes:
		return effect.Value{Kind: effect.Text, Text: "~", Path: true}, true
	case act.Heres:
		return effect.Value{Kind: effect.Text, Text: ".", Path: true}, true
	case act.Temps:
		if strings.HasSuffix(strings.ToLower(c.Name), "gettempdir") || strings.HasSuffix(c.Name, "tmpdir") && !strings.Contains(c.Name, "mk") {
			return effect.Str("/tmp"), true
		}
		return effect.Value{Kind: effect.Text, Text: "/tmp/" + effect.Computed, Dyn: true, Path: true}, true
	case act.Globs:
		return m.globbed(c.Args), true
	case act.Lists:
		name := effect.Value{Kind: effect.Text, Text: "*", Glob: true}
		if c.Name == "os.scandir" || m.Lang == effect.R {
			base := c.arg(0)
			if base.Kind == effect.Constant {
				base = effect.Str(".")
			}
			name = m.JoinPath(base, name)
			name.Path = true
		}
		return effect.Value{Kind: effect.Each, Items: []effect.Value{name}}, true
	case act.Walks:
		root := m.JoinPath(c.arg(0), effect.Value{Kind: effect.Text, Text: "**", Glob: true})
		any := effect.Value{Kind: effect.Each, Items: []effect.Value{{Kind: effect.Text, Text: "*", Glob: true}}}
		if m.Lang == effect.Ruby {
			root = m.JoinPath(root, any.Items[0])
			return effect.Value{Kind: effect.Each, Items: []effect.Value{root}}, true
		}
		return effect.Value{Kind: effect.Each, Items: []effect.Value{effect.ListOf(root, any, any)}}, true
	case act.Gets:
		return environment(c.arg(0)), true
	case act.Which:
		return c.arg(0), true
	case act.Reads:
		return effect.Value{Kind: effect.Contents, Text: c.arg(0).Text, Dyn: c.arg(0).Dyn || !c.arg(0).Known()}, true
	case act.Shifts:
		if p := m.Host.Params(); len(c.Args) == 0 && len(p) > 0 {
			return p[0], true
		}
		return c.arg(0).Iter(), true
	case act.Connects:
		p := c.arg(0)
		if p.Kind == effect.Constant && c.Line > 0 {
			p = effect.Str(":memory:")
		}
		return effect.Value{Kind: effect.Database, Items: []effect.Value{effect.Str("sqlite3"), p}}, true
	case act.Servers:
		client := []effect.Value{effect.Str("psql"), effect.Str("-c")}
		if strings.Contains(strings.ToLower(c.Name+c.arg(0).Text), "mysql") {
			client = []effect.Value{effect.Str("mysql"), effect.Str("-e")}
		}
		return effect.Value{Kind: effect.Database, Items: client}, true
	}
	return effect.Value{}, false
}

// same is for functions that give back what they are given, as far as paths and commands go.
func (m *Machine) same(c *Call) effect.Value {
	v := c.arg(0)
	if len(c.Args) == 0 && len(c.Named) > 0 {
		v, _ = effect.Option(c.Named, "text", "path", "s")
	}
	switch c.Name {
	case "Path", "Pathname", "Pathname.new", "path", "Path.Tiny.path", "file", "dir":
		if len(c.Args) == 0 {
			v = effect.Str(".")
		}
		if len(c.Args) > 1 {
			v = m.JoinPath(c.Args...)
		}
		if v.Kind == effect.Unknown {
			v = effect.Unsure()
		}
		v.Path = true
		if v.Kind == effect.Choice {
			v.Items = append([]effect.Value(nil), v.Items...)
			for i := range v.Items {
				v.Items[i].Path = true
			}
		}
	case "File.expand_path", "File.absolute_path":
		if len(c.Args) > 1 {
			v = m.JoinPath(c.Args[1], v)
		}
	case "c", "list", "asyncio.gather":
		if m.Lang == effect.R || len(c.Args) > 1 {
			return effect.ListOf(c.Args...)
		}
	case "next":
		v = v.Iter()
	case "enumerate":
		return effect.Value{Kind: effect.Each, Items: []effect.Value{effect.ListOf(effect.Value{Kind: effect.Constant}, v.Iter())}}
	case "shlex.split", "Shellwords.split":
		if v.Known() {
			return fields(v)
		}
	}
	v.Name = ""
	return v
}

// fields splits a text at white space.
func fields(v effect.Value) effect.Value {
	out := effect.Value{Kind: effect.List}
	for _, w := range strings.Fields(v.Text) {
		out.Items = append(out.Items, effect.Value{Kind: effect.Text, Text: w, Dyn: strings.Contains(w, effect.Computed)})
		if len(out.Items) > effect.MaxChoices {
			break
		}
	}
	return out
}

// globbed is the list of files that match the patterns.
func (m *Machine) globbed(patterns []effect.Value) effect.Value {
	var all []effect.Value
	for _, p := range patterns {
		if p.Kind == effect.Constant || p.Kind == effect.Object {
			continue
		}
		if p.Kind == effect.List {
			p = p.Iter()
		}
		for _, x := range p.Options() {
			x = x.Part()
			x.Glob = strings.ContainsAny(x.Text, "*?[")
			all = append(all, x)
		}
	}
	return effect.Value{Kind: effect.Each, Items: []effect.Value{effect.Choose(all)}}
}

// runs are functions that start programs.
func (m *Machine) runs(a act.Act, c *Call) (effect.Value, bool) {
	cmd := c.arg(0)
	named := func(names ...string) {
		if v, ok := effect.Option(c.Named, names...); ok {
			cmd = v
		}
	}
	switch a {
	case act.Runs, act.RunsInput:
		if len(c.Args) == 0 {
			named("args", "cmd", "command")
		}
		switch {
		case strings.HasSuffix(c.Name, "open3") && m.Lang == effect.Perl:
			cmd = effect.ListOf(c.rest(3)...)
		case (m.Lang == effect.Ruby || m.Lang == effect.Perl) && len(c.Args) > 1 && c.Name != "IO.popen":
			cmd = effect.ListOf(c.Args...)
		case c.Name == "pexpect.spawn" && c.arg(1).Kind == effect.List:
			cmd = effect.ListOf(cmd, c.arg(1))
		}
		if cmd.Kind == effect.List && len(cmd.Items) == 1 && (m.Lang == effect.Perl || m.Lang == effect.Ruby) {
			cmd = cmd.Items[0]
		}
		if shell, ok := effect.Option(c.Named, "shell"); ok && shell.Truth() && cmd.Kind == effect.List && len(cmd.Items) > 0 && m.Lang == effect.Python {
			cmd = cmd.Items[0]
		}
	case act.Spawns:
		named("cmd")
		args, ok := effect.Option(c.Named, "args")
		switch {
		case cmd.Kind == effect.List:
		case ok && cmd.Kind != effect.Object:
			cmd = effect.ListOf(cmd, args)
		case c.arg(1).Kind == effect.List && strings.HasPrefix(c.Name, "os.posix_spawn"):
			cmd = effect.ListOf(append([]effect.Value{cmd}, tail(c.arg(1).Items)...)...)
		case len(c.Args) > 1:
			list := []effect.Value{cmd}
			for _, x := range c.Args[1:] {
				if x.Kind == effect.Object || x.Kind == effect.Function || x.Kind == effect.Constant {
					continue
				}
				if x.Kind == effect.Unknown || x.Kind == effect.Each {
					x = effect.Unsure()
				}
				list = append(list, x)
			}
			cmd = effect.ListOf(list...)
			if len(list) == 1 {
				cmd = list[0]
			}
		}
	case act.Execs:
		cmd = execArgs(c.Args)
	case act.SpawnsMode:
		cmd = execArgs(c.rest(1))
	case act.Kills:
		m.kill(c)
		return effect.Value{}, true
	default:
		return effect.Value{}, false
	}
	if cmd.Kind == effect.Object {
		return effect.Value{}, true
	}
	m.Run(cmd, c.Named)
	return effect.Value{Kind: effect.Process, Items: []effect.Value{cmd}}, true
}

func tail(items []effect.Value) []effect.Value { return items[min(1, len(items)):] }

// execArgs drops the name that exec passes twice.
func execArgs(args []effect.Value) effect.Value {
	switch {
	case len(args) == 0:
		return effect.Value{Kind: effect.Constant}
	case len(args) > 1 && args[1].Kind == effect.List:
		return effect.ListOf(append([]effect.Value{args[0]}, tail(args[1].Items)...)...)
	case len(args) > 1 && args[1].Kind == effect.Unknown:
		return effect.ListOf(args[0], effect.Unsure())
	}
	return effect.ListOf(append([]effect.Value{args[0]}, tail(args[1:])...)...)
}

func (m *Machine) kill(c *Call) {
	pid, sig := c.arg(0), c.arg(1)
	if m.Lang == effect.Ruby || m.Lang == effect.Perl {
		pid, sig = sig, pid
	}
	if pid.Kind == effect.Constant && pid.Text != "" {
		s := strings.TrimPrefix(path.Ext("."+sig.Text), ".")
		if s == "" || sig.Kind == effect.Ref {
			s = "KILL"
		}
		m.Program([]string{"kill", "-" + strings.TrimPrefix(s, "-"), pid.Text})
	}
}

// indirect are functions that call, import or execute something else.
func (m *Machine) indirect(a act.Act, c *Call) (effect.Value, bool) {
	switch a {
	case act.Evaluates:
		m.evaluate(c)
	case act.Imports:
		if p := c.arg(0); p.Known() && !p.Dyn {
			return effect.Value{Kind: effect.Ref, Text: Canonical(m.Lang, p.Text)}, true
		}
	case act.Attributes:
		f, name := c.arg(0), c.arg(1)
		switch {
		case f.Kind == effect.Ref && name.Known() && !name.Dyn:
			return effect.Value{Kind: effect.Ref, Text: Canonical(m.Lang, f.Text+"."+name.Text)}, true
		case f.Kind == effect.Ref && (f.Text == "os" || f.Text == "subprocess" || f.Text == "shutil" || f.Text == "builtins" || f.Text == "__builtins__" || f.Text == "fs"):
			return effect.Value{Kind: effect.Ref, Text: act.Hidden}, true
		}
	case act.Globals:
		return effect.Value{Kind: effect.Ref, Text: "globals()"}, true
	case act.Calls:
		return m.callIndirect(c), true
	case act.Maps:
		f, xs := c.arg(0), c.arg(1)
		if c.Name == "array_walk" || m.Lang == effect.R {
			f, xs = xs, f
		}
		if f.Known() {
			f = effect.Value{Kind: effect.Ref, Text: Canonical(m.Lang, f.Text)}
		}
		out := m.Host.Invoke(f, []effect.Value{xs.Iter()}, nil, c.Line)
		if c.Name == "filter" {
			return xs, true
		}
		return effect.Value{Kind: effect.Each, Items: []effect.Value{out}}, true
	case act.Threads:
		if f, ok := effect.Option(c.Named, "target", "function"); ok {
			args, _ := effect.Option(c.Named, "args")
			m.Host.Invoke(f, args.Items, nil, c.Line)
		} else if len(c.Args) > 1 {
			m.Host.Invoke(c.arg(1), c.arg(2).Items, nil, c.Line)
		}
	case act.Asks:
		if c.Name == "shelljs.rm" {
			flags := c.arg(0).Text
			tree := strings.HasPrefix(flags, "-") && strings.ContainsAny(flags, "rR")
			for _, p := range c.Args {
				if !strings.HasPrefix(p.Text, "-") {
					m.Remove(p, tree, c.Line)
				}
			}
			break
		}
		m.Ask()
	case act.WalksDir:
	default:
		return effect.Value{}, false
	}
	return effect.Value{}, true
}

func (m *Machine) callIndirect(c *Call) effect.Value {
	f, args := c.arg(0), c.rest(1)
	if f.Known() && !f.Dyn {
		f = effect.Value{Kind: effect.Ref, Text: Canonical(m.Lang, f.Text)}
	} else if f.Kind == effect.Unknown && m.Lang == effect.Ruby || f.Dyn {
		m.Ask()
	}
	switch c.Name {
	case "method":
		return f
	case "setTimeout", "setInterval", "Reflect.apply":
		args = c.rest(2)
	}
	if (c.Name == "call_user_func_array" || c.Name == "Reflect.apply" || c.Name == "do.call") && len(args) > 0 {
		args = args[0].Items
	}
	return m.Host.Invoke(f, args, c.Named, c.Line)
}

// evaluate is eval and its like.
func (m *Machine) evaluate(c *Call) {
	src := c.arg(0)
	if len(c.Args) == 0 && len(c.Named) == 0 {
		return
	}
	if strings.HasSuffix(c.Name, "Function") || c.Name == "create_function" {
		src = c.Args[len(c.Args)-1]
	}
	for _, s := range src.Options() {
		switch {
		case c.Name == "runpy.run_path" || c.Name == "source":
			interpreter := "python3"
			if m.Lang == effect.R {
				interpreter = "Rscript"
			}
			m.Program([]string{interpreter, s.Part().Text})
		case s.Known():
			m.Host.Execute(s.Text)
			if s.Dyn {
				m.Ask()
			}
		case s.Kind == effect.Contents && !s.Dyn:
			m.Program([]string{interpreterOf(m.Lang), s.Text})
		case s.Kind != effect.Constant && s.Kind != effect.Function && s.Kind != effect.Object:
			m.Ask()
		}
	}
}

func interpreterOf(lang effect.Lang) string {
	switch lang {
	case effect.Python:
		return "python3"
	case effect.R:
		return "Rscript"
	}
	return string(lang)
}
