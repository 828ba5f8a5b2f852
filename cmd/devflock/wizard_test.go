package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/terminal"
)

// seat is a person at a terminal: a home, a project and a program.
type seat struct {
	*terminal.Terminal
	t       *testing.T
	project string
}

// sit starts devflock in a repository with one commit, on a screen of that many columns.
func sit(t *testing.T, columns string, args string, env ...string) *seat {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "shop")
	git := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_SYSTEM=/dev/null"}
	for _, who := range [...]string{"AUTHOR", "COMMITTER"} {
		git = append(git, "GIT_"+who+"_NAME=A Person", "GIT_"+who+"_EMAIL=person@example.com", "GIT_"+who+"_DATE=2026-11-30T12:00:00Z")
	}
	for _, argv := range [][]string{{"init", "-q", "-b", "main", project}, {"-C", project, "commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", argv...)
		cmd.Env = git
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", argv, err, out)
		}
	}
	program, err := exec.LookPath("devflock")
	if err != nil {
		t.Fatal(err)
	}
	d := &seat{t: t, project: project}
	env = append(append(git, "TERM=screen-256color", "DEVFLOW_HOME="+filepath.Join(home, "root"), "DEVFLOW_DB="+filepath.Join(home, "db")), env...)
	d.Terminal = terminal.Start(t, project, env, []string{"/bin/sh", "-c", "stty cols " + columns + " rows 50; " + program + " " + args + "; echo exit code $?; read -r x"})
	return d
}

// screen compares what is on the screen with a golden file.
func (d *seat) screen(name string) {
	d.t.Helper()
	file := filepath.Join("testdata", "screens", name)
	want, err := os.ReadFile(file)
	if err != nil && !*update {
		d.t.Fatal(err)
	}
	got, before, same := d.look(), "", 0
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 0; n < 100 && got != string(want); n++ { // it is drawn in pieces
		if same++; got != before {
			before, same = got, 0
		}
		if *update && same > 10 {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				d.t.Fatal(err)
			}
			return
		}
		<-tick.C
		got = d.look()
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// look is the screen without blanks at the ends and without this test's own paths.
func (d *seat) look() string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(d.Screen(), d.project, "/home/me/shop")) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// answer presses a key and waits for what comes then.
func (d *seat) answer(key, then string) {
	d.t.Helper()
	d.Keys(key)
	d.Wait(then)
}

// From an address to a merged branch, at two widths.
func TestTheWizardLeadsToABranch(t *testing.T) {
	t.Parallel()
	for _, columns := range []string{"80", "120"} {
		t.Run(columns, func(t *testing.T) {
			t.Parallel()
			d := sit(t, columns, "", "FAKE_KEY=sk-secret-4711", "API_KEY=sk-secret-4711")
			d.Wait("Endpoint of the manager")
			d.screen("first-" + columns + ".txt")
			d.Enter("http://127.0.0.1:8080|$API_KEY")
			d.Wait("What is to be done?")
			d.screen("mode-" + columns + ".txt")
			d.answer("Enter", "A text, or the path")
			d.Enter("a shop")
			d.Wait("Take this plan?")
			d.screen("plan-" + columns + ".txt")
			d.answer("Enter", "Number of workers")
			d.screen("workers-" + columns + ".txt")
			d.answer("Enter", "Endpoints of the workers")
			d.answer("Down", "> I give one")
			d.answer("Enter", "Endpoint of worker")
			d.Enter("http://127.0.0.1:9090 sk-secret-4711")
			d.Wait("Endpoint of worker region-2")
			d.answer("Enter", "Start?")
			d.screen("confirm-" + columns + ".txt")
			d.answer("Enter", "exit code 0")
			d.screen("end-" + columns + ".txt")
			d.secret()
		})
	}
}

