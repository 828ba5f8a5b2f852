package robust_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// Implementations of a file at high risk; each is another diff.
func token(n string) string {
	return "import hmac\n\n\ndef verify(token, secret):\n    \"\"\"Version " + n + ".\"\"\"\n    return hmac.compare_digest(token, secret)\n"
}

const tokenTest = "from src.auth.token import verify\n\n\ndef test_verify_refuses_another_token():\n    assert not verify('a', 'b')\n"

// Acceptance example 3.
func TestTheSpecGuardBlocksOncePerPrompt(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.lone)
	p.prompt("/spec feat: add rotation")
	p.write("src/rotate.py", "def rotate():\n    return 1\n")
	if got := p.task().SpecStatus; got != telemetry.SpecImplementing {
		t.Fatalf("spec = %s, want implementing", got)
	}
	says(t, "first Stop", p.stop(), `"decision":"block"`)
	silent(t, "second Stop of the prompt", p.stop())
	silent(t, "third Stop of the prompt", p.stop())
	p.prompt("go on")
	says(t, "first Stop of the next prompt", p.stop(), `"decision":"block"`)
	silent(t, "second Stop of the next prompt", p.stop())
}

// Acceptance example 4.
func TestOnlyTheCommandMakesASpec(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.lone)
	p.prompt("run app/spec/models")
	if got := p.task().SpecStatus; got != telemetry.SpecNone {
		t.Errorf("spec = %s, want none", got)
	}
	if got := files(t, filepath.Join(p.root, "state")); len(got) > 0 {
		t.Errorf("state = %q, want none", got)
	}
	p.prompt("/spec fix: the login loops")
	if got := p.task(); got.SpecStatus != telemetry.SpecPending || got.Category != "bugfix" {
		t.Errorf("spec = %s of a %s, want one pending of a bugfix", got.SpecStatus, got.Category)
	}
}

// Acceptance example 9.
func TestThreeFailedAttemptsHalt(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.programs)
	p.prompt("add token verification")
	for i, want := range []string{"[devflow:CRITICAL_RETRY] 1/3", "[devflow:CRITICAL_RETRY] 2/3"} {
		p.write("src/auth/token.py", token(want))
		says(t, "Stop "+string(rune('1'+i)), p.stop(), `"decision":"block"`, want, "[tdd]", "src/auth/token.py")
	}
	p.write("src/auth/token.py", token("3"))
	says(t, "Stop 3", p.stop(), `"continue":false`, "[devflow:HALTED_FOR_REVIEW]")
	report, err := os.ReadFile(filepath.Join(p.root, "state", "s1", "post-mortem.md"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"1|fail", "2|fail", "3|fail"}, p.rows("SELECT attempt, verdict FROM judge_runs ORDER BY n")); d != "" {
		t.Errorf("judgements (-want +got):\n%s", d)
	}
	shas := p.rows("SELECT DISTINCT diff_sha FROM judge_runs")
	if len(shas) != 3 {
		t.Errorf("diffs = %q, want three", shas)
	}
	for _, sha := range shas {
		if !strings.Contains(string(report), sha[:8]) {
			t.Errorf("post-mortem.md has no row of %s:\n%s", sha, report)
		}
	}
	p.stands("after three attempts", telemetry.Halted, 3)

	lacks(t, "fourth Stop", p.stop(), `"decision"`)
	p.stands("after the fourth Stop", telemetry.Halted, 3)
	says(t, "a wrong code", p.prompt("devflow approve AAAAA"), "does not match")
	says(t, "the code", p.prompt("devflow approve "+p.task().ResumeCode), "The halt is over")
	p.stands("after the code", telemetry.Idle, 0)
}

// fakeGit is a folder whose git tells its parent's process number and then waits.
func fakeGit(t testing.TB) (dir, told, wait string) {
	t.Helper()
	dir = t.TempDir()
	told, wait = filepath.Join(dir, "told"), filepath.Join(dir, "wait")
	for _, name := range []string{told, wait} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!/bin/sh\necho $PPID > '" + told + "'\nread x < '" + wait + "'\nexit 1\n"
	if err := command(dir, "sh", "-c", `printf '%s' "$0" > git && chmod 755 git`, script); err != nil {
		t.Fatal(err)
	}
	return dir, told, wait
}

