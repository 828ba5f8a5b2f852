package loop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds everything that a script waits for. Only a broken run reaches it.
const patience = 60 * time.Second

// world is what one script has: a home, a project, a session, and the answers of the hooks so far.
type world struct {
	ts      *testscript.TestScript // of the command that is being run
	replies map[string]*reply      // by event, of the last client command
	last    *reply
	count   int      // of prompts, tool calls and replies, for their ids
	open    []func() // what release undoes
	watched bool     // the script looked at the log
}

type worldKey struct{}

// of is the world of a script.
func of(ts *testscript.TestScript) *world {
	w := ts.Value(worldKey{}).(*world)
	w.ts = ts
	return w
}

// setup gives each script the environment that a user has: nothing of the machine but the PATH.
func setup(e *testscript.Env) error {
	w := &world{replies: map[string]*reply{}}
	e.Values[worldKey{}] = w
	home := filepath.Join(e.WorkDir, "home")
	for name, value := range map[string]string{
		"HOME": home, "TMPDIR": filepath.Join(e.WorkDir, ".tmp"), "PATH": programs + string(os.PathListSeparator) + os.Getenv("PATH"),
		"BIN": programs, "HOOKS": programs, "ROOT": filepath.Join(home, ".claude", "devflow"), "PROJ": filepath.Join(e.WorkDir, "proj"),
		"SESSION": "11111111-2222-4333-8444-555555555555", "PROMPT": "33333333-0000-4000-8000-000000000000", "CLIENT": "2.1.332",
		"GIT_CONFIG_NOSYSTEM": "1",
	} {
		e.Setenv(name, value)
	}
	e.Defer(func() {
		w.unlock()
		if err := errors.Join(childrenEnd(home), unexpectedLog(home, w.watched)); err != nil {
			e.T().Log(err)
			e.T().FailNow()
		}
	})
	return os.MkdirAll(home, 0o755)
}

func (w *world) env(name string) string { return w.ts.Getenv(name) }

// cwd is the folder that the session is in now.
func (w *world) cwd() string {
	if dir := w.env("CWD"); dir != "" {
		return dir
	}
	return w.env("PROJ")
}

// devflowHome is the root of the script's devflow.
func (w *world) devflowHome() string {
	if dir := w.env("DEVFLOW_HOME"); dir != "" {
		return dir
	}
	return w.env("ROOT")
}

func (w *world) database() string {
	if file := w.env("DEVFLOW_DB"); file != "" {
		return file
	}
	return filepath.Join(w.devflowHome(), "telemetry", "devflow.db")
}

// transcript is where the client of the session writes. Like the client it replaces every other character of the folder by "-".
func (w *world) transcript() string { return filepath.Join(w.transcripts(), w.env("SESSION")+".jsonl") }

func (w *world) transcripts() string {
	return filepath.Join(w.env("HOME"), ".claude", "projects", regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(w.env("PROJ"), "-"))
}

// number is the next one of a series that ids are made of.
func (w *world) number() int {
	w.count++
	return w.count
}

// unlock gives back all locks that the script holds.
func (w *world) unlock() {
	for _, undo := range w.open {
		undo()
	}
	w.open = nil
}

func (w *world) release([]string) error {
	w.unlock()
	return nil
}

// poll calls ok until it is true or nothing can be hoped for any more.
func poll(what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err := ok()
		if done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: it did not come", what)
		}
	}
}

// settle waits for the detached processes of the world.
func (w *world) settle([]string) error { return childrenEnd(w.env("HOME")) }

// childrenEnd waits until no process that devflow has started for a home is left. Each carries the home and DEVFLOW_CHILD in its
// environment. One look can miss a process that another has started and not outlived, so it takes several that find none.
func childrenEnd(home string) error {
	const looks = 3
	quiet := 0
	return poll("the end of the detached processes", func() (bool, error) {
		all, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			return false, err
		}
		for _, file := range all {
			env, err := os.ReadFile(file)
			if err != nil {
				continue // it ended
			}
			env = append([]byte{0}, env...)
			if bytes.Contains(env, []byte("\x00HOME="+home+"\x00")) && bytes.Contains(env, []byte("\x00DEVFLOW_CHILD=1\x00")) {
				quiet = 0
				return false, nil
			}
		}
		quiet++
		return quiet == looks, nil
	})
}

// hookLog is everything that hooks have written to their log.
func hookLog(home string) string {
	var all strings.Builder
	for _, pattern := range [...]string{filepath.Join(home, ".claude", "devflow", "logs", "*")} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(&all, "%s: %v\n", file, err)
			}
			all.Write(text)
		}
	}
	return all.String()
}

// unexpectedLog is the error of a script in which something went wrong that it did not want.
func unexpectedLog(home string, expected bool) error {
	if text := hookLog(home); text != "" && !expected {
		return fmt.Errorf("the hooks have something in their log, which the script does not look at:\n%s", text)
	}
	return nil
}

func (w *world) logged(neg bool, args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	w.watched = true
	re, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	if text := hookLog(w.env("HOME")); re.MatchString(text) == neg {
		return fmt.Errorf("log matches %s: %v, want %v; it is:\n%s", args[0], neg, !neg, text)
	}
	return nil
}

// locked notes what undoes a lock.
func (w *world) locked(undo func()) { w.open = append(w.open, sync.OnceFunc(undo)) }
