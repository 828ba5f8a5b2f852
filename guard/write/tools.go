package write

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// program adds what the program of the command writes. Options are those of GNU coreutils, BSD and the programs' manuals.
func (k *collector) program() {
	c := k.c
	if len(c.Words) < 2 {
		return
	}
	args := c.Words[1:]
	switch c.Name {
	case "tee", "sponge":
		p := split(args, spec{})
		for _, f := range p.ops {
			k.add(f, Write{Via: c.Name, Append: p.has("-a", "--append"), Content: input(c)})
		}
	case "sed", "gsed":
		k.sed(args)
	case "perl", "ruby":
		k.scriptInPlace(args)
	case "awk", "gawk", "mawk":
		k.awk(args)
	case "cp", "gcp", "ditto", "scp", "rsync", "mv", "gmv", "install", "ginstall", "ln", "gln", "link":
		k.copies(args)
	case "dd":
		k.dd(args)
	case "rm", "grm", "unlink", "shred", "rmdir", "trash", "trash-put", "srm", "wipe", "del", "erase", "rd", "Remove-Item", "ri":
		k.remove(args)
	case "rename", "prename", "file-rename":
		if p := split(args, spec{"e", " --expr "}); !p.has("-n", "--no-act", "--nono") {
			for _, f := range p.ops[min(1, len(p.ops)):] {
				k.add(f, Write{Via: "rename", Delete: true, Tree: true})
			}
		}
	case "gio":
		if args[0].Text == "trash" || args[0].Text == "remove" {
			k.remove(args[1:])
		}
	case "truncate":
		p := split(args, spec{"sr", " --size --reference "})
		for _, f := range p.ops {
			size, _ := p.value("-s", "--size")
			k.add(f, Write{Via: "truncate", Partial: strings.Trim(size.Text, "0") != ""})
		}
	case "touch":
		p := split(args, spec{"drtA", " --date --reference --time "})
		for _, f := range p.ops {
			k.add(f, Write{Via: "touch", Append: true})
		}
	case "ed", "red", "ex", "vi", "vim", "nvim", "emacs":
		k.editor(args)
	case "find", "gfind", "fd", "fdfind":
		k.find(args)
	case "patch":
		k.patch(args)
	case "git":
		k.git(args)
	default:
		if !k.archive(args) {
			k.output1(args)
		}
	}
}

// sed -i, and the w command of its scripts.
func (k *collector) sed(args []shell.Word) {
	p := split(args, spec{"efl", " --expression --file --line-length "})
	inPlace := p.has("--in-place")
	var scripts, ops []shell.Word
	// -i takes an attached suffix, which split takes for a cluster of letters: the words are read here.
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			ops = append(ops, args[i+1:]...)
			i = len(args)
		case t == "-e" || t == "--expression" || t == "-f" || t == "--file" || t == "-l":
			if i++; i < len(args) && t != "-l" {
				scripts = append(scripts, args[i])
			}
		case strings.HasPrefix(t, "--expression=") || strings.HasPrefix(t, "-e"):
			scripts = append(scripts, part(args[i], strings.TrimPrefix(strings.TrimPrefix(t, "--expression="), "-e")))
		case len(t) > 1 && t[0] == '-' && t[1] != '-':
			cut := strings.IndexAny(t[1:], "iI")
			if cut >= 0 && strings.Trim(t[1:1+cut], "nrEsuz") == "" {
				inPlace = true
				if cut+2 == len(t) && i+1 < len(args) && args[i+1].Text == "" {
					i++ // BSD: -i '' asks for no backup
				}
				continue
			}
			if strings.HasSuffix(t, "e") && i+1 < len(args) { // -ne script
				i++
				scripts = append(scripts, args[i])
			}
		case len(t) > 1 && t[0] == '-':
		default:
			ops = append(ops, args[i])
		}
	}
	if len(scripts) == 0 && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	if inPlace {
		for _, f := range ops {
			k.add(f, Write{Via: "sed -i", Partial: true})
		}
	}
	for _, x := range scripts {
		for line := range strings.SplitSeq(x.Text, "\n") {
			if f := sedWrites(strings.TrimSpace(line)); f != "" {
				k.add(shell.Word{Text: f, Dynamic: x.Dynamic, Quoted: true}, Write{Via: "sed w"})
			}
		}
	}
}

