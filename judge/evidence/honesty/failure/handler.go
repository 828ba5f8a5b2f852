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

const question = "Which failure is now invisible, and to whom?"

func handlers() rule.Rule {
	return rule.Rule{
		ID: "error-swallowed", Axis: verdict.ErrorHandling, Class: verdict.Soft,
		What: "an error handler that does nothing, or answers as if nothing had happened", Why: "the failure is invisible: to the caller, to the log and to the tests", Question: question,
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, f := range c.Files {
				if code.Product(f) {
					swallowed(c, f, report)
				}
			}
		},
	}
}

// handler is a catch, except or rescue with what it guards.
type handler struct {
	from, to    int // head
	in, out     int // block
	try, tryEnd int // guarded tokens
}

func swallowed(c *change.Change, f *change.File, report func(rule.Finding)) {
	u := f.After
	var old []handler
	read := false
	for _, h := range list(u) {
		last := max(u.TokenLine(h.out), u.TokenLine(max(h.out-1, h.to)))
		touched, quiet := f.Touched(u.TokenLine(h.from), last), silent(u, h)
		if !quiet && (!touched || !tells(u, h)) || !touched && len(f.Removed) == 0 {
			continue
		}
		if !read && f.Before != nil {
			old, read = list(f.Before), true
		}
		text := ""
		switch was, ok := counterpart(f.Before, old, u, h); {
		case !touched && !(ok && f.TouchedOld(f.Before.TokenLine(was.from), f.Before.TokenLine(was.out))):
			continue
		case !quiet && !(ok && handsOn(f.Before, was)):
			continue
		case !quiet:
			text = "handed an error on, and now only tells of it"
		case ok && silent(f.Before, was) && (broad(f.Before, was) || !broad(u, h)):
			continue
		case ok && silent(f.Before, was):
			text = "now swallows every error, not only some"
		case ok:
			text = "handled an error, and now does nothing about it"
		case !broad(u, h):
			continue
		case wraps(c, f, h):
			text = "hides every error of what it did before"
		case cleanup(u, h):
			continue
		case empty(u, h):
			text = "swallows every error of what it guards"
		default:
			continue
		}
		report(at(c, f, h.from, text))
	}
}

// at makes a finding about a token, with the function around it.
func at(c *change.Change, f *change.File, token int, text string) rule.Finding {
	u := f.After
	line := u.TokenLine(token)
	out := rule.Finding{Path: f.Path, Line: line, Text: "this code " + text, Evidence: strings.TrimSpace(u.Lines(line, line)), Fix: "hand the error on, or say in the log what happened"}
	var best change.FuncPair
	for _, p := range c.Funcs() {
		if p.New == f && p.After != nil && p.After.From <= token && token <= p.After.To && (best.After == nil || p.After.From > best.After.From) {
			best = p
		}
	}
	if best.After != nil {
		return code.Finding(best, line, text, out.Fix)
	}
	return out
}

// list finds the handlers of a file.
func list(u *units.File) []handler {
	switch u.Lang {
	case source.Python, source.Ruby:
		return suites(u)
	case source.Go, source.Rust, source.C, "":
		return nil
	}
	var out []handler
	ends := map[int][2]int{} // token behind a guarded block → the block
	for i := range u.Tokens {
		switch {
		case u.Is(i, "try") || u.Is(i, "do") && u.Lang == source.Swift:
			open := i + 1
			if u.Is(open, "(") {
				open = u.Close(open) + 1
			}
			if u.Is(open, "{") && u.Close(open) > open {
				ends[u.Close(open)+1] = [2]int{open + 1, u.Close(open)}
			}
		case u.Is(i, "catch") && !u.Is(i-1, ".") || u.Is(i, "on") && u.Lang == source.Dart:
			guard, ok := ends[i]
			if !ok {
				continue
			}
			open := i + 1
			for open < len(u.Tokens) && open < i+40 && !u.Is(open, "{") {
				open = max(open, u.Close(open)) + 1
			}
			if !u.Is(open, "{") {
				continue
			}
			end := max(u.Close(open), open)
			out = append(out, handler{i, open, open + 1, end, guard[0], guard[1]})
			ends[end+1] = guard
		}
	}
	return out
}

func suites(u *units.File) []handler {
	has := false
	for i := range u.Tokens {
		if u.Tokens[i].First && (u.Is(i, "except") || u.Is(i, "rescue")) {
			has = true
			break
		}
	}
	if !has {
		return nil
	}
	var out []handler
	stmts := code.Split(u, 0, len(u.Tokens))
	for i, s := range stmts {
		if s.Kind != code.Catch {
			continue
		}
		h := handler{from: s.From, to: s.To, in: s.In, out: s.Out}
		if s.In == s.Out {
			h.in, h.out = s.To, s.To
		}
		for k := i - 1; k >= 0; k-- {
			if stmts[k].Kind == code.Try && stmts[k].Depth == s.Depth {
				h.try, h.tryEnd = stmts[k].In, stmts[k].Out
				break
			}
		}
		out = append(out, h)
	}
	return out
}

