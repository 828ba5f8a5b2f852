package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator/worker"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

// roleVar makes this test binary play a client instead of running the tests.
const roleVar = "WORKER_TEST_ROLE"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" { // the launcher of landlock
		os.Exit(sandbox.Launch(os.Args[2:]))
	}
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

// patience bounds what a test waits for: generous, because the machine may be busy.
const patience = 3 * time.Minute

func confine(tb testing.TB, kind sandbox.Kind) sandbox.Sandbox {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := sandbox.Find(tb.Context(), kind, []string{self, "sandbox"})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// world is a project tree with two regions, and what a worker of the first needs.
type world struct {
	testing.TB
	root   string // everything is below it
	tree   string
	mine   string // folder of region api
	theirs string // folder of region ui
	home   string
	api    *mockapi.Server
	front  *front
	asked  *backend
}

func newWorld(tb testing.TB, script mockapi.Script) *world {
	tb.Helper()
	root, err := os.MkdirTemp("/tmp", "dw") // short: the path of a socket has at most 108 bytes
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(root) })
	w := &world{TB: tb, root: root, tree: filepath.Join(root, "tree"), home: filepath.Join(root, "homes", "api"), asked: &backend{}}
	w.mine, w.theirs = filepath.Join(w.tree, "api"), filepath.Join(w.tree, "ui")
	for _, dir := range []string{w.mine, w.theirs} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	w.write(filepath.Join(w.theirs, "theirs.txt"), "theirs\n")
	w.api = mockapi.New(tb, script)
	w.front = newFront(tb, filepath.Join(root, "s"), strings.TrimPrefix(w.api.URL, "http://"))
	return w
}

func (w *world) write(path, text string) {
	w.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(data)
}

func (w *world) exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

const token = "devflow-test-token-4711"

// options of a worker of region api under the real client of a version.
func (w *world) options(version string, kind sandbox.Kind) worker.Options {
	w.Helper()
	client, err := claudecli.Find("../..", version)
	if err != nil {
		w.Fatal(err)
	}
	o := w.base(kind)
	o.Client = client.Path
	return o
}

func (w *world) base(kind sandbox.Kind) worker.Options {
	o := worker.Options{
		Sandbox: confine(w, kind), Home: w.home, Socket: w.front.path, Token: token, Tree: w.tree, Dir: w.mine, Writable: []string{w.mine},
		Model: "qwen", Window: 100_000, Foreign: true, MaxTurns: 20, System: "You own region api.", Regions: w.asked, Region: "api",
	}
	o.Handshake(patience)
	return o
}

func (w *world) start(o worker.Options) *worker.Worker {
	w.Helper()
	k, err := worker.Start(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = k.Close() })
	return k
}

func (w *world) turn(k *worker.Worker, prompt string) worker.Result {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	res, err := k.Turn(ctx, prompt)
	if err != nil {
		w.Fatalf("turn %q: %v (%+v)", prompt, err, res)
	}
	return res
}

// backend records what workers ask for.
type backend struct {
	mu    sync.Mutex
	calls []string
	wait  chan struct{} // when set, Ask waits for it
}

func (b *backend) Ask(ctx context.Context, from, region, question string) (string, error) {
	b.mu.Lock()
	b.calls = append(b.calls, fmt.Sprintf("ask %s→%s: %s", from, region, question))
	b.mu.Unlock()
	if b.wait != nil {
		select {
		case <-b.wait:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	if region != "ui" {
		return "", errors.New("no such region: there are api, ui")
	}
	return "PUBLIC-UI exports Render(name string)", nil
}

func (b *backend) Request(_ context.Context, from string, r regions.Request) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, fmt.Sprintf("request %s→%s: %s (%s, %v)", from, r.Region, r.Description, r.Acceptance, r.Wait))
	return "req-1", nil
}

func (b *backend) seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// front is the smallest gateway: a unix socket in front of the scripted endpoint.
type front struct {
	path string
	l    net.Listener
	wg   sync.WaitGroup
	mu   sync.Mutex
	open map[net.Conn]bool
}

func newFront(tb testing.TB, path, to string) *front {
	tb.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	f := &front{path: path, l: l, open: map[net.Conn]bool{}}
	f.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.wg.Go(func() { f.pass(c, to) })
		}
	})
	tb.Cleanup(f.close)
	return f
}

func (f *front) pass(c net.Conn, to string) {
	up, err := net.Dial("tcp", to)
	if err != nil {
		_ = c.Close()
		return
	}
	f.hold(c, up)
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(up, c); _ = up.(*net.TCPConn).CloseWrite() })
	both.Go(func() { _, _ = io.Copy(c, up); _ = c.Close() })
	both.Wait()
	_ = up.Close()
}

func (f *front) hold(conns ...net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range conns {
		f.open[c] = true
	}
}

func (f *front) close() {
	_ = f.l.Close()
	f.mu.Lock()
	for c := range f.open {
		_ = c.Close()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

// tap counts the lines of the client with a mark in them.
type tap struct {
	mark string
	mu   sync.Mutex
	n    int
	wake chan struct{}
}

func newTap(mark string) *tap { return &tap{mark: mark, wake: make(chan struct{})} }

func (p *tap) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(p.mark)) {
		p.mu.Lock()
		p.n++
		close(p.wake)
		p.wake = make(chan struct{})
		p.mu.Unlock()
	}
	return len(line), nil
}

// more waits until n more lines have come.
func (p *tap) more(tb testing.TB, n int) {
	late := time.NewTimer(patience)
	defer late.Stop()
	p.mu.Lock()
	goal := p.n + n
	for p.n < goal {
		wake := p.wake
		p.mu.Unlock()
		select {
		case <-wake:
		case <-late.C:
			tb.Errorf("waited in vain for %d lines with %s", n, p.mark)
			return
		}
		p.mu.Lock()
	}
	p.mu.Unlock()
}

// eachClient runs a test with both pinned clients under a kind of confinement.
func eachClient(t *testing.T, kind sandbox.Kind, test func(t *testing.T, version string, kind sandbox.Kind)) {
	t.Helper()
	for _, v := range claudecli.Versions() {
		t.Run(v+"/"+string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, v, kind)
		})
	}
}
