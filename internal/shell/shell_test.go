package shell_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/shell"
)

// show renders a command as "wrapper>wrapper>[dir] NAME arg arg", with ? for what is unreadable.
func show(c shell.Command) string {
	var b strings.Builder
	for _, w := range c.Wrappers {
		b.WriteString(w + ">")
	}
	if c.Dir.Path != "" || c.Dir.Unknown {
		b.WriteString("[" + c.Dir.Path)
		if c.Dir.Unknown {
			b.WriteString("?")
		}
		b.WriteString("] ")
	}
	if len(c.Assign) > 0 {
		b.WriteString(strings.Join(c.Assign, " ") + " ")
	}
	if c.Unreadable {
		b.WriteString("?")
		if len(c.Words) > 0 {
			b.WriteString(c.Words[0].Text)
		}
	} else {
		b.WriteString(c.Name)
	}
	for _, a := range c.Args {
		b.WriteString(" " + a)
	}
	if c.Opaque {
		b.WriteString(" (opaque)")
	}
	return strings.TrimSpace(b.String())
}

func showAll(s shell.Script) []string {
	out := []string{}
	for _, c := range s.Commands {
		out = append(out, show(c))
	}
	return out
}

func TestParseFlattens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want []string
	}{
		{"", []string{}},
		{"# only a note", []string{}},
		{"ls -la", []string{"ls -la"}},
		{"/usr/bin/git push", []string{"git push"}},
		{"a; b\nc & d", []string{"a", "b", "c", "d"}},
		{"a && b || c | d", []string{"a", "b", "c", "d"}},
		{"(a; { b; })", []string{"a", "b"}},
		{"if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"while a; do b; done; until c; do d; done", []string{"a", "b", "c", "d"}},
		{"for x in $(a) b; do c $x; done", []string{"a", "c $(a)", "c b"}},
		{"case $(a) in x) b;; *) c;; esac", []string{"a", "b", "c"}},
		{"f() { a; }; f", []string{"a", "f"}},
		{"echo \"$(a `b`)\"", []string{"b", "a `b`", "echo $(a `b`)"}},
		{"diff <(a) <(b)", []string{"a", "b", "diff <(a) <(b)"}},
		{"x=$(a) y=1", []string{"a", "x=$(a) y=1"}},
		{"FOO=1 BAR='a b' rm -rf /", []string{"FOO=1 BAR=a b rm -rf /"}},
		{"export A=1 B", []string{"export A=1 B"}},
		{"! git reset --hard", []string{"git reset --hard"}},
		{"git \\\nreset --hard", []string{"git reset --hard"}},
		{"time -p a", []string{"time>a"}},
		{"[[ -n $(a) ]] && (( $(b) + 1 ))", []string{"a", "[[", "b", "(("}},
		{"echo ${x:-$(a)} $((1 + $(b))) ${y/$(c)/d}", []string{"a", "b", "c", "echo $(a) $((1 + $(b))) ${y/$(c)/d}"}},
		{"echo 'don'\\''t' \"a\\\"b\" $'a\\x41\\n' r\\m", []string{"echo don't a\"b aA\n rm"}},
		{"r\\m 'r'm \"rm\"", []string{"rm rm rm"}},
		{"rm$IFS-rf$IFS/", []string{"rm -rf /"}},
		{"/bin/r[m] -rf /", []string{"?/bin/r[m] -rf /"}},
		{"$(printf rm) --force /", []string{"printf rm", "rm --force /"}},
		{"[ -f x ]", []string{"[ -f x ]"}},
		{"{a,b} c", []string{"a b c"}},
		{"> out", []string{""}},
		{"cat <<'E'\nrm -rf /\nE", []string{"cat"}},
		{"cat <<E\n$(a)\nE", []string{"a", "cat"}},
		{"coproc a", []string{"a"}},
	} {
		s, err := shell.Parse(tt.src)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.src, err)
			continue
		}
		if diff := cmp.Diff(tt.want, showAll(s)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.src, diff)
		}
	}
}

