package carry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/guard/carry"
	"github.com/devflow-suite/devflow/internal/shell"
)

// lines are those of all commands of a command line.
func lines(t *testing.T, source string) []string {
	t.Helper()
	s, err := shell.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range s.Commands {
		out = append(out, carry.Lines(&s.Commands[i])...)
	}
	return out
}

func TestLinesFindWhatIsStarted(t *testing.T) {
	t.Parallel()
	for _, source := range [...]string{
		`vim -c '!rm -rf /' -c q`, `vim -c ':silent! !rm -rf /'`, `vim +'!rm -rf /' +q`, `nvim +'lua os.execute("rm -rf /")'`, `vi -c '%!rm -rf /'`, `ex <<< '!rm -rf /'`, `ed x <<< '1,$w !rm -rf /'`,
		`vim -c 'set nu | !rm -rf /'`, `less +'!rm -rf /' x`, `gdb -batch -ex 'shell rm -rf /'`, `gdb -ex '!rm -rf /'`, `lldb -o 'platform shell rm -rf /'`, `gdb --args rm -rf /`,
		`gdb -ex 'python import os; os.system("rm -rf /")'`, `expect -c 'spawn rm -rf /'`, `tclsh <<< 'exec rm -rf /'`, `tclsh <<< 'puts [exec rm -rf /]'`, "make -f - <<'E'\nall:\n\t@rm -rf /\nE",
		`make --eval='x:;rm -rf /' x`, `make --eval='$(shell rm -rf /)'`, `echo '* * * * * rm -rf /' | crontab -`, `crontab <<< '@daily rm -rf /'`, `sed '1e rm -rf /' x`, `sed 's/x/rm -rf \//e' x`,
		`sed -n '/a/,$e rm -rf /' x`, `sed -e 'p' -e 's|x|rm -rf /|ge' x`, `sqlite3 x.db '.shell rm -rf /'`, `sqlite3 x.db <<< '.system rm -rf /'`, `psql -c '\! rm -rf /'`, `psql -c "COPY x TO PROGRAM 'rm -rf /'"`,
		`mysql -e 'system rm -rf /'`, `lftp -c '!rm -rf /'`, `socat - EXEC:'rm -rf /',pty`, `nc -e 'rm -rf /' x 1`, `rsync --rsh='rm -rf /' a b:c`, `tar -I 'rm -rf /' -xf x`, `man -P 'rm -rf /' ls`,
		`npm pkg set scripts.x='rm -rf /'`, `PAGER='rm -rf /' man ls`, `export EDITOR='rm -rf /'`, `LESSOPEN='|rm -rf / %s' less x`, `bash --rcfile <(echo 'rm -rf /') -i`, `ansible all -m shell -a 'rm -rf /'`,
		`emacs --batch --eval '(shell-command "rm -rf /")'`, `emacs --eval '(delete-directory "/" t)'`, `elixir -e 'System.cmd("rm", ["-rf", "/"])'`, "julia -e 'run(`rm -rf /`)'", `julia -e 'rm("/",recursive=true)'`,
		`erl -eval 'os:cmd("rm -rf /")'`, `groovy -e '"rm -rf /".execute()'`, `clojure -e '(clojure.java.shell/sh "rm" "-rf" "/")'`, `bb '(shell "rm -rf /")'`, `crystal eval 'FileUtils.rm_rf("/")'`,
		`redis-cli eval 'os.execute("rm -rf /")' 0`, `mywrap rm -rf /`, `mywrap -v --level 3 -- rm -rf ~`, `mywrap git reset --hard`, `mywrap sh -c 'rm -rf /'`,
	} {
		if got := strings.Join(lines(t, source), "\n"); !strings.Contains(got, "rm") && !strings.Contains(got, "reset") {
			t.Errorf("%s: lines %q hold no deletion", source, got)
		}
	}
}

func TestLinesLeaveDataAlone(t *testing.T) {
	t.Parallel()
	for _, source := range [...]string{
		`vim -c 'set nu' -c 'normal G' x`, `less +G x`, `gdb -batch -ex 'break main' -ex run ./a.out`, `crontab -l`, `sed -n '1,20p' x`, `sed -i 's/rm -rf/true/g' x`, `sed 's/a/b/;s/c/d/g' x`, `sed '/^e/d' x`,
		`sed -E 's#(a|b)#\1e#' x`, `sqlite3 x.db 'select 1' '.tables' '.mode csv'`, `psql -c 'select 1'`, `psql -c '\dt'`, `mysql -e 'show system variables'`, `npm run build`, `npm pkg set name=x`, `EDITOR=vim git commit`, `PAGER=cat man ls`,
		`emacs --batch --eval '(message "rm -rf /")'`, `elixir -e 'IO.puts("rm -rf /")'`, `julia -e 'println("rm -rf /")'`, `gnuplot -e 'plot "a.dat"'`, `echo rm -rf /`, `man git reset`, `brew install git curl wget`,
		`mytool rm -r data`, `./cli rm build`, `go run . rm -r ./data`, `grep -rn git reset src`, `make -j4 all`, `tar -czf x.tgz src`, `socat - TCP:localhost:80`, `nc -z localhost 80`,
	} {
		if got := lines(t, source); len(got) > 0 {
			t.Errorf("%s: lines %q, want none", source, got)
		}
	}
}

func TestRecipes(t *testing.T) {
	t.Parallel()
	got := carry.Recipes("# c\nX := $(shell git status)\nall: a b ; echo $(HOME) $$x $@\n\t@-$(RM) x\n\nb:\n\techo $(call f,x)\n")
	want := []string{"git status", "echo ${HOME} $x $@", "rm -f x", "echo $(call f,x)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzLines(f *testing.F) {
	for _, s := range [...]string{"sed 's/a/b/we'", "vim -c '!x'", "make -f - <<< 'a:;b'", "emacs --eval '(a \"b\" `c`)'", "x git y z", "tclsh <<< 'exec [a]'"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, source string) {
		s, _ := shell.Parse(source)
		for i := range s.Commands {
			carry.Lines(&s.Commands[i])
		}
	})
}
