package lib

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
)

// Method notes what recv.name(…) does and returns its result.
func (m *Machine) Method(recv effect.Value, c Call) effect.Value {
	if recv.Kind == effect.Choice {
		var out []effect.Value
		for _, r := range recv.Items {
			r.Name = ""
			out = append(out, m.Method(r, c))
		}
		return effect.Choose(out)
	}
	if v, ok := m.textMethod(recv, &c); ok {
		return v
	}
	if v, ok := m.listMethod(recv, &c); ok {
		return v
	}
	switch recv.Kind {
	case effect.Process:
		switch c.Name {
		case "communicate", "write", "puts", "print", "end", "stdin":
			if in := c.arg(0); len(c.Args) > 0 && in.Kind != effect.Constant {
				m.Run(recv.Items[0], []effect.Value{{Kind: effect.Object, Keys: []string{"input"}, Items: []effect.Value{in}}})
			}
			return recv
		}
		return effect.Value{}
	case effect.Database:
		return m.query(recv, &c)
	case effect.Contents:
		switch c.Name {
		case "read", "readlines", "text", "decode", "toString", "read_text", "slurp", "close":
			return recv
		}
		return effect.Value{}
	}
	if recv.Path || recv.Kind == effect.Unknown || recv.Glob {
		return m.pathMethod(recv, &c)
	}
	return effect.Value{}
}

// query notes SQL that a database is given.
func (m *Machine) query(db effect.Value, c *Call) effect.Value {
	switch c.Name {
	case "execute", "executescript", "exec", "query", "run", "execute_batch", "prepare", "sql", "executemany", "do", "exec_driver_sql":
	default:
		return db // cursor(), begin(), connect() …
	}
	client := db.Items
	if last := client[len(client)-1]; client[0].Text == "sqlite3" && last.Text == ":memory:" {
		return db
	}
	sql := c.arg(0)
	if !sql.Known() || sql.Dyn && strings.HasPrefix(sql.Text, effect.Computed) {
		if client[0].Text == "sqlite3" && client[1].Known() && !client[1].Dyn {
			m.Program([]string{"sqlite3", client[1].Text})
		}
		return db
	}
	m.Run(effect.ListOf(append(client[:len(client):len(client)], sql)...), nil)
	return db
}

// textMethod are methods of strings.
func (m *Machine) textMethod(recv effect.Value, c *Call) (effect.Value, bool) {
	arg := c.arg(0)
	switch c.Name {
	case "endswith", "endsWith", "end_with?", "startswith", "startsWith", "start_with?", "match", "include?", "includes", "has_suffix":
		if suffix := arg.Iter(); c.Name[0] == 'e' {
			if arg.Known() {
				suffix = arg
			}
			for _, s := range suffix.Options() {
				if s.Known() {
					m.Host.Narrow(recv, s.Text, true)
					break
				}
			}
		}
		return effect.Value{Kind: effect.Constant}, true
	case "exists", "is_file", "is_dir", "exist?", "file?", "directory?", "stat", "isDirectory", "isFile", "is_symlink":
		return effect.Value{Kind: effect.Constant}, true
	case "expanduser", "resolve", "absolute", "as_posix", "freeze", "strip", "rstrip", "lstrip", "trim", "encode", "decode", "to_s", "to_str", "to_path", "toString", "chomp",
		"stringify", "realpath", "expand_path", "trimEnd", "dup", "cleanpath", "to_sym", "__str__", "trimStart", "path", "removeprefix":
		if recv.Known() || recv.Kind == effect.Unknown {
			if recv.Kind == effect.Text && (c.Name == "strip" || c.Name == "trim") {
				recv.Text = strings.TrimSpace(recv.Text)
			}
			return recv, true
		}
	}
	if !recv.Known() || recv.Path {
		return effect.Value{}, false
	}
	switch c.Name {
	case "join":
		if arg.Kind == effect.List {
			return m.joined(arg.Items, recv), true
		}
	case "format":
		return m.format(recv, c), true
	case "split":
		if len(c.Args) == 0 || arg.Text == " " {
			return fields(recv), true
		}
		return effect.Value{}, true
	case "replace", "replaceAll", "gsub", "sub":
		if b := c.arg(1); arg.Known() && b.Known() && !recv.Dyn && !b.Dyn && len(recv.Text)*(1+len(b.Text)) < effect.MaxText {
			recv.Text = strings.ReplaceAll(recv.Text, arg.Text, b.Text)
			return recv, true
		}
		return effect.Unsure(), true
	case "concat", "append":
		return m.Join(recv, arg), true
	case "lower", "toLowerCase", "downcase", "casefold":
		recv.Text = strings.ToLower(recv.Text)
		return recv, true
	case "upper", "toUpperCase", "upcase":
		recv.Text = strings.ToUpper(recv.Text)
		return recv, true
	case "execute": // AppleScript and others: not ours
		return effect.Value{}, true
	}
	return effect.Value{}, false
}

