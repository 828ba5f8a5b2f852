package usage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
)

// cursor is how far a transcript was read: one row of table cursors.
type cursor struct {
	ino       int64
	offset    int64
	occupancy int64  // tokens in the context after the newest main-chain message, 0 when not known
	model     string // of that message
}

func loadCursor(tx *store.Tx, path string) (c cursor, err error) {
	_, err = tx.One("SELECT ino, offset, occupancy, model FROM cursors WHERE path = ?", []any{path}, &c.ino, &c.offset, &c.occupancy, &c.model)
	if err != nil {
		return cursor{}, fmt.Errorf("load cursor of %s: %w", path, err)
	}
	return c, nil
}

func saveCursor(tx *store.Tx, path string, c cursor, nowMS int64) error {
	_, err := tx.Exec("INSERT INTO cursors(path,ino,offset,occupancy,model,ms) VALUES(?1,?2,?3,?4,?5,?6) "+
		"ON CONFLICT DO UPDATE SET ino=?2,offset=?3,occupancy=?4,model=?5,ms=?6", path, c.ino, c.offset, c.occupancy, c.model, nowMS)
	if err != nil {
		return fmt.Errorf("save cursor of %s: %w", path, err)
	}
	return nil
}

// tailBytes is how much of a transcript's end is searched for the newest message by a reader that is far behind.
const tailBytes = 256 << 10

// errStop ends a reading early.
var errStop = errors.New("enough")

// fileState is the size and the identity of a transcript. found is false when it is not there (yet).
func fileState(path string) (size, ino int64, found bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, 0, false, nil
	case err != nil:
		return 0, 0, false, fmt.Errorf("look at transcript: %w", err)
	case !info.Mode().IsRegular():
		return 0, 0, false, fmt.Errorf("look at transcript %s: not a regular file", path)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		ino = int64(st.Ino)
	}
	return info.Size(), ino, true, nil
}

// newestUsage finds the last main-chain message in the last 256 KiB of a transcript, for a reader that is far behind.
func newestUsage(path string, size int64) (occupancy int64, model string, err error) {
	from, err := lineStart(path, size-tailBytes)
	if err != nil || from < 0 {
		return 0, "", err
	}
	_, err = claude.ReadTranscript(path, from, func(l claude.Line) error {
		if mainMessage(&l) {
			sane(l.Usage)
			occupancy, model = occupied(l.Usage), l.Usage.Model
		}
		return nil
	})
	return occupancy, model, err
}

// lineStart is the first start of a line at or after an offset, -1 when no line begins there.
func lineStart(path string, at int64) (int64, error) {
	if at <= 0 {
		return 0, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	defer f.Close() // read only
	buf := make([]byte, 16<<10)
	for at--; ; { // the byte before may be the end of the line
		n, err := f.ReadAt(buf, at)
		for i, c := range buf[:n] {
			if c == '\n' {
				return at + int64(i) + 1, nil
			}
		}
		at += int64(n)
		if err == io.EOF || n == 0 {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
	}
}

// mainMessage reports whether a line is a real reply of the session's own model, not of a subagent.
func mainMessage(l *claude.Line) bool {
	return l.Usage != nil && !l.Sidechain && l.AgentID == "" && !l.Usage.Synthetic()
}

// occupied is how full the context is after a message.
func occupied(u *claude.Usage) int64 {
	return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.Output
}
