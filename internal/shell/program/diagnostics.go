package program

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// maxOutput is how much of a command's output Diagnostics reads, in bytes.
const maxOutput = 1 << 20

// Diagnostics counts the errors that a compiler, type checker or linter reports in its output: each place once, warnings not.
func Diagnostics(output string) int {
	output = output[:min(len(output), maxOutput)]
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if key := diagnostic(line); key != "" && !seen[key] {
			seen[key] = true
			n++
		}
	}
	return n
}

// diagnostic returns what identifies the error in a line of output, "" if the line reports none.
func diagnostic(line string) string {
	plain := strings.TrimSpace(stripColour(line))
	lower := strings.ToLower(plain)
	switch {
	case plain == "" || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    "):
		return "" // test output and quoted source are indented
	case strings.Contains(lower, "warning:") || strings.Contains(lower, ": warn") || strings.HasPrefix(lower, "warning") || strings.HasPrefix(lower, "[warn") ||
		strings.HasPrefix(plain, "w: ") || strings.Contains(lower, ": note:"):
		return ""
	case strings.HasPrefix(plain, "error[") || strings.HasPrefix(plain, "error: ") && !strings.HasPrefix(plain, "error: could not compile") && !strings.HasPrefix(plain, "error: aborting"):
		return plain // rustc
	case strings.HasPrefix(plain, "e: "): // kotlinc
		return plain
	}
	for _, p := range [...]string{"[ERROR] ", "[error] ", "ERROR in ", "PHP Parse error: ", "  error • ", "error • "} {
		plain = strings.TrimPrefix(plain, p)
	}
	return place(plain)
}

// place finds `file:12:3: text`, `file:12: text`, `file(12,3): text`, `File.java:[12,3] text` at the start of a line.
func place(s string) string {
	dot := strings.IndexByte(s, '.')
	for dot == 0 || dot > 0 && (strings.HasPrefix(s[dot:], "./") || strings.HasPrefix(s[dot:], "..")) {
		next := strings.IndexByte(s[dot+1:], '.')
		if next < 0 {
			return ""
		}
		dot += 1 + next
	}
	if dot < 0 {
		return ""
	}
	k := strings.IndexAny(s[dot:], ":( \t")
	if k <= 1 || s[dot+k] != ':' && s[dot+k] != '(' {
		return ""
	}
	rest := strings.TrimPrefix(s[dot+k+1:], "[")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits == len(rest) {
		return ""
	}
	after := strings.TrimLeft(rest[digits:], "0123456789,:])")
	switch {
	case strings.IndexByte(":,)]", rest[digits]) < 0, strings.TrimSpace(after) == "":
		return ""
	}
	file := s[:dot+k]
	if source.Of(file) == "" && !strings.HasSuffix(file, ".vue") && !strings.HasSuffix(file, ".svelte") {
		return ""
	}
	column := rest[digits] != ':' || len(rest) > digits+1 && rest[digits+1] >= '0' && rest[digits+1] <= '9'
	says := strings.ToLower(strings.TrimSpace(after))
	if !column && !strings.HasPrefix(says, "error") && !strings.Contains(says, "syntax error") {
		return "" // file:12: text is also how tests and logs speak
	}
	return s
}

// stripColour removes ANSI escape sequences.
func stripColour(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '[' {
			for i += 2; i < len(s) && (s[i] < '@' || s[i] > '~'); i++ {
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
