package stub

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/honesty/code"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/lex"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func elided() rule.Rule {
	return rule.Rule{
		ID: "code-elided", Axis: verdict.Honesty, Class: verdict.Hard,
		What: "a comment stands where code was: \"... existing code ...\", \"rest unchanged\"",
		Why:  "the comment is all that is left: what it stands for is no longer in the file",
		Find: func(c *change.Change, report func(rule.Finding)) {
			for _, f := range c.Files {
				if code.Product(f) {
					elisions(c, f, report)
				}
			}
		},
	}
}

func elisions(c *change.Change, f *change.File, report func(rule.Finding)) {
	if len(f.Added) == 0 {
		return
	}
	list := f.After.Comments()
	for i, cm := range list {
		if !f.Touched(cm.Line, cm.EndLine) || strings.HasPrefix(cm.Text, "/**") || strings.HasPrefix(cm.Text, "///") || strings.HasPrefix(cm.Text, "//!") {
			continue
		}
		if documents(f, cm) {
			continue
		}
		clear, vague := Elision(cm.Text)
		prose := i > 0 && list[i-1].Own && list[i-1].EndLine == cm.Line-1 || i+1 < len(list) && list[i+1].Own && list[i+1].Line == cm.EndLine+1
		if prose && !strings.Contains(cm.Text, "...") && !strings.Contains(cm.Text, "[") { // a sentence of several lines
			continue
		}
		if !clear && !vague || f.Before != nil && strings.Contains(f.Before.Src, cm.Text) {
			continue
		}
		p, ok := around(c, f, cm)
		loss := lossOf(c, f, p, ok)
		if loss != most && replaces(f, cm) && !(ok && p.Before != nil && code.Moved(c, p)) {
			loss = most
		}
		if loss == kept && !clear || loss == kept && ok && p.Before != nil && !cm.Own {
			continue
		}
		out := rule.Finding{Path: f.Path, Line: cm.Line, Text: "a comment stands where code was left out", Evidence: strings.TrimSpace(f.After.Lines(cm.Line, cm.Line)), Fix: "write the code that the comment stands for"}
		if ok {
			out = code.Finding(p, cm.Line, "a comment stands where code was left out", out.Fix)
		}
		if loss == kept || loss == some && !clear {
			out.Class = verdict.Soft
		}
		report(out)
	}
}

// documents reports whether a comment tells of the function below it, by whose name it begins.
func documents(f *change.File, cm lex.Comment) bool {
	words := change.Words(cm.Text)
	if !cm.Own || len(words) == 0 {
		return false
	}
	for _, fn := range f.After.Funcs() {
		if fn.First == cm.EndLine+1 && fn.Name == words[0] {
			return true
		}
	}
	return false
}

// loss is how much of the code around a comment went.
type loss uint8

const (
	kept loss = iota // nothing
	some
	most // or nothing was ever written
)

// lossOf tells what went from the function, or outside of functions from the file.
func lossOf(c *change.Change, f *change.File, p change.FuncPair, inside bool) loss {
	var before, after int
	switch {
	case !inside && f.Before == nil:
		return some
	case !inside:
		before, after = len(f.Before.Tokens), len(f.After.Tokens)
	case p.Before == nil:
		if len(code.Read(p.After).Work()) <= 1 {
			return most
		}
		return some
	default:
		before, after = p.Before.To-p.Before.From, p.After.To-p.After.From
	}
	switch {
	case after >= before:
		return kept
	case after*10 > before*9:
		return some
	case inside && code.Moved(c, p):
		return kept
	}
	return most
}

// replaces reports whether a comment stands in the place of at least two lines of code, with fewer new ones beside it.
func replaces(f *change.File, cm lex.Comment) bool {
	gone := 0
	for _, l := range f.Removed {
		if at := f.Present(l.N); at >= cm.Line-1 && at <= cm.EndLine+1 && len(change.Words(l.Text)) > 0 && !strings.HasPrefix(strings.TrimSpace(l.Text), "//") && !strings.HasPrefix(strings.TrimSpace(l.Text), "*") {
			gone++
		}
	}
	fresh := 0
	for n := cm.EndLine + 1; f.Touched(n, n) && fresh < gone; n++ {
		fresh++
	}
	for n := cm.Line - 1; f.Touched(n, n) && fresh < gone; n-- {
		fresh++
	}
	return gone >= 2 && fresh < gone
}

