package inject

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/safety/flow"
)

// query is the text of a query under construction.
type query struct {
	r    *flow.Region
	seen map[int]bool
	held map[string]int   // names that hold the text of a query in this region, and the token where it stands
	rest map[string][]int // those of the whole file
	out  []hit
}

// sql finds texts of queries that a value is written into.
func sql(r *flow.Region) []hit {
	f := r.F
	q := query{r: r, seen: map[int]bool{}, held: map[string]int{}, rest: constants(r)}
	for i := r.From; i < r.To; i++ {
		switch {
		case f.Kind(i) == source.String:
			if !Query(f.Text(i)) || q.logged(i) {
				continue
			}
			q.look(i)
			for _, name := range r.Assigned(i, keeps) {
				q.held[name] = i
			}
			if name := q.builder(i); name != "" {
				q.held[name] = i
			}
		case f.Kind(i) == source.Name && len(q.held)+len(q.rest) > 0 && !f.Is(i-1, "."):
			if from, ok := q.text(f.Text(i)); ok {
				q.grow(i, from)
			}
		}
	}
	return q.out
}

// text finds the query that a name holds.
func (q *query) text(name string) (tok int, ok bool) {
	if tok, ok = q.held[name]; ok {
		return tok, true
	}
	list := q.rest[name]
	for k := len(list) - 1; k >= 0; k-- {
		if list[k] < q.r.From || list[k] >= q.r.To {
			return list[k], true
		}
	}
	return 0, false
}

// constantsOf is the key of the constants of a file.
type constantsOf struct{}

// constants are the names that hold the text of a query for the whole file, with the tokens where it stands.
func constants(r *flow.Region) map[string][]int {
	found, _ := r.Once(constantsOf{}, func() any {
		f, out := r.F, map[string][]int{}
		w := r.Whole()
		for i := range f.Tokens {
			if f.Kind(i) != source.String || f.Tokens[i].End-f.Tokens[i].Pos < 12 || !Query(f.Text(i)) {
				continue
			}
			for _, name := range w.Assigned(i, keeps) {
				if name == strings.ToUpper(name) || r.Around(i) < 0 || f.Is(r.Around(i), "(") && r.Around(r.Around(i)) < 0 {
					out[name] = append(out[name], i)
				}
			}
		}
		return out
	}).(map[string][]int)
	return found
}

func (q *query) add(from int, v flow.Value) {
	if q.seen[v.Line] || strings.Contains(strings.ToLower(v.Name), "placeholder") {
		return
	}
	q.seen[v.Line] = true
	lead := v.Lead
	for k := v.Tok - 1; lead == "" && k > v.Tok-12 && k >= q.r.From; k-- {
		if q.r.F.Kind(k) == source.String {
			lead = q.r.F.Unquote(k)
		}
	}
	soft := q.r.Checked(v.Name) || flow.Ident(v.Name) && (lead == "" || identPlace(lead))
	q.out = append(q.out, hit{tok: v.Tok, line: v.Line, from: from, what: "the query is built from " + v.Name + " instead of binding it", soft: soft})
}

// look checks the expression that the literal at token i is part of.
func (q *query) look(i int) {
	r, f := q.r, q.r.F
	if strings.HasPrefix(f.Text(i), "`") && f.Kind(i-1) == source.Name && f.Glued(i) && !f.Is(i-1, "raw") && !f.Is(i-1, "return") {
		return // sql`…${x}`: the tag binds
	}
	if v, ok := r.Interpolated(i); ok {
		q.add(i, v)
		return
	}
	last := i
	for f.Kind(last+1) == source.String && last+1 < r.To { // adjacent literals are one
		last++
		if v, ok := r.Interpolated(last); ok {
			q.add(i, v)
			return
		}
	}
	q.joined(i, last, f.Text(i))
	open := r.Around(i)
	if open < r.From {
		return
	}
	switch {
	case f.Is(open, "(") && f.Kind(open-1) != source.Name && !f.Is(open-1, "!") && !f.Is(open-1, ")"): // ("…" "…") % x
		q.joined(i, f.Close(open), f.Text(i))
	case f.Is(open, "("):
		q.call(i, open)
	case f.Is(open, "["), f.Is(open, "{") && f.Lang == source.Go: // ["…", x].join("")
		end := f.Close(open)
		if f.Is(end+1, ".") && isJoin(f.Text(end+2)) || q.joinedBy(open) {
			if v, ok := r.Carries(i+1, end); ok {
				q.add(i, v)
			}
		}
	}
}

