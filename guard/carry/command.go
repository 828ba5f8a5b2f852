package carry

import "strings"

// editor reads one command of vi, ed or less: what stands behind its `!`, the code behind `lua` and `call`, and what it writes.
func (l *list) editor(s string) {
	for part := s; ; {
		p := strings.TrimLeft(part, " \t:%$,.0123456789")
		for _, mod := range [...]string{"silent! ", "silent ", "exe ", "execute ", "sil ", "noautocmd "} {
			p = strings.TrimPrefix(p, mod)
		}
		p = strings.TrimLeft(p, " '\":")
		for _, verb := range [...]string{"!", "r !", "r!", "read !", "w !", "write !", "e !", "terminal ", "term "} {
			if rest, ok := strings.CutPrefix(p, verb); ok {
				l.add(strings.TrimRight(rest, `'"`))
				return
			}
		}
		for _, verb := range [...]string{"lua", "py", "call", "eval", "let", "echo", "rub", "perl"} {
			if strings.HasPrefix(p, verb) {
				l.literals(p)
				return
			}
		}
		for _, verb := range [...]string{"w! ", "w ", "write ", "write! ", "wq ", "wq! ", "sav ", "saveas ", "saveas! "} {
			if rest, ok := strings.CutPrefix(p, verb); ok && rest != "" && rest[0] != '>' {
				l.add("tee " + Quote(strings.TrimSpace(rest)))
				return
			}
		}
		_, after, ok := strings.Cut(part, "|")
		if !ok {
			return
		}
		part = after
	}
}

// debugger reads one command of gdb or lldb.
func (l *list) debugger(s string) {
	s = strings.TrimSpace(s)
	for _, verb := range [...]string{"shell ", "!", "platform shell ", "make "} {
		if rest, ok := strings.CutPrefix(s, verb); ok {
			l.add(rest)
			return
		}
	}
	for _, verb := range [...]string{"python ", "script ", "py ", "pi "} {
		if rest, ok := strings.CutPrefix(s, verb); ok {
			l.add("python3 -c " + Quote(rest))
			return
		}
	}
	if rest, ok := strings.CutPrefix(s, "pipe "); ok {
		_, after, _ := strings.Cut(rest, "|")
		l.add(after)
		return
	}
	l.literals(s)
}

// tcl reads the commands of a Tcl or expect script that start programs or delete files.
func (l *list) tcl(text string) {
	for stmt := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' || r == '[' || r == ']' }) {
		stmt = strings.TrimLeft(stmt, " \t{")
		for _, verb := range [...]string{"exec ", "spawn ", "system ", "open \"|", "open {|", "send "} {
			if rest, ok := strings.CutPrefix(stmt, verb); ok {
				rest = strings.TrimSpace(rest)
				if verb[0] == 'o' || verb == "send " || verb == "system " {
					rest = strings.TrimSuffix(strings.Trim(rest, "\"{}"), `\r`)
				}
				l.add(strings.TrimPrefix(rest, "-noecho "))
			}
		}
		if rest, ok := strings.CutPrefix(stmt, "file delete "); ok {
			l.add("rm -r " + strings.TrimPrefix(strings.TrimSpace(rest), "-force "))
		}
	}
}

// Recipes are the command lines of a makefile: its recipes and what its `$(shell …)` run.
func Recipes(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for rest := line; len(out) < maxLines; {
			_, after, ok := strings.Cut(rest, "$(shell ")
			if !ok {
				break
			}
			end := strings.LastIndexByte(after, ')')
			out, rest = append(out, recipe(after[:max(end, 0)])), after
		}
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '\t' || line[0] == ' ':
			line = strings.TrimLeft(line, "\t ")
		default:
			target, after, ok := strings.Cut(line, ";")
			if !ok || !strings.Contains(target, ":") {
				continue
			}
			line = after
		}
		if len(out) < maxLines {
			out = append(out, recipe(strings.TrimLeft(line, " @-+")))
		}
	}
	return out
}

// recipe turns make's variables into those of the shell.
func recipe(s string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '$' || i+1 == len(s):
			b.WriteByte(s[i])
		case s[i+1] == '$':
			b.WriteByte('$')
			i++
		case s[i+1] == '(':
			end := strings.IndexByte(s[i:], ')')
			name := ""
			if end > 0 {
				name = s[i+2 : i+end]
			}
			if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "" {
				b.WriteByte('$')
				continue
			}
			if name == "RM" {
				b.WriteString("rm -f")
			} else {
				b.WriteString("${" + name + "}")
			}
			i += end
		default:
			b.WriteByte('$')
		}
	}
	return b.String()
}

