// Package counter holds the rule about functions whose answer depends on how often they were called.
//
// It owns no table and starts no process.
package counter

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{{
		ID: "call-counter", Axis: verdict.Honesty, Class: verdict.Hard,
		What:     "what a function gives depends on how often it was called",
		Why:      "it can answer the calls of a test one after the other without doing the work",
		Question: "Does the purpose of this function ask for an answer that depends on the number of earlier calls?",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					counts(p, report)
				}
			}
		},
	}}
}

func counts(p change.FuncPair, report func(rule.Finding)) {
	after := code.Read(p.After)
	u := after.F
	seen := map[string]bool{}
	for i := p.After.From; i < p.After.To; i++ {
		name, at := raised(u, i)
		if name == "" || seen[name] || !p.New.Touched(u.TokenLine(i), u.TokenLine(i)) || local(after, name) || knew(p, name) {
			continue
		}
		seen[name] = true
		line, certain := decides(after, name, at)
		if line == 0 {
			continue
		}
		f := code.Finding(p, u.TokenLine(at), "counts its calls in "+name+" and answers by the count", "compute the answer from the arguments")
		if !certain {
			f.Class = verdict.Soft
		}
		report(f)
	}
}

// raised reads a step of a counter at token i: n++, n += 1, n = n + 1, n.fetch_add(1), atomic.AddInt64(&n, 1), a.append(x),
// next(a), a.pop(0).
func raised(u *units.File, i int) (name string, at int) {
	w := u.Text(i)
	if u.Kind(i) != source.Name || code.Keyword(w) || w == "continue" || w == "break" {
		return "", 0
	}
	switch {
	case u.Is(i+1, "++"), u.Is(i-1, "++") && u.Glued(i) && u.Lang != source.Go:
		return w, i
	case u.Is(i+1, "+=") && u.Is(i+2, "1"), u.Is(i+1, "-=") && u.Is(i+2, "1"):
		return w, i
	case u.Is(i+1, "=") && u.Text(i+2) == w && u.Is(i+3, "+") && u.Is(i+4, "1"):
		return w, i
	case u.Is(i+1, "=") && u.Is(i+2, "(") && u.Text(i+3) == w && (u.Is(i+4, "??") || u.Is(i+4, "||")):
		return w, i
	case u.Is(i+1, "=") && stepped(u, i): // n = state.get("n", 0) + 1
		return w, i
	case u.Is(i+1, "]") && (u.Is(i+2, "+=") || u.Is(i+2, "++")): // state[0] += 1
		if k := u.Text(i - 2); u.Is(i-1, "[") {
			return k, i
		}
	case u.Is(i+1, "."):
		switch u.Text(i + 2) {
		case "fetch_add", "getAndIncrement", "incrementAndGet", "fetch_sub", "getAndAdd", "addAndGet", "increment":
			return w, i
		case "Add", "Inc":
			if u.Is(i+3, "(") && (u.Is(i+4, "1") || u.Is(i+4, ")")) {
				return w, i
			}
		case "append", "push", "add":
			if u.Is(i+3, "(") && !u.Is(i-1, ".") {
				return w, i
			}
		case "shift", "pop", "popleft", "removeFirst", "removeAt", "pop_front", "poll":
			if u.Is(i+3, "(") {
				return w, i
			}
		case "set":
			if u.Is(i+3, "(") && contains(u, i+4, u.Close(i+3), w) && contains(u, i+4, u.Close(i+3), "get") {
				return w, i
			}
		}
	case (w == "AddInt32" || w == "AddInt64" || w == "AddUint32" || w == "AddUint64") && u.Is(i+2, "&"):
		return u.Text(i + 3), i
	case w == "next" && u.Is(i+1, "(") && u.Kind(i+2) == source.Name && (u.Is(i+3, ")") || u.Is(i+3, ",")):
		return u.Text(i + 2), i
	}
	return "", 0
}

// stepped reports an assignment at name i of its own former value, looked up anywhere, plus one.
func stepped(u *units.File, i int) bool {
	own := false
	for k := i + 2; k < i+16 && k < len(u.Tokens) && !u.Tokens[k].First && !u.Is(k, ";"); k++ {
		own = own || u.Text(k) == u.Text(i) || u.Kind(k) == source.String && u.Unquote(k) == u.Text(i)
		if own && u.Is(k, "+") && u.Is(k+1, "1") {
			return true
		}
	}
	return false
}

func contains(u *units.File, from, to int, w string) bool {
	for i := from; i < to; i++ {
		if u.Is(i, w) {
			return true
		}
	}
	return false
}

