package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// seat is a home of its own in which programs run for one case, without a script.
type seat struct{ home, path string }

func newSeat(t *testing.T) seat {
	t.Helper()
	return seat{t.TempDir(), programs + string(os.PathListSeparator) + os.Getenv("PATH")}
}

func (s seat) env(more ...string) []string {
	return append([]string{"HOME=" + s.home, "PATH=" + s.path, "TMPDIR=" + filepath.Join(s.home, "tmp"), "CLAUDECODE=1"}, more...)
}

// call asks the guard about a tool call: the answer, checked like every answer.
func (s seat) call(t *testing.T, payload string, more ...string) *reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "devflow-pre-tool-use"))
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = strings.NewReader(payload), &out, &errs, s.env(more...), s.home
	r := &reply{event: "PreToolUse"}
	err := cmd.Run()
	r.stdout = out.Bytes()
	if err = errors.Join(err, r.check()); err != nil || errs.Len() > 0 {
		t.Fatalf("the guard failed: %v, stderr %q", err, errs.String())
	}
	return r
}

// bashCall is the input of the numbered cases: nothing of it exists on this machine.
func bashCall(command string) string {
	return `{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/home/dev/proj","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":` +
		string(quoted(command)) + `},"tool_use_id":"toolu_1"}`
}

func fileCall(tool string, input map[string]any) string {
	data, err := json.Marshal(input)
	if err != nil {
		panic(err) // unreachable: texts encode
	}
	return `{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/home/dev/proj","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"` + tool +
		`","tool_input":` + string(data) + `,"tool_use_id":"toolu_1"}`
}

// decision is deny, ask, or pass for no decision at all.
func (r *reply) decision() string {
	if text, ok := r.at("hookSpecificOutput.permissionDecision"); ok {
		return text
	}
	return "pass"
}

// testCommand is `devflow guard test` about a command line: its exit status and what it says.
func (s seat) testCommand(t *testing.T, command string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "devflow"), "guard", "test")
	cmd.Stdin, cmd.Env, cmd.Dir = strings.NewReader(command), s.env(), "/" // in a folder for temporary files more is allowed
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// table reads a file of lines with tabs; lines that begin with # are comments.
func table(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.SplitN(line, "\t", columns)
		if len(row) != columns {
			t.Fatalf("%s: %q has %d columns, want %d", name, line, len(row), columns)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestHandedCommands gives every command of the table to the hook and to the command line program: a danger is stopped, a harmless
// one gets no decision at all.
func TestHandedCommands(t *testing.T) {
	t.Parallel()
	rows := table(t, "commands.tsv", 3)
	if len(rows) < 40 {
		t.Fatalf("%d commands, want at least 40", len(rows))
	}
	for i, row := range rows {
		command, danger := strings.ReplaceAll(row[0], `\n`, "\n"), row[1] == "danger"
		t.Run(fmt.Sprintf("%02d %s", i+1, row[2]), func(t *testing.T) {
			t.Parallel()
			s := newSeat(t)
			r := s.call(t, bashCall(command))
			if stopped := r.decision() != "pass"; stopped != danger {
				t.Errorf("%s: decision %s, want a %s: %s", command, r.decision(), row[1], r.stdout)
			}
			want := 0
			if danger {
				want = 3
			}
			if status, out := s.testCommand(t, command); status != want {
				t.Errorf("guard test %s: exit status %d, want %d: %s", command, status, want, out)
			}
			told(t, r)
		})
	}
}

// told holds a refusal to what it owes (B23): the segment, the id of the rule, an alternative, and how a person allows it.
func told(t *testing.T, r *reply) {
	t.Helper()
	if r.decision() == "pass" {
		return
	}
	text, _ := r.at("hookSpecificOutput.permissionDecisionReason")
	for what, re := range map[string]string{
		"segment": "`[^`]+`|line \\d+ of ", "rule": `\((?:[a-z-]+\.)+[a-z-]+\)|push-gate`, "alternative": `Instead: .|Repair|gate-error`, "code": `devflow approve [A-HJ-NP-Z2-9]{4}$`,
	} {
		if !regexp.MustCompile(re).MatchString(text) {
			t.Errorf("the refusal names no %s: %s", what, text)
		}
	}
	if len(text) > 2000 {
		t.Errorf("the refusal has %d bytes", len(text))
	}
}

// TestNumberedCommands are the cases that are one command line in a project that is nowhere.
func TestNumberedCommands(t *testing.T) {
	t.Parallel()
	for i, row := range table(t, "cases.tsv", 4) {
		command := strings.ReplaceAll(row[3], "⏎", "\n")
		t.Run(fmt.Sprintf("%s %03d", row[0], i+1), func(t *testing.T) {
			t.Parallel()
			r := newSeat(t).call(t, bashCall(command))
			if got := r.decision(); got != row[1] && (row[1] != "stop" || got == "pass") {
				t.Errorf("%s: decision %s, want %s: %s", command, got, row[1], r.stdout)
			}
			if text, _ := r.at("hookSpecificOutput.permissionDecisionReason"); row[2] != "-" && !strings.Contains(text, "("+row[2]) {
				t.Errorf("%s: want rule %s: %s", command, row[2], r.stdout)
			}
			told(t, r)
		})
	}
}
