package spec

import "strings"

// Categorize guesses the kind of work from the first line of a request: feature bugfix refactor docs test chore question unknown.
// Only whole words count, the first rule that fits wins. The paths that were edited overrule it when the task is rolled up.
func Categorize(request string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(request), "\n")
	if len(line) > 400 {
		line = line[:400]
	}
	line = strings.ToLower(strings.TrimSpace(line))
	var words [64]string
	n, start := 0, -1
	for i := 0; i <= len(line) && n < len(words); i++ {
		if i < len(line) && isWordByte(line[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			words[n] = line[start:i]
			n, start = n+1, -1
		}
	}
	if n == 0 {
		return "unknown"
	}
	switch words[0] {
	case "what", "why", "how", "where", "when", "who", "which", "explain", "describe", "does", "is", "are", "do", "should":
		return "question"
	}
	for _, rule := range categoryRules {
		for _, w := range words[:n] {
			if strings.Contains(rule.words, " "+w+" ") {
				return rule.name
			}
		}
	}
	if strings.HasSuffix(line, "?") {
		return "question"
	}
	return "unknown"
}

var categoryRules = [...]struct{ name, words string }{
	{"bugfix", " fix fixes fixed bug bugs bugfix broken regression crash crashes hotfix "},
	{"refactor", " refactor refactoring rename restructure simplify extract cleanup deduplicate "},
	{"docs", " doc docs document documentation readme changelog comment comments "},
	{"test", " test tests testing coverage "},
	{"chore", " bump upgrade chore dependency dependencies lint format ci release "},
	{"feature", " add adds implement create build feature support introduce write make allow enable new "},
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