// joined is sep.join(items).
func (m *Machine) joined(items []effect.Value, sep effect.Value) effect.Value {
	out := effect.Str("")
	for i, x := range items {
		if i > 0 {
			out = m.Join(out, sep)
		}
		out = m.Join(out, x.Part())
	}
	return out
}

// format is Python's "{}/{name}".format(…).
func (m *Machine) format(recv effect.Value, c *Call) effect.Value {
	out, rest := effect.Str(""), recv.Text
	for n := 0; n <= effect.MaxChoices; {
		before, after, found := strings.Cut(rest, "{")
		out = m.Join(out, effect.Str(before))
		field, tail, closed := strings.Cut(after, "}")
		if !found || !closed {
			break
		}
		rest = tail
		name, _, _ := strings.Cut(field, ":")
		v := effect.Unsure()
		switch {
		case name == "":
			v = c.arg(n).Part()
			n++
		case name[0] >= '0' && name[0] <= '9':
			v = c.arg(int(name[0] - '0')).Part()
		default:
			if x, ok := effect.Option(c.Named, name); ok {
				v = x.Part()
			}
		}
		out = m.Join(out, v)
	}
	return out
}

// listMethod are methods of lists, and of what is iterated over.
func (m *Machine) listMethod(recv effect.Value, c *Call) (effect.Value, bool) {
	switch recv.Kind {
	case effect.List, effect.Each, effect.Object:
	default:
		return effect.Value{}, false
	}
	arg := c.arg(0)
	switch c.Name {
	case "join":
		if recv.Kind == effect.List {
			sep := arg
			if !sep.Known() {
				sep = effect.Str("")
			}
			return m.joined(recv.Items, sep), true
		}
	case "forEach", "map", "each", "collect", "each_with_index", "flatMap", "find_each", "flat_map":
		switch {
		case arg.Kind == effect.Ref || arg.Kind == effect.Function:
			return effect.Value{Kind: effect.Each, Items: []effect.Value{m.Host.Invoke(arg, []effect.Value{recv.Iter()}, nil, c.Line)}}, true
		case arg.Known(): // Ruby's &:delete
			return m.Method(recv.Iter(), Call{Name: arg.Text, Line: c.Line}), true
		}
		return effect.Value{Kind: effect.Each, Items: []effect.Value{{}}}, true
	case "get", "fetch":
		v, _ := recv.Get(arg.Text)
		return v, true
	case "first", "pop", "shift", "last", "sample":
		return recv.Iter(), true
	case "filter", "sort", "slice", "reverse", "flat", "uniq", "compact", "reject", "select", "to_a", "items", "keys", "values", "entries", "sorted", "each_slice", "concat",
		"copy", "flatten", "sort_by", "then", "with_index", "lazy":
		return recv, true
	}
	return effect.Value{}, recv.Kind != effect.Object
}

