package off

import "github.com/devflow-suite/devflow/internal/source"

// ruby reads RSpec, Minitest and their kin.
func (r *reader) ruby(i int) {
	w := r.Text(i)
	switch w {
	case "xit", "xdescribe", "xcontext", "xspecify", "xexample", "xscenario", "xfeature":
		if r.Tokens[i].First {
			r.add(Switch{Kind: Skip, What: w, From: i, To: r.block(i)}, i)
		}
	case "fit", "fdescribe", "fcontext", "fspecify", "fexample":
		if r.Tokens[i].First {
			r.add(Switch{Kind: Only, What: w, From: i, To: r.block(i)}, i)
		}
	case "skip", "pending", "focus":
		r.rubyTag(i)
	}
}

// rubyTag reads skip and pending as calls and as metadata of an example or group.
func (r *reader) rubyTag(i int) {
	w, f := r.Text(i), r.first(i)
	kind := Skip
	if w == "focus" {
		kind = Only
	}
	example := false
	switch r.Text(f) {
	case "it", "describe", "context", "specify", "example", "scenario", "feature", "RSpec", "test", "xit", "fit":
		example = true
	}
	switch {
	case example && f != i && (r.Is(i-1, ":") || r.Is(i+1, ":")):
		if r.Is(i+1, ":") && (r.Is(i+2, "false") || r.Is(i+2, "nil")) {
			return
		}
		r.add(Switch{Kind: kind, What: w + ":", From: f, To: r.block(f)}, i)
	case f == i && w != "focus" && !r.Is(i+1, "=") && !r.Is(i+1, ".") && !r.Is(i+1, "do") && !r.Is(i+1, ":"):
		from, to := i, i+1
		if d, ok := r.around(i); ok {
			from, to = d.At, d.To
		}
		cond := r.inline(i)
		for j, col := f-1, r.Tokens[f].Col; j >= 0 && col > 0; j-- {
			if t := &r.Tokens[j]; t.First && t.Col < col {
				if col = t.Col; r.Is(j, "if") || r.Is(j, "unless") {
					cond += " " + r.Lines(int(t.Line), int(t.Line))
				} else {
					if r.Is(j, "before") {
						from, to = r.enclosing(j)
					}
					break
				}
			}
		}
		r.guarded(Switch{Kind: kind, What: w, From: from, To: to}, i, cond)
	}
}

// enclosing is the block around the line of token i.
func (r *reader) enclosing(i int) (from, to int) {
	col := r.Tokens[i].Col
	for j := i - 1; j >= 0; j-- {
		if t := &r.Tokens[j]; t.First && t.Col < col {
			return j, r.block(j)
		}
	}
	return 0, len(r.Tokens)
}

// block is the end of the block that begins on the line of token i.
func (r *reader) block(i int) int {
	if r.Lang == source.Ruby {
		return r.BlockEnd(i)
	}
	return i + 1
}
