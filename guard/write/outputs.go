package write

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// archive handles programs that unpack or pack files. It reports false for other programs.
func (k *collector) archive(args []shell.Word) bool {
	switch k.c.Name {
	case "tar", "gtar", "bsdtar":
		k.tar(args)
	case "unzip":
		p := split(args, spec{"dxP", ""})
		if p.has("-l", "-t", "-v", "-p", "-c", "-z") {
			return true
		}
		dir, ok := p.value("-d")
		if !ok {
			dir = shell.Word{Text: "."}
		}
		k.add(dir, Write{Via: "unzip", Tree: true})
	case "7z", "7za":
		for _, a := range args {
			if dir, ok := strings.CutPrefix(a.Text, "-o"); ok {
				k.add(part(a, dir), Write{Via: "7z", Tree: true})
			}
		}
	case "cpio":
		if p := split(args, spec{"EFHICDRO", " --directory "}); p.has("-i", "--extract", "-p", "--pass-through") {
			dir, ok := p.value("-D", "--directory")
			if !ok {
				dir = shell.Word{Text: "."}
			}
			k.add(dir, Write{Via: "cpio", Tree: true})
		}
	case "gzip", "bzip2", "xz", "zstd", "gunzip", "bunzip2", "unxz", "compress", "lz4":
		p := split(args, spec{"S", " --suffix "})
		if p.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list", "-k", "--keep") {
			return true
		}
		for _, f := range p.ops {
			k.add(f, Write{Via: k.c.Name, Delete: true})
		}
	default:
		return false
	}
	return true
}

func (k *collector) tar(args []shell.Word) {
	if !strings.HasPrefix(args[0].Text, "-") { // the old style, tar xfC a.tar dir: values follow in the order of the letters
		var p parsed
		rest := args[1:]
		for _, l := range args[0].Text {
			o := option{name: "-" + string(l)}
			if strings.ContainsRune("fCbXT", l) && len(rest) > 0 {
				o.value, rest = rest[0], rest[1:]
			}
			p.opts = append(p.opts, o)
		}
		tail := split(rest, tarSpec())
		p.opts, p.ops = append(p.opts, tail.opts...), tail.ops
		k.tarred(p)
		return
	}
	k.tarred(split(args, tarSpec()))
}

func tarSpec() spec {
	return spec{
		"fCTXIbgKNVL",
		" --file --directory --files-from --exclude --exclude-from --transform --strip-components --use-compress-program --owner --group --mode ",
	}
}

func (k *collector) tarred(p parsed) {
	switch {
	case p.has("-x", "--extract", "--get"):
		if p.has("-O", "--to-stdout") {
			return
		}
		dir, ok := p.value("-C", "--directory")
		if !ok {
			dir = shell.Word{Text: "."}
		}
		k.add(dir, Write{Via: "tar", Tree: true})
	case p.has("-c", "--create", "-r", "--append", "-u", "--update"):
		if f, ok := p.value("-f", "--file"); ok {
			k.add(f, Write{Via: "tar"})
		}
		if p.has("--remove-files") {
			for _, f := range p.ops {
				k.add(f, Write{Via: "tar", Delete: true, Tree: true})
			}
		}
	}
}

// output1 handles programs that write one named file, and the few that format files in place.
func (k *collector) output1(args []shell.Word) {
	via := k.c.Name
	one := func(s spec, names ...string) {
		if f, ok := split(args, s).value(names...); ok {
			k.add(f, Write{Via: via + " " + names[0]})
		}
	}
	switch via {
	case "sort", "gsort":
		one(spec{"oktTS", " --output --key --field-separator --temporary-directory --buffer-size "}, "-o", "--output")
	case "shuf":
		one(spec{"oin", " --output --input-range --head-count "}, "-o", "--output")
	case "curl":
		k.curl(args)
	case "wget":
		k.wget(args)
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "rustc", "ghc", "pandoc", "protoc", "esbuild", "tsc", "iconv", "jc", "dot":
		one(spec{"oILDlfut", " --output --from-code --to-code "}, "-o", "--output")
	case "openssl":
		for i := range args[:len(args)-1] {
			if args[i].Text == "-out" {
				k.add(args[i+1], Write{Via: "openssl -out"})
			}
		}
	case "go":
		if args[0].Text == "build" || args[0].Text == "test" {
			for i := range args[:len(args)-1] {
				if args[i].Text == "-o" {
					k.add(args[i+1], Write{Via: "go build -o"})
				}
			}
		}
	case "yq":
		p := split(args, spec{"opIP", " --output-format --input-format --indent "})
		if p.has("-i", "--inplace", "--in-place") && len(p.ops) > 0 {
			for _, f := range p.ops[1:] {
				k.add(f, Write{Via: "yq -i", Partial: true})
			}
		}
	case "gofmt", "goimports", "gofumpt", "prettier", "shfmt", "clang-format":
		p := split(args, spec{"r", ""})
		for _, f := range p.ops {
			if p.has("-w", "--write", "-i") {
				k.add(f, Write{Via: via + " -w", Tree: true, Partial: true})
			}
		}
	case "dos2unix", "unix2dos":
		for _, f := range split(args, spec{}).ops {
			k.add(f, Write{Via: via, Partial: true})
		}
	case "uniq", "xxd":
		if p := split(args, spec{"fswclgos", ""}); len(p.ops) == 2 {
			k.add(p.ops[1], Write{Via: via, Partial: via == "xxd"})
		}
	case "docker", "podman", "kubectl", "oc", "nerdctl":
		if args[0].Text == "cp" {
			if p := split(args[1:], spec{"c", " --container "}); len(p.ops) == 2 && !remote(p.ops[1].Text) {
				k.add(p.ops[1], Write{Via: via + " cp", Tree: true, From: p.ops[0], Base: base(p.ops[0].Text)})
			}
		}
	case "split", "csplit":
		if p := split(args, spec{"abClntfk", ""}); len(p.ops) == 2 {
			k.add(part(p.ops[1], p.ops[1].Text+"aa"), Write{Via: via})
		}
	case "Set-Content", "Add-Content", "Out-File", "New-Item", "Clear-Content", "sc", "ac", "ni":
		k.powershell(args)
	case "copy", "move", "xcopy", "Copy-Item", "Move-Item", "ren", "Rename-Item":
		var ops []shell.Word
		for _, a := range args {
			if t := a.Text; t != "" && t[0] != '-' && !(t[0] == '/' && len(t) <= 3) {
				ops = append(ops, a)
			}
		}
		if len(ops) >= 2 {
			k.add(ops[1], Write{Via: via, From: ops[0], Base: base(ops[0].Text), Tree: true})
			if v := strings.ToLower(via); v == "move" || v[0] == 'm' || v[0] == 'r' {
				k.add(ops[0], Write{Via: via, Delete: true, Tree: true})
			}
		}
	}
}

