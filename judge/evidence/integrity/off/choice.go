package off

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// alias reads it.skip as a value at token i, root being the name in front: what is chosen between a runner's function and
// its silent form, and called under a name or at once.
func (r *reader) alias(i, root int) {
	if !testWord(r.Text(root)) || root != i-2 || r.Text(i) != "skip" && r.Text(i) != "todo" {
		return
	}
	parent := r.parent[i]
	start, mark := root, -1
	for k := root - 1; k >= 0 && root-k < 60 && r.parent[k] >= parent; k-- {
		if r.parent[k] != parent {
			continue
		}
		if r.Is(k, "=") || r.Is(k, ";") || r.Is(k, ",") || r.Is(k, "return") {
			break
		}
		start = k
		if mark < 0 && r.Is(k, "?") {
			mark = k
		}
	}
	cond := ""
	if mark >= 0 {
		cond = r.Span(start, mark)
		if r.Is(root-1, ":") {
			cond = "!(" + cond + ")"
		}
	}
	what := r.Span(root, i+1)
	if p := int(parent); p >= 0 && r.Is(p, "(") && p == start-1 && mark >= 0 { // (cond ? it : it.skip)('…', …)
		if end := r.Close(p); r.Is(end+1, "(") && r.Kind(end+2) == source.String {
			r.guarded(Switch{Kind: Skip, What: what, From: p, To: r.chain(end + 1), Title: r.Unquote(end + 2)}, i, cond)
		}
		return
	}
	if !r.Is(start-1, "=") {
		return
	}
	name := start - 2
	for k := name; k > 0 && !r.Tokens[k].First; k-- { // a type stands between
		if r.Is(k-1, "const") || r.Is(k-1, "let") || r.Is(k-1, "var") {
			name = k
			break
		}
	}
	for k := i + 1; k < len(r.Tokens); k++ {
		if r.Kind(k) == source.Name && r.Text(k) == r.Text(name) && !r.Is(k-1, ".") && (r.Is(k+1, "(") || r.Is(k+1, ".")) {
			s := Switch{Kind: Skip, What: what, From: k, To: r.chain(k + 1)}
			if r.Is(k+1, "(") && r.Kind(k+2) == source.String {
				s.Title = r.Unquote(k + 2)
			}
			r.guarded(s, i, cond)
		}
	}
}

// early reads a return under a condition on the environment, in front of all assertions of the function around it.
func (r *reader) early(i int) {
	if !r.Is(i, "return") || r.Lang == source.Dart || r.Lang == source.Kotlin {
		return
	}
	if r.closures() && (r.parent[i] < 0 || r.Is(i-1, ")") || r.Is(i-1, "else")) {
		return // leave knows these
	}
	cond := r.conditions(i, false)
	if b := int(r.parent[i]); r.Lang == source.Rust && b > 0 && r.Is(b-1, "else") { // let Ok(v) = env::var("X") else { return };
		from := b
		for from > 0 && b-from < 60 && !r.Is(from, "let") {
			from--
		}
		if r.Is(from, "let") {
			cond = "!(" + r.Span(from, b-1) + ")"
		}
	}
	c := Classify(cond)
	if c.Guard != Env {
		return
	}
	d, ok := r.around(i)
	from := max(i-400, 0)
	if ok {
		from = d.From
	} else if !r.closures() {
		return
	}
	for k := i - 1; k >= from; k-- {
		w := strings.ToLower(r.Text(k))
		if r.Kind(k) == source.Name && (strings.HasPrefix(w, "assert") || strings.HasPrefix(w, "expect") || strings.HasPrefix(w, "error") || strings.HasPrefix(w, "fatal") || w == "require") {
			return
		}
		if !ok && (r.Is(k, "=>") || r.Is(k, "function")) {
			break
		}
	}
	r.add(Switch{Kind: Skip, Guard: Env, Vars: c.Vars, OptIn: c.OptIn, What: "return if " + cond, From: i, To: i + 1}, i)
}
