package eval

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/act"
	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// call reads the arguments in parentheses and calls v.
func (e *eval) call(v effect.Value) effect.Value {
	line := int(e.Cur().Line)
	old := e.it
	if v.Kind == effect.Method {
		recv := v.Items[0]
		e.it = []effect.Value{recv.Iter()}
		if v.Text == "then" {
			e.it[0] = recv
		}
	} else if mod, ok := strings.CutSuffix(v.Text, ".then"); ok && v.Kind == effect.Ref {
		e.it = []effect.Value{{Kind: effect.Ref, Text: mod}}
	} else if v.Kind == effect.Ref && (v.Text == "fs.readdir" || v.Text == "glob") {
		e.it = []effect.Value{{Kind: effect.Constant}, {Kind: effect.Each, Items: []effect.Value{{Kind: effect.Text, Text: "*", Glob: true}}}}
	} else {
		e.it = nil
	}
	quiet := e.print
	e.print = false
	e.At++
	args, named, _ := e.sequence(")")
	e.it, e.print = old, quiet
	return e.finish(v, args, named, line)
}

// finish calls v and reads the block that Ruby hands to the function.
func (e *eval) finish(v effect.Value, args []effect.Value, named effect.Value, line int) effect.Value {
	var opts []effect.Value
	if len(named.Keys) > 0 {
		opts = append(opts, named)
	}
	for _, a := range args {
		if a.Kind == effect.Object {
			opts = append(opts, a)
		}
	}
	out := e.Invoke(v, args, opts, line)
	if e.lang == effect.Ruby && (e.Is("{") || e.Is("do")) {
		it := []effect.Value{out.Iter()}
		if v.Kind == effect.Method {
			it = []effect.Value{v.Items[0].Iter()}
			if it[0].Kind == effect.List && len(it[0].Items) > 0 {
				it = it[0].Items
			}
		} else if out.Kind == effect.Process || out.Kind == effect.Text {
			it[0] = out
		}
		e.rubyBlock(it, nil)
	}
	return out
}

// command reads the arguments of a call without parentheses: `unlink $f, $g;` and `system "ls"`.
func (e *eval) command(v effect.Value) effect.Value {
	if e.lang == effect.Ruby && v.Kind == effect.Method {
		if t := e.Cur(); (v.Items[0].Kind == effect.Database || v.Items[0].Path || v.Items[0].Kind == effect.Process) && t.Kind == token.Text && t.Space {
			line := int(t.Line)
			args, named := e.bare()
			return e.finish(v, args, named, line)
		}
		if e.Is("{") || e.Is("do") {
			it := v.Items[0].Iter()
			list := []effect.Value{it}
			if it.Kind == effect.List && len(it.Items) > 0 {
				list = it.Items
			}
			e.rubyBlock(list, nil)
			return v.Items[0]
		}
		return e.force(v)
	}
	if v.Kind != effect.Ref && (v.Kind != effect.Function || v.Name == "") || e.lang != effect.Ruby && e.lang != effect.Perl {
		return e.force(v)
	}
	known := v.Kind == effect.Function || act.Of(e.lang, v.Text) != 0
	if !known {
		return v
	}
	line := int(e.Peek(-1).Line)
	if e.lang == effect.Perl && (v.Text == "eval" || v.Text == "map" || v.Text == "grep" || v.Text == "sort") && e.Is("{") || v.Text == "->" {
		return v
	}
	if !e.Operand() {
		if e.Is("=") || e.Is("=>") || e.Is(".") || v.Kind == effect.Ref && e.lang == effect.Perl && v.Text != "unlink" && v.Text != "rmdir" && v.Text != "shift" && v.Text != "eval" &&
			v.Text != "cwd" && v.Text != "getcwd" {
			return v
		}
		return e.finish(v, nil, effect.Value{}, line)
	}
	args, named := e.bare()
	return e.finish(v, args, named, line)
}

// bare reads arguments up to the end of the statement.
func (e *eval) bare() (args []effect.Value, named effect.Value) {
	named.Kind = effect.Object
	for e.Operand() || e.Is("{") && len(args) > 0 {
		from := e.At
		if name, ok := e.Label(); ok {
			v := e.expr()
			named.Keys, named.Items = append(named.Keys, name), append(named.Items, v)
		} else {
			v := e.expr()
			if e.Accept("=>") {
				x := e.expr()
				named.Keys, named.Items = append(named.Keys, v.Text), append(named.Items, x)
			} else if v.Kind == effect.List && len(args) == 0 && !e.Is(",") && e.lang == effect.Perl {
				args = append(args, v.Items...)
			} else {
				args = append(args, v)
			}
		}
		if !e.Accept(",") {
			if t := e.Cur(); t.Kind == token.Text && e.Toks[e.At-1].Kind == token.Name && e.lang == effect.Perl {
				continue // print FH "text", open FH "…"
			}
			break
		}
		e.SkipLines()
		if e.At == from {
			break
		}
	}
	return args, named
}