// around is the innermost present function around a comment.
func around(c *change.Change, f *change.File, cm lex.Comment) (change.FuncPair, bool) {
	var best change.FuncPair
	for _, p := range c.Funcs() {
		if p.New != f || p.After == nil || cm.Line < p.After.Line || cm.EndLine > p.After.End {
			continue
		}
		if best.After == nil || p.After.End-p.After.Line <= best.After.End-best.After.Line {
			best = p
		}
	}
	return best, best.After != nil
}

// Elision reports whether a comment says that code was left out, and how clearly. clear: it can mean nothing else.
func Elision(text string) (clear, vague bool) {
	t := strings.ToLower(text)
	t = strings.ReplaceAll(t, "…", "...")
	bare := strings.Trim(t, "/*#- \t\r\n<>{}!")
	if bare == "..." || bare == "[...]" || bare == "snip" || bare == "(...)" || bare == "etc" || bare == "etc." {
		return false, true
	}
	dots := strings.HasPrefix(bare, "...") || strings.HasSuffix(bare, "...") || strings.HasPrefix(bare, "[") && strings.HasSuffix(bare, "]") || strings.HasPrefix(bare, "(") && strings.HasSuffix(bare, ")")
	words := change.Words(bare)
	if len(words) == 0 || len(words) > 16 {
		return false, false
	}
	said := " " + strings.Join(words, " ") + " "
	what := hasAny(said, " code ", " implementation ", " logic ", " function ", " functions ", " method ", " methods ", " body ", " file ", " class ", " cases ", " case ", " branches ", " handlers ", " steps ", " checks ", " statements ", " definitions ", " imports ", " fields ", " tests ", " validation ", " processing ", " handling ", " lines ", " content ", " part ", " parts ", " block ", " section ", " stuff ", " module ", " above ", " below ")
	same := hasAny(said, " unchanged ", " the same ", " same as before ", " as before ", " as is ", " as it was ", " omitted ", " elided ", " truncated ", " abbreviated ", " skipped ", " snipped ", " left out ", " stays ", " remains ", " untouched ", " unmodified ", " not shown ", " identical ", " no changes ", " no change ", " continues ", " hidden ", " collapsed ", " cut ")
	kind := hasAny(said, " existing ", " previous ", " original ", " remaining ", " rest ", " other ", " remainder ", " prior ", " old ", " current ", " earlier ")
	switch {
	case hasAny(said, " for brevity ", " existing code ", " existing implementation ", " previous implementation ", " original implementation ", " previous code ", " existing logic ", " rest of the code ", " rest of code ", " rest of the implementation ", " rest of implementation ", " rest of the function ", " rest of function ", " rest of the method ", " rest unchanged ", " rest is unchanged ", " rest as is ", " rest of the file ", " code omitted ", " implementation omitted ", " omitted code ", " remaining code ", " remaining implementation ", " code unchanged ", " unchanged code ", " rest of the logic ", " rest of body ", " rest of the body ", " remaining logic ", " previous logic ", " original logic ", " rest of the class ", " same logic as ", " same code as ", " same implementation ", " same as before ", " logic as before ", " rest of your ", " other existing ", " rest omitted ", " rest stays ", " rest remains "):
		return dots || same || len(words) <= 5 || hasAny(said, " brevity "), true
	case kind && same && what, dots && kind && (what || same), dots && same && what:
		return true, true
	case dots && (kind && len(words) <= 3 || same && len(words) <= 4):
		return false, true
	case kind && same && len(words) <= 7:
		return false, true
	case hasAny(said, " todo rest ", " todo the rest ", " todo add the rest ", " todo remaining ", " todo restore ", " logic goes here ", " code goes here ", " implementation goes here ", " implementation here ", " code here ", " your code ", " logic here ", " and so on ", " add the rest ", " fill in ", " implement the rest "):
		return hasAny(said, " goes here ", " your code ", " todo rest ", " todo the rest "), true
	}
	return false, false
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
