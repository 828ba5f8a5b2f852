package wrap

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// read is what the options of a wrapper said.
type read struct {
	rest    []word.Word
	moves   []Move
	script  *word.Word // env -S, npx -c
	user    string
	replace string // xargs -I
	lines   bool   // xargs takes whole lines
	null    bool   // xargs -0
	file    bool   // xargs -a
	login   bool   // sudo -i, sudo -s
	plain   bool   // watch -x
	shell   bool   // entr -s
	entry   *word.Word
	mounts  []Mount
	unsure  bool
}

// options reads the options before the first positional argument.
func (c *Call) options(rest []word.Word, s spec, name string) read {
	var o read
	for len(rest) > 0 {
		t := rest[0].Text
		if t == "-" && (name == "env" || name == "genv") {
			rest = rest[1:]
			continue
		}
		if len(t) < 2 || t[0] != '-' || rest[0].Dynamic && t[1] != '-' && strings.IndexByte(s.value, t[1]) < 0 {
			break
		}
		whole := rest[0]
		rest = rest[1:]
		if t == "--" {
			break
		}
		if name == "bwrap" && strings.Contains(pairs, " "+t+" ") {
			rest = rest[min(2, len(rest)):]
			continue
		}
		takes, option, value, known := s.option(t)
		o.unsure = o.unsure || !known
		v := word.Word{Text: value, Dynamic: whole.Dynamic, Quoted: whole.Quoted}
		if takes {
			if len(rest) == 0 {
				break
			}
			v, rest = rest[0], rest[1:]
		}
		o.note(name, option, v, t, s)
		if o.script != nil {
			break
		}
	}
	o.rest = rest
	return o
}

// note keeps what an option means. t is the whole option word, for flags that stand together.
func (o *read) note(name, option string, v word.Word, t string, s spec) {
	if strings.Contains(s.chdir, " "+option+" ") {
		o.moves = append(o.moves, Move{To: v})
	}
	if strings.Contains(s.user, " "+option+" ") {
		o.user = v.Text
	}
	short := func(f string) bool { return len(t) > 1 && t[1] != '-' && strings.Contains(t, f) }
	switch name {
	case "env", "genv":
		if option == "-S" || option == "--split-string" {
			o.script = &v
		}
	case "npx", "bunx", "pnpx":
		if option == "-c" || option == "--call" {
			o.script = &v
		}
	case "xargs", "gxargs":
		switch option {
		case "-I", "-J", "--replace":
			o.replace, o.lines = v.Text, true
			if o.replace == "" { // --replace alone
				o.replace = "{}"
			}
		case "-L", "-d", "--delimiter":
			o.lines = option != "-L"
		case "-a", "--arg-file":
			o.file = true
		case "-0", "--null":
			o.null = true
		case "-i":
			o.replace, o.lines = "{}", true
			if len(t) > 2 {
				o.replace = t[2:]
			}
		}
		o.null = o.null || short("0") && option != "-I" && option != "-n" && option != "-P" && option != "-s" && option != "-L"
	case "sudo", "doas":
		o.login = o.login || short("i") || short("s") || t == "--login" || t == "--shell"
	case "watch":
		o.plain = o.plain || short("x") || t == "--exec"
	case "entr":
		o.shell = o.shell || short("s")
	case "docker":
		v.Text = strings.TrimPrefix(v.Text, "=") // -v=/a:/b
		switch option {
		case "-v", "--volume":
			o.mounts = append(o.mounts, volume(v)...)
		case "--mount":
			o.mounts = append(o.mounts, bind(v)...)
		case "--entrypoint":
			o.entry = &v
		}
	}
}

// option reads one option word: whether its value is the next word, its name, an attached value, and whether it is known.
func (s spec) option(t string) (takes bool, name, value string, known bool) {
	if strings.HasPrefix(t, "--") {
		name, value, attached := strings.Cut(t, "=")
		if s.bools != "" {
			return !attached && !strings.Contains(s.bools, " "+name+" "), name, value, true
		}
		if strings.Contains(s.long, " "+name+" ") {
			return !attached, name, value, true
		}
		return false, name, value, true // long options without a value are harmless: nothing is skipped for them
	}
	for i := 1; i < len(t); i++ {
		switch {
		case strings.IndexByte(s.value, t[i]) >= 0:
			return i+1 == len(t), "-" + t[i:i+1], t[i+1:], true
		case strings.IndexByte(s.flags, t[i]) < 0 && !s.lax:
			return false, "", "", false
		}
	}
	return false, t[:2], "", true
}

// volume reads host:inside[:options].
func volume(v word.Word) []Mount {
	k := strings.LastIndex(v.Text, ":/")
	if k <= 0 {
		return nil
	}
	inside, options, _ := strings.Cut(v.Text[k+1:], ":")
	return []Mount{{Host: part(v, v.Text[:k]), Inside: inside, ReadOnly: strings.Contains(","+options+",", ",ro,")}}
}

// bind reads type=bind,source=…,target=….
func bind(v word.Word) []Mount {
	var m Mount
	for f := range strings.SplitSeq(v.Text, ",") {
		key, value, _ := strings.Cut(f, "=")
		switch strings.ToLower(key) {
		case "source", "src":
			m.Host = part(v, value)
		case "target", "destination", "dst":
			m.Inside = value
		case "readonly", "ro":
			m.ReadOnly = value != "false"
		}
	}
	if m.Host.Text == "" {
		return nil
	}
	return []Mount{m}
}

// part is a piece of a word.
func part(w word.Word, text string) word.Word {
	return word.Word{Text: text, Dynamic: w.Dynamic && strings.ContainsAny(text, "$`"), Quoted: w.Quoted}
}
