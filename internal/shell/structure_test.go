package shell_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Every one of these runs `rm -rf /` in the end, and nothing else that starts with rm.
var disguises = [...]string{
	"FOO=1 rm -rf /", "rm$IFS-rf$IFS/", "rm${IFS}-rf${IFS}/", "rm${IFS%?}-rf${IFS:0:1}/", "$(printf rm) -rf /", "`echo rm` -rf /", "$(echo 'rm -rf /')",
	`"$(echo rm)" -rf /`, `$(echo r)$(echo m) -rf /`, "`printf '\\162\\155'` -rf /", "{rm,-rf,/}", `$'\x72m' -rf /`, `r''m -rf /`, `\rm -rf /`, `"r"m -rf /`,
	"rm \\\n-rf /", "! rm -rf /", "{ rm -rf /; }", "(rm -rf /)", "time rm -rf /", "coproc rm -rf /", "rm -rf / &", "x=$(rm -rf /)", "cat <<E\n$(rm -rf /)\nE",
	"a=rm b=-rf; $a $b /", "a='rm -rf /'; $a", `a=(rm -rf /); "${a[@]}"`, `a=(rm -rf /); ${a[*]}`, "a=r; a+=m; $a -rf /", "a[0]=rm; a[1]=-rf; ${a[@]} /", "${x:-rm} -rf /",
	"x=xrmx; ${x:1:2} -rf /", "n=a; a=rm; ${!n} -rf /", "x=RM; ${x,,} -rf /", "x=rm.exe; ${x%.exe} -rf /", "x=sm; ${x/s/r} -rf /", "printf -v c rm; $c -rf /",
	"read c <<< rm; $c -rf /", "IFS=,; a=rm,-rf,/; $a", "set -- rm -rf /; \"$@\"", "eval 'g=rm'; $g -rf /", "export c=rm; sh -c '$c -rf /'", "c=rm sh -c '$c -rf /'",
	"c=rm; bash -c \"$c -rf /\"", "declare -x c=rm; bash -c '$c -rf /'", "alias r=rm; r -rf /", "a=$(echo cm0= | base64 -d); $a -rf /",
	`run() { "$@"; }; run rm -rf /`, `f() { rm -rf "$1"; }; f /`, "f() { local d=$1; rm -rf $d; }; f /", "x=build; f() { rm -rf $x; }; x=/; f", "f() { g; }; g() { rm -rf /; }; f",
	"for d in /; do rm -rf $d; done", "for c in 'rm -rf /'; do $c; done", "set -- /; for d; do rm -rf $d; done", `echo / | while read -r d; do rm -rf "$d"; done`,
	"while read d; do rm -rf $d; done <<E\n/\nE", "if x; then rm -rf /; fi", "case x in x) rm -rf /;; esac", "until rm -rf /; do :; done", "[[ $(rm -rf /) ]]",
	"sh -c 'rm -rf /'", "bash -lc 'rm -rf /'", "bash -o pipefail -ec 'rm -rf /'", "fish -c 'rm -rf /'", "$SHELL -c 'rm -rf /'", "sh -c 'rm -rf $0' /", `bash -c '"$@"' _ rm -rf /`,
	`bash -c 'shift; rm -rf "$@"' _ x /`, "bash <<E\nrm -rf /\nE", "bash -s <<E\nrm -rf /\nE", "sh <<< 'rm -rf /'", "bash <(echo rm -rf /)", "bash < <(echo rm -rf /)", ". <(echo rm -rf /)",
	"source /dev/stdin <<E\nrm -rf /\nE", "{ bash; } <<E\nrm -rf /\nE", "eval rm -rf /", "eval eval eval rm -rf /", `eval "$(echo rm -rf /)"`, "eval $(echo 'rm -rf /')",
	"echo 'rm -rf /' | bash", "cat <<'E' | sh\nrm -rf /\nE", "(echo rm -rf /) | sh", "{ echo -n 'rm '; echo '-rf /'; } | sh", "echo \"echo 'rm -rf /'\" | sh | sh",
	"printf 'rm -rf %s\\n' / | sh", `printf '%b' 'rm\x20-rf\x20/' | sh`, `echo -e 'rm\t-rf /' | sh`, "echo cm0gLXJmIC8K | base64 -d | bash", "echo cm0gLXJmIC8K | base64 --decode | cat | sudo bash",
	"base64 -d <<< cm0gLXJmIC8K | sh", "openssl base64 -d <<< cm0gLXJmIC8K | sh", "echo 726d202d7266202f | xxd -r -p | sh", "echo '/ fr- mr' | rev | sh", "echo 'ez -es /' | tr 'a-z' 'n-za-m' | sh",
	"echo 'xrm -rf /' | cut -c 2- | sh", "echo 'sm -rf /' | sed s/sm/rm/ | sh", "echo 'RM -RF /' | tr A-Z a-z | sh", "echo rm -rf / | tee log | sh", `bash -c "$(cat <<'E'` + "\nrm -rf /\nE\n)\"",
	"printf '%s\\n' / | xargs rm -rf", "echo -rf / | xargs rm", "echo / | xargs -I{} rm -rf {}", "echo / | xargs -I % sh -c 'rm -rf %'", `echo / | xargs sh -c 'rm -rf "$1"' _`, "xargs rm -rf <<< /",
	"printf '/\\0' | xargs -0 rm -rf", "parallel rm -rf ::: /", "parallel 'rm -rf {}' ::: /", "echo / | parallel rm -rf", "echo 'rm -rf /' | parallel",
	"su -c 'rm -rf /'", "su - u -c 'rm -rf /'", "su u -s /bin/sh -c 'rm -rf /'", `su -crm\ -rf\ /`, "su --command='rm -rf /' root", "su root -- -c 'rm -rf /'", "runuser -u x -c 'rm -rf /'",
	"runuser -u x -- rm -rf /", "doas -u root rm -rf /", "pkexec --user root rm -rf /", "sudo -u root -- rm -rf /", "sudo -i <<E\nrm -rf /\nE", "sudo su - <<E\nrm -rf /\nE",
	"ssh h rm -rf /", "ssh -p 22 u@h -- 'rm -rf /'", "ssh h bash -s <<'E'\nrm -rf /\nE", "ssh h <<E\nrm -rf /\nE", "ssh -o ProxyCommand='rm -rf /' h", "sshpass -p x ssh h rm -rf /",
	"docker run --rm -v /:/h alpine rm -rf /", "docker run --entrypoint sh i -c 'rm -rf /'", "docker exec -it -e A=1 c rm -rf /", "docker compose -f x exec -T web rm -rf /", "podman run --name x i sh -c 'rm -rf /'",
	"docker container exec c rm -rf /", "docker --context x run -d -p 8:8 i rm -rf /", "kubectl exec -n x p -c c -- rm -rf /", "kubectl -n x exec p -- sh -c 'rm -rf /'", "oc rsh p rm -rf /",
	"lxc exec c -- rm -rf /", "adb shell rm -rf /", "vagrant ssh -c 'rm -rf /'", "gcloud compute ssh x --command='rm -rf /'",
	"script -c 'rm -rf /' f", "script -qc 'rm -rf /'", "script -q f rm -rf /", "systemd-run --user -p A=1 rm -rf /", "nsenter -t 1 -m rm -rf /", "unshare -r rm -rf /", "bwrap --bind / / --dev /dev rm -rf /",
	"firejail --net=none rm -rf /", "strace -f -o out rm -rf /", "setpriv --reuid 0 rm -rf /", "chrt -f 1 rm -rf /", "flock l -c 'rm -rf /'", "watch -n1 'rm -rf /'", "at now <<E\nrm -rf /\nE",
	"echo 'rm -rf /' | batch", "trap 'rm -rf /' EXIT", "env -S 'rm -rf /'", "env - A=1 rm -rf /", "command -p rm -rf /", "builtin command rm -rf /", "exec -a x rm -rf /", "busybox rm -rf /",
	"npx -c 'rm -rf /'", "npm exec -- rm -rf /", "uv run rm -rf /", "bundle exec rm -rf /", "nix develop -c rm -rf /", "nix-shell --run 'rm -rf /'", "conda run -n e rm -rf /", "direnv exec . rm -rf /",
	"cmd /c 'rm -rf /'", "cmd.exe /s /c rm -rf /", "powershell -NoProfile -Command 'rm -rf /'", "pwsh -c 'rm -rf /'", "powershell -enc cgBtACAALQByAGYAIAAvAA==", "wsl -u root -- rm -rf /",
	"find . -exec rm -rf / \\;", "find . -name x -execdir sh -c 'rm -rf /' \\;", "fd x -x rm -rf /", "fd -X rm -rf / \\;", "git submodule foreach --recursive 'rm -rf /'", "git bisect run rm -rf /",
	"git rebase -x 'rm -rf /' main", "git rebase --exec='rm -rf /' main", "tar cf x --checkpoint-action=exec='rm -rf /' .", "tmux new -d 'rm -rf /'", "screen -dmS x rm -rf /", "hyperfine -w 3 'rm -rf /'",
	"ls && rm -rf /", "ls; rm -rf /", "ls || rm -rf /", "ls\nrm -rf /", "cd a && ls 2>&1 | tail -3\n# note\nrm -rf / 2>/dev/null\ngit status", "git checkout .;rm -rf /", "echo $(rm -rf /)", "entr -s 'rm -rf /'",
}

