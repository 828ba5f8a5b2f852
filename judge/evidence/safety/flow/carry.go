package flow

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// maxStmt bounds how many tokens of one statement are looked at: longer ones are tables, not code that somebody wrote.
const maxStmt = 3000

// StmtStart is the first token of the statement around token i at its level of brackets, no more than maxStmt before it.
func (r *Region) StmtStart(i int) int {
	f := r.F
	around := r.Around(i)
	for j := i; j > max(around, r.From-1); j-- {
		if i-j > maxStmt {
			return j
		}
		if j != i && r.Around(j) != around {
			continue
		}
		if f.Is(j-1, ";") || j-1 <= around || j == r.From {
			return j
		}
		if f.Tokens[j].First && (around < 0 || f.Is(around, "{")) && !r.continues(j) {
			return j
		}
		if f.Is(j-1, "}") && f.Tokens[j].First {
			return j
		}
	}
	return max(around+1, r.From)
}

// StmtEnd is the token after the statement, or the argument, that token i is part of, no more than maxStmt behind it.
func (r *Region) StmtEnd(i int) int {
	f := r.F
	around := r.Around(i)
	end := r.To
	if around >= 0 {
		end = min(end, f.Close(around))
	}
	end = min(end, i+maxStmt)
	for j := i; j < end; j++ {
		if j > i && (f.Is(j, ";") || around >= 0 && !f.Is(around, "{") && f.Is(j, ",") || f.Tokens[j].First && (around < 0 || f.Is(around, "{")) && !r.continues(j)) {
			return j
		}
		if k := f.Close(j); k > j {
			j = min(k, end)
		}
	}
	return end
}

// continues reports whether token i, the first of its line, goes on with the statement of the line before.
func (r *Region) continues(i int) bool {
	f := r.F
	if f.Lang == source.Python {
		return false // joined lines are inside brackets, or no lines of their own
	}
	prev := f.Text(i - 1)
	if f.Kind(i-1) == source.Op || prev == "return" && f.Lang != source.Go {
		switch prev {
		case ")", "]", "}", ";", "{", "++", "--", ":", ">", "!", "?":
		default:
			return true
		}
	}
	switch f.Text(i) {
	case ".", "?.", "+", "?", ":", "&&", "||", "??", "..", "=", "->", "|", "::":
		return f.Kind(i) == source.Op
	}
	return f.Kind(i) == source.String && f.Kind(i-1) == source.String
}

// spread follows assignments and loops once through the region.
func (r *Region) spread() {
	f := r.F
	for i := r.From; i < r.To; i++ {
		switch f.Text(i) {
		case "=", ":=", "+=", "??=", "||=", ".=":
			if f.Kind(i) == source.Op {
				r.assign(i)
			}
		case "in", "of", "range":
			if f.Kind(i) == source.Name {
				r.loop(i)
			}
		case "as": // with open(path) as f
			if f.Lang == source.Python && f.Kind(i+1) == source.Name {
				deep := *r
				deep.deep = true
				if _, ok := deep.Carries(r.StmtStart(i), i); ok {
					r.tainted["\x00"+f.Text(i+1)] = true
				}
			}
		}
	}
}

func (r *Region) assign(i int) {
	f := r.F
	around := r.Around(i)
	if around >= 0 && !f.Is(around, "{") && f.Lang == source.Python { // a keyword argument
		return
	}
	start := r.StmtStart(i)
	targets := r.targets(start, i)
	if len(targets) == 0 {
		return
	}
	from, to := i+1, r.StmtEnd(i)
	if from >= to {
		return
	}
	v, ok := r.Carries(from, to)
	deep := *r
	deep.deep = true
	_, through := deep.Carries(from, to)
	for _, t := range targets {
		switch {
		case ok:
			r.tainted[t] = true
			r.request[t] = r.request[t] || v.Request
		case through:
			r.tainted["\x00"+t] = true
		case r.tainted[t] && !f.Is(i, "+=") && !f.Is(i, ".=") && r.cleans(from, to, t):
			delete(r.tainted, t)
		}
	}
}

