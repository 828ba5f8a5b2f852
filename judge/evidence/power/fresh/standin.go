package fresh

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/power/pairs"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// constant is a name that a test makes give a constant.
type constant struct {
	name  string
	value string // normalised; "" when it is not known
	tok   int
	said  string // instead of value: what it gives, which is no literal
	local bool   // a function of the test itself, not a stand-in for something that is named
}

func standIn(c *change.Change, report func(rule.Finding)) {
	for _, p := range pairs.Of(c) {
		if !p.Test || p.After == nil || len(p.After.Asserts) == 0 {
			continue
		}
		u := p.After
		had := map[string]bool{}
		if p.Before != nil {
			for _, k := range constants(p.Before) {
				had[k.name] = true
			}
		}
		for _, k := range constants(u) {
			if had[k.name] || k.local && !known(c, p.New, u, k.name) || !asserted(u, k) {
				continue
			}
			class := verdict.Soft
			if k.value != "" || k.said != "" {
				class = verdict.Hard
			}
			if forwarded(u, k) {
				class = verdict.Soft
			}
			line := u.File.TokenLine(k.tok)
			found := rule.Finding{
				Class: class, Path: p.New.Path, Line: line, Text: u.Name + " asserts about `" + k.name + "`, which it has replaced by a constant", Evidence: pairs.Quote(u.File, line),
				Fix: "let the test run the code that it is about", Unit: u.Name, After: u.Shown(),
			}
			if p.Before != nil {
				found.Before = p.Before.Shown()
			}
			report(found)
			break
		}
	}
}

// forwarded reports whether a test in Rust gives a trait a type of its own and calls the constant both on it and through
// something else that forwards to it.
func forwarded(u *pairs.Unit, k constant) bool {
	if u.File.Lang != source.Rust {
		return false
	}
	ways := map[string]bool{}
	for i := range u.Asserts {
		if a := &u.Asserts[i]; strings.Contains(" "+a.Actual, " "+k.name+" (") {
			ways[a.Actual] = true
		}
	}
	for i := u.From; i < k.tok && len(ways) > 1; i++ {
		if u.File.Is(i, "impl") && u.File.Is(i+2, "for") {
			return true
		}
	}
	return false
}

// known reports whether a name is that of something outside of the test: the file names it elsewhere, or source code
// declares it.
func known(c *change.Change, f *change.File, u *pairs.Unit, name string) bool {
	if c.Symbols(false)[name] && declaredInSource(c, name) {
		return true
	}
	for i := range u.File.Tokens {
		if (i < u.Head || i >= u.To) && u.File.Is(i, name) && !u.File.Is(i-1, ".") && u.File.Kind(i) == source.Name {
			return true
		}
	}
	if c.Now == nil {
		return false
	}
	for _, place := range c.Now.Grep([]string{name}, 8)[name] {
		if place.Path != f.Path && source.Of(place.Path) == f.Lang && !strings.Contains(strings.ToLower(place.Path), "test") {
			for _, w := range [...]string{"func ", "def ", "fn ", "function ", "class ", "const ", "static "} {
				if strings.Contains(place.Text, w) {
					return true
				}
			}
		}
	}
	return false
}

func declaredInSource(c *change.Change, name string) bool {
	for _, f := range c.Files {
		if f.IsTest() || f.After == nil {
			continue
		}
		for _, d := range f.After.Decls() {
			if d.Name == name {
				return true
			}
		}
	}
	return false
}

// asserted reports whether an assertion looks at what the name gives, and expects the constant.
func asserted(u *pairs.Unit, k constant) bool {
	for i := range u.Asserts {
		a := &u.Asserts[i]
		if a.From < k.tok && k.local {
			continue
		}
		for _, side := range [...][2]string{{a.Actual, a.Expected}, {a.Expected, a.Actual}} {
			actual := u.Inline(a.From, side[0], true)
			if !calledIn(actual, k.name) {
				continue
			}
			want := u.Inline(a.From, side[1], false)
			if k.said != "" {
				if want == k.said || side[1] == k.said {
					return true
				}
				continue
			}
			if k.value == "" || want == k.value || want == "" || u.Inline(k.tok, k.value, false) == want {
				return true
			}
		}
	}
	return false
}

// calledIn reports whether an expression is a call of the name, with nothing done to what it gives but waiting.
func calledIn(expr, name string) bool {
	words := strings.Fields(expr)
	for len(words) > 0 && (words[0] == "await" || words[0] == "(") {
		words = words[1:]
	}
	for i := 0; i+1 < len(words) && i < 8; i++ {
		if words[i] == name && words[i+1] == "(" {
			depth := 0
			for k := i + 1; k < len(words); k++ {
				switch words[k] {
				case "(", "[", "{":
					depth++
				case ")", "]", "}":
					depth--
				}
				if depth == 0 {
					rest := words[k+1:]
					return len(rest) == 0 || rest[0] == ")" || rest[0] == "?" || len(rest) >= 2 && rest[0] == "." && (rest[1] == "unwrap" || rest[1] == "await")
				}
			}
			return false
		}
		if strings.ContainsAny(words[i], "+*/<>=&|,") || words[i] == "(" {
			return false
		}
	}
	return false
}