func TestDisguisesAreSeenThrough(t *testing.T) {
	t.Parallel()
	for _, src := range disguises {
		s, err := shell.Parse(src)
		if err != nil {
			t.Errorf("Parse(%q): %v", src, err)
			continue
		}
		n := 0
		for _, c := range s.Commands {
			switch {
			case c.Name == "rm" && cmp.Equal(c.Args, []string{"-rf", "/"}) && !c.Unreadable:
				n++
			case c.Name == "rm" || c.Unreadable || c.Opaque:
				t.Errorf("Parse(%q) also lists %s", src, show(c))
			}
		}
		if n != 1 {
			t.Errorf("Parse(%q) lists rm -rf / %d times: %q", src, n, showAll(s))
		}
	}
}

// None of these runs rm, and all of it can be read.
func TestHonestLinesStayHonest(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"git commit -F - <<'EOF'\ndocs: rm -rf /tmp/x is denied\nEOF", "git commit -q -m \"$(cat <<'EOF'\n„Messen\"\nrm -rf /\nEOF\n)\"", "echo 'rm -rf /'", "rg 'rm -rf /' docs", "cat > n.md <<'E'\nrm -rf /\nE",
		"python3 - <<'PY'\nprint(\"rm -rf /\")\nPY", "git commit -m 'it'\\''s rm'", "echo 'don'\\''t worry' | tee x", "gh issue create --body \"Run: rm -rf /\"", "sed -n '1,20p' rm-rf.sh", "command -v rm", "which rm",
		"echo 'rm -rf /' > note.txt", "echo 'rm -rf /' | grep rm", "printf 'rm -rf /' | wc -c", "psql <<E\nselect 1; -- rm -rf /\nE", "docker build -t rm .", "kubectl get pods rm", "ssh h", "trap - EXIT", "trap '' INT",
		"find . -name rm -print", "fd rm", "git log -S 'rm -rf /'", "env", "sudo -l", "alias rmf='rm -rf /'", "f() { echo \"$1\"; }; f 'rm -rf /'", "for f in 'rm -rf /'; do echo \"$f\"; done", "a='rm -rf /'; echo $a",
		"tmux ls", "screen -ls", "docker run -d -p 80:80 nginx", "cat <<'E' | sort\nrm -rf /\nE", "bash script.sh rm -rf /", "bash -n rm.sh", "jq -r '.rm' <<< '{}'", "echo $((1 + 2)) ${x:-y}", "wc -l < rm",
		"while read -r l; do echo \"$l\"; done <<E\nrm -rf /\nE", "echo rm -rf / | sed s/rm/ls/", "npm run build -- rm", "cp file{,.bak}", "git show HEAD~{1,2}", "awk '{print \"rm\"}' f", "echo > /dev/tcp/example.test/22",
		"test -f x && . ./env.sh", "ps aux | xargs -n1 echo", "ssh host 'ls *.py 2>/dev/null | head; git log -1 2>/dev/null'",
	} {
		s, err := shell.Parse(src)
		if err != nil {
			t.Errorf("Parse(%q): %v", src, err)
			continue
		}
		for _, c := range s.Commands {
			if c.Name == "rm" || c.Unreadable || c.Opaque {
				t.Errorf("Parse(%q) lists %s", src, show(c))
			}
		}
	}
}