// cleans reports whether an expression makes something harmless of a name.
func (r *Region) cleans(from, to int, name string) bool {
	for i := from; i < to; i++ {
		if r.F.Is(i, name) && r.F.Kind(i) == source.Name {
			return true
		}
	}
	return false
}

// Assigned lists the names that the value of the expression at token i is assigned to. through says which calls around it
// give back what they were given.
func (r *Region) Assigned(i int, through func(callee string) bool) []string {
	f := r.F
	for n := 0; n < 4 && i >= r.From; n++ {
		start := r.StmtStart(i)
		for j := i - 1; j >= start; j-- {
			if r.Around(j) != r.Around(i) {
				continue
			}
			switch f.Text(j) {
			case "=", ":=", "+=":
				return r.targets(start, j)
			}
		}
		around := r.Around(i)
		if around < r.From || f.Is(around, "{") {
			return nil
		}
		if k := around - 1; f.Kind(k) == source.Name && !f.Is(k, "return") && !through(f.Text(k)) || f.Is(k, "!") && !through(f.Text(k-1)) {
			return nil
		}
		i = around
	}
	return nil
}

// targets lists the names that are assigned to before token eq.
func (r *Region) targets(start, eq int) []string {
	f := r.F
	var out []string
	last := -1
	for i := start; i < eq; i++ {
		if f.Is(i, ":") && i > start && f.Lang != source.Dart { // name: Type = …
			if f.Kind(i-1) == source.Name {
				return []string{f.Text(i - 1)}
			}
		}
		if f.Is(i, "{") || f.Is(i, "(") || f.Is(i, "[") {
			if last >= 0 && (f.Is(i, "(") || f.Is(i, "[")) && f.Glued(i) { // a[i] = … and f(x).y = …
				return nil
			}
			for j := i + 1; j < f.Close(i) && j < eq; j++ {
				if f.Kind(j) == source.Name && !f.Is(j+1, ":") {
					out = append(out, f.Text(j))
				}
			}
			return out
		}
		if f.Kind(i) == source.Name {
			last = i
		}
		if f.Is(i, ",") && last >= 0 {
			out = append(out, f.Text(last))
		}
	}
	if last < 0 || f.Is(last-1, ".") || f.Is(last-1, "?.") || f.Is(last-1, "->") {
		return out
	}
	if t := f.Text(last); t != "err" && t != "ok" && t != "_" {
		out = append(out, t)
	}
	return out
}

// loop makes the variable of a loop a source when what it runs over is one.
func (r *Region) loop(i int) {
	f := r.F
	end := i + 1
	for end < r.To && !f.Is(end, "{") && !f.Is(end, ":") && !f.Is(end, ")") && !f.Is(end, "]") && !(f.Tokens[end].First && f.Lang != source.Python) && end < i+30 {
		end = max(end, f.Close(end)) + 1
	}
	if _, ok := r.Carries(i+1, min(end, r.To)); !ok {
		return
	}
	for j := i - 1; j > r.From && j > i-8; j-- {
		switch {
		case f.Is(j, "for"):
			return
		case f.Kind(j) == source.Name && !f.Is(j, "const") && !f.Is(j, "let") && !f.Is(j, "var") && !f.Is(j, "final") && !f.Is(j, "_"):
			r.tainted[f.Text(j)] = true
		}
	}
}

