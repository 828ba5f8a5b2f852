package write_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
)

// shown renders writes as "via path[flags] = content", one a line.
func shown(src string) string {
	s, _ := shell.Parse(src)
	var lines []string
	for _, w := range write.Of(&s) {
		flags := ""
		for _, f := range []struct {
			on bool
			c  string
		}{{w.Append, "a"}, {w.Delete, "d"}, {w.Tree, "t"}, {w.Partial, "p"}, {w.Link, "l"}} {
			if f.on {
				flags += f.c
			}
		}
		p := w.Path.Text
		if w.Dir.Path != "" {
			p = w.Dir.Path + ":" + p
		}
		line := fmt.Sprintf("%s %s [%s]", w.Via, p, flags)
		if w.Base != "" {
			line += " base " + w.Base
		}
		if len(w.Names) > 0 {
			line += " names " + strings.Join(w.Names, ",")
		}
		if !w.Content.Dynamic && !w.Delete {
			line += fmt.Sprintf(" = %q", w.Content.Text)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ src, want string }{
		// redirections
		{"echo hi > a", `redirect a [] = "hi\n"`},
		{"echo -n hi >> a", `redirect a [a] = "hi"`},
		{`printf '%s-%d\n' x 3 >| a`, `redirect a [] = "x-3\n"`},
		{`printf '%s\n' a b > f`, `redirect f [] = "a\nb\n"`},
		{`echo -e 'a\tb\x41\0101' > f`, `redirect f [] = "a\tbAA\n"`},
		{"make &> log", "redirect log []"},
		{"make > log 2>&1", "redirect log []"},
		{"make 2> err", "redirect err []"},
		{"cmd <> f", "redirect f [ap]"},
		{"> empty", `redirect empty [] = ""`},
		{": > empty", `redirect empty [] = ""`},
		{"exec 3> log", "redirect log []"},
		{"cmd >& both", "redirect both []"},
		{"cmd >&2", ""},
		{"cmd > /dev/null 2>&1", ""},
		{"echo > /dev/tcp/example.test/22", ""},
		{"(cd sub && echo x > f)", `redirect sub:f [] = "x\n"`},
		{"{ echo a; echo b; } > f", "redirect f []"},
		{"for i in 1 2; do echo $i; done >> log", "redirect log [a]"},
		{"cat > f <<'E'\nbody\nE", `redirect f [] = "body\n"`},
		{"cat >> tests/test_carrier.py <<'PYEOF'\ndef test_x(): pass\nPYEOF", `redirect tests/test_carrier.py [a] = "def test_x(): pass\n"`},
		{"cat <<< text > f", `redirect f [] = "text\n"`},
		{"cat a b > f", "redirect f []"},
		{"diff <(a) <(b) > >(tee out)", "tee out []"},
		{"bash -c 'echo x > in'", `redirect in [] = "x\n"`},
		{"bash -c 'echo x' > out", `redirect out []`},
		{"cat a > f", "redirect f []"},
		{"rename s/a/b/ x y", "rename x [dt]\nrename y [dt]"},
		{"rename -n s/a/b/ x", ""},
		{"cp -l a b", "cp b [l] base a"},
		// tee, sponge
		{"tee a b <<< x", "tee a [] = \"x\\n\"\ntee b [] = \"x\\n\""},
		{"tee -a log", "tee log [a]"},
		{"sudo tee --append /etc/hosts <<< x", `tee /etc/hosts [a] = "x` + `\n"`},
		// in place
		{"sed -i s/a/b/ f g", "sed -i f [p]\nsed -i g [p]"},
		{"sed -i.bak s/a/b/ f", "sed -i f [p]"},
		{"sed -i '' s/a/b/ f", "sed -i f [p]"},
		{"sed -i '' -e s/a/b/ f", "sed -i f [p]"},
		{"sed -Ei s/a/b/ f", "sed -i f [p]"},
		{"sed -ni -e p f", "sed -i f [p]"},
		{"sed --in-place=.b -e s/a/b/ -e 1d f", "sed -i f [p]"},
		{"sed -n 1,20p f", ""},
		{"sed s/i/j/ f", ""},
		{"sed -n 'w out' f", "sed w out []"},
		{"sed 's/a/b/w out' f", "sed w out []"},
		{"perl -i -pe s/a/b/ f", "perl -i f [p]"},
		{"perl -pi -e s/a/b/ f", "perl -i f [p]"},
		{"perl -pi.bak -e s/a/b/ f g", "perl -i f [p]\nperl -i g [p]"},
		{"perl -0pie s/a/b/ f", "perl -i f [p]"},
		{"perl -ne print f", ""},
		{"perl -Ilib -e 'print 1'", ""},
		{"ruby -i -pe 'x' f", "ruby -i f [p]"},
		{"awk -i inplace '{print}' f", "awk -i inplace f [p]"},
		{"awk '{print}' f", ""},
		// copies
		{"cp a b", "cp b [] base a"},
		{"cp a b dir/", "cp dir/ [] base a\ncp dir/ [] base b"},
		{"cp -t dir x/a", "cp dir [] base a"},
		{"cp --target-directory=dir a", "cp dir [] base a"},
		{"cp -r src/. dst", "cp dst [t]"},
		{"mv a b", "mv b [t] base a\nmv a [dt]"},
		{"install -m 755 bin/x /usr/local/bin/x", "install /usr/local/bin/x [] base x"},
		{"install -d dir", ""},
		{"ln -s a b", "ln b [l] base a"},
		{"ln -s ../x/a", "ln a [l]"},
		{"rsync -a src/ dst/", "rsync dst/ [t]"},
		{"rsync -a --delete src/ dst", "rsync dst [t]\nrsync --delete dst [dt]"},
		{"rsync -a src host:dst", ""},
		{"scp host:f .", "scp . [] base f"},
		{"scp f host:", ""},
		{"dd if=a of=b", "dd b []"},
		{"dd of=b <<< x", `dd b [] = "x\n"`},
		// deletions
		{"rm a b", "rm a [d]\nrm b [d]"},
		{"rm -rf -- -x", "rm -x [dt]"},
		{"unlink a", "unlink a [d]"},
		{"shred -u a", "shred a [d]"},
		{"shred -n 3 a", "shred a []"},
		{"rmdir a", "rmdir a [d]"},
		{"find . -name '*.o' -delete", "find -delete . [dt] names *.o"},
		{"find a b -type f -exec rm {} +", "find -delete a [dt]\nfind -delete b [dt]\nrm {} [d]"},
		{"find . ! -name keep -delete", "find -delete . [dt]"},
		{"find . -name x", ""},
		{"truncate -s 0 f", `truncate f [] = ""`},
		{"truncate -s 10 f", `truncate f [p] = ""`},
		{"touch a", `touch a [a] = ""`},
		{"touch -r ref a", `touch a [a] = ""`},
		// git
		{"git rm tests/test_calc.py", "git rm tests/test_calc.py [d]"},
		{"git rm -r --cached x", ""},
		{"git -C sub rm -r x", "git rm sub:x [dt]"},
		{"git mv a b", "git mv b [t] base a\ngit mv a [dt]"},
		{"git checkout -- a b", "git checkout a [t]\ngit checkout b [t]"},
		{"git checkout HEAD~1 a", "git checkout a [t]"},
		{"git checkout main", ""},
		{"git checkout -b x", ""},
		{"git checkout .", "git checkout . [t]"},
		{"git restore a", "git restore a [t]"},
		{"git restore --staged a", ""},
		{"git restore --source HEAD~1 a", "git restore a [t]"},
		{"git apply <<'E'\n--- a/x.go\n+++ b/x.go\n@@\nE", "git apply x.go [p]"},
		{"git apply <<'E'\n--- a/x.go\n+++ /dev/null\n@@\nE", "git apply x.go [dp]"},
		{"git config -f .gitmodules a.b c", "git config .gitmodules [p]"},
		{"git config -f .gitmodules --get a.b", ""},
		{"git archive -o a.tar HEAD", "git archive a.tar []"},
		{"git commit -m x", ""},
		{"git status", ""},
		// other programs
		{"patch f < p", "patch f [p]"},
		{"patch -p1 <<'E'\n--- a/x\n+++ b/x\nE", "patch x [p]"},
		{"sort -o out in", "sort -o out []"},
		{"sort in", ""},
		{"curl -o out https://x.test/a", "curl -o out []"},
		{"curl -sLO https://x.test/a/b.tgz?x=1", "curl -O b.tgz []"},
		{"curl https://x.test", ""},
		{"wget https://x.test/a.tgz", "wget a.tgz []"},
		{"wget -qO- https://x.test/a", ""},
		{"wget -O out https://x.test/a", "wget -O out []"},
		{"wget -P dir https://x.test/", "wget dir/index.html []"},
		{"tar xzf a.tgz -C dir", "tar dir [t]"},
		{"tar xfC a.tar dir", "tar dir [t]"},
		{"tar -czf a.tgz src", "tar a.tgz []"},
		{"tar tf a.tar", ""},
		{"unzip a.zip -d out", "unzip out [t]"},
		{"unzip -l a.zip", ""},
		{"ed f <<E\n1d\nw\nE", "ed f [p]"},
		{"ex -sc '%s/a/b/|x' f", "ex f [p]"},
		{"vim -es -c wq f", "vim f [p]"},
		{"yq -i '.a = 1' f.yml", "yq -i f.yml [p]"},
		{"gofmt -w a.go", "gofmt -w a.go [tp]"},
		{"gofmt -l a.go", ""},
		{"go build -o bin/x ./cmd/x", "go build -o bin/x []"},
		{"gzip f", "gzip f [d]"},
		{"gzip -c f", ""},
		{"Set-Content -Path f -Value x", "Set-Content f []"},
		{"docker cp c:/a b", "docker cp b [t] base a"},
		{"grep -rn x . | head", ""},
		{"ls -la; cat f; git log -n 5", ""},
		{"echo 'x > y'", ""},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, shown(tt.src)); diff != "" {
				t.Errorf("Of(%q) (-want +got):\n%s", tt.src, diff)
			}
		})
	}
}

