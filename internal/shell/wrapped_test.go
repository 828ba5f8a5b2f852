package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/shell"
)

// quote makes one shell word of any text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wrappers put a command line into another one that runs it; %s is the line, %q the line as one quoted word.
var wrappers = [...]string{
	"sudo %s", "sudo -u root -E A=1 %s", "doas %s", "pkexec %s", "env A=1 %s", "env -i -u B %s", "nohup %s", "setsid -w %s", "command %s", "exec -a n %s", "nice -n 5 %s", "ionice -c 2 %s", "stdbuf -oL %s",
	"timeout -k 5 60s %s", "xargs -n 1 %s", "chroot /x %s", "taskset 1 %s", "flock /l %s", "xvfb-run -a %s", "caffeinate -i %s", "strace -f -o o %s", "systemd-run --user %s", "nsenter -t 1 -m %s", "unshare -r %s",
	"bwrap --bind / / %s", "firejail %s", "busybox %s", "runuser -u x -- %s", "gosu u %s", "wsl -- %s", "script -q f %s", "docker run i %s", "docker exec -it c %s", "podman run -v /a:/b i %s",
	"kubectl exec p -- %s", "lxc exec c -- %s", "npx %s", "uv run %s", "bundle exec %s", "perf stat %s", "\\time -p %s", "entr -r %s", "setpriv --reuid 0 %s", "torsocks %s",
	"sh -c %q", "bash -lc %q", "eval %q", "su -c %q", "su - u -c %q", "ssh h %q", "watch %q", "script -c %q", "parallel %q", "env -S %q", "npx -c %q", "flock /l -c %q", "trap %q EXIT", "echo %q | sh",
	"bash <<< %q", "bash <(echo %q)", "vagrant ssh -c %q", "adb shell %q", "tmux new -d %q", "git submodule foreach %q", "alias zz=%q; zz", "printf '%%s\\n' %q | bash",
	"bash <<'EOF-X'\n%s\nEOF-X\n", "cat <<'EOF-X' | sudo sh\n%s\nEOF-X\n", "(%s)", "{ %s; }", "! %s", "time %s", "a && %s", "a || %s", "a; %s", "a | %s", "%s | b", "%s &", "if a; then %s; fi", "if %s; then a; fi",
	"while a; do %s; done", "for zi in 1 2; do %s; done", "case a in a) %s;; esac", "zf() { %s; }; zf", "zf() { %s; }", "echo $(%s)", "echo \"$(%s)\"", "echo `%s`", "x=$(%s)", "[[ $(%s) ]]", "cat <(%s)", "coproc %s",
	"%s > out 2>&1", "%s < in", "cd d && %s", "find . -exec %s {} +", "fd x -x %s", "git bisect run %s",
}

func wrapLine(form, line string) string {
	return strings.NewReplacer("%%", "%", "%q", quote(line), "%s", line).Replace(form) // in one pass: the line may hold a verb itself
}

// has reports whether the script lists a command of this name whose arguments begin with args (find adds {}).
func has(s shell.Script, name string, args []string) bool {
	return slices.ContainsFunc(s.Commands, func(c shell.Command) bool {
		return c.Name == name && len(c.Args) >= len(args) && slices.Equal(c.Args[:len(args)], args)
	})
}

func TestWrappingHidesNothing(t *testing.T) {
	t.Parallel()
	for _, form := range wrappers {
		for _, line := range []string{"rm -rf /", "/usr/bin/git push -f origin main", "dd of=/dev/sda"} {
			f := strings.Fields(line)
			src := wrapLine(form, line)
			s, err := shell.Parse(src)
			if err != nil || !has(s, f[0][strings.LastIndexByte(f[0], '/')+1:], f[1:]) {
				t.Errorf("Parse(%q) = %q, %v", src, showAll(s), err)
			}
		}
	}
}

