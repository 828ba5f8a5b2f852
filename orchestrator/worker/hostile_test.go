package worker_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator/worker"
)

// fake gives the options of a worker whose client is this test binary.
func (w *world) fake(role string) worker.Options {
	w.Helper()
	self, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	o := w.base(sandbox.None)
	o.Client, o.Env = self, []string{roleVar + "=" + role}
	return o
}

func (w *world) starts() int { return strings.Count(w.read(filepath.Join(w.home, "starts")), "\n") }

const short = 300 * time.Millisecond // of what a hostile client never does

func TestHostileClients(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]string{
		"good": "did go", "twice": "did go", "own": "did go", "garbage": "survived", "late": "did go", "inuse": "did go",
		"flood": `success {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"This call is too large to be checked: write the file in parts."}} | error`,
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mockapi.Script{})
			o := w.fake(role)
			if role == "late" {
				o.Handshake(5 * time.Second)
			}
			k := w.start(o)
			if res := w.turn(k, "go"); res.Text != want || res.Usage.Input != 7 {
				t.Errorf("%+v", res)
			}
			if role != "flood" && role != "garbage" {
				if res := w.turn(k, "on"); res.Text != strings.Replace(want, "go", "on", 1) {
					t.Errorf("second turn: %+v", res)
				}
			}
			if want := map[string]int{"late": 2, "inuse": 2}[role]; w.starts() != max(want, 1) {
				t.Errorf("%d starts", w.starts())
			}
			if err := errors.Join(k.Close(), k.Close()); err != nil {
				t.Error(err)
			}
			if _, err := k.Turn(t.Context(), "more"); !errors.Is(err, worker.ErrEnded) {
				t.Errorf("turn after the end: %v", err)
			}
		})
	}
}

func TestClientThatNeverGetsReadyIsStartedTwice(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"mute", "pending"} {
		w := newWorld(t, mockapi.Script{})
		o := w.fake(role)
		o.Handshake(short)
		_, err := worker.Start(t.Context(), o)
		if !errors.Is(err, worker.ErrNotReady) || w.starts() != 2 {
			t.Errorf("%s: %v after %d starts", role, err, w.starts())
		}
	}
	w := newWorld(t, mockapi.Script{})
	_, err := worker.Start(t.Context(), w.fake("broken"))
	if !errors.Is(err, worker.ErrEnded) || w.starts() != 1 || !strings.Contains(err.Error(), "cannot start: key [token]") {
		t.Errorf("broken: %v after %d starts", err, w.starts())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("not wanted any more")
	w = newWorld(t, mockapi.Script{})
	o := w.fake("mute")
	time.AfterFunc(short, func() { cancel(cause) })
	if _, err := worker.Start(ctx, o); !errors.Is(err, cause) || w.starts() != 1 {
		t.Errorf("cancelled: %v after %d starts", err, w.starts())
	}
}

func TestTurnsThatEndBadly(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]error{"exit": worker.ErrEnded, "silent": worker.ErrStalled, "deaf": worker.ErrEnded, "toolless": worker.ErrNotReady} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mockapi.Script{})
			o := w.fake(role)
			o.Stall = short
			if role != "silent" {
				o.Stall = patience
			}
			k := w.start(o)
			prompt := "go"
			if role == "deaf" {
				prompt = strings.Repeat("long ", 1<<20)
			}
			_, err := k.Turn(t.Context(), prompt)
			if !errors.Is(err, want) || strings.Contains(err.Error(), token) {
				t.Errorf("got %v, want %v", err, want)
			}
			if role == "exit" && (!strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "no luck with [token]")) {
				t.Errorf("%v", err)
			}
			if proc.Alive(k.PID(), k.Started()) {
				t.Error("it lives")
			}
			if _, err := k.Turn(t.Context(), "again"); !errors.Is(err, worker.ErrEnded) {
				t.Errorf("next turn: %v", err)
			}
		})
	}
}

func TestDeafClientStalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	o := w.fake("stubborn") // reads one prompt, then hangs
	o.Stall = short
	k := w.start(o)
	if _, err := k.Turn(t.Context(), "go"); !errors.Is(err, worker.ErrStalled) {
		t.Errorf("%v", err)
	}
}

func TestEndOfContextKillsTheWholeTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	k := w.start(w.fake("stubborn"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("time is up")
	ready := filepath.Join(w.home, "ready")
	go func() {
		for !w.exists(ready) {
			select {
			case <-t.Context().Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
		cancel(cause)
	}()
	_, err := k.Turn(ctx, "go")
	if !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(w.read(ready)))
	if err != nil {
		t.Fatal(err)
	}
	if alive(grandchild) || proc.Alive(k.PID(), k.Started()) {
		t.Error("something of it lives")
	}
	marks, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range marks {
		if data, err := os.ReadFile(m); err == nil && strings.Contains(string(data), "HOME="+w.home+"\x00") && alivePath(m) {
			t.Errorf("%s is still there", m)
		}
	}
}

// alive reports whether a process runs; one that waits to be collected does not.
func alive(pid int) bool { return alivePath("/proc/" + strconv.Itoa(pid) + "/environ") }

func alivePath(environ string) bool {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(environ), "stat"))
	if err != nil {
		return false
	}
	rest := string(data[strings.LastIndexByte(string(data), ')')+1:])
	return !strings.HasPrefix(strings.TrimSpace(rest), "Z") && !strings.HasPrefix(strings.TrimSpace(rest), "X")
}

func TestQuestionsOfTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	k := w.start(w.fake("asks"))
	res := w.turn(k, "go")
	lines := strings.Split(res.Text, "\n")
	want := []string{
		"error unknown request", "error unknown request", `"permissionDecision":"deny"`, `"permissionDecision":"deny"`, "success {}",
		"may write only below " + w.mine, "error no such MCP server", `success {"mcp_response":{"jsonrpc":"2.0","result":{}}}`, `-32600`,
	}
	if len(lines) != len(want) {
		t.Fatalf("%d answers: %s", len(lines), res.Text)
	}
	for i := range want {
		if !strings.Contains(lines[i], want[i]) {
			t.Errorf("answer %d: %s, want %s", i, lines[i], want[i])
		}
	}
	if len(res.Denied) != 1 || res.Denied[0] != "Write /etc/passwd" {
		t.Errorf("denied %q", res.Denied)
	}
}

func TestClientTakesAQuestionBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	w.asked.wait = make(chan struct{}) // never: only the cancellation ends it
	k := w.start(w.fake("cancels"))
	if res := w.turn(k, "go"); !strings.Contains(res.Text, "request_change") {
		t.Errorf("%+v", res)
	}
	if err := k.Close(); err != nil { // waits for the goroutine that asks
		t.Error(err)
	}
}

func TestTurnsAreSerial(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	k := w.start(w.fake("good"))
	done := make(chan string, 20)
	for i := range 20 {
		go func() {
			res, err := k.Turn(t.Context(), strconv.Itoa(i))
			if err != nil || res.Text != "did "+strconv.Itoa(i) {
				done <- res.Text + " for " + strconv.Itoa(i)
				return
			}
			done <- ""
		}()
	}
	for range 20 {
		if bad := <-done; bad != "" {
			t.Error(bad)
		}
	}
}

func TestCloseDuringATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	k := w.start(w.fake("silent"))
	done := make(chan error, 1)
	began := make(chan struct{})
	go func() {
		close(began)
		_, err := k.Turn(t.Context(), "go")
		done <- err
	}()
	<-began
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, worker.ErrEnded) {
		t.Errorf("%v", err)
	}
}

func TestCommandLineHoldsTheRecipeAndNoSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	o := w.fake("good")
	o.System = "SYSTEM-TEXT"
	k := w.start(o)
	got := w.read(filepath.Join(w.home, "starts"))
	for _, want := range []string{
		"-p --input-format stream-json --output-format stream-json --verbose ", "--setting-sources  --strict-mcp-config", `--mcp-config {"mcpServers":{"devflow":{"type":"sdk","name":"devflow"}}}`,
		"--tools Read,Write,Edit,Bash,Glob,Grep --permission-mode dontAsk", `{"permissions":{"allow":["Read","Bash","Glob","Grep","Edit(/` + w.mine + `/**)","mcp__devflow"]}}`,
		"--session-id " + k.Session(), "--max-turns 20", "--model qwen",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	for _, bad := range []string{token, "SYSTEM-TEXT", "bypassPermissions", "dangerously"} { // every user of the machine can read it
		if strings.Contains(got, bad) {
			t.Errorf("%s is in %s", bad, got)
		}
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mockapi.Script{})
	for name, spoil := range map[string]func(*worker.Options){
		"sandbox": func(o *worker.Options) { o.Sandbox = sandbox.Sandbox{} }, "client": func(o *worker.Options) { o.Client = "claude" },
		"token": func(o *worker.Options) { o.Token = "a\nb" }, "session": func(o *worker.Options) { o.Session = "../../x" },
		"tool": func(o *worker.Options) { o.Tools = []string{"Read,Task"} }, "schema": func(o *worker.Options) { o.Schema = []byte("{") },
		"root": func(o *worker.Options) { o.Writable = []string{"/"} }, "relative": func(o *worker.Options) { o.Writable = []string{"x"} },
		"stall": func(o *worker.Options) { o.Stall = -1 }, "missing folder": func(o *worker.Options) { o.Dir = filepath.Join(w.root, "none") },
	} {
		o := w.fake("good")
		spoil(&o)
		if k, err := worker.Start(t.Context(), o); err == nil {
			t.Errorf("%s: started", name)
			_ = k.Close()
		}
	}
}

// A link in the place of a region's folder would make writable what it names: no worker starts on such a tree, confined or not.
func TestNoWorkerStartsOnATreeWithALinkForAFolder(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(w *world) error{
		"folder":  func(w *world) error { return errors.Join(os.Remove(w.mine), os.Symlink(w.theirs, w.mine)) },
		"outside": func(w *world) error { return errors.Join(os.Remove(w.mine), os.Symlink(w.root, w.mine)) },
		"above": func(w *world) error {
			return errors.Join(os.Rename(w.mine, filepath.Join(w.theirs, "x")), os.Symlink(w.theirs, w.mine))
		},
		"file": func(w *world) error { return errors.Join(os.Remove(w.mine), os.WriteFile(w.mine, nil, 0o600)) },
	} {
		for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
			w := newWorld(t, mockapi.Script{})
			o := w.fake("good")
			o.Sandbox = confine(t, kind)
			if err := put(w); err != nil {
				t.Fatal(err)
			}
			if name == "above" {
				o.Dir, o.Writable = filepath.Join(w.mine, "x"), []string{filepath.Join(w.mine, "x")}
			}
			if k, err := worker.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "in the tree is no folder") {
				t.Errorf("%s under %s: started: %v", name, kind, err)
				if k != nil {
					_ = k.Close()
				}
			}
		}
	}
}