func TestParseUnwraps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want []string
	}{
		{"sudo -u root -E A=1 rm -rf /", []string{"sudo>A=1 rm -rf /"}},
		{"sudo -i", []string{"sudo -i"}},
		{"sudo -D /x ls", []string{"sudo>[/x] ls"}},
		{"env", []string{"env"}},
		{"env -i A=1 -- pytest", []string{"env>A=1 -- pytest"}},
		{"env -u X A=1 B=2 pytest -q", []string{"env>A=1 B=2 pytest -q"}},
		{"env -C / git clean -fdx", []string{"env>[/] git clean -fdx"}},
		{"env -S 'rm -rf' /", []string{"env>rm -rf /"}},
		{"command -v go", []string{"command -v go"}},
		{"command -p git status", []string{"command>git status"}},
		{"nohup timeout -k 5 60s nice -n 10 go test ./...", []string{"nohup>timeout>nice>go test ./..."}},
		{"exec 2>&1", []string{"exec"}},
		{"exec -a x ls", []string{"exec>ls"}},
		{"\\time -f %e make", []string{"time>make"}},
		{"printf '%s\\n' / | xargs -n 1 rm -rf", []string{"printf %s\\n /", "xargs>rm -rf /"}},
		{"xargs", []string{"xargs"}},
		{"sh -c 'git reset --hard; ls'", []string{"sh>git reset --hard", "sh>ls"}},
		{"bash -lc \"cd a && pytest\"", []string{"bash>cd a", "bash>[a] pytest"}},
		{"bash -o pipefail -ec 'a | b'", []string{"bash>a", "bash>b"}},
		{"bash script.sh -c x", []string{"bash script.sh -c x"}},
		{"bash <<'E'\nrm -rf /\nE", []string{"bash>rm -rf /"}},
		{"sh <<< 'ls'", []string{"sh>ls"}},
		{"sh -c \"$X\"", []string{"sh>?$X", "sh -c $X (opaque)"}},
		{"sh -c 'if'", []string{"sh -c if (opaque)"}},
		{"sudo sh -c 'env A=1 sh -c \"rm x\"'", []string{"sudo>sh>env>sh>A=1 rm x"}},
		{"eval rm -rf /", []string{"eval>rm -rf /"}},
		{"eval \"rm -rf $HOME\"", []string{"eval>rm -rf $HOME", "eval rm -rf $HOME (opaque)"}},
		{"su -c 'rm -rf /' x; runuser -u x -c ls", []string{"su>rm -rf /", "runuser>ls"}},
		{"find . -name x -exec rm {} + -o -exec sh -c 'rm -rf ~' \\;", []string{
			"find . -name x -exec rm {} + -o -exec sh -c rm -rf ~ ;", "find>rm {}", "find>sh>rm -rf ~",
		}},
		{"flock /tmp/l -c 'go test'", []string{"flock>go test"}},
		{"cross-env CI=1 jest", []string{"cross-env>CI=1 jest"}},
		{"sudo -Z x rm", []string{"sudo>?x rm"}},
		{"$X rm", []string{"?$X rm"}},
	} {
		s, err := shell.Parse(tt.src)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.src, err)
			continue
		}
		if diff := cmp.Diff(tt.want, showAll(s)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.src, diff)
		}
	}
}

