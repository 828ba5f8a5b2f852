package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

func TestManyProcessesCreateTheDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	const processes = 64
	path := filepath.Join(t.TempDir(), "deep", "telemetry", "devflow.db")
	outs := runTogether(t, path, processes)
	var rows []int64
	for _, out := range outs {
		rows = append(rows, ids(t, out)...)
	}
	if len(rows) != processes {
		t.Errorf("%d rows acknowledged, want %d", len(rows), processes)
	}
	db := open(t, path)
	checkSound(t, db, rows)
	if n := one[int](t, db, "SELECT count(*) FROM hook_runs"); n != processes {
		t.Errorf("%d rows, want %d", n, processes)
	}
}

// GH liujuanjuan1984/codex-a2a/issues/205, GH mem0ai/mem0/issues/7196: a fresh database stayed in rollback mode.
func TestTwoCreatorsGetWAL(t *testing.T) {
	t.Parallel()
	for i := range 10 {
		path := filepath.Join(t.TempDir(), strconv.Itoa(i), "devflow.db")
		runTogether(t, path, 2)
		if got := one[string](t, open(t, path), "PRAGMA journal_mode"); got != "wal" {
			t.Fatalf("round %d: journal mode %s, want wal", i, got)
		}
	}
}

// runTogether lets n processes write one row each at the same time and returns what they printed.
func runTogether(t *testing.T, path string, n int) []string {
	t.Helper()
	outs := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		cmd := child(t, "write", path, strconv.Itoa(i), "1", "10")
		wg.Go(func() {
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("process %d: %v", i, err)
			}
			outs[i] = string(out)
		})
	}
	wg.Wait()
	return outs
}

func TestLockedDatabaseIsBusyAndTheSpoolTakesTheRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "devflow.db")
	db := open(t, path)
	holder := child(t, "hold", path)
	stdin, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	waitLine(t, stdout, "held")

	// The holder lets go only after this, so that an answer at all is one within the budget.
	hook, err := store.Open(path, store.Options{Busy: 50 * time.Millisecond})
	if err != nil {
		t.Fatalf("a held write lock must not stop an open: %v", err)
	}
	err = hook.Update(func(tx *store.Tx) error { return insert(tx, 1, "") })
	if !errors.Is(err, store.ErrBusy) {
		t.Errorf("update of a locked database: got %v, want ErrBusy", err)
	}
	if n := one[int](t, hook, "SELECT count(*) FROM hook_runs"); n != 0 {
		t.Errorf("a locked database can be read, but got %d rows", n)
	}
	spool := store.Spool{Dirs: []string{filepath.Join(dir, "spool")}}
	if err := spool.Append("s", []byte("1")); err != nil {
		t.Fatal(err)
	}

	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Wait(); err != nil {
		t.Fatal(err)
	}
	n, err := spool.Drain(db, func(tx *store.Tx, record []byte) error { return insert(tx, number(string(record)), "spooled") })
	if n != 1 || err != nil {
		t.Fatalf("drain: %d records, %v", n, err)
	}
	checkSound(t, db, []int64{1})
}

func TestKilledWritersLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	const kills, atOnce, longest = 500, 4, 30 * time.Millisecond
	path := filepath.Join(t.TempDir(), "devflow.db")
	var (
		mu    sync.Mutex
		acked []int64
		wg    sync.WaitGroup
	)
	for w := range atOnce {
		rnd := rand.New(rand.NewPCG(uint64(w), 1)) // the moments are still random: the scheduler adds its part
		wg.Go(func() {
			for i := range kills / atOnce {
				// Rows of 3 KB fill the WAL file after some 25 commits, so that deaths in checkpoints are among the 500.
				cmd := child(t, "write", path, strconv.Itoa((w*kills+i)*1_000_000), "1000000", "3000")
				out := &firstWrite{at: make(chan struct{})}
				cmd.Stdout, cmd.Stderr = out, nil
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				if i%2 == 0 { // every second one dies while it opens or soon after, the others amid their writes
					<-out.at
				}
				timer := time.AfterFunc(time.Duration(rnd.Int64N(int64(longest))), func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				if timer.Stop() {
					t.Error("a writer ended by itself")
					return
				}
				mu.Lock()
				acked = append(acked, ids(t, out.buf.String())...)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d rows acknowledged by %d killed writers", len(acked), kills)
	checkSound(t, open(t, path), acked)
}

// firstWrite is a buffer that tells when something arrives.
type firstWrite struct {
	buf  bytes.Buffer
	once sync.Once
	at   chan struct{}
}

func (f *firstWrite) Write(b []byte) (int, error) {
	f.once.Do(func() { close(f.at) })
	return f.buf.Write(b)
}

func TestKilledCreatorsLeaveSomethingToGoOnFrom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 40 {
		path := filepath.Join(dir, strconv.Itoa(i), "devflow.db")
		cmd := child(t, "write", path, "1", "1", "10")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(i)*500*time.Microsecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		db := open(t, path)
		update(t, db, func(tx *store.Tx) error { return insert(tx, 2, "") })
		checkSound(t, db, []int64{2})
	}
}

// Writers that never close leave the WAL file behind; unbounded, 3000 of them were measured to grow it to 14 MB.
func TestWALStaysBoundedOverManyWriters(t *testing.T) {
	t.Parallel()
	const processes, rowsEach = 300, 10
	path := filepath.Join(t.TempDir(), "devflow.db")
	largest := int64(0)
	for i := range processes {
		if out, err := child(t, "write", path, strconv.Itoa(i*rowsEach), strconv.Itoa(rowsEach), "500").Output(); err != nil {
			t.Fatalf("writer %d: %v %s", i, err, out)
		}
		fi, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, fi.Size())
	}
	if largest > 2*store.WALBound {
		t.Errorf("the WAL file grew to %d bytes, want at most %d", largest, 2*store.WALBound)
	}
	if n := one[int](t, open(t, path), "SELECT count(*) FROM hook_runs"); n != processes*rowsEach {
		t.Errorf("%d rows, want %d", n, processes*rowsEach)
	}
}

// A reader that keeps its snapshot blocks the truncation; afterwards the file must shrink again.
func TestReaderOnlyDelaysTheCheckpoint(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "devflow.db")
	writer, reader := open(t, path), open(t, path)
	size := func() int64 {
		fi, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return fi.Size()
	}
	text := fmt.Sprintf("%04096d", 0)
	id := int64(0)
	grow := func() error {
		for before := size(); size()-before < 2*store.WALBound && size() >= before; id++ {
			if err := writer.Update(func(tx *store.Tx) error { return insert(tx, id, text) }); err != nil {
				return err
			}
		}
		return nil
	}
	err := reader.View(func(tx *store.Tx) error {
		var n int
		if _, err := tx.One("SELECT count(*) FROM hook_runs", nil, &n); err != nil {
			return err
		}
		return grow()
	})
	if err != nil {
		t.Fatal(err)
	}
	if size() < store.WALBound {
		t.Errorf("the WAL file has %d bytes although a snapshot is held", size())
	}
	if err := grow(); err != nil {
		t.Fatal(err)
	}
	if size() > store.WALBound {
		t.Errorf("the WAL file still has %d bytes after the snapshot is gone", size())
	}
}
