package flock_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/quiet"
	"github.com/devflow-suite/devflow/orchestrator"
)

// event is one line of --json.
type event struct {
	Kind    string `json:"kind"`
	Region  string `json:"region"`
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	Text    string `json:"text"`
	Summary *struct {
		Run      string                `json:"run"`
		State    orchestrator.RunState `json:"state"`
		Reason   string                `json:"reason"`
		Project  string                `json:"project"`
		Done     int                   `json:"done"`
		Failed   int                   `json:"failed"`
		Blocked  int                   `json:"blocked"`
		Open     int                   `json:"open"`
		Tasks    int                   `json:"tasks"`
		Usage    orchestrator.Usage    `json:"usage"`
		Base     string                `json:"base"`
		Branch   string                `json:"branch"`
		Commit   string                `json:"commit"`
		Attempts int                   `json:"attempts"`
		Missing  []struct {
			Task   string                 `json:"task"`
			State  orchestrator.TaskState `json:"state"`
			Reason string                 `json:"reason"`
		} `json:"missing"`
	} `json:"summary"`
}

// process is a devflock that runs.
type process struct {
	s      *stage
	cmd    *exec.Cmd
	done   chan struct{} // closed when it has ended and all its lines are read
	stderr bytes.Buffer

	mu     sync.Mutex
	events []event
	news   chan struct{} // closed and replaced with every event
}

// start starts devflock.
func (s *stage) start(args ...string) *process {
	s.Helper()
	program, err := devflock()
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := bounded(s.T)
	p := &process{s: s, cmd: exec.CommandContext(ctx, program, args...), done: make(chan struct{}), news: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = s.repo.Dir, s.environ(), &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	go func() {
		defer cancel()
		defer close(p.done)
		p.read(bufio.NewReader(out))
		_ = p.cmd.Wait() // its exit code is looked at
	}()
	s.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.done })
	return p
}

func (p *process) read(r *bufio.Reader) {
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			e.Kind, e.Text = "no JSON", string(line)
		}
		p.mu.Lock()
		p.events = append(p.events, e)
		close(p.news)
		p.news = make(chan struct{})
		p.mu.Unlock()
	}
}

// all are the events so far.
func (p *process) all() []event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// await waits until enough events are as wanted.
func (p *process) await(what string, n int, is func(event) bool) {
	p.s.Helper()
	for over := false; ; {
		p.mu.Lock()
		news, have := p.news, 0
		for _, e := range p.events {
			if is(e) {
				have++
			}
		}
		p.mu.Unlock()
		if have >= n {
			return
		}
		if over {
			p.s.Fatalf("devflock has ended before: %s\n%s\n%s", what, p.stderr.String(), p.s.trouble())
		}
		select {
		case <-news:
		case <-p.done:
			over = true
		}
	}
}

func kind(name string) func(event) bool { return func(e event) bool { return e.Kind == name } }