// Acceptance example 13: the judge dies between the claim of the signals and its verdict.
func TestAKilledJudgeLosesNoSignal(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.programs)
	p.prompt("add token verification")
	p.write("src/auth/token.py", token("1"))
	const signals = "SELECT id, state, kind, key, severity FROM signals ORDER BY id"
	open := p.rows(signals)
	if len(open) != 1 || !strings.Contains(open[0], "|open|") {
		t.Fatalf("signals = %q, want one open", open)
	}

	git, told, wait := fakeGit(t)
	pid := make(chan int, 1)
	gate, err := os.OpenFile(told, os.O_RDWR, 0) // O_RDWR: nobody waits for the other end
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	go func() {
		var buf [32]byte
		n, _ := gate.Read(buf[:])
		pid <- number(string(buf[:n]))
	}()
	answer := make(chan result, 1)
	go func() {
		answer <- p.raw("devflow-stop", p.event("s1", "Stop", fields{"prompt_id": p.id()}), "PATH="+git+":/usr/bin:/bin")
	}()
	var res result
	select {
	case res = <-answer:
		t.Fatalf("the turn ended without a look at the work tree: %s", res.stdout)
	case judge := <-pid:
		if got := p.rows(signals); !strings.Contains(strings.Join(got, ""), "|claimed|") {
			t.Errorf("signals while the judge works = %q, want claimed", got)
		}
		if err := syscall.Kill(judge, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		res = <-answer
	}
	if f, err := os.OpenFile(wait, os.O_RDWR, 0); err != nil {
		t.Error(err)
	} else if _, err := f.WriteString("\n"); err != nil {
		t.Error(err)
	} else {
		defer f.Close()
	}
	if err := valid("Stop", res.stdout); err != nil || res.err != nil {
		t.Errorf("Stop: %v, %v: %s", err, res.err, res.stdout)
	}
	says(t, "Stop of a killed judge", string(res.stdout), "could not judge", "not a pass")
	if got := p.count("SELECT count(*) FROM judge_runs"); got != 0 {
		t.Errorf("%d verdicts, want none", got)
	}

	p.update(func(tx *store.Tx) error { // the lease runs out
		_, err := tx.Exec("UPDATE signals SET lease_ms=1 WHERE state='claimed'")
		return err
	})
	p.bin = built.lone
	p.stop()
	if d := cmp.Diff(open, p.rows(signals)); d != "" {
		t.Errorf("signals after the lease (-want +got):\n%s", d)
	}
	p.bin = built.programs
	says(t, "the next Stop", p.stop(), "[devflow:CRITICAL_RETRY] 1/3", "src/auth/token.py")
	if got := p.rows(signals); !strings.Contains(got[0], "|consumed|") {
		t.Errorf("signals after the verdict = %q, want consumed", got)
	}
}

// number is a decimal number, 0 for anything else.
func number(text string) int {
	n := 0
	for _, c := range strings.TrimSpace(text) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// Acceptance example 17.
func TestTheTokenGuard(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.programs)
	p.prompt("add token verification")
	p.spend("m1", 1000, 3)
	p.write("src/auth/token.py", token("1"))
	says(t, "Stop", p.stop(), "1/3")
	if got := p.task().TokIn; got != 1000 {
		t.Errorf("tokens = %d, want 1000: a message counts once, in however many lines it comes", got)
	}
	p.spend("m2", 150_000-1000, 4)
	lacks(t, "150,000 tokens", p.bash("ls", true, "a.py"), "continue", "HALT")
	p.spend("m3", 1, 1)
	says(t, "150,001 tokens", p.bash("ls", true, "a.py"), `"continue":false`, "[devflow:EMERGENCY_HALT]")
	silent(t, "the call after the halt", p.bash("ls", true, "a.py"))
	p.spend("m4", 200_000, 2)
	silent(t, "more tokens after the halt", p.bash("ls", true, "a.py"))
	if log, err := os.ReadFile(filepath.Join(p.root, "state", "s1", "emergency-halt.log")); err != nil || strings.Count(string(log), "\n") != 1 {
		t.Errorf("emergency-halt.log: %v, %q; want one line", err, log)
	}
	before := p.say(p.session, "PreToolUse", fields{"tool_name": "Write", "tool_input": fields{"file_path": filepath.Join(p.repo, "a.py"), "content": "x = 1\n"}})
	if !denies(before) {
		t.Errorf("a change in a halted session is not refused: %s", before)
	}
	says(t, "the code", p.prompt("devflow approve "+p.task().ResumeCode), "The halt is over")
	silent(t, "the call after the code", p.bash("ls", true, "a.py"))

	p.write("tests/auth/test_token.py", tokenTest)
	lacks(t, "Stop with a test", p.stop(), "decision", "continue")
	if got := p.rows("SELECT verdict FROM judge_runs ORDER BY n DESC LIMIT 1"); !slices.Equal(got, []string{"pass"}) {
		t.Fatalf("verdict = %q, want pass; %q", got, p.rows("SELECT verdict, reasons FROM judge_runs"))
	}
	p.spend("m5", 150_001, 1)
	lacks(t, "150,001 tokens after a PASS", p.bash("ls", true, "a.py"), "continue", "HALT")
	if got := p.task(); got.Halted() || got.TokIn < 500_000 {
		t.Errorf("the task is %s with %d tokens, want no halt", got.State, got.TokIn)
	}
}

// Acceptance example 19: the event tells how a test run ended, no text does.
func TestTheEventTellsHowATestRunEnded(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.lone)
	p.prompt("run the tests")
	p.bash("cargo test", true, "test result: FAILED. 3 failed; error")
	p.bash("cargo test", false, "test result: ok. 3 passed; 0 failed")
	p.bash("echo cargo test", false, "FAILED")
	if d := cmp.Diff([]string{"1", "0"}, p.rows("SELECT ok FROM tool_log WHERE runner <> '' ORDER BY n")); d != "" {
		t.Errorf("test runs (-want +got):\n%s\n%q", d, p.rows("SELECT n, ok, runner, class FROM tool_log ORDER BY n"))
	}
}

