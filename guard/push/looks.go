package push

import "strings"

// Looks is for text that cannot be parsed: it is true when the text holds the words of a push. It never fails and takes time
// linear in the text.
func Looks(text string) bool {
	return strings.Contains(text, "git") && strings.Contains(text, "push") || strings.Contains(text, "gh pr merge")
}