// end waits for the end and gives the exit code; -1 when it was killed. No secret may be in what it said.
func (p *process) end() int {
	p.s.Helper()
	<-p.done
	for _, e := range p.all() {
		if e.Kind == "no JSON" {
			p.s.Errorf("a line is no JSON: %s", e.Text)
		}
		if strings.Contains(e.Text, realKey) {
			p.s.Errorf("the key is in an event: %+v", e)
		}
	}
	if strings.Contains(p.stderr.String(), realKey) {
		p.s.Errorf("the key is in the error output: %s", p.stderr.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// kill ends it at once.
func (p *process) kill() {
	p.s.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.s.Fatal(err)
	}
	<-p.done
	if code := p.cmd.ProcessState.ExitCode(); code != -1 {
		p.s.Fatalf("devflock ended with %d before it was killed: %s", code, p.stderr.String())
	}
}

// summary is the last event.
func (p *process) summary() event {
	p.s.Helper()
	<-p.done
	list := p.all()
	if len(list) == 0 || list[len(list)-1].Summary == nil {
		p.s.Fatalf("no summary at the end of %+v\n%s\n%s", list, p.stderr.String(), p.s.trouble())
	}
	return list[len(list)-1]
}

// well wants the end of a run with everything done.
func (p *process) well() event {
	p.s.Helper()
	code := p.end()
	e := p.summary()
	if code != 0 || e.Summary.State != orchestrator.RunDone || e.Summary.Branch != "devflock/integration" {
		p.s.Fatalf("exit code %d, summary %+v\n%s\n%s", code, *e.Summary, p.stderr.String(), p.s.trouble())
	}
	return e
}

// do runs a devflock to its end and gives the exit code and its output.
func (s *stage) do(args ...string) (int, string) {
	s.Helper()
	program, err := devflock()
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := bounded(s.T)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = s.repo.Dir, s.environ()
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	if strings.Contains(string(out), realKey) {
		s.Errorf("the key is in the output of %v: %s", args, out)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// gone wants that no process of the stage is left, and none with the mark in its command line.
func (s *stage) gone(mark string) {
	s.Helper()
	ctx, cancel := bounded(s.T)
	defer cancel()
	if left := quiet.Wait(ctx, s.dir); len(left) > 0 {
		s.Errorf("processes are left: %q", left)
	}
	for pid, line := range commandLines(s.T) {
		if strings.Contains(line, s.dir) || mark != "" && strings.Contains(line, mark) {
			s.Errorf("process %d is left: %s", pid, line)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "devflock-"+strconv.Itoa(os.Getuid()), string(s.rows().run.ID), "*")); len(left) > 0 {
		s.Errorf("sockets are left: %q", left)
	}
}

// commandLines are those of all processes but this one and its git and go.
func commandLines(t *testing.T) map[int]string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]string{}
	for _, f := range files {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if data, err := os.ReadFile(f); err == nil && pid != os.Getpid() && len(data) > 0 {
			lines[pid] = string(bytes.ReplaceAll(data, []byte{0}, []byte{' '}))
		}
	}
	return lines
}

// gate is a FIFO: whoever reads it stands there until it is opened for good.
type gate struct {
	path  string
	found chan error // somebody stands there
	file  *os.File
}

// newGate makes a gate below a folder that workers and checks can read.
func (s *stage) newGate(name string) *gate {
	s.Helper()
	g := &gate{path: filepath.Join(s.gates, name), found: make(chan error, 1)}
	if err := syscall.Mkfifo(g.path, 0o644); err != nil {
		s.Fatal(err)
	}
	go func() {
		f, err := os.OpenFile(g.path, os.O_WRONLY, 0) // returns when a reader is there
		g.file = f
		g.found <- err
	}()
	s.Cleanup(func() { g.release(s) })
	return g
}

// reached waits until somebody stands at the gate.
func (g *gate) reached(p *process) {
	p.s.Helper()
	select {
	case err := <-g.found:
		if err != nil {
			p.s.Fatal(err)
		}
		g.found <- nil
	case <-p.done:
		p.s.Fatalf("devflock has ended before anybody came to %s\n%s\n%s", filepath.Base(g.path), p.stderr.String(), p.s.trouble())
	}
}

// release opens the gate: those who stand there go on, and nobody stops any more.
func (g *gate) release(s *stage) {
	s.Helper()
	info, err := os.Lstat(g.path)
	if err != nil || info.Mode().IsRegular() {
		return // released before
	}
	through, err := os.OpenFile(g.path, os.O_RDWR|syscall.O_NONBLOCK, 0) // lets our own opener through when nobody came
	if err != nil {
		s.Error(err)
		return
	}
	if err := os.WriteFile(g.path+".open", nil, 0o644); err != nil {
		s.Error(err)
	}
	if err := os.Rename(g.path+".open", g.path); err != nil {
		s.Error(err)
	}
	<-g.found
	if g.file != nil {
		_ = g.file.Close()
	}
	_ = through.Close()
}
