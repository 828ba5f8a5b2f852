package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/quiet"
)

// patience bounds the whole session. It takes some seconds.
const patience = 5 * time.Minute

type options struct {
	bin, client, root string
	keep              bool
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	set := flag.NewFlagSet("demo", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&o.bin, "bin", "bin", "folder of the built devflow programs")
	set.StringVar(&o.client, "client", "2.1.332", "version of the Claude Code client")
	set.StringVar(&o.root, "root", ".", "root of this repository, where the client is installed")
	set.BoolVar(&o.keep, "keep", false, "keep the home and the project and say where they are")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("the session did not end"))
	defer cancel()
	if err := show(ctx, o, newNarrator(stdout, os.Getenv("NO_COLOR") == "")); err != nil {
		fmt.Fprintln(stderr, "demo:", err)
		return 1
	}
	return 0
}

// show runs the whole story.
func show(ctx context.Context, o options, n *narrator) (err error) {
	client, err := claudecli.Find(o.root, o.client)
	if err != nil {
		return err
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(bin, "devflow")); err != nil {
		return fmt.Errorf("find the built programs: %w; run: make build", err)
	}
	dir, err := os.MkdirTemp("", "devflow-demo")
	if err != nil {
		return err
	}
	defer func() {
		if o.keep {
			n.line("kept", dir)
			return
		}
		quiet.Wait(ctx, dir) // what the session has left behind still writes there
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	s := stage{ctx: ctx, n: n, client: client, bin: bin, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "shop")}
	return s.play()
}

// stage is the throw-away home, the project and what plays on it.
type stage struct {
	ctx                context.Context
	n                  *narrator
	client             claudecli.Client
	bin, home, project string
}

func (s stage) play() error {
	s.n.title("devflow, watching a real Claude Code " + s.client.Version + " session (scripted model, throw-away home, no network)")
	r := &reporter{}
	if err := r.try(func() { s.plant(r) }); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.home, ".claude"), 0o700); err != nil {
		return err
	}
	srv, err := mockapi.Start(s.script())
	if err != nil {
		return err
	}
	defer srv.Close()

	s.n.chapter("A person installs devflow and asks for a change")
	if _, err := s.devflow(srv.URL, "devflow", "install"); err != nil {
		return err
	}
	s.n.line("devflow", "installed into the settings of this home")
	s.n.line("person", request)
	s.n.chapter("The agent works; devflow watches every call")
	res, err := s.client.Run(s.ctx, claudecli.Options{Home: s.home, Dir: s.project, URL: srv.URL, Prompts: []string{request}})
	if err != nil {
		return err
	}
	if res.Exit != 0 {
		return fmt.Errorf("client ended with status %d: %s", res.Exit, res.Stderr)
	}
	verdict, err := s.verdict()
	if err != nil {
		return err
	}
	if verdict != "pass" || srv.Overrun() > 0 {
		return fmt.Errorf("the story went another way: verdict %q, %d requests too many", verdict, srv.Overrun())
	}
	s.n.verdict(true, "PASS: the turn may end")
	told := s.messages()
	if !strings.Contains(strings.Join(told, "\n"), "tests ok") {
		return fmt.Errorf("the story went another way: the gate has not seen green tests: %q", told)
	}
	for _, text := range told {
		s.n.line("to person", text)
	}
	s.n.chapter("What is remembered: devflow-telemetry recent --n 10")
	table, err := s.devflow(srv.URL, "devflow-telemetry", "recent", "--n", "10")
	if err != nil {
		return err
	}
	s.n.raw(table)
	return nil
}

// plant makes the project: an invoice module with a real test.
func (s stage) plant(r gitrepo.Reporter) {
	repo := gitrepo.New(r, s.project, "feat/refunds")
	repo.Write("README.md", "# shop\n")
	repo.Write(readFile, invoice)
	repo.Write(oldTest, invoiceTest)
	repo.Commit("Start")
	remote := s.project + ".git"
	repo.Git("init", "-q", "--bare", remote)
	repo.Git("remote", "add", "origin", remote)
	repo.Git("push", "-q", "origin", "HEAD:refs/heads/main")
}

// devflow runs a built program as the user of the throw-away home.
func (s stage) devflow(url, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(s.ctx, filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.Env = s.project, claudecli.Environ(s.home, url)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

// reporter turns the fatal error of a test helper into an error of this program.
type reporter struct{ err error }

// Helper implements [gitrepo.Reporter].
func (r *reporter) Helper() {}

// Fatal ends the goroutine that try started.
func (r *reporter) Fatal(args ...any) {
	r.err = errors.New(fmt.Sprint(args...))
	runtime.Goexit()
}

func (r *reporter) try(f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
	return r.err
}