// scheduled is the command of one line of a crontab.
func scheduled(line string) string {
	line = strings.TrimSpace(line)
	fields := 5
	switch {
	case line == "" || line[0] == '#':
		return ""
	case line[0] == '@':
		fields = 1
	case strings.IndexByte("*0123456789", line[0]) < 0:
		return ""
	}
	for range fields {
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			return ""
		}
		line = strings.TrimLeft(line[i:], " \t")
	}
	return line
}

// dot reads a dot command of a database shell.
func (l *list) dot(s string) {
	s = strings.TrimSpace(s)
	for _, verb := range [...]string{".shell ", ".system "} {
		if rest, ok := strings.CutPrefix(s, verb); ok {
			l.add(rest)
		}
	}
	for _, verb := range [...]string{".output ", ".once ", ".log ", ".backup ", ".save ", ".excel "} {
		rest, ok := strings.CutPrefix(s, verb)
		if !ok {
			continue
		}
		if line, ok := strings.CutPrefix(strings.TrimSpace(rest), "|"); ok {
			l.add(line)
		} else if rest != "stdout" && rest != "stderr" && rest != "off" {
			l.add("tee " + Quote(strings.TrimSpace(rest)))
		}
	}
}

// client reads a statement of a database client that leaves the database: `\! cmd`, `system cmd`, `TO PROGRAM 'cmd'`.
func (l *list) client(s string) {
	t := strings.TrimSpace(s)
	for _, verb := range [...]string{`\!`, "system ", `\o |`, `\g |`} {
		if rest, ok := strings.CutPrefix(t, verb); ok {
			l.add(rest)
		}
	}
	lower := strings.ToLower(t)
	if i := strings.Index(lower, " program "); i >= 0 && len(lower) == len(t) {
		rest := strings.TrimSpace(t[i+len(" program "):])
		if len(rest) > 1 && rest[0] == '\'' {
			if end := strings.LastIndexByte(rest, '\''); end > 0 {
				l.add(rest[1:end])
			}
		}
	}
}

// transfer reads a command of a program that moves files: its escape to our shell, and what it deletes on the other side.
func (l *list) transfer(s string) {
	for cmd := range strings.SplitSeq(s, ";") {
		cmd = strings.TrimSpace(cmd)
		verb, rest, _ := strings.Cut(cmd, " ")
		switch {
		case strings.HasPrefix(cmd, "!"):
			l.add(cmd[1:])
		case verb == "rm" || verb == "mrm" || verb == "glob" || verb == "deltree":
			l.away("rm -r " + rest)
		}
	}
}

// socat reads the addresses that start a program.
func (l *list) socat() {
	for _, w := range l.c.Words[1:] {
		kind, rest, ok := strings.Cut(w.Text, ":")
		if !ok {
			continue
		}
		switch strings.ToUpper(kind) {
		case "EXEC", "SYSTEM", "SHELL":
			rest, _, _ = strings.Cut(rest, ",")
			l.add(strings.Trim(rest, `"'`))
		}
	}
}

// npm reads a script that is put into package.json.
func (l *list) npm() {
	words := l.c.Words[1:]
	for i, w := range words {
		if w.Text == "set-script" && i+2 < len(words) {
			l.add(words[i+2].Text)
		}
		if name, value, ok := strings.Cut(w.Text, "="); ok && strings.HasPrefix(name, "scripts.") {
			l.add(value)
		}
	}
}

// ansible reads an ad-hoc command.
func (l *list) ansible() {
	module := strings.Join(l.values(" -m --module-name "), "")
	for _, v := range l.values(" -a --args ") {
		switch module {
		case "", "command", "shell", "raw", "script":
			l.away(v)
		case "file":
			if strings.Contains(v, "state=absent") {
				for f := range strings.FieldsSeq(v) {
					if p, ok := strings.CutPrefix(f, "path="); ok {
						l.away("rm -rf " + p)
					}
				}
			}
		}
	}
}

// awk reads what a program of awk starts that comes from outside of it: variables of the command line, its input.
func (l *list) awk() {
	text := strings.Join(l.c.Args, "\n")
	script := ""
	for _, v := range l.values(" -f --file ") {
		if v == "-" || v == "/dev/stdin" {
			script = l.input()
		}
	}
	if script != "" {
		l.add(l.c.Name + " " + Quote(script))
	}
	_, after, runs := strings.Cut(text, "system(")
	if !runs && !strings.Contains(text, `| "sh"`) && !strings.Contains(text, `| "bash"`) {
		return
	}
	for _, v := range l.values(" -v --assign ") {
		_, value, _ := strings.Cut(v, "=")
		l.add(value)
	}
	if strings.HasPrefix(strings.TrimLeft(after, " "), "$0") || strings.Contains(text, `print | "`) {
		l.add(l.input())
		if l.input() == "" {
			l.add("cat input | sh")
		}
	}
	if strings.HasPrefix(strings.TrimLeft(after, " "), "ENVIRON") {
		l.add("cat input | sh")
	}
}