// guards notes names that are compared with what is allowed.
func (r *Region) guards() {
	f := r.F
	for i := r.From; i < r.To; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		t := f.Text(i)
		switch t {
		case "in":
			if f.Lang == source.Python && f.Kind(i+1) == source.Name && strings.ToUpper(f.Text(i+1)) == f.Text(i+1) || f.Is(i-1, "not") {
				k := i - 1
				if f.Is(k, "not") {
					k--
				}
				r.checked[f.Text(k)] = true
			}
		case "test", "match", "fullmatch", "includes", "contains", "has", "MatchString", "matches", "contains_key", "containsKey", "hasMatch", "indexOf", "is_match", "search":
			if f.Is(i-1, ".") && f.Is(i+1, "(") {
				for j := i + 2; j < f.Close(i+1); j++ {
					r.checked[f.Text(j)] = true
				}
				if t == "matches" || t == "match" {
					r.checked[f.Text(i-2)] = true
				}
			}
		case "isdigit", "isalnum", "isidentifier", "isdecimal", "isnumeric", "isalpha":
			r.checked[f.Text(i-2)] = true
		default:
			if f.Is(i+1, "(") && (hasPrefixFold(t, "valid") || hasPrefixFold(t, "isvalid") || hasPrefixFold(t, "is_valid") || hasPrefixFold(t, "ensure") || hasPrefixFold(t, "assertvalid")) && i != r.From {
				for j := i + 2; j < f.Close(i+1); j++ {
					r.checked[f.Text(j)] = true
				}
			}
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Value is what an expression was found to carry.
type Value struct {
	Name    string // by which it is known
	Tok     int    // where it is used
	Line    int
	Lead    string // literal text in front of it, if it stands in a string
	Request bool   // it came with a request
}

// CarriesDeep is Carries with every call letting values through, sanitizers excepted.
func (r *Region) CarriesDeep(from, to int) (Value, bool) {
	deep := *r
	deep.deep = true
	return deep.Carries(from, to)
}

// Carries reports whether the value of an expression holds what a caller or a request gave, and by which name.
func (r *Region) Carries(from, to int) (v Value, ok bool) {
	f := r.F
	to = min(to, len(f.Tokens))
	for i := from; i < to; i++ {
		switch f.Kind(i) {
		case source.String:
			if v, ok := r.Interpolated(i); ok {
				return v, true
			}
		case source.Name:
			n, next, ok := r.operand(f, i, to)
			if ok {
				return r.value(n, i), true
			}
			i = max(i, next-1)
		}
	}
	return Value{}, false
}

func (r *Region) value(name string, i int) Value {
	return Value{Name: name, Tok: i, Line: r.F.TokenLine(i), Request: Request(name) || r.request[name]}
}

// operand looks at a name of an expression: the value found, or the token to go on with.
func (r *Region) operand(f *units.File, i, to int) (name string, next int, ok bool) {
	t := f.Text(i)
	member := f.Is(i-1, ".") && f.Lang != source.PHP || f.Is(i-1, "?.") || f.Is(i-1, "::") || f.Is(i-1, "->")
	open := i + 1
	if f.Is(open, "!") && f.Lang == source.Rust {
		open++
	}
	if f.Is(open, "(") {
		if Sanitizer(t) {
			return "", f.Close(open) + 1, false
		}
		if !r.deep && !transparent(t) && !r.tainted[t] {
			return "", f.Close(open) + 1, false
		}
		return "", open + 1, false
	}
	switch {
	case t == "for" && f.Lang == source.Python: // the rest of a comprehension
		return "", to, false
	case member, f.Is(i+1, ":") && !f.Is(i-1, "?") && r.Around(i) >= 0 && f.Is(r.Around(i), "{"), f.Is(i+1, "=") && f.Lang == source.Python:
		return "", i + 1, false
	case !r.tainted[t] && !Request(t) && !(r.deep && r.tainted["\x00"+t]):
		return "", i + 1, false
	}
	k, clean := i+1, false
	for k < to {
		switch {
		case (f.Is(k, ".") && f.Lang != source.PHP || f.Is(k, "?.") || f.Is(k, "::") || f.Is(k, "->")) && f.Kind(k+1) == source.Name:
			clean = clean || neutral(f.Text(k+1)) || f.Is(k+1, "query") && f.Is(k+2, "(") && !Request(t) || Sanitizer(f.Text(k+1))
			k += 2
			continue
		case (f.Is(k, "(") || f.Is(k, "[")) && f.Glued(k):
			k = f.Close(k) + 1
			continue
		case f.Is(k, "!") && f.Glued(k) && !f.Is(k+1, "="):
			k++
			continue
		}
		break
	}
	switch f.Text(k) {
	case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "instanceof":
		clean = clean || k < to
	case "?":
		clean = clean || k < to && !f.Glued(k)
	case "is", "in", "not":
		clean = clean || k < to && f.Lang == source.Python
	case "if": // a if b else c: a is the value
	}
	if f.Lang == source.Python && f.Is(i-1, "if") {
		clean = true
	}
	return t, k, !clean
}
