package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/governance"
	"github.com/devflow-suite/devflow/mcpserver"
	"github.com/devflow-suite/devflow/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// project is a folder with one task in it, whose judge a test can replace.
type project struct {
	root string
	deps governance.Deps
}

func newProject(tb testing.TB) *project {
	tb.Helper()
	root := tb.TempDir()
	paths, err := config.ResolvePaths(func(string) string { return filepath.Join(root, "home") })
	if err != nil {
		tb.Fatal(err)
	}
	db, err := store.Open(paths.DB, store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	f := telemetry.NewFact(time.UnixMilli(1), "s1", "UserPromptSubmit")
	f.Root, f.Prompt, f.Description = root, "p1", "add tokens"
	err = db.Update(func(tx *store.Tx) error { _, err := telemetry.Record(tx, nil, &f); return err })
	if err := errors.Join(err, db.Close()); err != nil {
		tb.Fatal(err)
	}
	return &project{root: root, deps: governance.Deps{
		Paths: paths, Open: func() (*store.DB, error) { return store.Open(paths.DB, store.Options{ReadOnly: true}) },
		Judge: func(context.Context, string, int64) (judge.Result, error) {
			return judge.Result{Verdict: judge.Warn, Reasons: []judge.Reason{{Prefix: "test", Class: judge.Soft, Text: "weak"}}, Attempt: 1, DiffSHA: "d1"}, nil
		},
	}}
}

// server is a running server with its two streams.
type server struct {
	testing.TB
	in   *io.PipeWriter
	out  *io.PipeReader
	r    *bufio.Reader
	done chan error
	stop context.CancelFunc
}

func start(tb testing.TB, p *project) *server {
	tb.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{TB: tb, in: inW, out: outR, r: bufio.NewReader(outR), done: make(chan error, 1), stop: cancel}
	go func() {
		err := mcpserver.Run(ctx, inR, outW, mcpserver.Deps{Governance: p.deps, Version: "1"})
		_ = outW.Close()
		s.done <- err
		close(s.done)
	}()
	tb.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
		<-s.done
	})
	return s
}

func (s *server) send(line string) {
	s.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.Fatalf("send %.100s: %v", line, err)
	}
}

// next is the next line of output.
func (s *server) next() string {
	s.Helper()
	line, err := s.r.ReadString('\n')
	if err != nil {
		s.Fatalf("read answer: %v", err)
	}
	return line
}

// answer is what matters of a response.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (s *server) answer() answer {
	s.Helper()
	var a answer
	if line := s.next(); json.Unmarshal([]byte(line), &a) != nil {
		s.Fatalf("no answer: %s", line)
	}
	return a
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// open begins the session.
func (s *server) open() {
	s.Helper()
	s.send(hello)
	if a := s.answer(); a.Error != nil {
		s.Fatalf("initialize: %+v", a.Error)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}
