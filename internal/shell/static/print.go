package static

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

func echo(args []word.Word) (word.Word, bool) {
	newline, escapes := "\n", false
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' && strings.Trim(args[0].Text[1:], "neE") == "" {
		if strings.ContainsRune(args[0].Text, 'n') {
			newline = ""
		}
		escapes = strings.LastIndexByte(args[0].Text, 'e') > strings.LastIndexByte(args[0].Text, 'E') || escapes && !strings.ContainsRune(args[0].Text, 'E')
		args = args[1:]
	}
	out := word.Join(args, " ")
	out.Glob, out.Quoted = false, false
	if escapes {
		var stop bool
		if out.Text, stop = unescape(out.Text, true); stop {
			return out, true
		}
	}
	out.Text += newline
	return out, true
}

// printf formats as bash does, the conversions that scripts use.
func printf(args []word.Word) (out word.Word, ok bool) {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0].Text, "-v") || args[0].Dynamic {
		return out, false
	}
	format, args := args[0].Text, args[1:]
	var b strings.Builder
	for {
		before := len(args)
		var stop bool
		if args, stop, ok = once(&b, &out, format, args); !ok {
			return out, false
		}
		if stop || len(args) == 0 || len(args) == before {
			break
		}
	}
	out.Text = b.String()
	return out, true
}

// once goes through the format one time and returns the arguments that are left.
func once(b *strings.Builder, out *word.Word, format string, args []word.Word) (rest []word.Word, stop, ok bool) {
	next := func() word.Word {
		if len(args) == 0 {
			return word.Word{}
		}
		a := args[0]
		args = args[1:]
		out.Dynamic = out.Dynamic || a.Dynamic
		return a
	}
	for format != "" {
		k := strings.IndexByte(format, '%')
		if k < 0 {
			k = len(format)
		}
		text, end := unescape(format[:k], false)
		b.WriteString(text)
		if end {
			return args, true, true
		}
		if format = format[k:]; format == "" {
			break
		}
		k = 1
		for k < len(format) && strings.IndexByte("0123456789.-+ #*", format[k]) >= 0 {
			k++
		}
		if k == len(format) {
			return nil, false, false
		}
		flags, verb := format[1:k], format[k]
		format = format[k+1:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		a := next()
		if stop, ok = convert(b, flags, verb, a); stop || !ok {
			return args, stop, ok
		}
	}
	return args, false, true
}

func convert(b *strings.Builder, flags string, verb byte, a word.Word) (stop, ok bool) {
	text := a.Text
	switch verb {
	case 's', 'q':
	case 'b':
		text, stop = unescape(text, true)
	case 'c':
		text = text[:min(1, len(text))]
	case 'd', 'i', 'u', 'x', 'X', 'o':
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil && text != "" || a.Dynamic {
			return false, false
		}
		text = strconv.FormatInt(n, map[byte]int{'x': 16, 'X': 16, 'o': 8}[verb]+map[bool]int{true: 10}[verb == 'd' || verb == 'i' || verb == 'u'])
	default:
		return false, false
	}
	if flags != "" {
		if strings.ContainsAny(flags, "*+ #0") || verb != 's' || a.Dynamic {
			return false, false
		}
		width, precision, cut := strings.Cut(strings.TrimPrefix(flags, "-"), ".")
		if n, err := strconv.Atoi(precision); cut && err == nil {
			text = text[:min(n, len(text))]
		}
		n, _ := strconv.Atoi(width)
		if n > 256 {
			return false, false
		}
		if pad := strings.Repeat(" ", max(0, n-len(text))); flags[0] == '-' {
			text += pad
		} else {
			text = pad + text
		}
	}
	b.WriteString(text)
	return stop, true
}

// unescape reads backslash escapes; zero asks for the octal form \0nnn of echo -e and %b. stop is true after \c.
func unescape(s string, zero bool) (out string, stop bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'c':
			return b.String(), true
		case zero && c == '0':
			v, n := word.Digits(s[i+1:], 3, 8)
			b.WriteByte(byte(v))
			i += n
		default:
			end := i + 1
			for end < len(s) && end < i+9 && s[end] != '\\' {
				end++
			}
			var one strings.Builder
			word.UnescapeANSI(&one, s[i-1:end])
			b.WriteString(one.String())
			i = end - 1
		}
	}
	return b.String(), false
}
