// Package claudecli starts the real, pinned Claude Code client in a clean environment, headless, and reads what it prints.
//
// It owns no table. It finds the clients that e2e/client/install.sh puts below e2e/client and starts the native program itself, so
// Node is not involved at run time. Every environment variable that the client sees is listed in [Environ]; the caller's own
// environment does not reach it.
package claudecli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrMissing is wrapped by [Find] when a pinned client is not installed.
var ErrMissing = errors.New("client is not installed; run: make deps")

// Versions are the pinned versions, oldest first.
func Versions() []string { return []string{"2.1.197", "2.1.332"} }

// Client is one installed client.
type Client struct {
	Version string
	Path    string // the native program
}

// Find gives the installed client of a version below the repository root.
func Find(root, version string) (Client, error) {
	pattern := filepath.Join(root, "e2e", "client", version, "node_modules", "@anthropic-ai", "claude-code-*", "claude")
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return Client{}, fmt.Errorf("find client %s: %w", version, ErrMissing)
	}
	path, err := filepath.Abs(found[0]) // the client starts in another folder
	if err != nil {
		return Client{}, fmt.Errorf("find client %s: %w", version, err)
	}
	return Client{Version: version, Path: path}, nil
}

// Home is a throw-away home folder of a client.
type Home struct{ Dir string }

// Settings is the path of the user settings file.
func (h Home) Settings() string { return filepath.Join(h.Dir, ".claude", "settings.json") }

// Prepare writes the client's own state file, so that a terminal session starts without the first-run dialogs and trusts the
// given project folders. Headless sessions do not need it. A terminal session in bypassPermissions mode asks once unless the user
// settings hold "skipDangerousModePermissionPrompt": true.
func (h Home) Prepare(projects ...string) error {
	trusted := map[string]any{}
	for _, p := range projects {
		trusted[p] = map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
	}
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"messageIdleNotifThresholdMs": 1000, // a minute otherwise, until the "waiting for your input" notification
		"customApiKeyResponses":       map[string]any{"approved": []string{apiKey}, "rejected": []string{}},
		"projects":                    trusted,
	})
	if err != nil {
		return fmt.Errorf("encode client state: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(h.Dir, ".claude"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.Dir, ".claude.json"), state, 0o600)
}

// apiKey is not a key: the scripted endpoint asks for none, but the client does.
const apiKey = "dummy"

// Environ is the whole environment of a client with this home, talking to the endpoint at baseURL. PATH holds the system folders
// only; extra entries come last and win.
func Environ(home, baseURL string, extra ...string) []string {
	return append([]string{
		"HOME=" + home, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color",
		"ANTHROPIC_BASE_URL=" + baseURL, "ANTHROPIC_API_KEY=" + apiKey, "IS_SANDBOX=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
	}, extra...)
}

// Options of one headless run. Home, Dir, URL and at least one prompt are required.
type Options struct {
	Home, Dir string   // home folder and working folder
	URL       string   // endpoint
	Prompts   []string // typed one after the other, each when the answer to the one before has ended
	Continue  bool     // go on with the newest session of Dir
	Resume    string   // go on with this session id
	Mode      string   // --permission-mode; "" is bypassPermissions
	Args      []string // more arguments
	Env       []string // more environment
	Wrap      []string // a command that starts the client, for example a mount namespace
	OnStart   func(*os.Process)
}

// Result of a run.
type Result struct {
	Exit      int // -1 when killed by a signal
	Stdout    []byte
	Stderr    []byte
	SessionID string
	Events    []Event // stream-json lines
}

// Event is one line of the client's stream-json output.
type Event struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`
	IsError   bool   `json:"is_error"`
	Result    string `json:"result"`
	Reason    string `json:"terminal_reason"`
	Raw       json.RawMessage
}

// Final is the last result event.
func (r Result) Final() Event {
	for i := len(r.Events) - 1; i >= 0; i-- {
		if r.Events[i].Type == "result" {
			return r.Events[i]
		}
	}
	return Event{}
}

// Run drives the client to the end of the last prompt. A non-zero exit is no error: it is in the result. Canceling ctx sends the
// whole process group SIGTERM and, five seconds later, SIGKILL.
func (c Client) Run(ctx context.Context, o Options) (Result, error) {
	mode := o.Mode
	if mode == "" {
		mode = "bypassPermissions"
	}
	argv := append(append([]string(nil), o.Wrap...), c.Path, "-p", "--permission-mode", mode, "--output-format", "stream-json", "--verbose", "--input-format", "stream-json")
	if o.Continue {
		argv = append(argv, "--continue")
	}
	if o.Resume != "" {
		argv = append(argv, "--resume", o.Resume)
	}
	argv = append(argv, o.Args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = o.Dir, Environ(o.Home, o.URL, o.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Result{}, fmt.Errorf("start client: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return Result{}, fmt.Errorf("start client: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("start client: %w", err)
	}
	if o.OnStart != nil {
		o.OnStart(cmd.Process)
	}
	res, dialogErr := dialog(stdin, stdout, o.Prompts)
	waitErr := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whatever the model left running; gone already as a rule
	res.Stderr, res.Exit = stderr.Bytes(), cmd.ProcessState.ExitCode()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return res, fmt.Errorf("run client: %w (stderr: %s)", context.Cause(ctx), tail(res.Stderr))
	case dialogErr != nil:
		return res, fmt.Errorf("talk to client: %w (stderr: %s)", dialogErr, tail(res.Stderr))
	case waitErr != nil && !errors.As(waitErr, &exit):
		return res, fmt.Errorf("wait for client: %w", waitErr)
	}
	return res, nil
}

// dialog sends each prompt when the turn before it has ended and reads to the end of the output.
func dialog(in io.WriteCloser, out io.Reader, prompts []string) (Result, error) {
	var res Result
	sent := 0
	next := func() error {
		if sent == len(prompts) {
			return in.Close()
		}
		line, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompts[sent]}})
		if err != nil {
			return err
		}
		sent++
		if _, err := in.Write(append(line, '\n')); err != nil && !errors.Is(err, syscall.EPIPE) {
			return err
		}
		return nil
	}
	if err := next(); err != nil {
		return res, err
	}
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		res.Stdout = append(res.Stdout, line...)
		var e Event
		if json.Unmarshal(line, &e) == nil {
			e.Raw = line
			res.Events = append(res.Events, e)
			if e.SessionID != "" {
				res.SessionID = e.SessionID
			}
			if e.Type == "result" {
				if err := next(); err != nil && !errors.Is(err, fs.ErrClosed) {
					return res, err
				}
			}
		}
		if err == io.EOF || errors.Is(err, fs.ErrClosed) {
			return res, nil
		}
		if err != nil {
			return res, err
		}
	}
}

func tail(b []byte) string {
	const keep = 500
	if len(b) > keep {
		b = b[len(b)-keep:]
	}
	return strings.TrimSpace(string(b))
}