// silent reports handlers that do nothing about the error.
func silent(u *units.File, h handler) bool {
	for _, s := range code.Split(u, h.in, h.out) {
		switch {
		case s.Kind == code.Pass, s.Kind == code.Jump, s.Kind == code.Plain && s.To == s.From+1 && (u.Kind(s.From) == source.String || u.Is(s.From, "...") || u.Is(s.From, "nil") || u.Is(s.From, "null")):
		case s.Kind == code.Return:
			if !code.Constant(u, s.From+1, s.To) || fails(u, s.From+1, s.To) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// tells reports handlers that write something and do nothing else.
func tells(u *units.File, h handler) bool {
	n := 0
	for _, s := range code.Split(u, h.in, h.out) {
		if s.Kind == code.Pass {
			continue
		}
		ok := s.Kind == code.Plain
		for i := s.From; ok && i < s.To; i++ {
			if u.Is(i, "(") {
				break
			}
			w := strings.ToLower(u.Text(i))
			if u.Kind(i) == source.Name && (strings.HasPrefix(w, "print") || strings.HasPrefix(w, "debugprint") || w == "console" || strings.HasPrefix(w, "log") || w == "system") {
				n++
				break
			}
			ok = u.Kind(i) == source.Name || u.Is(i, ".")
		}
		if !ok {
			return false
		}
	}
	return n > 0
}

// handsOn reports handlers that throw.
func handsOn(u *units.File, h handler) bool {
	for i := h.in; i < h.out; i++ {
		switch u.Text(i) {
		case "throw", "raise", "rethrow", "reject":
			return true
		}
	}
	return false
}

// fails reports values that tell the caller of a failure.
func fails(u *units.File, from, to int) bool {
	for i := from; i < to; i++ {
		w := strings.ToLower(u.Text(i))
		if u.Kind(i) != source.String && (strings.Contains(w, "err") || strings.Contains(w, "fail") || strings.Contains(w, "invalid") || w == "false" && to == from+1) {
			return true
		}
	}
	return false
}

func empty(u *units.File, h handler) bool {
	for _, s := range code.Split(u, h.in, h.out) {
		if s.Kind != code.Pass {
			return false
		}
	}
	return true
}

// broad reports handlers of every error.
func broad(u *units.File, h handler) bool {
	named := false
	for i := h.from + 1; i < h.to; i++ {
		if u.Kind(i) != source.Name || u.Is(i, "as") || u.Is(i, "catch") || u.Is(i-1, "as") {
			continue
		}
		switch w := u.Text(i); {
		case w == "Exception" || w == "BaseException" || w == "Throwable" || w == "Error" || w == "StandardError" || w == "RuntimeException" || w == "Object" || w == "any" || w == "unknown":
			return true
		case w[0] >= 'A' && w[0] <= 'Z' || u.Lang == source.Python && u.Is(i-1, "."):
			named = true
		case u.Lang == source.Python:
			named = true
		}
	}
	return !named
}

// counterpart is the former handler of the same guarded code.
func counterpart(before *units.File, old []handler, now *units.File, h handler) (handler, bool) {
	if before == nil {
		return handler{}, false
	}
	bag := code.Bag(now, h.try, h.tryEnd)
	best, score := handler{}, 0.0
	for _, o := range old {
		b := code.Bag(before, o.try, o.tryEnd)
		s := min(code.Contained(bag, b), code.Contained(b, bag))
		if before.Norm(o.from, o.to) == now.Norm(h.from, h.to) {
			s += 0.05
		}
		if s > score {
			best, score = o, s
		}
	}
	return best, score >= 0.7
}

// cleanup reports guarded code that tidies up or looks whether something is there: best effort is enough for it.
func cleanup(u *units.File, h handler) bool {
	calls := code.Calls(u, h.try, h.tryEnd)
	for i := h.try; i < h.tryEnd; i++ {
		if u.Is(i, "import") || u.Is(i, "require") {
			return true
		}
	}
	if len(calls) == 0 || len(calls) > 3 {
		return false
	}
	for _, call := range calls {
		w := strings.ToLower(call)
		for _, t := range [...]string{"close", "remove", "unlink", "unlock", "kill", "dispose", "cancel", "flush", "stop", "destroy", "shutdown", "delete", "rmtree", "terminate", "release", "disconnect", "cleanup", "end", "abort", "quit", "rm", "detach", "unsubscribe", "reset", "log", "warn"} {
			if strings.Contains(w, t) {
				return true
			}
		}
	}
	return false
}

// wraps reports handlers around most of what an existing function did.
func wraps(c *change.Change, f *change.File, h handler) bool {
	for _, p := range c.Funcs() {
		if p.New != f || p.After == nil || p.Before == nil || h.from < p.After.From || h.from >= p.After.To {
			continue
		}
		before := code.Bag(p.Before.File(), p.Before.From, p.Before.To)
		if len(before) > 0 && code.Contained(before, code.Bag(f.After, h.try, h.tryEnd)) >= 0.6 {
			return true
		}
	}
	return false
}
