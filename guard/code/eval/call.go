package eval

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/effect"
	"github.com/devflow-suite/devflow/guard/code/lib"
	"github.com/devflow-suite/devflow/guard/code/token"
)

// call reads the arguments in parentheses and calls v.
func (e *eval) call(v effect.Value) effect.Value {
	line := int(e.cur().Line)
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
	e.i++
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
	if e.lang == effect.Ruby && (e.is("{") || e.is("do")) {
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
		if t := e.cur(); (v.Items[0].Kind == effect.Database || v.Items[0].Path || v.Items[0].Kind == effect.Process) && t.Kind == token.Text && t.Space {
			line := int(t.Line)
			args, named := e.bare()
			return e.finish(v, args, named, line)
		}
		if e.is("{") || e.is("do") {
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
	known := v.Kind == effect.Function || lib.ActOf(e.lang, v.Text) != 0
	if !known {
		return v
	}
	line := int(e.peek(-1).Line)
	if e.lang == effect.Perl && (v.Text == "eval" || v.Text == "map" || v.Text == "grep" || v.Text == "sort") && e.is("{") || v.Text == "->" {
		return v
	}
	if !e.operand() {
		if e.is("=") || e.is("=>") || e.is(".") || v.Kind == effect.Ref && e.lang == effect.Perl && v.Text != "unlink" && v.Text != "rmdir" && v.Text != "shift" && v.Text != "eval" &&
			v.Text != "cwd" && v.Text != "getcwd" {
			return v
		}
		return e.finish(v, nil, effect.Value{}, line)
	}
	args, named := e.bare()
	return e.finish(v, args, named, line)
}

// operand reports whether the next token can begin an argument.
func (e *eval) operand() bool {
	switch t := e.cur(); t.Kind {
	case token.Text, token.Run, token.Number:
		return true
	case token.Name:
		return !among(t, " if unless while until and or not eq ne x for foreach do then end rescue in lt gt cmp isa ")
	case token.Op:
		return t.Text == "\\" || t.Text == "[" && t.Space || (t.Text == "*" || t.Text == "-" || t.Text == "&" || t.Text == "::") && t.Space && !e.peek(1).Space ||
			t.Text == "(" && t.Space
	}
	return false
}

// bare reads arguments up to the end of the statement.
func (e *eval) bare() (args []effect.Value, named effect.Value) {
	named.Kind = effect.Object
	for e.operand() || e.is("{") && len(args) > 0 {
		from := e.i
		if name, ok := e.label(); ok {
			v := e.expr()
			named.Keys, named.Items = append(named.Keys, name), append(named.Items, v)
		} else {
			v := e.expr()
			if e.accept("=>") {
				x := e.expr()
				named.Keys, named.Items = append(named.Keys, v.Text), append(named.Items, x)
			} else if v.Kind == effect.List && len(args) == 0 && !e.is(",") && e.lang == effect.Perl {
				args = append(args, v.Items...)
			} else {
				args = append(args, v)
			}
		}
		if !e.accept(",") {
			if t := e.cur(); t.Kind == token.Text && e.toks[e.i-1].Kind == token.Name && e.lang == effect.Perl {
				continue // print FH "text", open FH "…"
			}
			break
		}
		e.skipLines()
		if e.i == from {
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
		return e.own(f.Text, args, named)
	case effect.Method:
		return e.methodCall(f.Items[0], f.Text, args, named, line)
	case effect.Text:
		if e.lang == effect.PHP {
			return e.m.Do(lib.Call{Name: lib.Canonical(e.lang, f.Text), Args: args, Named: named, Line: line})
		}
	case effect.Ref:
		if own, _, _ := strings.Cut(f.Text, "."); e.fns[f.Text] != nil {
			return e.own(f.Text, args, named)
		} else if own == "self" || own == "this" {
			if _, name, _ := strings.Cut(f.Text, "."); e.fns[name] != nil {
				return e.own(name, args, named)
			}
		}
		return e.m.Do(lib.Call{Name: f.Text, Args: args, Named: named, Line: line})
	}
	return effect.Value{}
}

// own calls a function of the code itself: what it is called with is bound in the next pass.
func (e *eval) own(key string, args, named []effect.Value) effect.Value {
	f := e.fns[key]
	f.called = true
	for len(f.args) < len(args) && e.lang == effect.Perl {
		f.args = append(f.args, effect.Value{Kind: effect.Constant})
	}
	for i := range f.args {
		v := effect.Value{Kind: effect.Constant}
		switch {
		case i < len(f.params) && strings.HasPrefix(f.params[i], "*"):
			v = effect.ListOf(args[min(i, len(args)):]...)
			if len(v.Items) > effect.MaxChoices {
				v = effect.Value{}
			}
		case i < len(args):
			v = args[i]
		case i < len(f.params):
			v2, ok := effect.Option(named, f.params[i])
			if ok {
				v = v2
			}
		}
		if v.Kind == effect.Constant && f.args[i].Kind != effect.Constant {
			continue
		}
		if f.args[i].Kind == effect.Constant {
			f.args[i] = v
		} else if v.Kind != effect.List || len(f.args[i].Options()) < 16 && !same(f.args[i], v) {
			f.args[i] = effect.Choose([]effect.Value{f.args[i], v})
		}
	}
	return f.result
}

// same reports whether the list v is already among the choices of old.
func same(old, v effect.Value) bool {
	for _, o := range old.Options() {
		if o.Kind != effect.List || len(o.Items) != len(v.Items) {
			continue
		}
		equal := true
		for i := range o.Items {
			equal = equal && o.Items[i].Kind == v.Items[i].Kind && o.Items[i].Text == v.Items[i].Text
		}
		if equal {
			return true
		}
	}
	return false
}

func (e *eval) methodCall(recv effect.Value, name string, args, named []effect.Value, line int) effect.Value {
	if e.fns[name] != nil && (recv.Kind == effect.Unknown || recv.Kind == effect.Ref) {
		return e.own(name, args, named)
	}
	if recv.Kind == effect.Function && (name == "call" || name == "()") {
		return e.own(recv.Text, args, named)
	}
	switch name {
	case "append", "push", "add", "extend", "unshift", "insert":
		old, ok := e.vars[recv.Name]
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
		e.vars[recv.Name] = old
		return old
	}
	return e.m.Method(recv, lib.Call{Name: name, Args: args, Named: named, Line: line})
}

// Execute implements lib.Host.
func (e *eval) Execute(src string) { e.inner(src) }

// Narrow implements lib.Host.
func (e *eval) Narrow(v effect.Value, is string, suffix bool) {
	if e.quiet == 0 {
		e.narrow(v, is, suffix)
	}
}

// Lookup implements lib.Host.
func (e *eval) Lookup(name string) effect.Value { return e.lookup(name) }

// Params implements lib.Host.
func (e *eval) Params() []effect.Value {
	if e.now == nil {
		return nil
	}
	return e.now.args
}

// awkPrint reads the rest of awk's print: values, then > file or | command.
func (e *eval) awkPrint() {
	e.print = true
	defer func() { e.print = false }()
	var first effect.Value
	for n := 0; ; n++ {
		v := effect.Value{}
		if e.is("(") {
			v = e.round()
		} else if !e.is(">") && !e.is(">>") && !e.is("|") {
			v = e.expr()
		}
		if n == 0 {
			first = v
		}
		if !e.accept(",") {
			break
		}
	}
	t := e.cur()
	switch {
	case t.Is(">"), t.Is(">>"):
		e.i++
		line := int(t.Line)
		if v := e.sum(); v.Text != "/dev/stderr" && v.Text != "/dev/stdout" && v.Text != "/dev/null" {
			e.Write(v, t.Text == ">>", line)
		}
	case t.Is("|"), t.Is("|&"):
		e.i++
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
