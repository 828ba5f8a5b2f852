package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// dead finds code around tests that is never reached: if (false) { … }, a return before them, an exit at the top.
func (r *reader) dead(i int) {
	switch r.Text(i) {
	case "if":
		r.branch(i)
	case "return", "throw":
		if r.closures() {
			r.leave(i, r.Text(i))
		}
		r.early(i)
	case "exit":
		if r.Is(i-1, ".") && r.Is(i-2, "process") && (r.Lang == source.JS || r.Lang == source.TS) || r.Lang == source.PHP && r.Tokens[i].First {
			r.leave(i-2, "process.exit")
		}
	case "__END__":
		if r.Lang == source.Ruby {
			r.add(Switch{Kind: Dead, What: "__END__", From: i, To: len(r.Tokens)}, i)
		}
	}
}

// closures reports whether tests are calls that stand in the body of other code.
func (r *reader) closures() bool {
	return r.Lang == source.JS || r.Lang == source.TS || r.Lang == source.Dart || r.Lang == source.Kotlin || r.Lang == source.PHP || r.Lang == source.Scala
}

// branch reads the block of an if. Only conditions that are always false, or that hang on the environment, count.
func (r *reader) branch(i int) {
	var cond string
	from, to := 0, 0
	if r.Lang == source.Python {
		if !r.Tokens[i].First {
			return
		}
		k := i + 1
		for k < len(r.Tokens) && (!r.Is(k, ":") || r.parent[k] >= 0) {
			k++
		}
		cond, from = r.Span(i+1, k), k+1
		for to = from; to < len(r.Tokens) && (!r.Tokens[to].First || r.Tokens[to].Col > r.Tokens[i].Col || r.parent[to] >= 0); {
			to++
		}
	} else {
		k := i + 1
		for n := 0; k < len(r.Tokens) && !r.Is(k, "{") && n < 60; n++ {
			if r.Is(k, ";") && r.Lang != source.Go {
				return
			}
			k = max(k, r.Close(k)) + 1
		}
		if !r.Is(k, "{") {
			return
		}
		cond, from, to = r.Span(i+1, k), k+1, r.Close(k)
	}
	cond = strings.TrimSpace(cond)
	if cond == "TYPE_CHECKING" {
		cond = "False"
	}
	switch c := Classify(cond); {
	case c.Guard == never:
		r.add(Switch{Kind: Dead, What: "if " + cond, From: from, To: to}, i)
	case c.Guard == Env:
		r.add(Switch{Kind: Dead, Guard: Env, Vars: c.Vars, OptIn: !c.OptIn, What: "if " + cond, From: from, To: to}, i)
	}
}

// leave reads a statement that ends the block that it stands in.
func (r *reader) leave(i int, what string) {
	if i < 0 || !r.Tokens[i].First && !r.Is(i-1, ";") && !r.Is(i-1, "{") && !r.Is(i-1, ")") {
		return
	}
	to := len(r.Tokens)
	if b := int(r.parent[i]); b >= 0 {
		if !r.Is(b, "{") {
			return
		}
		if _, function := r.header(b); !function {
			return
		}
		to = r.Close(b)
	} else if what != "process.exit" && r.Lang != source.JS && r.Lang != source.TS && r.Lang != source.PHP {
		return
	}
	cond := ""
	if r.Is(i-1, ")") || r.Is(i-1, "else") {
		cond = r.inline(i)
		if cond == "" {
			return
		}
	}
	k := i + 1
	for ; k < to && !r.Is(k, ";"); k++ { // what it returns is reached
		if k > i+1 && r.Tokens[k].First {
			break
		}
		k = max(k, r.Close(k))
	}
	r.guarded(Switch{Kind: Dead, What: what, From: k, To: to}, i, cond)
}