// constants lists the names that a unit makes give constants.
func constants(u *pairs.Unit) []constant {
	f := u.File
	var out []constant
	add := func(k constant) {
		if k.name != "" {
			out = append(out, k)
		}
	}
	for i := max(u.Head, 0); i < u.To; i++ {
		if f.Kind(i) != source.Name {
			continue
		}
		w := f.Text(i)
		switch {
		case f.Is(i+1, "=") || f.Is(i+1, ":="):
			if value, ok := function(f, i+2, u.To); ok {
				add(constant{name: w, value: value, tok: i, local: !f.Is(i-1, ".")})
			} else if said := gives(f, i+2, u.To); said != "" {
				add(constant{name: w, said: said, tok: i, local: !f.Is(i-1, ".")})
			}
		case f.Lang == source.Dart && f.Is(i+1, "(") && f.Kind(i-1) == source.Name && !f.Is(i-1, "return") && !f.Is(i-1, "await") && f.Is(f.Close(i+1)+1, "=>"):
			from := f.Close(i+1) + 2
			end := stmt.End(f, from, u.To)
			for end > from && f.Is(end-1, ";") {
				end--
			}
			if value, ok := literal(f, from, end); ok {
				add(constant{name: w, value: value, tok: i, local: true})
			}
		case (w == "def" || w == "fn" || w == "function" || w == "fun") && f.Is(i+2, "(") && i >= u.From:
			if value, ok := function(f, i, u.To); ok {
				add(constant{name: f.Text(i + 1), value: value, tok: i, local: true})
			}
		case (w == "patch" || w == "object" && f.Is(i-2, "patch")) && f.Is(i+1, "("), (w == "setattr" || w == "replace") && f.Is(i+1, "("):
			add(patched(f, i))
		case (w == "spyOn" || w == "stub" || w == "replace") && f.Is(i+1, "("):
			add(spied(f, i, u.To))
		case (w == "when" || w == "given" || w == "every" || w == "whenever" || w == "coEvery") && (f.Is(i+1, "(") || f.Is(i+1, "{")):
			add(when(f, i, u.To))
		case w == "On" && f.Is(i+1, "(") && f.Kind(i+2) == source.String && f.Is(f.Close(i+1)+2, "Return"):
			open := f.Close(i+1) + 3
			add(constant{name: f.Unquote(i + 2), value: f.Norm(open+1, f.Close(open)), tok: i})
		}
	}
	return out
}

// gives is what a short function gives that is no literal: what follows the arrow or the parameters, up to 20 tokens.
func gives(f *units.File, i, to int) string {
	end := stmt.End(f, i, to)
	for end > i && (f.Is(end-1, ";") || f.Is(end-1, ",")) {
		end--
	}
	from := -1
	switch {
	case f.Is(i, "lambda"):
		for k := i; k < min(end, i+12); k++ {
			if f.Is(k, ":") {
				from = k + 1
				break
			}
		}
	case f.Is(i, "(") && f.Is(f.Close(i)+1, "=>"):
		from = f.Close(i) + 2
	case f.Is(i, "|"):
		for k := i + 1; k < min(end, i+12); k++ {
			if f.Is(k, "|") {
				from = k + 1
				break
			}
		}
	}
	if from < 0 || from >= end || end-from > 20 || f.Is(from, "{") {
		return ""
	}
	return f.Norm(from, end)
}

// function reads a function that gives a constant: a lambda, an arrow, a literal of Go, a mock with a return value.
func function(f *units.File, i, to int) (value string, ok bool) {
	if f.Is(i+1, ".") && (f.Is(i+2, "fn") || f.Is(i+2, "fake")) && f.Is(i+3, "(") && f.Close(i+3) > i+4 { // jest.fn(() => 3)
		return function(f, i+4, f.Close(i+3))
	}
	end := stmt.End(f, i, to)
	for end > i && (f.Is(end-1, ";") || f.Is(end-1, ",")) {
		end--
	}
	for k := i; k < min(end, i+40); k++ {
		switch {
		case f.Is(i, "lambda") && f.Is(k, ":"):
			return literal(f, k+1, end)
		case f.Is(k, "=>") || f.Is(k, "->") && f.Lang == source.Java:
			if !f.Is(k+1, "{") {
				return literal(f, k+1, end)
			}
		case f.Is(k, "return_value") && f.Is(k+1, "="):
			stop := k + 2
			for stop < end && !f.Is(stop, ",") && !f.Is(stop, ")") {
				stop = max(stop, f.Close(stop)) + 1
			}
			return literal(f, k+2, stop)
		case (f.Is(k, "mockReturnValue") || f.Is(k, "mockResolvedValue")) && f.Is(k+1, "("):
			return literal(f, k+2, f.Close(k+1))
		case f.Is(k, "{") && (f.Is(i, "func") || f.Is(i, "function") || f.Is(i, "fn") || f.Is(i, "(") || f.Is(i, "async") || f.Is(i, "|") || f.Is(i, "fun")):
			from, stop := k+1, min(f.Close(k), end)
			if f.Is(from, "return") {
				from++
			}
			for stop > from && f.Is(stop-1, ";") {
				stop--
			}
			return literal(f, from, stop)
		case f.Is(i, "|") && k > i && f.Is(k, "|"):
			if !f.Is(k+1, "{") {
				return literal(f, k+1, end)
			}
		case f.Is(i, "def") && f.Is(k, ":") && (f.Is(k+1, "return") || f.Tokens[min(k+1, len(f.Tokens)-1)].First):
			from := k + 1
			if f.Is(from, "return") {
				return literal(f, from+1, end)
			}
			return "", false
		}
		if !f.Is(k, "{") {
			if c := f.Close(k); c > k && !f.Is(i, "lambda") && (k > i || f.Is(k, "(")) && f.Is(k, "(") && !f.Is(k-1, "MagicMock") && !f.Is(k-1, "Mock") && !f.Is(k-1, "AsyncMock") {
				k = c
			}
		}
	}
	return "", false
}