func (k *collector) powershell(args []shell.Word) {
	w := Write{Via: k.c.Name, Append: k.c.Name == "Add-Content" || k.c.Name == "ac"}
	for i := 0; i < len(args); i++ {
		switch t := strings.ToLower(args[i].Text); {
		case t == "-append":
			w.Append = true
		case t == "-path" || t == "-filepath" || t == "-literalpath":
			if i++; i < len(args) {
				k.add(args[i], w)
			}
			return
		case strings.HasPrefix(t, "-value") || t == "-encoding" || t == "-itemtype":
			i++
		case !strings.HasPrefix(t, "-"):
			k.add(args[i], w)
			return
		}
	}
}

func (k *collector) curl(args []shell.Word) {
	p := split(args, spec{
		"oHdXuFAbceEKmrTUwxyYzCQtDhP",
		" --output --header --data --data-raw --data-binary --request --user --form --user-agent --cookie --cookie-jar --config --max-time --proxy --write-out --output-dir --dump-header --url --retry --connect-timeout --trace --trace-ascii --stderr ",
	})
	dir, _ := p.value("--output-dir")
	for _, o := range p.opts {
		switch {
		case o.name == "-o" || o.name == "--output":
			f := o.value
			if dir.Text != "" {
				f.Text = dir.Text + "/" + f.Text
			}
			k.add(f, Write{Via: "curl -o"})
		case o.name == "-c" || o.name == "--cookie-jar" || o.name == "-D" || o.name == "--dump-header" || strings.HasPrefix(o.name, "--trace") || o.name == "--stderr":
			k.add(o.value, Write{Via: "curl " + o.name})
		case o.name == "-O" || o.name == "--remote-name" || o.name == "--remote-name-all":
			for _, u := range p.ops {
				f := shell.Word{Text: urlBase(u.Text), Dynamic: u.Dynamic}
				if dir.Text != "" {
					f.Text = dir.Text + "/" + f.Text
				}
				k.add(f, Write{Via: "curl -O"})
			}
		}
	}
}

func (k *collector) wget(args []shell.Word) {
	p := split(args, spec{
		"OPoaiBtTwQUelADRIX",
		" --output-document --directory-prefix --output-file --append-output --input-file --tries --timeout --header --user --password --post-data --user-agent ",
	})
	if f, ok := p.value("-o", "-a", "--output-file", "--append-output"); ok {
		k.add(f, Write{Via: "wget -o", Append: p.has("-a", "--append-output")})
	}
	if f, ok := p.value("-O", "--output-document"); ok {
		k.add(f, Write{Via: "wget -O"})
		return
	}
	if p.has("--spider") {
		return
	}
	dir, _ := p.value("-P", "--directory-prefix")
	for _, u := range p.ops {
		f := shell.Word{Text: urlBase(u.Text), Dynamic: u.Dynamic}
		if dir.Text != "" {
			f.Text = dir.Text + "/" + f.Text
		}
		k.add(f, Write{Via: "wget"})
	}
}

// urlBase is the name under which a download is stored.
func urlBase(u string) string {
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		u = u[:i]
	}
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
		slash := strings.IndexByte(u, '/')
		if slash < 0 || slash+1 == len(u) {
			return "index.html"
		}
	}
	return base(u)
}