// joinedBy reports whether the list at token open is an argument of join.
func (q *query) joinedBy(open int) bool {
	around := q.r.Around(open)
	return around > q.r.From && isJoin(q.r.F.Text(around-1))
}

func isJoin(name string) bool { return strings.EqualFold(name, "join") || name == "concat" }

// joined checks what is put behind, or in front of, the text that ends at token last.
func (q *query) joined(from, last int, text string) {
	r, f := q.r, q.r.F
	for f.Is(last+1, ".") && (f.Is(last+2, "to_string") || f.Is(last+2, "to_owned") || f.Is(last+2, "trim") || f.Is(last+2, "into")) && f.Is(last+3, "(") {
		last = f.Close(last + 3)
	}
	next := last + 1
	if next >= r.To {
		return
	}
	end := r.StmtEnd(last)
	plus := f.Is(next, "+") || f.Is(next, ".") && f.Lang == source.PHP
	switch {
	case plus:
		if v, ok := r.Carries(next+1, end); ok {
			q.add(from, v)
		}
	case f.Is(next, "%") && (f.Lang == source.Python || f.Lang == source.Ruby):
		if v, ok := r.Carries(next+1, end); ok && verbs(text) {
			q.add(from, v)
		}
	case f.Is(next, ".") && f.Is(next+2, "("):
		if !formats(f.Text(next + 1)) {
			return
		}
		if v, ok := r.Carries(next+3, f.Close(next+2)); ok {
			q.add(from, v)
		}
	}
	if f.Is(from-1, "+") {
		start := from - 1
		for s := r.StmtStart(from); start > s; start-- {
			if r.Around(start) == r.Around(from) && (f.Is(start-1, "=") || f.Is(start-1, "return") || f.Is(start-1, "=>") || f.Is(start-1, ":=") || f.Is(start-1, "+=")) {
				break
			}
		}
		if v, ok := r.Carries(start, from-1); ok {
			q.add(from, v)
		}
	}
}

// call checks the other arguments of the call around the literal at token i.
func (q *query) call(i, open int) {
	r, f := q.r, q.r.F
	name := f.Text(open - 1)
	if name == "!" {
		name = f.Text(open - 2)
	}
	end := f.Close(open)
	switch {
	case name == "Fprintf" && !f.Is(open+1, "&"), !formats(name) && !builds(name):
		return
	case formats(name):
		if v, ok := r.Carries(i+1, end); ok && (verbs(f.Text(i)) || name != "Sprintf" && name != "sprintf" && name != "Fprintf") {
			q.add(i, v)
		}
	}
	q.chain(i, end+1)
}

// chain checks the calls of a builder that follow: .append("…").append(x).
func (q *query) chain(from, k int) {
	r, f := q.r, q.r.F
	for (f.Is(k, ".") || f.Is(k, "..")) && f.Kind(k+1) == source.Name && f.Is(k+2, "(") {
		if builds(f.Text(k+1)) || formats(f.Text(k+1)) {
			if v, ok := r.Carries(k+3, f.Close(k+2)); ok {
				q.add(from, v)
			}
		}
		k = f.Close(k+2) + 1
	}
}

// builder is the name that the literal at token i is appended to: sb.append("…").
func (q *query) builder(i int) string {
	f := q.r.F
	open := q.r.Around(i)
	if open < q.r.From || !f.Is(open, "(") || !builds(f.Text(open-1)) {
		return ""
	}
	if start := q.r.StmtStart(open); f.Kind(start) == source.Name && f.Is(start+1, ".") {
		return f.Text(start)
	}
	return ""
}