// Invoke implements lib.Host.
func (e *eval) Invoke(f effect.Value, args, named []effect.Value, line int) effect.Value {
	switch f.Kind {
	case effect.Choice:
		var out []effect.Value
		for _, x := range f.Items {
			out = append(out, e.Invoke(x, args, named, line))
		}
		return effect.Choose(out)
	case effect.Function:
		return e.Call(f.Text, args, named)
	case effect.Method:
		return e.methodCall(f.Items[0], f.Text, args, named, line)
	case effect.Text:
		if e.lang == effect.PHP {
			return e.m.Do(lib.Call{Name: lib.Canonical(e.lang, f.Text), Args: args, Named: named, Line: line})
		}
	case effect.Ref:
		if own, _, _ := strings.Cut(f.Text, "."); e.Funcs[f.Text] != nil {
			return e.Call(f.Text, args, named)
		} else if own == "self" || own == "this" {
			if _, name, _ := strings.Cut(f.Text, "."); e.Funcs[name] != nil {
				return e.Call(name, args, named)
			}
		}
		return e.m.Do(lib.Call{Name: f.Text, Args: args, Named: named, Line: line})
	}
	return effect.Value{}
}

func (e *eval) methodCall(recv effect.Value, name string, args, named []effect.Value, line int) effect.Value {
	if e.Funcs[name] != nil && (recv.Kind == effect.Unknown || recv.Kind == effect.Ref) {
		return e.Call(name, args, named)
	}
	if recv.Kind == effect.Function && (name == "call" || name == "()") {
		return e.Call(recv.Text, args, named)
	}
	switch name {
	case "append", "push", "add", "extend", "unshift", "insert":
		old, ok := e.Vars[recv.Name]
		if !ok || old.Kind != effect.List || len(old.Items) > effect.MaxChoices {
			break
		}
		items := old.Items[:len(old.Items):len(old.Items)]
		if name == "insert" {
			args = args[min(1, len(args)):]
		}
		for _, a := range args {
			if a.Kind == effect.List {
				items = append(items, a.Items...)
			} else {
				items = append(items, a)
			}
		}
		old.Items = items
		e.Vars[recv.Name] = old
		return old
	}
	return e.m.Method(recv, lib.Call{Name: name, Args: args, Named: named, Line: line})
}

// Execute implements lib.Host.
func (e *eval) Execute(src string) { e.inner(src) }

// Narrow implements lib.Host.
func (e *eval) Narrow(v effect.Value, is string, suffix bool) {
	if e.quiet == 0 {
		e.Scope.Narrow(v, is, suffix)
	}
}

// Lookup implements lib.Host.
func (e *eval) Lookup(name string) effect.Value { return e.lookup(name) }

// Params implements lib.Host.
func (e *eval) Params() []effect.Value {
	if e.Now == nil {
		return nil
	}
	return e.Now.Args
}

// awkPrint reads the rest of awk's print: values, then > file or | command.
func (e *eval) awkPrint() {
	e.print = true
	defer func() { e.print = false }()
	var first effect.Value
	for n := 0; ; n++ {
		v := effect.Value{}
		if e.Is("(") {
			v = e.round()
		} else if !e.Is(">") && !e.Is(">>") && !e.Is("|") {
			v = e.expr()
		}
		if n == 0 {
			first = v
		}
		if !e.Accept(",") {
			break
		}
	}
	t := e.Cur()
	switch {
	case t.Is(">"), t.Is(">>"):
		e.At++
		line := int(t.Line)
		if v := e.sum(); v.Text != "/dev/stderr" && v.Text != "/dev/stdout" && v.Text != "/dev/null" {
			e.Write(v, t.Text == ">>", line)
		}
	case t.Is("|"), t.Is("|&"):
		e.At++
		cmd := e.sum()
		if word, _, _ := strings.Cut(strings.TrimSpace(cmd.Text), " "); isShell(word) {
			e.Run(first, nil)
			return
		}
		e.Run(cmd, nil)
	}
}

func isShell(word string) bool {
	switch word[strings.LastIndexByte(word, '/')+1:] {
	case "sh", "bash", "dash", "zsh", "ksh":
		return true
	}
	return false
}
