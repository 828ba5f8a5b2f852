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
	if ruleOf(words[0]) == "feature" { // its object decides: "add tests for x", but "add refunds, with tests"
		for _, w := range words[1:n] {
			if strings.Contains(determiners, " "+w+" ") {
				continue
			}
			if object := ruleOf(w); object != "" {
				return object
			}
			break
		}
		return "feature"
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

// determiners may stand between a verb and its object.
const determiners = " a an the some more missing new unit integration e2e regression this that my our "

// ruleOf is the category that a single word speaks for, "" if none.
func ruleOf(word string) string {
	for _, rule := range categoryRules {
		if strings.Contains(rule.words, " "+word+" ") {
			return rule.name
		}
	}
	return ""
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