func TestOfKeepsTheCommand(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse("true; echo x > a; { b; } > c; rm d")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range write.Of(&s) {
		name := "compound"
		if w.Cmd >= 0 {
			name = s.Commands[w.Cmd].Name
		}
		got = append(got, w.Path.Text+" by "+name)
	}
	if diff := cmp.Diff([]string{"a by echo", "d by rm", "c by compound"}, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestOfContainers(t *testing.T) {
	t.Parallel()
	run := func(args ...string) shell.Command {
		c := shell.Command{Name: args[0], Args: args[1:], Remote: true, Wrappers: []string{"docker"}}
		for _, a := range args {
			c.Words = append(c.Words, shell.Word{Text: a})
		}
		c.Mounts = []shell.Mount{
			{Host: shell.Word{Text: "/home/dev/p"}, Inside: "/w"},
			{Host: shell.Word{Text: "/etc"}, Inside: "/ro", ReadOnly: true},
		}
		return c
	}
	tests := []struct {
		cmd  shell.Command
		want string
	}{
		{run("rm", "-rf", "/w/src"), "/home/dev/p/src"},
		{run("rm", "-rf", "/w"), "/home/dev/p"},
		{run("rm", "-rf", "/wx"), ""},
		{run("rm", "-rf", "/ro/x"), ""},
		{run("rm", "-rf", "/tmp/x"), ""},
		{run("touch", "rel"), ""},
	}
	for _, tt := range tests {
		s := shell.Script{Commands: []shell.Command{tt.cmd}}
		got := ""
		for _, w := range write.Of(&s) {
			got += w.Path.Text
		}
		if got != tt.want {
			t.Errorf("Of(%v) = %q, want %q", tt.cmd.Args, got, tt.want)
		}
	}
}

// TestOfIsLinear runs a large line whose cost would explode if anything were quadratic.
func TestOfIsLinear(t *testing.T) {
	t.Parallel()
	src := strings.Repeat("echo x > a; { y; } > b\n", 30_000)
	s, err := shell.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(write.Of(&s)); got != 60_000 {
		t.Errorf("%d writes, want 60000", got)
	}
}

// TestOfBoundsPrintf asks for an output of some 16 GB.
func TestOfBoundsPrintf(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse("printf '%s" + strings.Repeat("x", 1<<20) + "' " + strings.Repeat("a ", 16_000) + "> f")
	if err != nil {
		t.Fatal(err)
	}
	if got := write.Of(&s); len(got) != 1 || len(got[0].Content.Text) > 8<<20 {
		t.Errorf("%d writes, want one with unknown content", len(got))
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"sed -i '' s/a/b/ f", "tar xfC", "find", "find . -exec", "perl -i", "git -C", "cp -t", "printf %", `echo -e '\x'`, "dd", "curl -o", "install -t", "awk -f", "find . -name", "fd -x rm", `>""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, _ := shell.Parse(src)
		for _, w := range write.Of(&s) {
			if w.Path.Text == "" || w.Via == "" || w.Cmd >= len(s.Commands) {
				t.Errorf("Of(%q): write %+v without a path, a reason or a command", src, w)
			}
		}
	})
}
