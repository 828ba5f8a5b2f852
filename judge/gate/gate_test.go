package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/judge/gate"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sh(script string) proc.Cmd {
	return proc.Cmd{Argv: []string{"sh", "-c", script}, MaxOutput: 8 << 10, Grace: 100 * time.Millisecond}
}

func TestAskTellsWhatTheGateSays(t *testing.T) {
	t.Parallel()
	pass := gate.Ask(t.Context(), sh(`cat >/dev/null; echo '{"verdict":"pass","line":"green","took_ms":3,"new_field":[1]}'`), gate.Request{})
	if pass.Refused() || pass.Line != "green" || pass.TookMS != 3 {
		t.Errorf("pass: %+v", pass)
	}
	for _, exit := range []string{"0", "3"} {
		deny := gate.Ask(t.Context(), sh(`echo '{"verdict":"deny","rules":["push.lint"],"line":"l","text":"t"}'; exit `+exit), gate.Request{})
		if !deny.Refused() || deny.Text != "t" || deny.Rules[0] != gate.RuleLint {
			t.Errorf("deny: %+v", deny)
		}
	}
	silent := gate.Ask(t.Context(), sh(`echo '{"verdict":"deny","rules":["push.lint"]}'`), gate.Request{})
	if !silent.Refused() || silent.Text == "" {
		t.Errorf("a refusal without a text: %+v", silent)
	}
	long := gate.Ask(t.Context(), sh(`printf '{"verdict":"deny","line":"'; head -c 2000 /dev/zero | tr '\0' x; printf '","text":"'; head -c 5000 /dev/zero | tr '\0' x; printf '"}'`), gate.Request{})
	if !long.Refused() || len(long.Text) > gate.MaxText || len(long.Line) > gate.MaxText || !strings.HasPrefix(long.Text, "xxx") {
		t.Errorf("a long answer: %d and %d bytes: %.200s", len(long.Line), len(long.Text), long.Text)
	}
}

func TestAskGivesTheRequest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "request")
	want := gate.Request{Session: "s", Root: "/r", Cwd: "/c", Agent: true, Lifted: []string{gate.RuleLint}, PrePush: []byte("a\x00b\n"), Remote: "origin"}
	gate.Ask(t.Context(), sh("cat > '"+file+"'"), want)
	var got gate.Request
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &got) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %s (%v), want %+v", data, err, want)
	}
}

func TestAskRefusesWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, cause string }{
		"nothing":              {"", "exit status 0"},
		"nothing but an error": {"echo first >&2; echo the store is newer >&2; exit 1", "exit status 1: the store is newer"},
		"garbage":              {"echo green", "none that can be read"},
		"half":                 {`printf '{"verdict":"pass"'`, "none that can be read"},
		"two answers":          {`echo '{"verdict":"pass"}'; echo '{"verdict":"pass"}'`, "none that can be read"},
		"words before it":      {`echo note; echo '{"verdict":"pass"}'`, "none that can be read"},
		"null":                 {"echo null", `unknown verdict ""`},
		"a list":               {`echo '[{"verdict":"pass"}]'`, "none that can be read"},
		"a verdict unknown":    {`echo '{"verdict":"PASS"}'`, `unknown verdict "PASS"`},
		"a pass that failed":   {`echo '{"verdict":"pass"}'; echo why >&2; exit 2`, "a pass, but exit status 2: why"},
		"a pass that was hit":  {`echo '{"verdict":"pass"}'; kill -9 $$`, "exit status 137"},
		"too much":             {`printf '{"verdict":"pass","line":"'; head -c 9000 /dev/zero | tr '\0' x; printf '"}'`, "more than"},
		"too much on stderr":   {`head -c 20000 /dev/zero >&2; echo x`, "more than"},
		"a secret":             {"echo token ghp_" + strings.Repeat("a1B2", 9) + " >&2; exit 1", "[redacted]"},
		"lines":                {`printf 'a\033[31mb\rc\n' >&2; exit 1`, "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := gate.Ask(t.Context(), sh(tt.script), gate.Request{})
			refused(t, res, tt.cause)
			lifted := gate.Ask(t.Context(), sh(tt.script), gate.Request{Lifted: []string{gate.RuleError}})
			if lifted.Refused() || !strings.Contains(lifted.Line, "allowed by a person") || !strings.Contains(lifted.Line, tt.cause) {
				t.Errorf("lifted: %+v", lifted)
			}
		})
	}
	refused(t, gate.Ask(t.Context(), proc.Cmd{Argv: []string{"/nowhere/devflow"}}, gate.Request{}), "program not found")
	refused(t, gate.Ask(t.Context(), proc.Cmd{}, gate.Request{}), "no program named")
	refused(t, gate.Ask(t.Context(), proc.Cmd{Argv: []string{"sh"}, Dir: "/nowhere"}, gate.Request{}), "working folder")
}

func refused(t *testing.T, res gate.Result, cause string) {
	t.Helper()
	if res.Verdict != gate.Error || len(res.Rules) != 1 || res.Rules[0] != gate.RuleError || !strings.Contains(res.Text, cause) || len(res.Text) > gate.MaxText || strings.ContainsAny(res.Text, "\n\r\x1b") || strings.Contains(res.Text, "ghp_") {
		t.Errorf("want a refusal with %q, got %+v", cause, res)
	}
}

func TestTheChildrenOfTheGateDieWithIt(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"hangs":             `sleep 1000 & echo $! > "$0"; cat >/dev/null; echo '{"verdict":"pass"}'; wait`,
		"ignores the end":   `trap '' TERM; sleep 1000 & echo $! > "$0"; wait; wait`,
		"closes its output": `exec >/dev/null 2>&1; sleep 1000 & echo $! > "$0"; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pidFile := filepath.Join(t.TempDir(), "pid")
			if err := syscall.Mkfifo(pidFile, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			pid := make(chan int, 1)
			go func() {
				data, err := os.ReadFile(pidFile) // until the child is there
				n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
				if err != nil {
					n = 0
				}
				pid <- n
				cancel(errors.New("not done in time"))
			}()
			cmd := sh(script)
			cmd.Argv = append(cmd.Argv, pidFile)
			refused(t, gate.Ask(ctx, cmd, gate.Request{}), "not done in time")
			n := <-pid
			if n == 0 || !gone(n) {
				t.Errorf("process %d is still there", n)
			}
		})
	}
}

// gone waits for a killed process to leave: nobody but init reaps it.
func gone(pid int) bool {
	for range 1_000_000 {
		if syscall.Kill(pid, 0) != nil || state(pid) == "Z" {
			return true
		}
	}
	return false
}

// state is the letter of a process on Linux, empty elsewhere.
func state(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(data), ") ")
	letter, _, _ := strings.Cut(after, " ")
	return letter
}

func TestFailedIsOneLineWithoutSecrets(t *testing.T) {
	t.Parallel()
	cause := errors.Join(errors.New("a"), errors.New("token ghp_"+strings.Repeat("a1B2", 9)), errors.New(strings.Repeat("x", 5000)))
	res := gate.Failed(cause)
	refused(t, res, "a token [redacted] xxx")
	if res.Line != res.Text {
		t.Errorf("line %q", res.Line)
	}
	if !(gate.Request{Lifted: []string{"a", gate.RuleError}}).Has(gate.RuleError) || (gate.Request{}).Has(gate.RuleError) {
		t.Error("Has")
	}
}
