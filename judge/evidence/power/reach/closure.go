package reach

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
)

// whole is what keeps every assertion of a statement from failing: a promise whose rejection is dropped.
func (w *walker) whole(s stmt.Stmt) *Cause {
	f := w.f
	for i := s.From + 1; i < s.To; i++ {
		if !f.Is(i, "catch") && !f.Is(i, "catchError") && !f.Is(i, "onError") || !f.Is(i-1, ".") || !f.Is(i+1, "(") {
			continue
		}
		end := f.Close(i + 1)
		open := i + 2
		for open < end && !f.Is(open, "{") && !f.Is(open, "=>") {
			open = max(open, f.Close(open)) + 1
		}
		switch {
		case end == i+3 && (f.Is(i+2, "noop") || f.Is(i+2, "ignore")):
		case open < end && f.Is(open, "{") && Harmless(f, open+1, min(f.Close(open), end)):
		case open < end && f.Is(open, "=>") && (f.Is(open+1, "{") && Harmless(f, open+2, min(f.Close(open+1), end)) || end == open+2 && f.Kind(open+1) == source.Name):
		default:
			continue
		}
		if w.holds(s.From, i) {
			return &Cause{Kind: Swallowed, Tok: i}
		}
	}
	return nil
}

// unused finds a function that the statement gives a name which nobody uses.
func (w *walker) unused(s stmt.Stmt) *Cause {
	f := w.f
	name := -1
	switch f.Text(s.From) {
	case "function", "fn", "fun", "func":
		name = s.From + 1
	case "async":
		if f.Is(s.From+1, "function") || f.Is(s.From+1, "fn") {
			name = s.From + 2
		}
	case "void":
		if f.Is(s.From+2, "(") {
			name = s.From + 1
		}
	}
	for i := s.From; name < 0 && i < min(s.From+8, s.To); i++ {
		if !f.Is(i, "=") && !f.Is(i, ":=") {
			if f.Is(i, "(") || f.Is(i, "{") {
				break
			}
			continue
		}
		if f.Is(i-2, ".") || f.Kind(i-1) != source.Name {
			break
		}
		if w.function(i+1, s.To) {
			name = i - 1
		}
		break
	}
	if name < 0 || f.Kind(name) != source.Name || f.Is(name+1, ".") {
		return nil
	}
	if f.Is(name, "_") || w.mentions(f.Text(name)) == 1 {
		return &Cause{Kind: Uncalled, Tok: s.From}
	}
	return nil
}

// function reports whether an expression that begins at token i is a function that is not called at once.
func (w *walker) function(i, to int) bool {
	f := w.f
	if f.Is(i, "async") || f.Is(i, "move") {
		i++
	}
	end := to
	for end > i && f.Is(end-1, ";") {
		end--
	}
	if f.Is(end-1, ")") { // func() {…}()
		return false
	}
	switch f.Text(i) {
	case "func", "function", "|", "||", "lambda":
		return true
	case "{":
		return f.Lang == source.Kotlin || f.Lang == source.Swift
	case "(":
		j := f.Close(i) + 1
		if f.Is(j, "async") {
			j++
		}
		return f.Is(j, "=>") || f.Is(j, "->") || f.Is(j, "{")
	}
	return f.Is(i+1, "=>") || f.Is(i+1, "->")
}

// around is what the calls around a function that begins with the brace at token open do to failures inside of it.
func (w *walker) around(s stmt.Stmt, open int) *Cause {
	f := w.f
	if f.Is(open-1, "runCatching") && !w.used(s, min(f.Close(open)+1, s.To)) {
		return &Cause{Kind: Swallowed, Tok: open - 1}
	}
	for p := open - 1; p > s.From; p-- {
		if !f.Is(p, "(") || f.Close(p) <= open {
			continue
		}
		end := min(f.Close(p), s.To)
		switch f.Text(p - 1) {
		case "catch_unwind":
			if !w.used(s, end+1) {
				return &Cause{Kind: Swallowed, Tok: s.From}
			}
		case "forEach", "each", "for_each", "map", "every":
			if f.Is(p-2, ".") && w.receiver(s, p-2) {
				return &Cause{Kind: Empty, Tok: p - 1}
			}
		case "assertThrows", "assertThrowsExactly", "assertFailsWith", "assertRaises":
			if args := f.Args(p); len(args) > 1 && args[0][1] <= open {
				if all, _ := broad(f, args[0][0], args[0][1]); all {
					return &Cause{Kind: Inverted, Tok: p - 1}
				}
			}
		case "runZonedGuarded":
			args := f.Args(p)
			if len(args) > 1 && args[0][1] > open {
				for i := args[1][0]; i < args[1][1]; i++ {
					if f.Is(i, "{") && Harmless(f, i+1, f.Close(i)) {
						return &Cause{Kind: Swallowed, Tok: p - 1}
					}
				}
			}
		}
	}
	return nil
}

// used reports whether the outcome of what ends before token end is looked at.
func (w *walker) used(s stmt.Stmt, end int) bool {
	f := w.f
	for i := end; i < s.To; i++ {
		switch f.Text(i) {
		case "unwrap", "expect", "?", "unwrap_err", "getOrThrow", "onFailure", "map_err", "is_err", "is_ok", "err":
			return !f.Is(s.From, "let") || !f.Is(s.From+1, "_")
		}
	}
	if f.Is(s.From, "let") || f.Is(s.From, "val") {
		name := s.From + 1
		if f.Is(name, "mut") {
			name++
		}
		return !f.Is(name, "_") && w.mentions(f.Text(name)) > 1
	}
	for i := s.From; i < end && i < s.From+4; i++ {
		switch f.Text(i) {
		case "if", "match", "assert", "return":
			return true
		}
	}
	return false
}

// receiver reports whether what stands before the dot at token i is a collection of nothing.
func (w *walker) receiver(s stmt.Stmt, dot int) bool {
	from := s.From
	for i := s.From; i < dot; i++ {
		if w.f.Is(i, "=") || w.f.Is(i, "return") || w.f.Is(i, "await") {
			from = i + 1
		}
	}
	return w.empty(from, dot, 0)
}
