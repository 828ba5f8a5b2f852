package write

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// git adds the paths that a git command line names: rm, mv, checkout -- p, restore p, apply, config --file, archive -o …
func (k *collector) git(args []shell.Word) {
	c := *k.c
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		t := args[0].Text
		args = args[1:]
		switch t {
		case "-C":
			if len(args) > 0 {
				c.Dir = c.Dir.Join(args[0].Text)
				c.Dir.Unknown = c.Dir.Unknown || !args[0].Literal()
			}
			fallthrough
		case "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix":
			if len(args) > 0 {
				args = args[1:]
			}
		}
	}
	if len(args) == 0 {
		return
	}
	k = &collector{s: k.s, c: &c, cmd: k.cmd, out: k.out}
	sub, args := args[0].Text, args[1:]
	switch sub {
	case "rm":
		p := split(args, spec{"", " --pathspec-from-file "})
		if p.has("--cached") || p.has("-n", "--dry-run") {
			return
		}
		for _, f := range p.ops {
			k.add(f, Write{Via: "git rm", Delete: true, Tree: p.has("-r")})
		}
	case "mv":
		p := split(args, spec{})
		if len(p.ops) < 2 || p.has("-n", "--dry-run") {
			return
		}
		last := len(p.ops) - 1
		for _, f := range p.ops[:last] {
			k.add(p.ops[last], Write{Via: "git mv", Tree: true, From: f, Base: base(f.Text)})
			k.add(f, Write{Via: "git mv", Delete: true, Tree: true})
		}
	case "checkout", "restore":
		k.gitPaths(sub, args)
	case "apply", "am":
		k.applied("git "+sub, input(k.c))
	case "config":
		p := split(args, spec{"ft", " --file --blob --type --default --value --comment "})
		if f, ok := p.value("-f", "--file"); ok && (len(p.ops) > 1 || p.has("--unset", "--unset-all", "--edit", "-e", "--remove-section", "--add")) {
			k.add(f, Write{Via: "git config", Partial: true})
		}
	case "archive", "bundle", "format-patch", "diff", "log", "show":
		p := split(args, spec{"o", " --output --output-directory "})
		if f, ok := p.value("-o", "--output", "--output-directory"); ok {
			k.add(f, Write{Via: "git " + sub})
		}
	}
}

// gitPaths is git checkout [commit] [--] paths and git restore paths.
func (k *collector) gitPaths(sub string, args []shell.Word) {
	s := spec{"s", " --source --pathspec-from-file --conflict "}
	if sub == "checkout" {
		s = spec{"bB", " --orphan --conflict --pathspec-from-file "}
	}
	p := split(args, s)
	if sub == "restore" && p.has("-S", "--staged") && !p.has("-W", "--worktree") {
		return
	}
	ops := p.ops
	if sub == "checkout" {
		if p.has("-b", "-B", "--orphan", "--detach", "-d", "--track", "-t") {
			return
		}
		dashes := -1
		for i, a := range args {
			if a.Text == "--" {
				dashes = i
			}
		}
		switch {
		case dashes >= 0:
			ops = args[dashes+1:]
		case len(ops) > 1:
			ops = ops[1:]
		case len(ops) == 1 && !strings.HasPrefix(ops[0].Text, ".") && !p.has("--ours", "--theirs", "-p", "--patch"):
			return // a branch
		}
	}
	for _, f := range ops {
		k.add(f, Write{Via: "git " + sub, Tree: true})
	}
}

// patch reads the file from its operand, or the names from the text of the patch.
func (k *collector) patch(args []shell.Word) {
	p := split(args, spec{"BDdFgiopVYzr", " --input --output --directory --strip --fuzz --reject-file --prefix --suffix "})
	if p.has("--dry-run") {
		return
	}
	if f, ok := p.value("-o", "--output"); ok {
		k.add(f, Write{Via: "patch"})
		return
	}
	if len(p.ops) > 0 {
		k.add(p.ops[0], Write{Via: "patch", Partial: true})
		return
	}
	c := *k.c
	if d, ok := p.value("-d", "--directory"); ok {
		c.Dir = c.Dir.Join(d.Text)
	}
	inner := &collector{s: k.s, c: &c, cmd: k.cmd, out: k.out}
	inner.applied("patch", input(k.c))
}

// applied adds the files that the headers of a patch name.
func (k *collector) applied(via string, text shell.Word) {
	if text.Text == "" {
		return
	}
	last := -1 // index of the write of the file whose header is being read
	for line := range strings.SplitSeq(text.Text, "\n") {
		name, added := strings.CutPrefix(line, "+++ ")
		if !added {
			var ok bool
			if name, ok = strings.CutPrefix(line, "--- "); !ok {
				continue
			}
			last = -1
		}
		name, _, _ = strings.Cut(name, "\t")
		name = strings.TrimSpace(name)
		switch {
		case name == "/dev/null" && added && last >= 0:
			(*k.out)[last].Delete = true
			continue
		case name == "/dev/null" || name == "":
			continue
		}
		for _, prefix := range [...]string{"a/", "b/", "i/", "w/", "c/", "o/"} {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				name = rest
				break
			}
		}
		if added && last >= 0 && (*k.out)[last].Path.Text == name {
			continue
		}
		before := len(*k.out)
		k.add(shell.Word{Text: name, Quoted: true}, Write{Via: via, Partial: true})
		if len(*k.out) > before {
			last = before
		}
	}
}
