package failure

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func discarded() rule.Rule {
	return rule.Rule{
		ID: "error-discarded", Axis: verdict.ErrorHandling, Class: verdict.Soft,
		What: "an error that was handed on is thrown away or turned into success", Why: "callers go on with what was never made", Question: question,
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, f := range c.Files {
				if code.Product(f) {
					discards(c, f, report)
				}
			}
			for _, p := range code.Pairs(c) {
				if p.Before != nil {
					fewer(c, p, report)
				}
			}
		},
	}
}

// discards finds forms that throw an error away wherever they stand.
func discards(c *change.Change, f *change.File, report func(rule.Finding)) {
	u := f.After
	for i := range u.Tokens {
		if !f.Touched(u.TokenLine(i), u.TokenLine(i)) {
			continue
		}
		text := ""
		switch w := u.Text(i); {
		case u.Lang == source.Go && w == "_" && u.Is(i+1, "=") && u.Tokens[i].First && isErr(u.Text(i+2)) && u.Tokens[min(i+3, len(u.Tokens)-1)].First:
			text = "throws an error away"
		case (w == "catch" || w == "catchError" || w == "onError") && u.Is(i-1, ".") && u.Is(i+1, "(") && idle(u, i+2, u.Close(i+1)):
			text = "swallows every error of what it waits for"
		case w == "suppress" && u.Lang == source.Python && u.Is(i+1, "(") && (u.Is(i+2, "Exception") || u.Is(i+2, "BaseException")):
			text = "swallows every error of what follows"
		case w == "rescue" && u.Lang == source.Ruby && !u.Tokens[i].First && u.Is(i+1, "nil"):
			text = "answers nil for every error"
		}
		if text == "" || f.Before != nil && strings.Contains(f.Before.Src, strings.TrimSpace(u.Lines(u.TokenLine(i), u.TokenLine(i)))) && !strings.HasPrefix(text, "throws") {
			continue
		}
		report(at(c, f, i, text))
	}
}

func isErr(w string) bool {
	return w == "err" || strings.HasPrefix(w, "err") || strings.HasSuffix(w, "Err") || strings.HasSuffix(w, "Error")
}

// noneLeft reports Go's `if err != nil {}`.
func noneLeft(u *units.File, i int) bool {
	for k := i + 1; k < i+30 && k < len(u.Tokens); k++ {
		if u.Is(k, "{") {
			return u.Close(k) == k+1 && u.Is(k-1, "nil") && u.Is(k-2, "!=") && isErr(u.Text(k-3)) && !u.Is(k+2, "else")
		}
		if k > i+1 && u.Tokens[k].First {
			return false
		}
	}
	return false
}

// idle reports functions in arguments that do nothing: () => {}, (_) => null, function () {}, noop.
func idle(u *units.File, from, to int) bool {
	if to <= from {
		return false
	}
	if to == from+1 {
		w := strings.ToLower(u.Text(from))
		return w == "noop" || w == "nop"
	}
	i := from
	if u.Is(i, "async") {
		i++
	}
	switch {
	case u.Is(i, "function"):
		i++
		if u.Kind(i) == source.Name {
			i++
		}
		i = u.Close(i) + 1
	case u.Is(i, "("):
		i = u.Close(i) + 1
	case u.Kind(i) == source.Name && u.Is(i+1, "=>"):
		i++
	default:
		return false
	}
	if u.Is(i, "=>") {
		i++
	}
	if u.Is(i, "{") {
		return u.Close(i) == i+1
	}
	return i < to && code.Constant(u, i, to)
}