// literal gives tokens that are a constant: no name is in them but of types and words such as true.
func literal(f *units.File, from, to int) (string, bool) {
	if from >= to || to-from > 40 {
		return "", false
	}
	for i := from; i < to; i++ {
		if f.Kind(i) != source.Name {
			if f.Kind(i) == source.String && strings.ContainsAny(f.Text(i), "{$") && (f.Lang != source.Go && f.Lang != source.Java) && len(f.Text(i)) > 2 && strings.Contains(f.Text(i), "${") {
				return "", false
			}
			continue
		}
		switch f.Text(i) {
		case "true", "false", "True", "False", "None", "nil", "null", "undefined", "Ok", "Some", "Err", "vec", "String", "from", "to_string", "new", "const", "Promise", "resolve", "Future", "value", "List", "of":
			continue
		}
		if f.Is(i+1, ":") { // a key
			continue
		}
		return "", false
	}
	return f.Norm(from, to), true
}

// patched reads patch("a.b.name", return_value=3), patch.object(a, "name", …) and monkeypatch.setattr(a, "name", lambda: 3).
func patched(f *units.File, i int) constant {
	args := f.Args(i + 1)
	k := constant{tok: i}
	for n, a := range args {
		if n > 1 || a[1]-a[0] != 1 || f.Kind(a[0]) != source.String {
			continue
		}
		name := f.Unquote(a[0])
		k.name = name[strings.LastIndexByte(name, '.')+1:]
	}
	if k.name == "" || len(args) < 2 {
		return constant{}
	}
	for _, a := range args[1:] {
		from := a[0]
		if f.Is(from, "return_value") || f.Is(from, "new") {
			if v, ok := literal(f, from+2, a[1]); ok {
				k.value = v
				return k
			}
		}
		if f.Is(from, "side_effect") {
			from += 2
		}
		end := a[1]
		if f.Is(from, "lambda") { // its parameters are parts of their own
			end = f.Close(i + 1)
		}
		if v, ok := function(f, from, end); ok {
			k.value = v
			return k
		}
	}
	return constant{}
}

// spied reads jest.spyOn(a, "name").mockReturnValue(3) and sinon.stub(a, "name").returns(3).
func spied(f *units.File, i, to int) constant {
	args := f.Args(i + 1)
	if len(args) < 2 || f.Kind(args[1][0]) != source.String {
		return constant{}
	}
	k := constant{name: f.Unquote(args[1][0]), tok: i}
	for j := f.Close(i+1) + 1; f.Is(j, ".") && j < to; {
		open := j + 2
		switch f.Text(j + 1) {
		case "mockReturnValue", "mockResolvedValue", "mockReturnValueOnce", "mockResolvedValueOnce", "returns", "resolves":
			if v, ok := literal(f, open+1, f.Close(open)); ok {
				k.value = v
				return k
			}
		case "mockImplementation", "callsFake", "mockImplementationOnce":
			if v, ok := function(f, open+1, f.Close(open)); ok {
				k.value = v
				return k
			}
		}
		if !f.Is(open, "(") {
			break
		}
		j = f.Close(open) + 1
	}
	return constant{}
}

// when reads when(a.name(…)).thenReturn(3) and its kin.
func when(f *units.File, i, to int) constant {
	end := f.Close(i + 1)
	k := constant{tok: i}
	for j := i + 2; j < end; j++ {
		if f.Kind(j) == source.Name && f.Is(j+1, "(") && f.Is(j-1, ".") {
			k.name = f.Text(j)
			j = f.Close(j + 1)
		}
	}
	j := end + 1
	if !f.Is(j, ".") || j >= to {
		if f.Is(j, "returns") { // MockK
			if v, ok := literal(f, j+1, stmt.End(f, j+1, to)); ok {
				k.value = v
				return k
			}
		}
		return constant{}
	}
	switch f.Text(j + 1) {
	case "thenReturn", "willReturn", "thenAnswer":
		open := j + 2
		v, ok := literal(f, open+1, f.Close(open))
		if !ok {
			v, ok = function(f, open+1, f.Close(open))
		}
		if ok {
			k.value = v
			return k
		}
	}
	return constant{}
}