// grow checks what is added to a name that holds a query, at its use at token i.
func (q *query) grow(i, from int) {
	r, f := q.r, q.r.F
	switch next := f.Text(i + 1); {
	case next == "+=" || next == ".=" || next == "+" || next == "." && f.Lang == source.PHP || next == "<<" && f.Lang == source.Ruby:
		if v, ok := r.Carries(i+2, r.StmtEnd(i)); ok {
			q.add(from, v)
		}
	case next == "%" && (f.Lang == source.Python || f.Lang == source.Ruby):
		if v, ok := r.Carries(i+2, r.StmtEnd(i)); ok && verbs(f.Text(from)) {
			q.add(from, v)
		}
	case next == "." || next == "..":
		q.chain(from, i+1)
	}
	open := r.Around(i)
	if open < r.From || !f.Is(open, "(") {
		return
	}
	name := f.Text(open - 1)
	if name == "!" {
		name = f.Text(open - 2)
	}
	if formats(name) && (f.Is(i+1, ",") || f.Is(i-1, "&")) {
		if v, ok := r.Carries(i+1, f.Close(open)); ok {
			q.add(from, v)
		}
	}
}

// logged reports whether the literal at token i is told to people.
func (q *query) logged(i int) bool {
	open := q.r.Around(i)
	if open < q.r.From || !q.r.F.Is(open, "(") {
		return false
	}
	name := q.r.F.Text(open - 1)
	if name == "!" {
		name = q.r.F.Text(open - 2)
	}
	if formats(name) || builds(name) {
		return false
	}
	lower := strings.ToLower(name)
	for _, w := range [...]string{"error", "exception", "log", "warn", "debug", "info", "print", "trace", "panic", "fatal", "assert", "describe", "fail"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return lower == "it" || lower == "test" || lower == "help"
}

// keeps names calls that give back the text of a query that they were given.
func keeps(callee string) bool {
	switch callee {
	case "from", "String", "str", "StringBuilder", "StringBuffer", "StringIO", "to_string", "to_owned", "dedent", "trim", "strip", "NewBufferString", "NewReader", "List", "vec":
		return true
	}
	return formats(callee)
}

// formats names functions that write their arguments into a text.
func formats(name string) bool {
	switch name {
	case "Sprintf", "Fprintf", "Appendf", "format", "formatted", "Format", "sprintf", "concat", "Concat", "replace", "Replace", "ReplaceAll", "replaceAll", "gsub", "write", "writeln",
		"join", "Join", "interpolate", "substitute", "safe_substitute", "vsprintf", "printf_to", "AppendFormat", "format_args", "Sprint", "str_replace", "arg":
		return true
	}
	return false
}

// builds names methods that add to a text.
func builds(name string) bool {
	switch name {
	case "append", "Append", "write", "WriteString", "push_str", "push", "add", "AppendLine", "appendln", "insert", "writeln", "StringBuilder", "StringBuffer", "NewBufferString":
		return true
	}
	return false
}

// verbs reports whether a format writes anything but numbers.
func verbs(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		j := i + 1
		for j < len(text) && strings.IndexByte("+-# 0123456789.[]*", text[j]) >= 0 {
			j++
		}
		if j < len(text) && strings.IndexByte("dDxXfeEgGbot%", text[j]) < 0 {
			return true
		}
		i = j
	}
	return !strings.Contains(text, "%")
}

// identPlace reports whether the text ends where the name of a table, a column or an order stands.
func identPlace(lead string) bool {
	lead = strings.ToUpper(strings.TrimRight(lead, "\"'`[(., \t\n\\{$"))
	for _, w := range [...]string{"FROM", "INTO", "TABLE", "UPDATE", "JOIN", "BY", "INDEX", "SELECT", "SET", "COLUMN", "DATABASE", "SCHEMA", "EXISTS", "ON", "VIEW", "WHERE", "AND", "PRAGMA", "ORDER", "AS", "TABLE_INFO"} {
		if strings.HasSuffix(lead, w) {
			return true
		}
	}
	return false
}