// Acceptance example 20.
func TestACompactionBringsBackWhatItTook(t *testing.T) {
	t.Parallel()
	p := newPlay(t, built.lone)
	p.prompt("/spec rotate refresh tokens KEEPSAKE every hour\nand log each rotation")
	p.write("src/rotate.py", "def rotate():\n    return 1\n")
	p.bash("pytest -q tests/test_rotate.py", false, "E   assert 1 == 2 NEEDLE")
	silent(t, "PreCompact", p.say(p.session, "PreCompact", fields{"trigger": "auto", "custom_instructions": ""}))
	silent(t, "PostCompact", p.say(p.session, "PostCompact", fields{"trigger": "auto", "compact_summary": "…"}))
	first := p.say(p.session, "SessionStart", fields{"source": "compact"})
	says(t, "SessionStart after a compaction", first, "KEEPSAKE", "log each rotation", "feat/demo", "src/rotate.py", "pytest -q tests/test_rotate.py", "NEEDLE")
	if again := p.say(p.session, "SessionStart", fields{"source": "compact"}); again != first {
		t.Errorf("the second one says something else:\n%s\n%s", first, again)
	}
	silent(t, "SessionStart without a compaction", p.say(p.session, "SessionStart", fields{"source": "startup"}))
}

// Without git nothing can be judged: that is said, it is no pass, and the session goes on. What is certain all the same,
// an implementation without a test, still fails.
func TestWithoutGit(t *testing.T) {
	t.Parallel()
	nowhere := "PATH=" + t.TempDir()
	const risky, standard = "src/auth/token.py", "src/x.py"
	for _, tc := range []struct {
		name        string
		first, last string // PATH before the first change, and at the end of the turn; "" = the usual one
		path        string
		tested      bool
		why         string
	}{
		{"never there", nowhere, nowhere, risky, true, "not recorded"},
		{"came later", nowhere, "", risky, true, "not recorded"},
		{"went away", "", nowhere, risky, true, "git program is missing"},
		{"never there, at standard risk", nowhere, nowhere, standard, true, "not recorded"},
		{"went away, at standard risk", "", nowhere, standard, true, "git program is missing"},
		{"never there, and no test", nowhere, nowhere, risky, false, "not recorded"},
		{"went away, and no test", "", nowhere, standard, false, "git program is missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, built.programs)
			usual := p.env
			use := func(path string) {
				if p.env = usual; path != "" {
					p.env = append(usual[:len(usual):len(usual)], path)
				}
			}
			use(tc.first)
			p.prompt("add token verification")
			p.write(tc.path, token("1"))
			if tc.tested {
				module := strings.TrimSuffix(strings.TrimPrefix(tc.path, "src/"), ".py")
				test := strings.ReplaceAll(tokenTest, "auth.token", strings.ReplaceAll(module, "/", "."))
				p.write("tests/"+filepath.Dir(module)+"/test_"+filepath.Base(tc.path), test)
			}
			use(tc.last)
			want, state, attempts := "judge_error", telemetry.Unknown, int64(0)
			if !tc.tested {
				want, state = "fail", telemetry.Retry
			}
			if p.task().HighRisk() {
				out := p.stop()
				says(t, "Stop", out, "could not judge", tc.why)
				if tc.tested {
					says(t, "Stop", out, "systemMessage", "not a pass")
				} else {
					says(t, "Stop", out, "[devflow:CRITICAL_RETRY]")
					attempts = 1
				}
			} else {
				p.bin = built.lone // the boundary lane would be detached; here it runs below
				silent(t, "Stop", p.stop())
				r := p.exec([]string{filepath.Join(built.programs, "devflow"), "boundary", "--session", "s1", "--task", "1"}, nil)
				if r.err != nil {
					t.Errorf("devflow boundary: %v: %s", r.err, r.stderr)
				}
				says(t, "devflow boundary", string(r.stdout), `"verdict":"`+want+`"`, tc.why)
			}
			if high := p.task().HighRisk(); high != (tc.path == risky) {
				t.Errorf("high risk is %v: the test plays the wrong lane", high)
			}
			if got := p.rows("SELECT verdict FROM judge_runs"); !slices.Equal(got, []string{want}) {
				t.Errorf("verdicts = %q, want %s", got, want)
			}
			p.stands("at the end", state, attempts)
			if got := p.rows("SELECT judge_verdict FROM task_executions"); slices.Contains(got, "pass") {
				t.Errorf("columns say %q", got)
			}
			if tc.first != "" && !strings.Contains(strings.Join(p.log(), ""), "take base tree") {
				t.Errorf("the log does not tell that the base tree could not be taken: %q", p.log())
			}
		})
	}
}
