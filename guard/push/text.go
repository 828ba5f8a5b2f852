package push

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Text is what a word stands for when branch is the checked-out branch: literal text, and the ways to ask git for the present
// branch or commit that people write into a push ("$(git branch --show-current)"). A glob counts as the pattern that it is. It
// is false when part of the word is known only at run time.
func Text(w shell.Word, branch string) (string, bool) {
	if !w.Dynamic {
		return w.Text, !w.Glob || !strings.ContainsAny(w.Text, "{?[") || strings.IndexByte(w.Text, '{') < 0 && strings.Contains(w.Text, ":")
	}
	var b strings.Builder
	for rest := w.Text; rest != ""; {
		i := strings.IndexAny(rest, "$`")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		inner, after, ok := substitution(rest[i:])
		if !ok {
			return w.Text, false
		}
		text, ok := asked(inner, branch)
		if !ok {
			return w.Text, false
		}
		b.WriteString(text)
		rest = after
	}
	return b.String(), true
}

// substitution splits `$(inner)after` and the form with backquotes.
func substitution(s string) (inner, after string, ok bool) {
	if s[0] == '`' {
		return strings.Cut(s[1:], "`")
	}
	if !strings.HasPrefix(s, "$(") {
		return "", "", false
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[2:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// asked is the answer to a question to git about the present branch or commit.
func asked(inner, branch string) (string, bool) {
	var words []string
	for _, f := range strings.Fields(inner) {
		switch f = strings.Trim(f, `"'`); f {
		case "2>/dev/null", "2>&1", "-q", "--quiet", "--no-pager", "--verify":
		case "@":
			words = append(words, "HEAD")
		default:
			words = append(words, f)
		}
	}
	switch strings.Join(words, " ") {
	case "git branch --show-current", "git rev-parse --abbrev-ref HEAD", "git symbolic-ref --short HEAD", "git rev-parse HEAD --abbrev-ref",
		"git symbolic-ref HEAD --short", "git rev-parse --symbolic-full-name --abbrev-ref HEAD", "git_current_branch", "current_branch":
		return branch, true
	case "git symbolic-ref HEAD", "git rev-parse --symbolic-full-name HEAD":
		return "refs/heads/" + branch, true
	case "git rev-parse HEAD", "git rev-parse --short HEAD", "git log -1 --format=%H", "git log -1 --pretty=%H":
		return "HEAD", true
	}
	return "", false
}
