package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var errCrash = errors.New("the process died")

// Records are "<session> <number>"; applying one writes a row, so that a second application shows.
func applyRecord(tx *store.Tx, record []byte) error {
	_, err := tx.Exec("INSERT INTO hook_runs(modules) VALUES(?)", string(record))
	return err
}

func TestSpoolAppliesEachRecordOnceAcrossCrashes(t *testing.T) {
	t.Parallel()
	root := memoryDir(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		// Between fork and exec, a child of a parallel test holds our descriptors and with them the locks of files that we have
		// closed: a drain then leaves the file to the next one, which this model does not know.
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		round++
		dir := filepath.Join(root, fmt.Sprint(round))
		db := open(t, filepath.Join(dir, "devflow.db"))
		m := spoolModel{rt: rt, db: db, dirs: []string{filepath.Join(dir, "first"), filepath.Join(dir, "second")}}
		rt.Repeat(map[string]func(*rapid.T){
			"append":           func(rt *rapid.T) { m.append(rt, 0) },
			"append elsewhere": func(rt *rapid.T) { m.append(rt, 1) },
			"crash in append":  m.crashInAppend,
			"torn append":      m.tornAppend,
			"drain":            func(*rapid.T) { m.drain() },
			"crash in drain":   m.crashInDrain,
			"busy in drain":    m.busyInDrain,
		})
		m.drain()
		m.append(rt, 0) // a drain with work also drops positions that a crash left behind
		m.drain()
		m.check()
		if err := db.Close(); err != nil { // open would close it only at the end of all rounds
			rt.Fatal(err)
		}
	})
}

// memoryDir is a temporary folder in memory where there is one: a property test waits for thousands of flushes otherwise.
func memoryDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "store-test-")
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}

// spoolModel knows what must have been applied in the end.
type spoolModel struct {
	rt    *rapid.T
	db    *store.DB
	dirs  []string
	next  int
	acked []string
	maybe []string // never acknowledged: there or not, but not twice
}

func (m *spoolModel) record(rt *rapid.T) (session, record string) {
	session = rapid.SampledFrom([]string{"a", "b", "../../c", ""}).Draw(rt, "session")
	m.next++
	// Sizes up to a batch; newlines and headers inside records must not confuse the frames.
	filler := strings.Repeat(rapid.SampledFrom([]string{"x", "\n", "00000001 "}).Draw(rt, "filler"), rapid.SampledFrom([]int{0, 1, 30, 5000}).Draw(rt, "length"))
	return session, fmt.Sprintf("%s %d %s", session, m.next, filler)
}

func (m *spoolModel) append(rt *rapid.T, dir int) {
	session, record := m.record(rt)
	if err := (store.Spool{Dirs: m.dirs[dir:]}).Append(session, []byte(record)); err != nil {
		rt.Fatal(err)
	}
	m.acked = append(m.acked, record)
}

func (m *spoolModel) crashInAppend(rt *rapid.T) {
	session, record := m.record(rt)
	s := store.Spool{Dirs: m.dirs[:1]}.WithStep(func(string) error { return errCrash })
	if err := s.Append(session, []byte(record)); !errors.Is(err, errCrash) {
		rt.Fatal(err)
	}
	m.maybe = append(m.maybe, record)
}

