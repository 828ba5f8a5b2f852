package loop_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// view runs fn on the store; no store at all is no rows.
func (w *world) view(fn func(*store.Tx) error) error {
	db, err := store.Open(w.database(), store.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrOlder) { // or it is being made right now
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(db.View(fn), db.Close())
}

func (w *world) query(sql string) ([]string, error) {
	list := []string{}
	err := w.view(func(tx *store.Tx) error {
		return tx.Query(sql, nil, func(r *store.Row) error {
			var columns []string
			for i := range r.Columns() {
				if r.Null(i) {
					columns = append(columns, "-")
				} else {
					columns = append(columns, fmt.Sprint(r.Value(i)))
				}
			}
			list = append(list, strings.Join(columns, "|"))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return list, nil
}

func (w *world) rows(args []string) error {
	if err := need(args, 1, -1); err != nil {
		return err
	}
	got, err := w.query(args[0])
	if err != nil {
		return err
	}
	if diff := cmp.Diff(append([]string{}, args[1:]...), got); diff != "" {
		return fmt.Errorf("rows (-want +got):\n%s", diff)
	}
	return nil
}

func (w *world) eventually(args []string) error {
	if err := need(args, 1, -1); err != nil {
		return err
	}
	var last error
	err := poll("rows", func() (bool, error) {
		last = w.rows(args)
		return last == nil, nil
	})
	return errors.Join(err, last)
}

func (w *world) sql(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	db, err := store.Open(w.database(), store.Options{})
	if err != nil {
		return err
	}
	return errors.Join(db.Update(func(tx *store.Tx) error {
		n, err := tx.Exec(args[0])
		if err == nil && n == 0 {
			err = fmt.Errorf("%s: no row was changed", args[0])
		}
		return err
	}), db.Close())
}

// task checks fields of telemetry.Task.
func (w *world) task(args []string) error {
	var t *telemetry.Task
	err := w.view(func(tx *store.Tx) error {
		var err error
		t, err = telemetry.Current(tx, w.env("SESSION"))
		return err
	})
	if err != nil {
		return err
	}
	if t == nil {
		return errors.New("the session has no task")
	}
	var want, got []string
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		field := reflect.ValueOf(t).Elem().FieldByName(name)
		if !field.IsValid() {
			return fmt.Errorf("no field %s", name)
		}
		want, got = append(want, name+"="+value), append(got, name+"="+fmt.Sprint(field.Interface()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("task %s (-want +got):\n%s", t.ID(), diff)
	}
	return nil
}

// hold takes the database's write lock until release.
func (w *world) hold([]string) error {
	db, err := store.Open(w.database(), store.Options{})
	if err != nil {
		return err
	}
	held, free, gone := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		gone <- errors.Join(db.Update(func(*store.Tx) error {
			close(held)
			<-free
			return nil
		}), db.Close())
	}()
	select {
	case <-held:
	case err := <-gone:
		return errors.Join(errors.New("take the write lock"), err)
	}
	w.locked(func() {
		close(free)
		<-gone
	})
	return nil
}

func (w *world) flock(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	f, err := os.OpenFile(w.ts.MkAbs(args[0]), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(err, f.Close())
	}
	w.locked(func() { f.Close() })
	return nil
}

// contend runs a hook while the write lock is held, and gives the lock back when the hook has come to wait for it.
func (w *world) contend(args []string) error {
	if err := need(args, 2, -1); err != nil {
		return err
	}
	if len(w.open) == 0 {
		return errors.New("nothing is held")
	}
	payload, err := w.payload(args[1], args[2:]...)
	if err != nil {
		return err
	}
	cmd := exec.Command(w.program(args[0]))
	cmd.Stdin, cmd.Env = bytes.NewReader(payload), w.environ()
	if err := cmd.Start(); err != nil {
		return err
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	opened, before := false, int64(0)
	err = poll("a hook that waits for the lock", func() (bool, error) {
		select {
		case err := <-gone:
			return false, fmt.Errorf("the hook did not wait for the lock (%v)", err)
		default:
		}
		slept := sleeps(cmd.Process.Pid)
		if !opened {
			opened, before = hasOpen(cmd.Process.Pid, w.database()+"-wal"), slept
			return false, nil
		}
		return slept >= before+5, nil // SQLite's busy handler sleeps 1, 2, 5, 10, 15 … ms
	})
	w.unlock()
	if err != nil {
		return errors.Join(err, cmd.Process.Kill())
	}
	return <-gone
}

// sleeps counts how often the threads of a process went to sleep.
func sleeps(pid int) (n int64) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(data), "\nvoluntary_ctxt_switches:")
		line, _, _ := strings.Cut(rest, "\n")
		one, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		n += one
	}
	return n
}

// hasOpen reports whether a process has a file open.
func hasOpen(pid int, path string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return slices.ContainsFunc(links, func(link string) bool {
		target, err := os.Readlink(link)
		return err == nil && target == path
	})
}

// seed stores N old sessions as they would be after months: tasks with rows of every table, and a transcript of MIB each.
func (w *world) seed(args []string) error {
	if err := need(args, 2, 2); err != nil {
		return err
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.transcripts(), 0o755); err != nil {
		return err
	}
	db, err := store.Open(w.database(), store.Options{})
	if err != nil {
		return err
	}
	old := time.Now().AddDate(0, -1, 0)
	err = db.Update(func(tx *store.Tx) error {
		for i := range n {
			session := fmt.Sprintf("99999999-0000-4000-8000-%012d", i)
			file := filepath.Join(w.transcripts(), session+".jsonl")
			if err := errors.Join(w.firstLine(file), os.Truncate(file, size<<20)); err != nil {
				return err
			}
			if _, err := telemetry.Begin(tx, telemetry.Task{SessionID: session, StartedMS: old.UnixMilli(), ProjectRoot: w.env("PROJ"), Description: "old"}); err != nil {
				return err
			}
			for range 50 {
				f := telemetry.NewFact(old, session, "PostToolUse")
				f.ID += int64(w.number()) << 8
				f.Tool, f.Mutates, f.Edits = "Write", true, []telemetry.Edit{{Path: "src/old.py", Kind: "impl", Added: 10, TestState: "none"}}
				f.Raise = []telemetry.Signal{{Kind: telemetry.KindTDD, Key: "src/old.py", Severity: "hard"}}
				if _, err := telemetry.Record(tx, nil, &f); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return errors.Join(err, db.Close())
}