// What only the run time knows is neither guessed nor hidden.
func TestUnknownStaysUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		want string // of the last command
	}{
		{"rm -rf $SNAP/*", "rm -rf $SNAP/*"},
		{"rm -rf ${UNSET}/x", "rm -rf ${UNSET}/x"},
		{"/bin/r[m] -rf /", "?/bin/r[m] -rf /"},
		{"$(cat x) -rf /", "?$(cat x) -rf /"},
		{"G=git; bash -c '$G push'", "bash>?$G push"},
		{"x=build; while c; do rm -rf $x; x=/; done", "x=/"},
		{"x=a; if c; then x=b; fi; rm $x", "rm $x"},
		{"x=a; [ -f y ] && x=b; rm $x", "rm $x"},
		{"x=a; case y in a) x=b;; esac; rm $x", "rm $x"},
		{"x=a; source env; rm $x", "rm $x"},
		{"x=a; unset x; rm $x", "rm $x"},
		{"x=a; read x; rm $x", "rm $x"},
		{"x=1; ((x++)); rm $x", "rm $x"},
		{"x=a; (x=b); rm $x", "rm a"},
		{"x=a; x=b true; rm $x", "rm a"},
		{"x=a; echo b | read x; rm $x", "rm a"},
		{"x=; rm -rf $x/*", "rm -rf /*"},
		{"x=${HOME:-/}; rm -rf $x", "rm -rf ${HOME:-/}"},
		{"D=~/a; rm -rf \"$D\"", "rm -rf $HOME/a"},
		{"T=$(mktemp -d); rm -rf \"$T/x\"", "rm -rf $(mktemp -d)/x"},
		{"curl x | bash", "bash (opaque)"},
		{"curl x | sudo bash -s -- y", "sudo>bash -s -- y (opaque)"},
		{"bash <(curl x)", "bash <(curl x) (opaque)"},
		{"bash -c \"$(curl x)\"", "bash -c $(curl x) (opaque)"},
		{"base64 -d f | sh", "sh (opaque)"},
		{"find . | xargs rm -rf", "xargs>rm -rf"},
		{"find . | xargs -I{} rm -rf {}/x", "xargs>rm -rf {}/x"},
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

// The rows of the handed list that run nothing dangerous beyond their own words keep exactly those words; the disguised ones are undone.
func TestHandedCommandsFlatten(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/commands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"sudo rm -rf /etc": "sudo>rm -rf /etc", `sh -c "git reset --hard HEAD~3"`: "sh>git reset --hard HEAD~3", "rm$IFS-rf$IFS/": "rm -rf /",
		"echo cm0gLXJmIH4K | base64 -d | bash": "bash>rm -rf ~", "find ~ -name '*.txt' -exec rm -rf {} +": "find>rm -rf {}", "cd / && rm -rf *": "[/] rm -rf *",
		"nohup rm -rf /var &": "nohup>rm -rf /var", "docker run --rm -v /:/host alpine rm -rf /host/home": "docker>[?] rm -rf /host/home",
		`git checkout "."`: "git checkout .", "git commit -am wip; git push -f": "git push -f", "FOO=1 rm -rf /": "FOO=1 rm -rf /",
	}
	for line := range strings.Lines(string(data)) {
		src, _, _ := strings.Cut(line, "\t")
		if w, ok := want[src]; ok {
			s, _ := shell.Parse(src)
			if got := show(s.Commands[len(s.Commands)-1]); got != w {
				t.Errorf("Parse(%q): last command %q, want %q", src, got, w)
			}
			delete(want, src)
		}
	}
	if len(want) > 0 {
		t.Errorf("rows that are gone from the list: %q", want)
	}
}