// pathMethod are methods of path objects. On a receiver that is not known only names that no other class has count.
func (m *Machine) pathMethod(recv effect.Value, c *Call) effect.Value {
	arg := c.arg(0)
	sure := recv.Path || recv.Glob
	switch c.Name {
	case "write_text", "write_bytes", "touch", "spew", "spew_utf8", "binwrite":
		if c.Name == "touch" && !sure {
			break
		}
		m.put(recv, false, c.Line)
	case "write", "append", "truncate":
		if sure && m.Lang != effect.Python {
			m.put(recv, c.Name == "append", c.Line)
		}
	case "unlink":
		if sure || len(c.Args) == 0 {
			m.Remove(recv, false, c.Line)
		}
	case "delete", "remove":
		if sure {
			m.Remove(recv, false, c.Line)
		}
	case "rmtree", "remove_tree", "rm_rf":
		if sure {
			m.Remove(recv, true, c.Line)
		} else if len(c.Args) > 0 {
			m.Remove(arg, true, c.Line)
		}
	case "rmdir":
		if sure {
			m.As([]string{"rmdir"}, recv)
		}
	case "system":
		if len(c.Args) > 0 && !sure {
			m.Run(arg, c.Named)
		}
	case "open":
		if sure {
			m.open(&Call{Name: "open", Args: append([]effect.Value{recv}, c.Args...), Named: c.Named, Line: c.Line})
			return effect.Value{Kind: effect.Contents, Text: recv.Text, Dyn: recv.Dyn}
		}
	case "rename", "replace", "move":
		if sure && len(c.Args) > 0 {
			m.two("mv", &Call{Name: "mv", Args: []effect.Value{recv, arg}, Line: c.Line})
		}
	case "chmod":
		if sure {
			m.As([]string{"chmod", mode(arg)}, recv)
		}
	case "symlink_to", "hardlink_to", "make_symlink":
		m.two("ln", &Call{Name: "ln", Args: []effect.Value{arg, recv}, Line: c.Line})
	case "read_text", "read_bytes", "read", "slurp":
		if sure {
			return effect.Value{Kind: effect.Contents, Text: recv.Text, Dyn: recv.Dyn}
		}
	default:
		return m.pathValue(recv, c, sure)
	}
	return effect.Value{}
}

// pathValue are methods of path objects that give other paths.
func (m *Machine) pathValue(recv effect.Value, c *Call, sure bool) effect.Value {
	arg := c.arg(0)
	below := func(pattern effect.Value) effect.Value {
		base := recv
		if !base.Known() {
			base = effect.Unsure()
		}
		if base.Text == "." && !pattern.Dyn {
			base = pattern // ./*.o is *.o
		} else {
			base = m.JoinPath(base, pattern)
		}
		base.Path, base.Glob, base.Name = true, true, ""
		return effect.Value{Kind: effect.Each, Items: []effect.Value{base}}
	}
	switch c.Name {
	case "glob":
		return below(arg.Part())
	case "rglob":
		return below(m.Join(effect.Str("**/"), arg.Part()))
	case "iterdir", "children", "each_child", "entries":
		if sure {
			return below(effect.Str("*"))
		}
	case "walk":
		if sure {
			any := effect.Value{Kind: effect.Each, Items: []effect.Value{{Kind: effect.Text, Text: "*", Glob: true}}}
			return effect.Value{Kind: effect.Each, Items: []effect.Value{effect.ListOf(below(effect.Str("**")).Items[0], any, any)}}
		}
	case "joinpath", "join", "child":
		if sure {
			return m.JoinPath(append([]effect.Value{recv}, c.Args...)...)
		}
	case "with_name", "with_suffix", "with_stem", "relative_to", "sub_ext", "sibling":
		if sure {
			out := m.JoinPath(recv.Parent(), effect.Unsure())
			out.Path = true
			return out
		}
	case "parent", "dirname":
		return recv.Parent()
	case "name", "basename":
		if recv.Path && !recv.Glob {
			return recv
		}
	}
	return effect.Value{}
}