func TestParseTracksDirectory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want string // of the last command
	}{
		{"cd a && x", "[a] x"},
		{"cd a; cd ../b/; x", "[b] x"},
		{"cd /srv/app && cd web; x", "[/srv/app/web] x"},
		{"(cd a); x", "x"},
		{"(cd a && x)", "[a] x"},
		{"cd a | cat; x", "x"},
		{"cd && x", "[~] x"},
		{"cd - && x", "[?] x"},
		{"cd \"$D\"; x", "[?] x"},
		{"cd $D; cd /a; x", "[/a] x"},
		{"if t; then cd a; fi; x", "[?] x"},
		{"if t; then cd a; else cd a; fi; x", "[?] x"},
		{"for i in 1 2; do cd a; done; x", "[?] x"},
		{"cd -P -- a && x", "[a] x"},
		{"pushd a; x", "[a] x"},
		{"pushd a; popd; x", "[a?] x"},
		{"sh -c 'cd a'; x", "x"},
		{"eval 'cd a'; x", "[a] x"},
		{"cd ~/p && x", "[~/p] x"},
		{"sudo cd a; x", "x"},
	} {
		s, err := shell.Parse(tt.src)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.src, err)
			continue
		}
		if got := show(s.Commands[len(s.Commands)-1]); got != tt.want {
			t.Errorf("Parse(%q): last command %q, want %q", tt.src, got, tt.want)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want []string // targets written to
	}{
		{"a > x 2>> y", []string{"x", "y"}},
		{"a > /dev/null 2>&1", nil},
		{"a &> z; b >| w; c <> v", []string{"z", "w", "v"}},
		{"cd d && cat > f <<'E'\nx\nE", []string{"d/f"}},
		{"{ a; b; } > g", []string{"g"}},
		{"while a; do b; done > h", []string{"h"}},
		{"> i", []string{"i"}},
		{"sh -c 'echo > j'", []string{"j"}},
		{"a < x", nil},
		{"a >&2", nil},
		{"a > $F", []string{"$F"}},
		{"echo $(a > k)", []string{"k"}},
	} {
		s, err := shell.Parse(tt.src)
		if err != nil {
			t.Fatalf("Parse(%q): %v", tt.src, err)
		}
		var got []string
		for _, r := range s.Redirs {
			if r.Writes() {
				got = append(got, r.Dir.Join(r.Target.Text).Path)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("writes of %q (-want +got):\n%s", tt.src, diff)
		}
	}
	s, _ := shell.Parse("python3 - <<'E'\nprint(\"$x\")\nE")
	if got := s.Commands[0].Redirs[0].Body; got.Text != "print(\"$x\")\n" || got.Dynamic {
		t.Errorf("here-document body = %+v", got)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse("a | b; (c); d & e && f; g() { h; }; for i in 1; do j; done; echo $(k); sh -c l")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]shell.Place{}
	for _, c := range s.Commands {
		got[c.Name] = c.Place
	}
	want := map[string]shell.Place{
		"a": shell.InPipe, "b": shell.InPipe, "c": shell.InSubshell, "d": shell.InBackground, "e": 0, "f": shell.InBranch,
		"h": shell.InFunction, "j": shell.InLoop | shell.InBranch, "k": shell.InSubst, "echo": 0, "l": shell.InNested,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestTextAndPosition(t *testing.T) {
	t.Parallel()
	src := "cd a && FOO=1 sudo rm -rf 'x y' > z; sh -c 'ls; pwd'"
	s, err := shell.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, c := range s.Commands {
		got = append(got, c.Text)
		if c.Place&shell.InNested == 0 && !strings.HasPrefix(src[c.Pos:], c.Text) {
			t.Errorf("text %q is not at %d", c.Text, c.Pos)
		}
	}
	want := []string{"cd a", "FOO=1 sudo rm -rf 'x y' > z", "ls", "pwd"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

// The commands before a syntax error run in bash, so they are reported.
func TestBrokenScriptKeepsWhatCameBefore(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse("rm -rf /\nif (")
	if !errors.Is(err, shell.ErrSyntax) {
		t.Fatalf("err = %v, want ErrSyntax", err)
	}
	if diff := cmp.Diff([]string{"rm -rf /"}, showAll(s)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// Every command of the handed danger and safe list can be read.
func TestParseHandedCommands(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/commands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		src := strings.ReplaceAll(f[0], `\n`, "\n")
		s, err := shell.Parse(src)
		if err != nil || len(s.Commands) == 0 {
			t.Errorf("Parse(%q): %d commands, %v", src, len(s.Commands), err)
		}
	}
	if n < 40 {
		t.Errorf("only %d commands read", n)
	}
}
