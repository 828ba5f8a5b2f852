package redact

import "strings"

// options replaces secrets that stand behind a blank: the value of an option with a telling name (--token VALUE), of an
// option that a well-known program takes a secret with (curl -u user:VALUE), of pass:VALUE, and a generated-looking word
// behind a telling one (password is VALUE).
func options(s string) string {
	var b strings.Builder
	last, program := 0, ""
	var before [2]string // the two words before
	for i := 0; i < len(s); {
		if blank(s[i]) {
			if s[i] == '\n' {
				program, before = "", [2]string{}
			}
			i++
			continue
		}
		end := i
		for end < len(s) && !blank(s[end]) {
			end++
		}
		word := s[i:end]
		if from, to := bare(word, program, before); to > from {
			b.WriteString(s[last : i+from])
			b.WriteString(Mark)
			last = i + to
		}
		if strings.HasSuffix(word, ";") || word == "&&" || word == "||" || word == "|" {
			program = ""
		} else if program == "" && !strings.Contains(word, "=") || knownProgram(word) {
			program = word[strings.LastIndexByte(word, '/')+1:]
		}
		before[0], before[1] = before[1], word
		i = end
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// bare finds the secret within one word, given the program of its command and the two words before it.
func bare(word, program string, before [2]string) (from, to int) {
	from, to = unquoted(word)
	value := word[from:to]
	if rest, ok := strings.CutPrefix(value, "pass:"); ok && len(rest) > 0 {
		return span(word, to-len(rest), to)
	}
	for i := range flags {
		f := &flags[i]
		if f.program != program {
			continue
		}
		switch {
		case before[1] == f.option && value != "" && value[0] != '-' && strings.Trim(value, "0123456789:.") != "": // not a port
			if f.after == 0 {
				return span(word, from, to)
			}
			if k := strings.IndexByte(value, f.after); k >= 0 {
				return span(word, from+k+1, to)
			}
		case f.glued && strings.HasPrefix(word, f.option) && len(word) > len(f.option):
			return span(word, len(f.option), len(word))
		}
	}
	if len(value) < minAssigned || value[0] == '-' {
		return 0, 0
	}
	name := strings.ToLower(strings.Trim(before[1], `"'`))
	switch {
	case strings.HasPrefix(name, "--") && announces(strings.TrimLeft(name, "-")) && !strings.Contains(name, "="):
		return span(word, from, to)
	case len(value) >= minBare && random(value) && (announces(name) || (name == "is" || name == "<<<" || name == "=") && announces(strings.ToLower(before[0]))):
		return span(word, from, to)
	}
	return 0, 0
}

// span is a part of a word, nothing if it is the mark already.
func span(word string, from, to int) (int, int) {
	if strings.Contains(word, Mark) || strings.Contains(word, "$") {
		return 0, 0
	}
	return from, to
}

// unquoted is the extent of a word without quotes and closing punctuation.
func unquoted(word string) (from, to int) {
	to = len(word)
	for to > 0 && strings.IndexByte(`"',;).}]`, word[to-1]) >= 0 {
		to--
	}
	for from < to && (word[from] == '"' || word[from] == '\'' || word[from] == '(') {
		from++
	}
	return from, to
}

// random reports whether a word looks generated: letters and digits mixed, and no path or address.
func random(v string) bool {
	digit, letter := false, false
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letter = true
		case c == '/' || c == ':' || c == '(' || c == '[':
			return false
		}
	}
	return digit && letter
}

func knownProgram(word string) bool {
	word = word[strings.LastIndexByte(word, '/')+1:]
	for i := range flags {
		if flags[i].program == word {
			return true
		}
	}
	return false
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