// tornAppend leaves the first bytes of a frame, as a process does that the power leaves in its write.
func (m *spoolModel) tornAppend(rt *rapid.T) {
	session, record := m.record(rt)
	whole := filepath.Join(m.dirs[0], "scratch")
	if err := (store.Spool{Dirs: []string{whole}}).Append(session, []byte(record)); err != nil {
		rt.Fatal(err)
	}
	names, err := os.ReadDir(whole)
	if err != nil || len(names) != 1 {
		rt.Fatalf("%v %v", names, err)
	}
	frame, err := os.ReadFile(filepath.Join(whole, names[0].Name()))
	if err != nil {
		rt.Fatal(err)
	}
	if err := os.RemoveAll(whole); err != nil {
		rt.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(m.dirs[0], names[0].Name()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		rt.Fatal(err)
	}
	if _, err := f.Write(frame[:rapid.IntRange(1, len(frame)-1).Draw(rt, "torn at")]); err != nil {
		rt.Fatal(err)
	}
	if err := f.Close(); err != nil {
		rt.Fatal(err)
	}
	m.maybe = append(m.maybe, record) // if but the newline was missing, the next append completes it
}

func (m *spoolModel) drain() {
	_, err := store.Spool{Dirs: m.dirs}.Drain(m.db, applyRecord)
	var bad *store.BadError
	if err != nil && !errors.As(err, &bad) {
		m.rt.Fatal(err)
	}
}

func (m *spoolModel) crashInDrain(rt *rapid.T) {
	left := rapid.IntRange(0, 6).Draw(rt, "steps")
	s := store.Spool{Dirs: m.dirs}.WithStep(func(string) error {
		if left--; left < 0 {
			return errCrash
		}
		return nil
	})
	var bad *store.BadError
	if _, err := s.Drain(m.db, applyRecord); err != nil && !errors.Is(err, errCrash) && !errors.As(err, &bad) {
		rt.Fatal(err)
	}
}

func (m *spoolModel) busyInDrain(rt *rapid.T) {
	left := rapid.IntRange(0, 3).Draw(rt, "records")
	n, err := store.Spool{Dirs: m.dirs}.Drain(m.db, func(tx *store.Tx, record []byte) error {
		if left--; left < 0 {
			return fmt.Errorf("apply: %w", store.ErrBusy)
		}
		return applyRecord(tx, record)
	})
	if left < 0 && !errors.Is(err, store.ErrBusy) {
		rt.Fatalf("after %d records: got %v, want ErrBusy", n, err)
	}
}

// check compares the rows with what was acknowledged, record by record and, within a session and folder, in order.
func (m *spoolModel) check() {
	var applied []string
	err := m.db.View(func(tx *store.Tx) error {
		return tx.Query("SELECT modules FROM hook_runs ORDER BY id", nil, func(r *store.Row) error {
			applied = append(applied, r.Text(0))
			return nil
		})
	})
	if err != nil {
		m.rt.Fatal(err)
	}
	times := map[string]int{}
	for _, record := range applied {
		times[record]++
	}
	for _, record := range m.acked {
		if times[record] != 1 {
			m.rt.Errorf("acknowledged record %.20q was applied %d times", record, times[record])
		}
		delete(times, record)
	}
	for _, record := range m.maybe {
		if times[record] > 1 {
			m.rt.Errorf("record %.20q was applied %d times", record, times[record])
		}
		delete(times, record)
	}
	for record := range times {
		m.rt.Errorf("record %.20q was never appended whole", record)
	}
	err = m.db.View(func(tx *store.Tx) error {
		var n int
		_, err := tx.One("SELECT count(*) FROM kv", nil, &n)
		if n != 0 {
			m.rt.Errorf("%d positions are left in kv", n)
		}
		return err
	})
	if err != nil {
		m.rt.Fatal(err)
	}
}

// drainAll drains and returns what was applied in order.
func drainAll(t *testing.T, db *store.DB, s store.Spool) (applied []string, err error) {
	t.Helper()
	n, err := s.Drain(db, func(_ *store.Tx, record []byte) error {
		applied = append(applied, string(record))
		return nil
	})
	if n != len(applied) {
		t.Errorf("Drain says %d records, applied %d", n, len(applied))
	}
	return applied, err
}

func TestSpoolKeepsOrderAndCleansUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "devflow.db"))
	s := store.Spool{Dirs: []string{filepath.Join(dir, "spool")}}
	var want []string
	for i := range 1000 { // more than one batch
		want = append(want, fmt.Sprint(i))
		if err := s.Append("session", []byte(want[i])); err != nil {
			t.Fatal(err)
		}
	}
	got, err := drainAll(t, db, s)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if names, err := os.ReadDir(s.Dirs[0]); err != nil || len(names) > 0 {
		t.Errorf("left after a drain: %v %v", names, err)
	}
	if got, err := drainAll(t, db, s); err != nil || len(got) > 0 {
		t.Errorf("second drain: %v %v", got, err)
	}
}

func TestRefusedRecordsGoAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "devflow.db"))
	s := store.Spool{Dirs: []string{filepath.Join(dir, "spool")}}
	for i := range 5 {
		if err := s.Append("s", fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	refusal := errors.New("not a fact")
	n, err := s.Drain(db, func(tx *store.Tx, record []byte) error {
		if string(record) == "1" || string(record) == "3" {
			return refusal
		}
		return insert(tx, number(string(record)), "")
	})
	var bad *store.BadError
	if n != 3 || !errors.As(err, &bad) || bad.Pieces != 2 || !errors.Is(err, refusal) {
		t.Fatalf("got %d records, %v", n, err)
	}
	checkSound(t, db, []int64{0, 2, 4})
	for i, file := range bad.Files {
		data, err := os.ReadFile(file)
		if want := fmt.Sprint(2*i + 1); err != nil || !strings.Contains(string(data), " "+want+"\n") {
			t.Errorf("%s: %q %v, want record %s", file, data, err, want)
		}
	}
}

func TestSpoolFoldersOfOthersAreNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "devflow.db"))
	open, link, good := filepath.Join(dir, "open"), filepath.Join(dir, "link"), filepath.Join(dir, "good")
	mkdir(t, open)
	mkdir(t, good)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	s := store.Spool{Dirs: []string{open, link, filepath.Join(dir, "devflow.db", "below a file"), good}}
	if err := s.Append("s", []byte("1")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{open, good} {
		names, err := os.ReadDir(d)
		if err != nil || len(names) != map[string]int{open: 0, good: 1}[d] {
			t.Errorf("%s: %v %v", d, names, err)
		}
	}
	// What somebody else put into a folder that anybody can write is not believed either.
	forged, err := os.ReadFile(filepath.Join(good, "s.spool"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(open, "s.spool"), string(forged))
	if got, err := drainAll(t, db, s); err != nil || len(got) != 1 {
		t.Errorf("drained %q, %v", got, err)
	}
	for _, dirs := range [][]string{nil, {open}} {
		if err := (store.Spool{Dirs: dirs}).Append("s", nil); err == nil {
			t.Errorf("append with folders %q succeeded", dirs)
		}
	}
}

func TestManyAppendersAndDrainersShareASpool(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 50
	dir := t.TempDir()
	path := filepath.Join(dir, "devflow.db")
	s := store.Spool{Dirs: []string{filepath.Join(dir, "spool")}}
	done := make(chan error)
	for w := range writers {
		go func() {
			for i := range each {
				if err := s.Append("s", fmt.Appendf(nil, "%d", w*each+i)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	apply := func(tx *store.Tx, record []byte) error { return insert(tx, number(string(record)), "") }
	dbs := []*store.DB{open(t, path), open(t, path)}
	for _, db := range dbs {
		go func() {
			for range 20 {
				if _, err := s.Drain(db, apply); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range writers + len(dbs) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Drain(dbs[0], apply); err != nil {
		t.Error(err)
	}
	if n := one[int](t, dbs[0], "SELECT count(*) FROM hook_runs"); n != writers*each {
		t.Errorf("%d rows, want %d", n, writers*each)
	}
}

// Whatever is in a spool file, every byte of it is either applied as part of a sound frame or kept in a *.bad file.
func FuzzDrain(f *testing.F) {
	dir := memoryDir(f)
	s := store.Spool{Dirs: []string{filepath.Join(dir, "seed")}}
	for _, record := range []string{"", "{}", "a\nb"} {
		if err := s.Append("s", []byte(record)); err != nil {
			f.Fatal(err)
		}
	}
	sound, err := os.ReadFile(filepath.Join(dir, "seed", "s.spool"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sound)
	f.Add(sound[:len(sound)-3])
	f.Add(sound[5:])
	f.Add(slices.Concat(sound, []byte("junk\n"), sound))
	f.Add(slices.Concat([]byte("ffffffff 0000000000000000 x\n"), sound))
	f.Add([]byte("\n\n\n"))
	db := open(f, filepath.Join(dir, "devflow.db"))
	round := 0
	f.Fuzz(func(t *testing.T, data []byte) {
		round++
		spool := filepath.Join(dir, fmt.Sprint(round))
		mkdir(t, spool)
		write(t, filepath.Join(spool, "s.spool"), string(data))
		const frameBytes = 8 + 1 + 16 + 1 + 1
		kept := 0
		_, err := store.Spool{Dirs: []string{spool}}.Drain(db, func(_ *store.Tx, record []byte) error {
			kept += frameBytes + len(record)
			if !bytes.Contains(data, record) {
				t.Errorf("record %q was never there", record)
			}
			return nil
		})
		var bad *store.BadError
		if errors.As(err, &bad) {
			for _, name := range bad.Files {
				piece, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				kept += len(piece)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if kept != len(data) {
			t.Errorf("kept %d of %d bytes", kept, len(data))
		}
		if err := os.RemoveAll(spool); err != nil {
			t.Fatal(err)
		}
	})
}