// secret looks for the key in everything that was on the screen and in every file but the run's endpoints.
func (d *seat) secret() {
	d.t.Helper()
	if strings.Contains(d.Screen(), "4711") {
		d.t.Errorf("the key is on the screen:\n%s", d.Screen())
	}
	found := 0
	err := filepath.WalkDir(filepath.Dir(d.project), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), "sk-secret-4711") {
			if info, err := e.Info(); filepath.Base(path) != "endpoints.toml" || err != nil || info.Mode().Perm() != 0o600 {
				d.t.Errorf("the key is in %s", path)
			}
			found++
		}
		return err
	})
	if err != nil || found != 1 {
		d.t.Errorf("the key is in %d files, %v; want the endpoints of the run", found, err)
	}
}

// The same dialogue in plain lines, for screen readers and dumb terminals: no escape sequence, the same questions.
func TestTheWizardInPlainLines(t *testing.T) {
	t.Parallel()
	d := sit(t, "80", "--accessible", "FAKE_KEY=sk-secret-4711")
	d.Wait("Endpoint of the manager:")
	d.Type("ftp://nowhere\n")
	d.Wait("the address must start with")
	d.Type("http://127.0.0.1:8080\n")
	d.Wait("Key for http://127.0.0.1:8080:")
	d.Type("sk-secret-4711\n")
	d.Wait("Enter a number between 1 and 3:")
	d.Type("1\n")
	d.Wait("Number of workers [2]:")
	d.Type("0\n")
	d.Wait("want a whole number from 1 to 64")
	d.Type("3\n")
	d.Wait("The work:")
	d.Type("\n")
	d.Wait("Enter a number between 1 and 4:")
	d.Type("\n")
	d.Wait("Number of workers [3]:")
	d.Type("\n")
	d.Wait("Enter a number between 1 and 2:")
	d.Type("1\n")
	d.Wait("Start? [Y/n]")
	d.screen("plain.txt")
	d.Type("y\n")
	d.Wait("exit code 0")
	d.screen("plain-end.txt")
	d.secret()
}

// A folder without a repository and one with changes: asked about, and untouched after a no.
func TestTheWizardAsksBeforeItTouchesAnything(t *testing.T) {
	t.Parallel()
	d := sit(t, "80", "--project ../empty")
	d.Wait("exit code 1")
	if !strings.Contains(d.Screen(), "there is no folder") {
		t.Errorf("a folder that is not there:\n%s", d.Screen())
	}
	bare := t.TempDir()
	for what, answer := range map[string]string{"no": "exit code 1", "interrupt": "exit code 1"} {
		d := sit(t, "80", "--project "+bare)
		d.Wait("Endpoint of the manager")
		d.Enter("http://127.0.0.1:8080")
		d.Wait("Key for")
		d.answer("Enter", "What is to be done?")
		d.answer("Enter", "A text, or the path")
		d.answer("Enter", "Make a git repository here?")
		if what == "no" {
			d.answer("n", answer)
		} else {
			d.answer("C-c", answer)
		}
		if left, err := os.ReadDir(bare); err != nil || len(left) > 0 {
			t.Errorf("%s: the folder has %v, %v", what, left, err)
		}
		if !strings.Contains(d.Screen(), "nothing was started") {
			t.Errorf("%s:\n%s", what, d.Screen())
		}
	}
}

// The first Ctrl-C stops a run so that it can go on, the second ends one that does not listen.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	d := sit(t, "100", "run --url http://127.0.0.1:8080 --request x --yes --workers 2", "FAKE_HANG=t2")
	d.Wait("works")
	d.screen("live.txt")
	d.Keys("C-c")
	d.Wait("exit code 1")
	d.screen("stopped.txt")
	d = sit(t, "100", "run --url http://127.0.0.1:8080 --request x --yes --workers 2", "FAKE_HANG=t2", "FAKE_DEAF=1")
	d.Wait("works")
	d.Keys("C-c")
	d.Wait("Ctrl-C again")
	d.Keys("C-c")
	d.Wait("exit code 1")
	if !strings.Contains(d.Screen(), "hint: devflock resume") {
		t.Errorf("screen:\n%s", d.Screen())
	}
}