// The same through two and three layers, with arguments that need quotes.
func TestNestedWrappingHidesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z/~.,:=@ '"$(){}\\*;|&#-]{1,8}`), 0, 3).Draw(t, "args")
		line := "zprog"
		for _, w := range words {
			line += " " + quote(w)
		}
		src := line
		for range rapid.IntRange(1, 3).Draw(t, "layers") {
			form := rapid.SampledFrom(wrappers[:]).Draw(t, "form")
			backquoted := strings.Contains(form, "`") && strings.ContainsAny(src, "`\\$")
			multiline := strings.Contains(src, "EOF-X") || strings.HasSuffix(src, "&")
			if backquoted || multiline || strings.Contains(form, "%s") && !simpleLine(src, line) && !groups(form) {
				continue // not a wrapping: the form takes one simple command
			}
			src = wrapLine(form, src)
		}
		s, err := shell.Parse(src)
		if err != nil || !has(s, "zprog", words) {
			t.Fatalf("Parse(%q) = %q, %v; want zprog %q", src, showAll(s), err, words)
		}
	})
}

// simpleLine reports whether src is still one simple command.
func simpleLine(src, line string) bool {
	rest, ok := strings.CutSuffix(src, line)
	return ok && !strings.ContainsAny(rest, ";|&<>(){}!`\n") && !strings.HasPrefix(rest, "time ") && !strings.HasPrefix(rest, "coproc ")
}

// groups reports whether a form takes any list of commands.
func groups(form string) bool {
	for _, p := range []string{"(%s)", "{ %s; }", "if ", "while ", "for ", "case ", "zf()", "echo $(", "echo \"$(", "x=$(", "[[ $(", "cat <(", "a; %s"} {
		if strings.HasPrefix(form, p) {
			return true
		}
	}
	return false
}

