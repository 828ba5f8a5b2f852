package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// The test binary runs itself as the processes of these tests: a hook is a process, and so are its deaths.
const childEnv = "DEVFLOW_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := runChild(name, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child prepares a process that runs one of the functions of runChild.
func child(tb testing.TB, name string, args ...string) *exec.Cmd {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), exe, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name, "GORACE=atexit_sleep_ms=0") // the race detector else lingers for a second
	cmd.Stderr = os.Stderr
	return cmd
}

func runChild(name string, args []string) error {
	switch name {
	case "write": // path first count size: writes rows one by one and prints each id when it is acknowledged
		return childWrite(args[0], number(args[1]), number(args[2]), number(args[3]))
	case "hold": // path: holds the write lock until stdin ends
		return childHold(args[0])
	case "fill": // path limit: writes until a file would pass limit bytes, then checks what is left
		return childFill(args[0], number(args[1]))
	}
	return fmt.Errorf("no child %s", name)
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err) // unreachable: the tests pass numbers
	}
	return n
}

// childWrite is a hook, or several in one process: it opens, writes, acknowledges and exits without closing.
func childWrite(path string, first, count, size int64) error {
	db, err := store.Open(path, store.Options{Busy: time.Minute})
	if err != nil {
		return err
	}
	text := strings.Repeat("x", int(size))
	for id := first; id < first+count; id++ {
		if err := db.Update(func(tx *store.Tx) error { return insert(tx, id, text) }); err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString(strconv.FormatInt(id, 10) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// insert writes the row that all these tests use.
func insert(tx *store.Tx, id int64, text string) error {
	_, err := tx.Exec("INSERT INTO hook_runs(id,ms,session_id,event,outcome,modules) VALUES(?,?,?,?,?,?)", id, 1700000000000, "s", "PreToolUse", "ok", text)
	return err
}

func childHold(path string) error {
	db, err := store.Open(path, store.Options{Busy: time.Minute})
	if err != nil {
		return err
	}
	return db.Update(func(*store.Tx) error {
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func childFill(path string, limit int64) error {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	old := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(limit), Max: old.Max}); err != nil {
		return err
	}
	acked, err := fill(db)
	if !errors.Is(err, store.ErrFull) {
		return fmt.Errorf("after %d rows: got %w, want ErrFull", acked, err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	fmt.Println(acked)
	return nil
}

// fill writes rows of 4 KB until an error, and tells how many were acknowledged.
func fill(db *store.DB) (acked int64, err error) {
	text := strings.Repeat("x", 4096)
	for ; acked < 10_000; acked++ {
		if err := db.Update(func(tx *store.Tx) error { return insert(tx, acked, text) }); err != nil {
			return acked, err
		}
	}
	return acked, nil
}

// ids reads the acknowledged rows that a child printed. A line that was cut off does not count.
func ids(tb testing.TB, out string) []int64 {
	tb.Helper()
	var all []int64
	for line := range strings.Lines(out) {
		if text, whole := strings.CutSuffix(line, "\n"); whole {
			all = append(all, number(text))
		}
	}
	return all
}

// checkSound checks that the database is sound and holds the rows.
func checkSound(tb testing.TB, db *store.DB, rows []int64) {
	tb.Helper()
	if got := one[string](tb, db, "PRAGMA integrity_check"); got != "ok" {
		tb.Errorf("integrity check: %s", got)
	}
	there := map[int64]bool{}
	err := db.View(func(tx *store.Tx) error {
		return tx.Query("SELECT id FROM hook_runs", nil, func(r *store.Row) error {
			there[r.Int(0)] = true
			return nil
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	lost := 0
	for _, id := range rows {
		if !there[id] {
			lost++
		}
	}
	if lost > 0 {
		tb.Errorf("%d of %d acknowledged rows are lost", lost, len(rows))
	}
}

// waitLine reads the first line of a running child.
func waitLine(tb testing.TB, r io.Reader, want string) {
	tb.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != want {
		tb.Fatalf("child said %q (%v), want %q", line, err, want)
	}
}
