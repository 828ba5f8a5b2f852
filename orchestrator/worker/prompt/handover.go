package prompt

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/llm/fence"
)

// Handover asks for what the next session has to know. The answer is for ParseHandover.
func Handover() string {
	return "Your session ends here and a new one goes on with your region; it knows nothing but what you write now. Use no tools. " +
		"Answer with exactly two sections and nothing else:\n\n" +
		"## Public\n" +
		"What other regions may rely on: your interfaces with their exact names, signatures and paths, formats, decisions that concern them. At most 80 lines.\n\n" +
		"## Private\n" +
		"What the next worker of your region needs: how the code is laid out, how it is built and tested, traps, what was tried and failed, what is missing. At most 120 lines.\n"
}

// Memory is what a region knows across sessions.
type Memory struct{ Public, Private string }

// ParseHandover reads the two sections of an answer. Headings inside code do not count, text before the first heading belongs to the
// private part, and an answer without headings is all private: nothing is lost, and nothing is told to others that was not meant for
// them. ok is false when the answer holds nothing at all.
func ParseHandover(answer string) (m Memory, ok bool) {
	answer = strings.ReplaceAll(strings.ToValidUTF8(answer, "?"), "\r\n", "\n")
	answer = strings.ReplaceAll(answer, "\x00", "")
	lines := strings.Split(answer, "\n")
	code := codeLines(lines)
	var public, private []string
	to := &private
	for i, l := range lines {
		if !code[i] {
			switch section(l) {
			case "public":
				to = &public
				continue
			case "private":
				to = &private
				continue
			}
		}
		*to = append(*to, l)
	}
	m.Public, _ = fence.Middle(trim(public), maxMemory)
	m.Private, _ = fence.Middle(trim(private), maxMemory)
	return m, m.Public != "" || m.Private != ""
}

func trim(lines []string) string { return strings.TrimSpace(strings.Join(lines, "\n")) }

// codeLines marks the lines of closed code blocks, their fences included. A fence that is never closed is no fence.
func codeLines(lines []string) []bool {
	code := make([]bool, len(lines))
	for i := 0; i < len(lines); i++ {
		mark := opening(lines[i])
		if mark == "" {
			continue
		}
		end := -1
		for j := i + 1; j < len(lines); j++ {
			if t := strings.TrimSpace(lines[j]); strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
				end = j
				break
			}
		}
		if end < 0 {
			continue
		}
		for ; i <= end; i++ {
			code[i] = true
		}
		i--
	}
	return code
}

// opening is the run of backticks or tildes that opens a code block, "" for other lines.
func opening(line string) string {
	t := strings.TrimSpace(line)
	for _, c := range [...]string{"`", "~"} {
		if run := len(t) - len(strings.TrimLeft(t, c)); run >= 3 && !strings.Contains(t[run:], c) {
			return t[:run]
		}
	}
	return ""
}

// sectionWords may follow the name of a section in its heading.
var sectionWords = [...]string{"api", "interface", "interfaces", "section", "part", "notes", "memory", "and", "decisions"}

// section tells the two headings, in the ways in which models write them, from all other lines.
func section(line string) string {
	t := strings.TrimSpace(line)
	marked := strings.HasPrefix(t, "#") || strings.HasPrefix(t, "**") && strings.HasSuffix(strings.TrimRight(t, ":"), "**")
	if !marked {
		return ""
	}
	words := strings.Fields(strings.ToLower(strings.Trim(t, "#*: \t")))
	if len(words) == 0 || words[0] != "public" && words[0] != "private" {
		return ""
	}
	for _, w := range words[1:] {
		if !known(strings.Trim(w, "():,*")) {
			return ""
		}
	}
	return words[0]
}

func known(word string) bool {
	for _, w := range sectionWords {
		if w == word {
			return true
		}
	}
	return word == ""
}