// sedWrites returns the file of a w command, or of the w flag of s///, that ends the line.
func sedWrites(line string) string {
	rest := strings.TrimLeft(line, "0123456789,$!{ ~+")
	if f, ok := strings.CutPrefix(rest, "w "); ok {
		return strings.TrimSpace(f)
	}
	if i := strings.LastIndex(line, "/w "); i >= 0 {
		return strings.TrimSpace(line[i+3:])
	}
	for _, flags := range [...]string{"/gw ", "/pw ", "/Iw ", "|w ", "#w ", ",w "} {
		if i := strings.LastIndex(line, flags); i >= 0 {
			return strings.TrimSpace(line[i+len(flags):])
		}
	}
	return ""
}

// scriptInPlace is perl -i and ruby -i.
func (k *collector) scriptInPlace(args []shell.Word) {
	inPlace, script := false, false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if len(t) < 2 || t[0] != '-' || t == "--" {
			if t == "--" {
				i++
			}
			if !script {
				i++ // the program file
			}
			for ; inPlace && i < len(args); i++ {
				k.add(args[i], Write{Via: k.c.Name + " -i", Partial: true})
			}
			return
		}
		if t[1] == '-' {
			continue
		}
		for j := 1; j < len(t); j++ {
			switch t[j] {
			case 'i':
				inPlace = true
				if e := strings.IndexByte(t[j:], 'e'); t[j+1:] != "" && e != 1 {
					j = len(t) // the rest is a suffix
				}
				continue
			case 'e', 'E':
				script = true
				if j+1 == len(t) {
					i++
				}
			case 'I', 'M', 'm', 'r', 'C', 'F':
			default:
				continue
			}
			break
		}
	}
}

func (k *collector) awk(args []shell.Word) {
	p := split(args, spec{"fFvi", " --file --field-separator --assign --include "})
	inPlace := false
	for _, o := range p.opts {
		inPlace = inPlace || (o.name == "-i" || o.name == "--include") && o.value.Text == "inplace"
	}
	ops := p.ops
	if !p.has("-f", "--file") && len(ops) > 0 {
		ops = ops[1:]
	}
	for _, f := range ops {
		if inPlace && !strings.Contains(f.Text, "=") {
			k.add(f, Write{Via: "awk -i inplace", Partial: true})
		}
	}
}

// copies is cp, mv, install, ln, scp and rsync: the last operand or -t names the target.
func (k *collector) copies(args []shell.Word) {
	name := strings.TrimPrefix(k.c.Name, "g")
	if name == "" || k.c.Name == "link" {
		name = k.c.Name
	}
	s := spec{"tS", " --target-directory --suffix "}
	switch name {
	case "install":
		s = spec{"gmotS", " --group --mode --owner --target-directory --suffix --strip-program "}
	case "rsync":
		s = spec{"efTBM", " --rsh --exclude --include --exclude-from --include-from --files-from --filter --log-file --temp-dir --backup-dir --suffix --chmod --rsync-path "}
	case "scp":
		s = spec{"cFiJloPSDX", ""}
	case "ditto":
		s = spec{}
	}
	p := split(args, s)
	w := Write{Via: k.c.Name, Link: name == "ln" || name == "link"}
	w.Hard = w.Link && !p.has("-s", "--symbolic")
	if name == "cp" && p.has("-l", "--link", "-s", "--symbolic-link") {
		w.Link, w.Hard = true, p.has("-l", "--link")
	}
	target, into := p.value("-t", "--target-directory")
	into = into && name != "rsync" && name != "scp"
	src := p.ops
	if !into {
		if len(src) == 1 && name == "ln" { // ln TARGET: a link of the same name here
			w.From = src[0]
			k.add(shell.Word{Text: base(src[0].Text), Dynamic: src[0].Dynamic, Glob: src[0].Glob}, w)
			return
		}
		if len(src) < 2 {
			return
		}
		target, src = src[len(src)-1], src[:len(src)-1]
	}
	if name == "install" && p.has("-d", "--directory") {
		return
	}
	if (name == "rsync" || name == "scp") && remote(target.Text) {
		return
	}
	if p.has("-n", "--dry-run") && name == "rsync" {
		return
	}
	w.Tree = p.has("-r", "-R", "-a", "--recursive", "--archive") || name == "mv" || name == "ditto"
	for _, f := range src {
		w.From = f
		w.Base = base(f.Text)
		if (name == "rsync" || name == "scp") && remote(f.Text) {
			w.Base = base(f.Text[strings.IndexByte(f.Text, ':')+1:])
		}
		if name == "rsync" && strings.HasSuffix(f.Text, "/") || w.Base == "." || w.Base == ".." || p.has("-T", "--no-target-directory") && name != "rsync" {
			w.Base = ""
		}
		k.add(target, w)
		if name == "mv" || name == "rsync" && p.has("--remove-source-files") {
			k.add(f, Write{Via: k.c.Name, Delete: true, Tree: true})
		}
	}
	if name == "rsync" {
		for _, o := range p.opts {
			if strings.HasPrefix(o.name, "--del") {
				k.add(target, Write{Via: "rsync --delete", Delete: true, Tree: true})
				return
			}
		}
	}
}

