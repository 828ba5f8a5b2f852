package telemetry

import (
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
)

// Put keeps a small value under a key of the form "<what>:<whose>". Keys "spool:*" belong to the store; telemetry itself uses "task:",
// "rescue:", "request:" and "compact:" followed by a session.
func Put(tx *store.Tx, key, value string) error {
	if _, err := tx.Exec("INSERT INTO kv(k,v) VALUES(?1,?2) ON CONFLICT DO UPDATE SET v=?2", key, value); err != nil {
		return fmt.Errorf("keep %s: %w", key, err)
	}
	return nil
}

// Get is the value under a key, "" if there is none.
func Get(tx *store.Tx, key string) (string, error) {
	var v string
	if _, err := tx.One("SELECT v FROM kv WHERE k=?", []any{key}, &v); err != nil {
		return "", fmt.Errorf("look up %s: %w", key, err)
	}
	return v, nil
}

// Drop removes a key; one that is not there is no error.
func Drop(tx *store.Tx, key string) error {
	if _, err := tx.Exec("DELETE FROM kv WHERE k=?", key); err != nil {
		return fmt.Errorf("drop %s: %w", key, err)
	}
	return nil
}

// requestKey is where the newest prompt after the end of a task waits for the next task: category, prompt id and description, by line.
func requestKey(session string) string { return "request:" + session }
