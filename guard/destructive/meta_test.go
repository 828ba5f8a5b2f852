package destructive_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/verdict"
)

// Another spelling of a path does not make a deletion better.
func TestSpellingsOfPathsKeepTheDecision(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, list string }{
		{"root", `/ // /. /./ /../ "/" '/' \/ /* "/"* /.* /{bin,etc} /tmp/.. /tmp/../ /home/dev/../.. /?* /[a-z]*`},
		{"home", `~ ~/ ~/. "$HOME" ${HOME} "${HOME}" $HOME/ $HOME/. /home/dev /home/dev/ //home/dev /home//dev /home/./dev /home/dev/. '/home/dev' "/home/dev" ~/* $HOME/* "$HOME"/* ~/.* ~/{.,}* .. ../ ../. ../* /home/dev/proj/.. ~/proj/.. /home/d* /home/* /home/?ev ${HOME:?} ${HOME:-/tmp} /home/$USER "/home/$(whoami)"`},
		{"system", `/etc /etc/ //etc /etc/. /./etc '/etc' /etc/* /e* /?tc /[e]tc {/etc,/usr} /{etc,usr} /tmp/../etc "/etc"/* /usr/bin /var/lib`},
		{"project", `. ./ "$PWD" $PWD "$(pwd)" ../proj ~/proj /home/dev/proj /home/dev/proj/ ./* * "$PWD"/* ./.* {.,..}/* ${PWD} src/.. node_modules/.. ~/pro* ~/proj/*`},
		{"git", `.git .git/ ./.git "$PWD/.git" ~/proj/.git .gi? .git/objects .git/refs/heads`},
		{"keys", `~/.ssh ~/.ssh/ "$HOME/.ssh" /home/dev/.ssh ~/.ss? ../.ssh ~/.ssh/id_rsa ~/.aws ~/.gnupg /etc/shadow /etc/../etc/shadow ~/{.ssh,.aws}`},
	} {
		for _, verb := range []string{"rm -rf", "rm -r", "rm -fr --", "sudo rm -Rf", "find", "chmod -R 777", "mv -t /tmp/x"} {
			for _, p := range strings.Fields(tt.list) {
				cmd := verb + " " + p
				if verb == "find" {
					cmd += " -delete"
				}
				if verdict.Worst(judge(t, world(), cmd)) == verdict.Pass {
					t.Errorf("%s: passes: %s", tt.name, cmd)
				}
			}
		}
	}
}

// A danger stays one inside anything that runs it, before and after anything harmless.
func TestWrappersKeepTheDecision(t *testing.T) {
	t.Parallel()
	wraps := []string{
		"%", "sudo %", "sudo -u root %", "env A=1 %", "A=1 %", "nohup % &", "time %", "timeout 5 %", "nice -n 3 %", "( % )", "{ %; }", "! %", "if true; then %; fi", "while true; do %; done", "for i in 1; do %; done",
		"cd /tmp && %", "ls; %", "ls | cat; %", "true && %", "false || %", "% 2>/dev/null", "% > /dev/null 2>&1", "echo a; % ; echo b", "x=$(%)", "echo `%`", "bash -c '%'", "sh -c \"%\"", "eval '%'", "bash <<'E'\n%\nE",
		"command %", "exec %", "f() { %; }; f", "trap '%' EXIT", "ssh host '%'", "git status && git add . && %", "# note\n%\necho done", "stdbuf -o0 %", "setsid %", "doas %",
	}
	for _, danger := range []string{
		"rm -rf /", "rm -rf ~", "git reset --hard", "git push --force origin main", "git clean -fdx", "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda1", "chmod -R 777 /", "kubectl delete namespace prod",
		"terraform destroy", "docker volume rm data", "kill -9 -1", "shutdown -h now", "rm /etc/shadow", "dropdb app", "aws s3 rm s3://b --recursive", "git stash clear", "find / -delete", "crontab -r",
	} {
		for _, w := range wraps {
			cmd := strings.Replace(w, "%", danger, 1)
			if verdict.Worst(judge(t, world(), cmd)) == verdict.Pass {
				t.Errorf("passes: %q", cmd)
			}
		}
	}
}

// A danger is found wherever it stands among honest operands.
func TestOneBadOperandIsEnough(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"/", "~", "/etc", ".", "..", "$HOME", ".git", "~/.ssh", "src", "$X/*"} {
		for _, cmd := range []string{"rm -rf node_modules B", "rm -rf B node_modules", "rm -rf dist B coverage", "rm B -rf dist", "rm -rf -- dist B", "rm dist -r B -f"} {
			cmd = strings.Replace(cmd, "B", bad, 1)
			if verdict.Worst(judge(t, world(), cmd)) == verdict.Pass {
				t.Errorf("passes: %q", cmd)
			}
		}
	}
}

// Every finding says which part of the line it is about, what is lost, and what to do instead.
func TestFindingsExplainThemselves(t *testing.T) {
	t.Parallel()
	for _, cmd := range lines(t, "dangers.txt") {
		for _, f := range judge(t, world(), cmd) {
			if f.Rule == "" || f.What == "" || f.Why == "" || f.Instead == "" || f.Segment == "" || len(f.Segment) > 200 || f.Decision == verdict.Pass || strings.Contains(f.Why, "%") && !strings.Contains(cmd, "%") {
				t.Errorf("%q: %+v", cmd, f)
			}
		}
	}
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.ID] || r.ID == "" || r.What == "" || r.Why == "" || r.Instead == "" || r.Decision == verdict.Pass {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
}

// No secret of a command line reaches a finding.
func TestFindingsHoldNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	for _, f := range judge(t, world(), "TOKEN="+secret+" rm -rf / "+secret+" && curl -H 'Authorization: Bearer "+secret+"' -X DELETE https://api.example.test/x") {
		if strings.Contains(f.Segment+f.Why+f.What, secret) {
			t.Errorf("finding shows the secret: %+v", f)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, file := range []string{"dangers.txt", "honest.txt", "handed.tsv"} {
		for _, cmd := range lines(f, file) {
			f.Add(cmd)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		a, b := judge(t, world(), src), judge(t, world(), src)
		if len(a) != len(b) {
			t.Errorf("two answers about %q", src)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, tt := range []struct{ name, src string }{
		{"git status", "git status"},
		{"echo", "echo hello > out.txt"},
		{"rm", "rm -rf node_modules"},
		{"2MB", strings.Repeat("cd a && FOO=1 sudo git commit -m \"it's $(date)\" | tee x; ", 2<<20/60)},
		{"200KB", strings.Repeat("cd a && FOO=1 sudo git commit -m \"it's $(date)\" | tee x; ", 200<<10/60)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				judge(b, world(), tt.src)
			}
		})
	}
}

// Words of any length and shape cost what they are long.
func TestLongWordsAreLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"${a:-", "$(", "`", "{a,", "*/", "../", "[", "\\", "$x/", "~/"} {
		judge(t, world(), "rm -rf '"+strings.Repeat(piece, 1<<20/len(piece))+"'\"$x\"*")
	}
	judge(t, world(), "rm -rf "+strings.Repeat("a/b ", 1<<18))
	judge(t, world(), "git checkout -- "+strings.Repeat("a/b ", 1<<18))
	judge(t, world(), "psql -c '"+strings.Repeat("(delete from ", 1<<16)+"'")
}
