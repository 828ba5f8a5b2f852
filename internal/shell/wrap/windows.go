package wrap

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// windows reads cmd /c: its text is close enough to ours once backslashes are kept.
func (c *Call) windows(name string) {
	for i, a := range c.Words[1:] {
		t := strings.ToLower(strings.TrimLeft(a.Text, "/"))
		if !strings.HasPrefix(a.Text, "/") || t == "" || t[0] != 'c' && t[0] != 'k' {
			if strings.HasPrefix(a.Text, "/") {
				continue
			}
			return
		}
		rest := append([]word.Word{}, c.Words[i+2:]...)
		if len(t) > 1 {
			rest = append([]word.Word{{Text: strings.TrimLeft(a.Text, "/")[1:]}}, rest...)
		}
		if len(rest) > 0 {
			c.foreign(name, rest)
		}
		return
	}
}

// foreign takes a script of another language family as ours.
func (c *Call) foreign(name string, words []word.Word) {
	text := word.Join(words, " ")
	text.Text = strings.TrimSpace(text.Text)
	if block, ok := strings.CutPrefix(text.Text, "&"); ok && name != "cmd" { // & { … }
		text.Text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(block), "{"), "}")
	}
	text.Text = strings.ReplaceAll(strings.ReplaceAll(text.Text, `\`, `\\`), "`", "")
	c.take(name, []word.Word{text})
}

// powershell reads -Command and -EncodedCommand.
func (c *Call) powershell(name string) {
	for i := 1; i < len(c.Words); i++ {
		t := strings.ToLower(c.Words[i].Text)
		if len(t) < 2 || t[0] != '-' && t[0] != '/' {
			if name == "pwsh" {
				c.File = c.Words[i]
				return
			}
			c.foreign(name, c.Words[i:])
			return
		}
		t = strings.TrimLeft(t, "-/")
		switch {
		case strings.HasPrefix("command", t) || t == "commandwithargs" || t == "cwa":
			if i+1 < len(c.Words) && c.Words[i+1].Text != "-" {
				c.foreign(name, c.Words[i+1:])
			} else {
				c.stdin(name)
			}
			return
		case t == "ec" || strings.HasPrefix("encodedcommand", t) && t != "ex":
			if i+1 < len(c.Words) {
				c.encoded(name, c.Words[i+1])
			}
			return
		case strings.HasPrefix("file", t):
			if i+1 < len(c.Words) {
				c.File = c.Words[i+1]
			}
			return
		case strings.HasPrefix("no", t[:min(2, len(t))]), t == "mta", t == "sta", t == "interactive", t == "login", t == "l", t == "i":
		default:
			i++ // -ExecutionPolicy Bypass, -WindowStyle Hidden …
		}
	}
	c.stdin(name)
}

// encoded reads base64 of UTF-16.
func (c *Call) encoded(name string, w word.Word) {
	b, err := base64.StdEncoding.DecodeString(w.Text)
	if err != nil || len(b)%2 == 1 {
		c.Opaque = true
		return
	}
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i < len(b); i += 2 {
		u = append(u, uint16(b[i])|uint16(b[i+1])<<8)
	}
	c.foreign(name, []word.Word{{Text: string(utf16.Decode(u))}})
}

// wsl runs Linux programs: wsl [-d distribution] [-u user] [--] program…
func (c *Call) wsl(name string) bool {
	s := spec{value: "du", flags: "e", lax: true, long: " --distribution --user --cd --distribution-id --shell-type ", user: " -u --user ", chdir: " --cd "}
	o := c.options(c.Words[1:], s, name)
	if len(o.rest) == 0 {
		return false
	}
	c.Words, c.User = o.rest, o.user
	c.Moves = append(c.Moves, o.moves...)
	c.Wrappers = append(c.Wrappers, name)
	return true
}