// remote reports whether an operand of scp or rsync is on another machine.
func remote(t string) bool {
	colon := strings.IndexByte(t, ':')
	return colon > 1 && strings.IndexByte(t[:colon], '/') < 0
}

func (k *collector) dd(args []shell.Word) {
	var in, out shell.Word
	partial := false
	for _, a := range args {
		if v, ok := strings.CutPrefix(a.Text, "of="); ok {
			out = part(a, v)
		} else if v, ok := strings.CutPrefix(a.Text, "if="); ok {
			in = part(a, v)
		}
		partial = partial || strings.HasPrefix(a.Text, "conv=") && strings.Contains(a.Text, "notrunc")
	}
	w := Write{Via: "dd", From: in, Partial: partial}
	if in.Text == "" {
		w.Content = input(k.c)
	}
	k.add(out, w)
}

func (k *collector) remove(args []shell.Word) {
	name := k.c.Name
	p := split(args, spec{"ns", " --iterations --size --random-source "})
	if name != "shred" {
		p = split(args, spec{})
	}
	w := Write{Via: name, Delete: true}
	w.Tree = p.has("-r", "-R", "--recursive") || name == "trash" || name == "trash-put" || name == "gio" || name == "Remove-Item" || name == "ri"
	if name == "shred" && !p.has("-u", "--remove") {
		w = Write{Via: name} // overwritten with noise
	}
	for _, f := range p.ops {
		if (name == "rd" || name == "del" || name == "erase") && strings.HasPrefix(f.Text, "/") && len(f.Text) <= 3 {
			w.Tree = w.Tree || strings.EqualFold(f.Text, "/s")
			continue
		}
		k.add(f, w)
	}
}

// editor is ed, ex and vim with commands: they change their operands. Without commands they wait for a person.
func (k *collector) editor(args []shell.Word) {
	p := split(args, spec{"cSTuUitW", " --cmd --eval --load --execute "})
	if k.c.Name == "ed" || k.c.Name == "red" || k.c.Name == "ex" {
		p = split(args, spec{"cp", " --cmd "})
	}
	for _, f := range p.ops {
		if !strings.HasPrefix(f.Text, "+") {
			k.add(f, Write{Via: k.c.Name, Partial: true})
		}
	}
}

// find -delete, find -exec rm …, and -fprint.
func (k *collector) find(args []shell.Word) {
	fd := strings.HasPrefix(k.c.Name, "fd")
	var starts []shell.Word
	i := 0
	for ; i < len(args) && !fd; i++ {
		t := args[i].Text
		if t == "-H" || t == "-L" || t == "-P" {
			continue
		}
		if strings.HasPrefix(t, "-") || t == "(" || t == "!" {
			break
		}
		starts = append(starts, args[i])
	}
	w := Write{Via: "find -delete", Delete: true, Tree: true}
	deletes, edits := false, false
	for ; i < len(args); i++ {
		switch t := args[i].Text; t {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex":
			if i++; i < len(args) {
				if i >= 2 && (args[i-2].Text == "!" || args[i-2].Text == "-not") {
					continue // an exception narrows nothing
				}
				if strings.HasSuffix(t, "regex") || args[i].Dynamic {
					w.Names = append(w.Names, "*")
				} else {
					w.Names = append(w.Names, base(args[i].Text))
				}
			}
		case "-delete":
			deletes = true
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i++; i < len(args) {
				k.add(args[i], Write{Via: "find -fprint"})
			}
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			verb := ""
			for i++; i < len(args) && args[i].Text != ";" && args[i].Text != "+"; i++ {
				switch b := base(args[i].Text); b {
				case "rm", "unlink", "shred", "mv", "rmdir":
					deletes = true
				case "sed", "perl", "tee", "truncate", "dd", "cp":
					verb = b
				}
				edits = edits || verb != "" && strings.HasPrefix(args[i].Text, "-i") || verb == "truncate" || verb == "tee"
			}
		default:
			if fd && !strings.HasPrefix(t, "-") {
				if len(w.Names) == 0 && len(starts) == 0 {
					w.Names = append(w.Names, "*"+t+"*")
				} else {
					starts = append(starts, args[i])
				}
			}
		}
	}
	if len(starts) == 0 {
		starts = []shell.Word{{Text: "."}}
	}
	for _, s := range starts {
		if deletes {
			k.add(s, w)
		}
		if edits {
			k.add(s, Write{Via: "find -exec", Tree: true, Partial: true, Names: w.Names})
		}
	}
}
