package accept

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/depth"
)

// edit replaces a part of a script.
type edit struct {
	from, to int
	text     string
}

// plain writes a script in a form that has the same exit statuses and is easier to follow: a while or until loop runs at most once
// (its own status is 0 or that of its body, never that of its condition), and a test of $? becomes the status itself.
func plain(src string) string { return simplified(src, 0) }

// maxNested is how many scripts in scripts are simplified.
const maxNested = 6

func simplified(src string, depths int) string {
	if depths > maxNested {
		return src
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&depth.Reader{Source: src}, "")
	if err != nil {
		return src
	}
	var edits []edit
	word := func(at syntax.Pos, old, text string) {
		if from := int(at.Offset()); strings.HasPrefix(src[min(from, len(src)):], old) {
			edits = append(edits, edit{from, from + len(old), text})
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.WhileClause:
			keyword := "while"
			if x.Until {
				keyword = "until"
			}
			word(x.WhilePos, keyword, "if")
			word(x.DoPos, "do", "then")
			word(x.DonePos, "done", "fi")
		case *syntax.ForClause: // over no words
			if l, ok := x.Loop.(*syntax.WordIter); ok && l.InPos.IsValid() && len(l.Items) == 0 {
				edits = append(edits, edit{int(x.Pos().Offset()), int(x.End().Offset()), "true"})
				return false
			}
		case *syntax.CallExpr:
			if text := status(x); text != "" {
				edits = append(edits, edit{int(x.Pos().Offset()), int(x.End().Offset()), text})
				return false
			}
			edits = append(edits, scripts(x, depths)...)
		case *syntax.TestClause:
			if b, ok := x.X.(*syntax.BinaryTest); ok {
				if text := compared(literal(b.X), b.Op.String(), literal(b.Y)); text != "" {
					edits = append(edits, edit{int(x.Pos().Offset()), int(x.End().Offset()), text})
					return false
				}
			}
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		src = src[:e.from] + e.text + src[e.to:]
	}
	return src
}

// scripts simplifies what `sh -c` and eval are given.
func scripts(x *syntax.CallExpr, depths int) []edit {
	var edits []edit
	before := ""
	for _, w := range x.Args {
		text, known := whole(w)
		if known && (before == "eval" || strings.HasPrefix(before, "-") && strings.HasSuffix(before, "c")) {
			if better := simplified(text, depths+1); better != text {
				edits = append(edits, edit{int(w.Pos().Offset()), int(w.End().Offset()), "'" + strings.ReplaceAll(better, "'", `'\''`) + "'"})
			}
		}
		before = text
	}
	return edits
}

// whole is the text of a word that holds no substitution; quotes with escapes in them are left alone.
func whole(w *syntax.Word) (text string, known bool) {
	for _, part := range w.Parts {
		if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
			if lit, ok := q.Parts[0].(*syntax.Lit); ok && !strings.Contains(lit.Value, `\`) {
				text += lit.Value
				continue
			}
		}
		switch x := part.(type) {
		case *syntax.Lit:
			text += strings.ReplaceAll(x.Value, `\`, "")
		case *syntax.SglQuoted:
			if x.Dollar {
				return "", false
			}
			text += x.Value
		default:
			return "", false
		}
	}
	return text, true
}

// status gives the status that `[ $? -eq 0 ]` or `test $? = 0` stands for, "" for another command.
func status(x *syntax.CallExpr) string {
	var words []string
	for _, w := range x.Args {
		words = append(words, literal(w))
	}
	switch {
	case len(x.Assigns) > 0:
	case len(words) == 5 && words[0] == "[" && words[4] == "]", len(words) == 4 && words[0] == "test":
		return compared(words[1], words[2], words[3])
	}
	return ""
}

func compared(left, op, right string) string {
	if left != "$?" || right != "0" {
		return ""
	}
	switch op {
	case "-eq", "=", "==", "-le":
		return "(exit $?)"
	case "-ne", "!=", "-gt":
		return "! (exit $?)"
	case "-ge":
		return "true"
	case "-lt":
		return "false"
	}
	return ""
}

// literal is a word of one plain part; $? counts as one, quoted or not.
func literal(n syntax.Node) string {
	w, ok := n.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return ""
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	switch x := part.(type) {
	case *syntax.Lit:
		return x.Value
	case *syntax.SglQuoted:
		return x.Value
	case *syntax.ParamExp:
		if x.Param != nil && x.Param.Value == "?" && x.Exp == nil && x.Repl == nil && x.Slice == nil && x.Index == nil && !x.Length && !x.Excl {
			return "$?"
		}
	}
	return ""
}
