// Package static computes what harmless text programs print, so that a script that is built by echo, printf, base64 -d, tr or rev can be
// read before it runs.
//
// It owns no table and no file, starts nothing, and answers only when the output follows from the arguments and the input alone. Cost and
// output are linear in what is handed in. All functions are pure and safe for concurrent use.
package static

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// Output is what a program with these arguments writes to its standard output; fed says whether stdin is known. ok is false if it cannot
// be computed. Parts of echo, printf and cat that only the run time knows are kept as written, and the result is then Dynamic.
func Output(name string, args []word.Word, stdin word.Word, fed bool) (out word.Word, ok bool) {
	switch name {
	case "true", ":", "cd", "export", "set", "shopt", "unset", "declare", "local", "readonly", "mkdir", "touch", "sleep", "[", "[[", "test":
		return word.Word{}, true
	case "echo":
		return echo(args)
	case "printf":
		return printf(args)
	case "cat", "tee", "pv", "sponge", "bat":
		for _, a := range args {
			if a.Text != "-" && (name == "cat" || name == "bat") && (a.Dynamic || !strings.HasPrefix(a.Text, "-")) {
				return out, false
			}
		}
		return stdin, fed
	}
	if !fed || stdin.Dynamic || !literal(args) {
		return out, false
	}
	text, ok := filter(name, args, stdin.Text)
	return word.Word{Text: text}, ok
}

func literal(args []word.Word) bool {
	for _, a := range args {
		if a.Dynamic {
			return false
		}
	}
	return true
}

// filter computes programs that turn their whole input into another text.
func filter(name string, args []word.Word, in string) (string, bool) {
	switch name {
	case "base64", "gbase64", "base32", "basenc":
		return decodeBase(name, args, in)
	case "openssl": // openssl base64 -d, openssl enc -base64 -d
		if len(args) > 0 && (args[0].Text == "base64" || args[0].Text == "enc" && has(args, "-base64", "-a")) && has(args, "-d") {
			return decode64(in)
		}
	case "xxd":
		if has(args, "-r", "-revert") && has(args, "-p", "-ps", "-plain") || has(args, "-rp", "-pr") {
			b, err := hex.DecodeString(strings.Join(strings.Fields(in), ""))
			return string(b), err == nil
		}
	case "rev":
		return eachLine(in, reverse), len(args) == 0
	case "tac":
		lines := strings.SplitAfter(in, "\n")
		var b strings.Builder
		for i := len(lines) - 1; i >= 0; i-- {
			b.WriteString(lines[i])
		}
		return b.String(), len(args) == 0
	case "tr":
		return translate(args, in)
	case "sed":
		return substitute(args, in)
	case "cut":
		return cut(args, in)
	}
	return "", false
}

func has(args []word.Word, options ...string) bool {
	for _, a := range args {
		for _, o := range options {
			if a.Text == o {
				return true
			}
		}
	}
	return false
}

func decodeBase(name string, args []word.Word, in string) (string, bool) {
	on := false
	for _, a := range args {
		switch a.Text {
		case "-d", "-D", "--decode", "-di", "-id", "-dw0":
			on = true
		case "--base32":
			name = "base32"
		case "-i", "--ignore-garbage", "-", "--base64", "--base64url":
		default:
			return "", false
		}
	}
	if !on {
		return encode(name, in)
	}
	if name != "base32" {
		return decode64(in)
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(keep(in, "", true))
	return string(b), err == nil
}

func encode(name, in string) (string, bool) {
	if name == "base32" {
		return base32.StdEncoding.EncodeToString([]byte(in)) + "\n", true
	}
	return base64.StdEncoding.EncodeToString([]byte(in)) + "\n", true
}

// decode64 takes the plain and the URL alphabet, with or without padding; like base64 -d it prints what came before bad input.
func decode64(in string) (string, bool) {
	s := keep(in, "+/-_", false)
	s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	b, err := base64.StdEncoding.WithPadding(base64.NoPadding).DecodeString(s)
	return string(b), err == nil
}

// keep drops everything but letters, digits and the characters of more.
func keep(in, more string, upper bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' && upper:
			return r - 32
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(more, r):
			return r
		}
		return -1
	}, in)
}

func eachLine(in string, f func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(in) {
		body, nl := strings.CutSuffix(line, "\n")
		b.WriteString(f(body))
		if nl {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}
