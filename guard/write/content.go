package write

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// output is what the command prints, if that is computable: echo, printf, and cat of its standard input.
func (k *collector) output() shell.Word {
	c := k.c
	switch c.Name {
	case "echo":
		return echo(c.Words[1:])
	case "printf":
		return printf(c.Words[1:])
	case "cat", "tee", "sponge":
		for _, a := range c.Words[1:] {
			if c.Name == "cat" && a.Text != "-" && !strings.HasPrefix(a.Text, "-") {
				return unknown[0]
			}
		}
		return input(c)
	case "", ":", "true":
		if len(c.Words) == 0 || !c.Unreadable {
			return shell.Word{} // a bare redirection empties the file
		}
	}
	return unknown[0]
}

// input is what the command reads from its standard input.
func input(c *shell.Command) shell.Word {
	if c.Stdin.Kind == shell.FeedText {
		return c.Stdin.Text
	}
	for i := len(c.Redirs) - 1; i >= 0; i-- {
		switch r := c.Redirs[i]; r.Op {
		case "<<", "<<-":
			return r.Body
		case "<<<":
			w := r.Target
			w.Text += "\n"
			return w
		}
	}
	return unknown[0]
}

// echo joins the words as bash's echo does.
func echo(words []shell.Word) shell.Word {
	newline, escapes := true, false
	for len(words) > 0 && words[0].Literal() && len(words[0].Text) > 1 && words[0].Text[0] == '-' &&
		strings.Trim(words[0].Text[1:], "neE") == "" {
		newline = newline && !strings.Contains(words[0].Text, "n")
		escapes = strings.Contains(words[0].Text, "e")
		words = words[1:]
	}
	var b strings.Builder
	var out shell.Word
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
		out.Dynamic = out.Dynamic || !w.Literal()
	}
	out.Text = b.String()
	if escapes {
		out.Text = unescape(out.Text)
	}
	if newline {
		out.Text += "\n"
	}
	return out
}

// printf formats as bash's printf does for the formats that people use; anything else is written as its argument.
func printf(words []shell.Word) shell.Word {
	if len(words) > 0 && words[0].Text == "-v" {
		return shell.Word{}
	}
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return shell.Word{}
	}
	format, args := words[0], words[1:]
	out := shell.Word{Dynamic: !format.Literal()}
	var b strings.Builder
	for first := true; first || len(args) > 0; first = false {
		left := len(args)
		for i := 0; i < len(format.Text); i++ {
			if format.Text[i] != '%' {
				b.WriteByte(format.Text[i])
				continue
			}
			i++
			for i < len(format.Text) && strings.IndexByte("-+ #0123456789.*", format.Text[i]) >= 0 {
				i++
			}
			if i >= len(format.Text) || format.Text[i] == '%' {
				b.WriteByte('%')
				continue
			}
			if len(args) > 0 {
				b.WriteString(args[0].Text)
				out.Dynamic = out.Dynamic || !args[0].Literal()
				args = args[1:]
			}
		}
		if len(args) == left {
			break // the format takes no arguments
		}
		if b.Len() > shell.MaxSource {
			return unknown[0] // a long format with many arguments
		}
	}
	out.Text = unescape(b.String())
	return out
}

// unescape reads the backslash escapes of echo -e and printf.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = `abefnrtv\"'`, "\a\b\x1b\f\n\r\t\v\\\"'"
		if n := strings.IndexByte(from, s[i]); n >= 0 {
			b.WriteByte(to[n])
			continue
		}
		base, start, width := 8, i, 3
		if s[i] == 'x' {
			base, start, width = 16, i+1, 2
		} else if s[i] == '0' {
			width = 4
		}
		end := start
		for end < len(s) && end < start+width && isDigit(s[end], base) {
			end++
		}
		if v, err := strconv.ParseUint(s[start:end], base, 32); err == nil {
			b.WriteByte(byte(v))
			i = end - 1
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}

func isDigit(c byte, base int) bool {
	return c >= '0' && c <= '7' || base == 16 && (c == '8' || c == '9' || c|0x20 >= 'a' && c|0x20 <= 'f')
}
