package special

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func equality() rule.Rule {
	return rule.Rule{
		ID: "always-equal", Axis: verdict.Honesty, Class: verdict.Hard,
		What: "an equality, comparison or hash that looks at nothing and always says the same",
		Why:  "every assertion that compares such values passes, whatever they hold",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, p := range code.Pairs(c) {
				if what := compares(p.After.Name); what != "" && (arity(p.After) > 0 || what == "hash") {
					equal(p, what, report)
				}
			}
			for _, f := range c.Files {
				if code.Product(f) {
					operators(f, report)
				}
			}
		},
	}
}

// compares tells what kind of comparison a name announces: equal, unequal, order, hash, or "".
func compares(name string) string {
	n := strings.ToLower(strings.ReplaceAll(strings.Trim(name, "_?"), "_", ""))
	switch n {
	case "eq", "equal", "equals", "isequal", "isequalto", "areequal", "deepequal", "deepequals", "sameas", "issame", "equivalent", "isequivalent", "equalto", "valueequals", "structurallyequal", "looseequal", "shallowequal", "eql", "equalsto", "hasequalvalue":
		return "equal"
	case "ne", "notequal", "notequals":
		return "unequal"
	case "compareto", "cmp", "compare", "partialcmp", "comparator", "threewaycompare":
		return "order"
	case "hash", "hashcode", "gethashcode":
		return "hash"
	}
	if strings.HasPrefix(n, "equals") || strings.HasSuffix(n, "equals") || strings.HasPrefix(n, "isequal") || strings.HasSuffix(n, "areequal") || strings.HasPrefix(n, "compareby") {
		return "equal"
	}
	return ""
}

func arity(fn *units.Func) int {
	if n := len(fn.Params); n > 0 {
		return n
	}
	f := fn.File()
	for i := fn.At + 1; i < fn.From; i++ {
		if f.Is(i, "(") {
			return len(f.Args(i))
		}
	}
	return 0
}

func equal(p change.FuncPair, what string, report func(rule.Finding)) {
	after := code.Read(p.After)
	if !blind(after, what) {
		narrowed(p, after, what, report)
		return
	}
	if p.Before != nil && blind(code.Read(p.Before), what) {
		return
	}
	if p.Before == nil && wildcard(p.After.Class) && !typeWasThere(p.New, p.After) {
		return
	}
	f := code.Finding(p, code.Start(p.After), "always gives the same answer, whatever it compares", "compare the fields that make two values equal")
	if what == "hash" || p.Before == nil && p.New.Before == nil && !typeWasThere(p.New, p.After) {
		f.Class = verdict.Soft
	}
	if what == "hash" && p.Before == nil {
		return
	}
	report(f)
}

// typeWasThere reports whether the type around a function existed before the change.
func typeWasThere(f *change.File, fn *units.Func) bool {
	if f.Before == nil {
		return false
	}
	if fn.Class == "" {
		return true
	}
	for _, d := range f.Before.Decls() {
		if d.Type && d.Name == fn.Class {
			return true
		}
	}
	return false
}

// wildcard reports types that are meant to equal everything.
func wildcard(class string) bool {
	for _, w := range segments(class) {
		switch w {
		case "any", "anything", "wildcard", "mock", "fake", "stub", "ignore", "ignored":
			return true
		}
	}
	return false
}

// blind reports bodies that compare nothing: a constant, or a thing with itself.
func blind(b *code.Body, what string) bool {
	work := b.Work()
	if len(work) != 1 {
		return false
	}
	from, to, ok := b.Value(work[0])
	if !ok || from >= to {
		return false
	}
	return answer(b.F, from, to, what)
}

// answer reports expressions that always say equal.
func answer(f *units.File, from, to int, what string) bool {
	switch text := f.Norm(from, to); text {
	case "true", "True", "1", "YES":
		return what == "equal"
	case "false", "False":
		return what == "unequal"
	case "0", "Ordering :: Equal", "Some ( Ordering :: Equal )", "std :: cmp :: Ordering :: Equal", "Some ( std :: cmp :: Ordering :: Equal )", "cmp :: Ordering :: Equal", ".orderedSame":
		return what == "order" || what == "hash" || what == "equal" && f.Lang == source.Go && text == "0"
	}
	if what == "hash" && to == from+1 && f.Kind(from) == source.Number {
		return true
	}
	for i := from; i < to; i++ {
		switch {
		case (f.Is(i, "true") || f.Is(i, "True")) && (f.Is(i+1, "||") || f.Is(i-1, "||") || f.Is(i-1, "or") || f.Is(i+1, "or")):
			return what == "equal"
		case (f.Is(i, "==") || f.Is(i, "===") || f.Is(i, "is")) && f.Norm(from, i) == f.Norm(i+1, to):
			return what == "equal"
		}
	}
	if what == "equal" && to == from+3 && (f.Is(from+1, "!=") || f.Is(from+1, "!==")) && (f.Is(from+2, "null") || f.Is(from+2, "nil") || f.Is(from+2, "undefined")) || what == "equal" && strings.HasSuffix(f.Norm(from, to), " is not None") && to <= from+4 {
		return true // anything that is there
	}
	if open := from + 1; what == "equal" && f.Is(open, "(") && f.Close(open) == to-1 { // isinstance(other, object)
		return f.Norm(from, to) == "isinstance ( other , object )"
	}
	return false
}

