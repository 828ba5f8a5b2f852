package store_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/store"
)

// A limit on the file size stands for a full disk where no file system can be mounted; it works for every user.
func TestFileSizeLimitIsFull(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"300000", "600000", "1000000"} {
		path := filepath.Join(t.TempDir(), "devflow.db")
		if err := open(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		out, err := child(t, "fill", path, limit).Output()
		if err != nil {
			t.Fatal(err)
		}
		checkFilled(t, open(t, path), strings.TrimSpace(string(out)))
	}
}

// checkFilled checks that the acknowledged rows, and none that failed, are there, and that writing works again.
func checkFilled(t *testing.T, db *store.DB, acked string) {
	t.Helper()
	n, err := strconv.ParseInt(acked, 10, 64)
	if err != nil || n == 0 {
		t.Fatalf("acknowledged %q rows", acked)
	}
	var rows []int64
	for id := range n {
		rows = append(rows, id)
	}
	checkSound(t, db, rows)
	if got := one[int64](t, db, "SELECT count(*) FROM hook_runs"); got != n {
		t.Errorf("%d rows, %d acknowledged", got, n)
	}
	update(t, db, func(tx *store.Tx) error { return insert(tx, -1, "") })
}
