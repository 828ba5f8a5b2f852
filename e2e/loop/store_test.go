package loop_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"syscall"

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
