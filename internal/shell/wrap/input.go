package wrap

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// maxItems is how many items of a known input are handed to the program of xargs or parallel.
const maxItems = 256

// xargs appends what is known of the standard input to the words.
func (c *Call) xargs(o read) {
	if !c.Fed || o.file {
		c.Open, c.Drained = true, true
		if o.replace != "" {
			for i := range c.Words {
				if strings.Contains(c.Words[i].Text, o.replace) {
					c.Words = append([]word.Word{}, c.Words...)
					break
				}
			}
			for i, w := range c.Words {
				c.Words[i].Dynamic = w.Dynamic || strings.Contains(w.Text, o.replace)
			}
		}
		return
	}
	list, all := items(c.Stdin, o)
	c.Fed, c.Drained, c.Open = false, true, !all
	c.Stdin = word.Word{}
	if o.replace == "" {
		c.Words = append(append([]word.Word{}, c.Words...), list...)
		return
	}
	var out []word.Word
	for _, w := range c.Words {
		if !strings.Contains(w.Text, o.replace) || len(w.Text) > 4096 {
			out = append(out, w)
			continue
		}
		if w.Text == o.replace { // one word for each item, as if all were given at once
			out = append(out, list...)
			continue
		}
		texts := make([]word.Word, 0, len(list))
		for _, it := range list {
			texts = append(texts, word.Word{Text: strings.ReplaceAll(w.Text, o.replace, it.Text), Dynamic: w.Dynamic || it.Dynamic, Quoted: w.Quoted})
		}
		if strings.ContainsAny(w.Text, " ;") { // a script: the items one after the other
			out = append(out, word.Join(texts, "\n"))
		} else {
			out = append(out, texts...)
		}
	}
	c.Words = out
}

// items splits an input as xargs does: at blanks with quotes, at lines, or at NUL.
func items(in word.Word, o read) (list []word.Word, all bool) {
	add := func(t string, quoted bool) bool {
		if len(list) == maxItems {
			return false
		}
		list = append(list, word.Word{Text: t, Dynamic: in.Dynamic && strings.ContainsAny(t, "$`"), Quoted: quoted})
		return true
	}
	if o.null || o.lines {
		sep := "\n"
		if o.null {
			sep = "\x00"
		}
		for t := range strings.SplitSeq(in.Text, sep) {
			if t != "" && !add(t, true) {
				return list, false
			}
		}
		return list, true
	}
	s := in.Text
	for {
		s = strings.TrimLeft(s, " \t\n")
		if s == "" {
			return list, true
		}
		var b strings.Builder
		i := 0
		for i < len(s) && strings.IndexByte(" \t\n", s[i]) < 0 {
			switch c := s[i]; {
			case c == '\\' && i+1 < len(s):
				i++
				b.WriteByte(s[i])
			case c == '\'' || c == '"':
				end := strings.IndexByte(s[i+1:], c)
				if end < 0 {
					end = len(s) - i - 1
				}
				b.WriteString(s[i+1 : i+1+end])
				i += end + 1
			default:
				b.WriteByte(c)
			}
			i++
		}
		if !add(b.String(), true) {
			return list, false
		}
		s = s[min(i, len(s)):]
	}
}

// parallel reads GNU parallel: a command line with {} in it, and items after ::: or on the standard input.
func (c *Call) parallel(name string) {
	s := spec{
		value: "jPNnISaCdLs", flags: "0kmXvtuqix", lax: true,
		long: " --jobs --max-procs --max-args --sshlogin --arg-file --colsep --delimiter --timeout --delay --retries --joblog --results --tmpdir --workdir --wd --tagstring --halt --load --env --basefile --return --max-replace-args ",
	}
	o := c.options(c.Words[1:], s, name)
	command, list, known := o.rest, []word.Word(nil), false
	for i, a := range o.rest {
		if a.Text == ":::" || a.Text == ":::+" {
			command, known = o.rest[:i], true
			for _, x := range o.rest[i+1:] {
				if !strings.HasPrefix(x.Text, ":::") && len(list) < maxItems {
					list = append(list, x)
				}
			}
			break
		}
	}
	if !known && c.Fed {
		list, known = items(c.Stdin, read{lines: true})
	}
	text := word.Join(command, " ")
	switch {
	case len(command) == 0:
		c.take(name, []word.Word{word.Join(list, "\n")})
	case !known || len(list) == 0 || len(text.Text) > 4096:
		c.take(name, command)
	default:
		lines := make([]word.Word, 0, len(list))
		for _, it := range list {
			arg, line := word.Quoted([]word.Word{it}), text
			if strings.Contains(text.Text, "{}") {
				line.Text = strings.ReplaceAll(text.Text, "{}", arg.Text)
			} else {
				line.Text += " " + arg.Text
			}
			line.Dynamic = line.Dynamic || arg.Dynamic
			lines = append(lines, line)
		}
		c.take(name, []word.Word{word.Join(lines, "\n")})
	}
	c.Drained = true
}