// local reports names that the function declares or gets as a parameter: they do not outlive a call.
func local(b *code.Body, name string) bool {
	u := b.F
	global := false
	for i := b.Fn.From; i < b.Fn.To; i++ {
		if u.Text(i) != name || u.Kind(i) != source.Name {
			continue
		}
		if u.Is(i-1, "global") || u.Is(i-1, "nonlocal") || u.Is(i-1, ",") && u.Is(i-3, "global") {
			global = true
		}
	}
	if global {
		return false
	}
	if b.Param(name) {
		return true
	}
	for i := b.Fn.From; i < b.Fn.To; i++ {
		if u.Text(i) != name || u.Kind(i) != source.Name || u.Is(i-1, ".") {
			continue
		}
		for k := i - 1; k >= b.Fn.From && k > i-4; k-- {
			if u.Kind(k) == source.Op && !u.Is(k, "*") && !u.Is(k, "&") && !u.Is(k, ">") {
				break
			}
			switch u.Text(k) {
			case "static":
				return false
			case "let", "var", "const", "mut", "final", "int", "auto", "val", "for", "long", "size_t", "List", "num":
				return !(k > 0 && (u.Is(k-1, "static") || u.Is(k-2, "static")))
			}
		}
		if u.Is(i+1, ":=") || u.Is(i+1, ",") && u.Lang == source.Go && u.Is(i+3, ":=") || u.Is(i-1, ",") && u.Lang == source.Go && u.Is(i+1, ":=") {
			return true
		}
		if u.Lang == source.Python && (u.Is(i+1, "=") && !u.Is(i-1, ".") && u.Text(i+2) != name || u.Is(i-1, "for") || u.Is(i-1, "as")) {
			return true
		}
		if u.Kind(i-1) == source.Name && !code.Keyword(u.Text(i-1)) && !u.Tokens[i].First && (u.Is(i+1, "=") || u.Is(i+1, ";")) && u.Lang != source.Python && u.Lang != source.Go {
			return true // Type name = …
		}
	}
	return false
}

// knew reports whether the function changed the name before.
func knew(p change.FuncPair, name string) bool {
	u := p.Before.File()
	for i := p.Before.From; i < p.Before.To; i++ {
		if u.Is(i, name) {
			return true
		}
	}
	return false
}

// decides gives the line at which the count decides what the function gives, 0 when it does not. certain: a particular
// count leads to a value written down.
func decides(b *code.Body, name string, step int) (line int, certain bool) {
	u := b.F
	alias := map[string]bool{name: true}
	for _, s := range b.Stmts { // n = counter.fetch_add(1)
		if step >= s.From && step < s.To {
			if a, from, ok := b.Assigned(s); ok && from <= step {
				alias[a] = true
			}
		}
	}
	uses := func(from, to int) int {
		for i := from; i < to; i++ {
			if u.Kind(i) == source.Name && alias[u.Text(i)] {
				return i
			}
		}
		return -1
	}
	for i, s := range b.Stmts {
		at := uses(s.From, s.To)
		if at < 0 {
			continue
		}
		switch s.Kind {
		case code.If, code.Switch, code.Case:
			if i+1 >= len(b.Stmts) {
				continue
			}
			for _, inner := range b.Stmts[i+1 : s.Next] {
				from, to, ok := b.Value(inner)
				if !ok {
					continue
				}
				if grows(u, step) && !measured(u, s.From, s.To) {
					continue
				}
				fix := code.Constant(u, from, to) && from < to
				if counted(u, s.From, s.To) && (fix || s.Kind == code.Switch) {
					return s.Line, true
				}
				line = s.Line
			}
		case code.Return:
			from, to, _ := b.Value(s)
			if indexed(u, from, to, alias) || contains(u, from, to, "?") || b.F.Is(step, "next") && step >= from && step < to || took(u, step) && step >= from {
				return s.Line, true
			}
			if u.Lang == source.Python && contains(u, from, to, "if") {
				return s.Line, true
			}
		default:
			if s.Tail && (indexed(u, s.From, s.To, alias) || contains(u, s.From, s.To, "if") || contains(u, s.From, s.To, "match")) {
				return s.Line, true
			}
		}
	}
	return line, false
}

// took reports steps that take the next of a row of answers.
func took(u *units.File, step int) bool {
	switch u.Text(step + 2) {
	case "shift", "pop", "popleft", "removeFirst", "removeAt", "pop_front", "poll":
		return true
	}
	return false
}

// grows reports steps that add to a collection.
func grows(u *units.File, step int) bool {
	switch u.Text(step + 2) {
	case "append", "push", "add":
		return u.Is(step+1, ".")
	}
	return false
}

// measured reports whether tokens ask for a size.
func measured(u *units.File, from, to int) bool {
	return contains(u, from, to, "len") || contains(u, from, to, "length") || contains(u, from, to, "size") || contains(u, from, to, "count")
}

// counted reports conditions that compare with a number.
func counted(u *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		if u.Kind(i) == source.Number {
			return true
		}
	}
	return false
}

// indexed reports whether one of the names stands in an index.
func indexed(u *units.File, from, to int, names map[string]bool) bool {
	for i := from; i < to; i++ {
		if !u.Is(i, "[") || u.Kind(i-1) != source.Name && !u.Is(i-1, "]") && !u.Is(i-1, ")") && !u.Is(i-1, "}") {
			if !u.Is(i, "get") && !u.Is(i, "elementAt") && !u.Is(i, "nth") {
				continue
			}
		}
		open := i
		if !u.Is(i, "[") {
			open = i + 1
		}
		for k := open + 1; k < u.Close(open); k++ {
			if u.Kind(k) == source.Name && names[u.Text(k)] {
				return true
			}
		}
	}
	return false
}