// narrowed finds comparisons that looked at parts of the other value and look at none any more.
func narrowed(p change.FuncPair, after *code.Body, what string, report func(rule.Finding)) {
	if p.Before == nil || what != "equal" {
		return
	}
	parts := members(code.Read(p.Before))
	if parts == 0 || members(after) > 0 || len(after.Work()) > 2 {
		return
	}
	for _, call := range code.Calls(p.After.File(), p.After.From, p.After.To) {
		switch call {
		case "isinstance", "type", "getClass", "hasattr", "isInstance", "Ok":
		default:
			return
		}
	}
	report(code.Finding(p, code.Start(p.After), "compared parts of both values and compares none any more", "compare the fields that make two values equal"))
}

// members counts accesses to parts of parameters other than the receiver.
func members(b *code.Body) int {
	n := 0
	for i := b.Fn.From; i < b.Fn.To; i++ {
		w := b.F.Text(i)
		if b.F.Kind(i) != source.Name || w == "self" || w == "this" || !b.F.Is(i+1, ".") && !b.F.Is(i+1, "?.") {
			continue
		}
		if b.Param(w) || w == "other" || w == "that" || w == "o" || w == "obj" || w == "rhs" {
			if !b.F.Is(i+2, "getClass") && !b.F.Is(i+2, "constructor") && !b.F.Is(i+2, "runtimeType") {
				n++
			}
		}
	}
	return n
}

// operators finds overloaded == and <=> that are always true: they are no functions with names.
func operators(f *change.File, report func(rule.Finding)) {
	u := f.After
	for i := range u.Tokens {
		if u.Lang == source.Python && u.Is(i, "__eq__") && u.Is(i+1, "=") && u.Is(i+2, "lambda") && f.Touched(u.TokenLine(i), u.TokenLine(i)) {
			assigned(f, i, report)
			continue
		}
		if !u.Is(i, "operator") && !(u.Is(i, "func") && u.Lang == source.Swift) && !(u.Is(i, "def") && (u.Lang == source.Ruby || u.Lang == source.Scala)) {
			continue
		}
		what := ""
		switch u.Text(i + 1) {
		case "==", "===":
			what = "equal"
		case "!=":
			what = "unequal"
		case "<=>":
			what = "order"
		}
		if what == "" || !f.Touched(u.TokenLine(i), u.TokenLine(i)+6) {
			continue
		}
		from, to := operatorBody(u, i+2)
		if from < 0 {
			continue
		}
		fn := &units.Func{Name: "operator " + u.Text(i+1), At: i + 1, From: from, To: to, Line: u.TokenLine(i)}
		if !f.Touched(u.TokenLine(from), u.TokenLine(to)) || !operatorBlind(u, fn, what) || hadOperator(f, u.Text(i+1), what) {
			continue
		}
		out := rule.Finding{
			Path: f.Path, Line: u.TokenLine(from), Text: fn.Name + " always gives the same answer, whatever it compares", Evidence: strings.TrimSpace(u.Lines(u.TokenLine(from), u.TokenLine(from))),
			Fix: "compare the fields that make two values equal", Unit: fn.Name,
		}
		if f.Before == nil {
			out.Class = verdict.Soft
		}
		report(out)
	}
}

// assigned looks at an __eq__ that is set to a lambda at token i.
func assigned(f *change.File, i int, report func(rule.Finding)) {
	u := f.After
	end := i + 3
	for end < len(u.Tokens) && !u.Is(end, ":") {
		end++
	}
	from := end + 1
	for end = from; end < len(u.Tokens) && !u.Tokens[end].First; end++ {
	}
	if from >= end || !answer(u, from, end, "equal") || f.Before != nil && strings.Contains(f.Before.Src, u.Lines(u.TokenLine(i), u.TokenLine(i))) {
		return
	}
	report(rule.Finding{
		Path: f.Path, Line: u.TokenLine(i), Text: "__eq__ always gives the same answer, whatever it compares", Evidence: strings.TrimSpace(u.Lines(u.TokenLine(i), u.TokenLine(i))),
		Fix: "compare the fields that make two values equal", Unit: "__eq__",
	})
}

// operatorBody finds the body behind the parameters of an operator.
func operatorBody(u *units.File, i int) (from, to int) {
	for ; i < len(u.Tokens); i++ {
		switch {
		case u.Is(i, "("):
			i = u.Close(i)
		case u.Is(i, "{"):
			return i + 1, u.Close(i)
		case u.Is(i, "=>"), u.Is(i, "="):
			end := i + 1
			for end < len(u.Tokens) && !u.Is(end, ";") && !u.Is(end, "}") {
				end = max(end, u.Close(end)) + 1
			}
			return i + 1, end
		case u.Is(i, ";"), u.Is(i, "}"):
			return -1, -1
		case u.Lang == source.Ruby && u.Tokens[i].First:
			end := i
			for end < len(u.Tokens) && !u.Is(end, "end") {
				end++
			}
			return i, end
		}
	}
	return -1, -1
}

func operatorBlind(u *units.File, fn *units.Func, what string) bool {
	from, to := fn.From, fn.To
	if u.Is(from, "return") {
		from++
	}
	for to > from && u.Is(to-1, ";") {
		to--
	}
	return from < to && answer(u, from, to, what)
}

// hadOperator reports whether the former file had as many blind operators of the kind as there are now.
func hadOperator(f *change.File, op, what string) bool {
	count := func(u *units.File) int {
		n := 0
		for i := range u.Tokens {
			if (u.Is(i, "operator") || u.Is(i, "func") || u.Is(i, "def")) && u.Is(i+1, op) {
				if from, to := operatorBody(u, i+2); from >= 0 && operatorBlind(u, &units.Func{From: from, To: to}, what) {
					n++
				}
			}
		}
		return n
	}
	return f.Before != nil && count(f.Before) >= count(f.After)
}