func TestStdinMountsAndUsers(t *testing.T) {
	t.Parallel()
	last := func(src string) shell.Command {
		s, err := shell.Parse(src)
		if err != nil || len(s.Commands) == 0 {
			t.Fatalf("Parse(%q): %d commands, %v", src, len(s.Commands), err)
		}
		return s.Commands[len(s.Commands)-1]
	}
	type word = shell.Word
	for _, tt := range []struct {
		src  string
		want shell.Feed
	}{
		{"psql", shell.Feed{}},
		{"psql <<E\nDROP TABLE a;\nE", shell.Feed{Kind: shell.FeedText, Text: word{Text: "DROP TABLE a;\n"}}},
		{"psql <<'E'\n\\d $x\nE", shell.Feed{Kind: shell.FeedText, Text: word{Text: "\\d $x\n"}}},
		{"psql <<E\n$x\nE", shell.Feed{Kind: shell.FeedText, Text: word{Text: "$x\n", Dynamic: true}}},
		{"psql <<< 'a b'", shell.Feed{Kind: shell.FeedText, Text: word{Text: "a b\n", Quoted: true}}},
		{"psql < f", shell.Feed{Kind: shell.FeedFile, File: word{Text: "f"}}},
		{"{ psql; } < f", shell.Feed{Kind: shell.FeedFile, File: word{Text: "f"}}},
		{"echo a | psql", shell.Feed{Kind: shell.FeedText, Text: word{Text: "a\n"}, From: []int{0}}},
		{"echo a | sh -c 'psql'", shell.Feed{Kind: shell.FeedText, Text: word{Text: "a\n"}, From: []int{0}}},
		{"echo YQo= | base64 -d | psql", shell.Feed{Kind: shell.FeedText, Text: word{Text: "a\n"}, From: []int{1}}},
		{"(echo a; echo b) | psql", shell.Feed{Kind: shell.FeedText, Text: word{Text: "a\nb\n"}, From: []int{0, 1}}},
		{"echo a > f | psql", shell.Feed{Kind: shell.FeedText, From: []int{0}}},
		{"curl x | psql", shell.Feed{Kind: shell.FeedPipe, From: []int{0}}},
		{"if a; then echo b; fi | psql", shell.Feed{Kind: shell.FeedPipe, From: []int{0, 1}}},
		{"a || echo b | psql", shell.Feed{Kind: shell.FeedText, Text: word{Text: "b\n"}, From: []int{1}}},
		{"psql < <(curl x)", shell.Feed{Kind: shell.FeedPipe, From: []int{0}}},
		{"psql <&3", shell.Feed{Kind: shell.FeedPipe}},
		{"curl x | bash", shell.Feed{Kind: shell.FeedPipe, From: []int{0}}},
		{"eval \"$(curl x)\"", shell.Feed{Kind: shell.FeedPipe, From: []int{0}}},
		{"bash <(curl x)", shell.Feed{Kind: shell.FeedPipe, From: []int{0}}},
	} {
		if diff := cmp.Diff(tt.want, last(tt.src).Stdin); diff != "" {
			t.Errorf("standard input in %q (-want +got):\n%s", tt.src, diff)
		}
	}
	for _, tt := range []struct {
		src  string
		want []shell.Mount
	}{
		{"docker run -v /:/host i ls", []shell.Mount{{Host: word{Text: "/"}, Inside: "/host"}}},
		{"docker run -v=/a:/b:ro,z i", []shell.Mount{{Host: word{Text: "/a"}, Inside: "/b", ReadOnly: true}}},
		{"docker run --volume=\"$PWD:/app\" i sh -c ls", []shell.Mount{{Host: word{Text: "$PWD", Dynamic: true, Quoted: true}, Inside: "/app"}}},
		{"docker run --mount type=bind,source=/,target=/h,readonly i ls", []shell.Mount{{Host: word{Text: "/"}, Inside: "/h", ReadOnly: true}}},
		{"podman run -v vol:/data -v /x:/y i ls", []shell.Mount{{Host: word{Text: "vol"}, Inside: "/data"}, {Host: word{Text: "/x"}, Inside: "/y"}}},
		{"docker exec c ls", nil},
	} {
		if diff := cmp.Diff(tt.want, last(tt.src).Mounts); diff != "" {
			t.Errorf("mounts of %q (-want +got):\n%s", tt.src, diff)
		}
	}
	for src, want := range map[string]string{"sudo -u a ls": "a", "sudo ls": "", "su a -c ls": "a", "su -c ls": "root", "runuser -u b ls": "b", "doas -u c ls": "c", "docker run -u 0 i ls": "0"} {
		if got := last(src).User; got != want {
			t.Errorf("user of %q = %q, want %q", src, got, want)
		}
	}
	for src, want := range map[string]bool{"ssh h ls": true, "ssh h": false, "docker run i ls": true, "kubectl exec p -- ls": true, "sudo ls": false, "ssh h sh -c 'cd x; ls'": true} {
		if got := last(src).Remote; got != want {
			t.Errorf("%q runs elsewhere: %v, want %v", src, got, want)
		}
	}
}

func TestForkBombs(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		":(){ :|:& };:": {":"}, "bomb() { bomb | bomb & }; bomb": {"bomb"}, "f() { f & f & }; f": {"f"}, "f(){ f|f; }": {"f"}, "a() { b | b; }; b() { a & }; a": {"a"},
		"f() { while true; do f & done; }; f": {"f"}, "f() { (f | f) & }; f": {"f"}, "function f { f | f & }": {"f"},
		"walk() { for d in $1/*; do walk \"$d\" & done; }; walk .": nil, "f() { f; }; f": nil, "f() { g | g; }; g() { ls; }; f": nil, "fact() { echo $(( $1 * $(fact $(( $1 - 1 ))) )); }; fact 5": nil,
		"walk() { ls \"$1\" | while read d; do walk \"$1/$d\"; done; }; walk .": nil, "retry() { cmd || { sleep 1; retry & }; }": nil, "f() { ls | wc; }; f | f": nil,
	} {
		s, err := shell.Parse(src)
		if err != nil {
			t.Errorf("Parse(%q): %v", src, err)
		}
		if diff := cmp.Diff(want, s.Forks); diff != "" {
			t.Errorf("forks of %q (-want +got):\n%s", src, diff)
		}
	}
}