// fewer finds functions that hand on fewer errors than before and throw some away instead.
func fewer(c *change.Change, p change.FuncPair, report func(rule.Finding)) {
	old, now := p.Before.File(), p.After.File()
	if now.Lang != source.Go && now.Lang != source.Rust && now.Lang != source.Swift && now.Lang != source.Kotlin {
		return
	}
	if now.Lang == source.Go {
		emptied(p, report)
	}
	had, has := code.Exits(old, p.Before.From, p.Before.To), code.Exits(now, p.After.From, p.After.To)
	if now.Lang == source.Go || now.Lang == source.Rust {
		if has >= had {
			return
		}
	}
	for i := p.After.From; i < p.After.To; i++ {
		if !p.New.Touched(now.TokenLine(i), now.TokenLine(i)) {
			continue
		}
		text := drops(now, i, p.After.To)
		if text == "" || times(old, p.Before.From, p.Before.To, now.Lang, text) >= times(now, p.After.From, p.After.To, now.Lang, text) {
			continue
		}
		if code.Moved(c, p) {
			return
		}
		report(code.Finding(p, now.TokenLine(i), text, "hand the error on, or say in the log what happened"))
		return
	}
}

// emptied finds checks of an error that do nothing, more than there were.
func emptied(p change.FuncPair, report func(rule.Finding)) {
	old, now := p.Before.File(), p.After.File()
	left := 0
	for i := p.Before.From; i < p.Before.To; i++ {
		if old.Is(i, "if") && noneLeft(old, i) {
			left++
		}
	}
	for i := p.After.From; i < p.After.To; i++ {
		if now.Is(i, "if") && noneLeft(now, i) {
			if left--; left < 0 {
				report(code.Finding(p, now.TokenLine(i), "looks at an error and does nothing about it", "hand the error on, or say in the log what happened"))
				return
			}
		}
	}
}

func times(u *units.File, from, to int, _ source.Lang, text string) int {
	n := 0
	for i := from; i < to; i++ {
		if drops(u, i, to) == text {
			n++
		}
	}
	return n
}

const (
	asSuccess = "answers an error with success"
	thrown    = "throws a result that may be an error away"
	defaulted = "puts a default in the place of an error"
)

// drops tells how an error is lost at token i, "" when it is not.
func drops(u *units.File, i, to int) string {
	w := u.Text(i)
	switch u.Lang {
	case source.Go:
		switch {
		case w == "return" && u.Kind(i) == source.Name:
			end := i + 1
			for end < to && !u.Tokens[end].First && !u.Is(end, ";") && !u.Is(end, "}") {
				end = max(end, u.Close(end)) + 1
			}
			if end > i+1 && u.Is(end-1, "nil") && (u.Is(end-2, ",") || u.Is(end-2, "return")) {
				return asSuccess
			}
		case w == "_" && (u.Is(i+1, ":=") || u.Is(i+1, "=")) && (u.Is(i-1, ",") || u.Tokens[i].First):
			return thrown
		}
	case source.Rust:
		switch {
		case w == "let" && u.Is(i+1, "_") && (u.Is(i+2, "=") || u.Is(i+2, ":")):
			return thrown
		case w == "ok" && u.Is(i-1, ".") && u.Is(i+1, "(") && u.Is(i+2, ")"):
			return thrown
		case (w == "unwrap_or_default" || w == "unwrap_or" || w == "unwrap_or_else") && u.Is(i-1, "."):
			return defaulted
		case w == "Err" && u.Is(i+1, "(") && u.Is(u.Close(i+1)+1, "=>") && (u.Is(u.Close(i+1)+2, "{") && u.Close(u.Close(i+1)+2) == u.Close(i+1)+3 || u.Is(u.Close(i+1)+2, "Ok") || u.Is(u.Close(i+1)+2, "(")):
			return asSuccess
		case w == "if" && u.Is(i+1, "let") && u.Is(i+2, "Ok"):
			return defaulted
		}
	case source.Swift:
		if w == "try" && u.Is(i+1, "?") {
			return defaulted
		}
	case source.Kotlin:
		if w == "getOrNull" || w == "getOrDefault" || w == "getOrElse" {
			if strings.Contains(u.Span(max(i-60, 0), i), "runCatching") {
				return defaulted
			}
		}
	}
	return ""
}
