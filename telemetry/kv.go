package telemetry

import (
	"encoding/json"
	"fmt"

	"github.com/devflow-suite/devflow/internal/store"
)

// Put keeps a small value under a key of the form "<what>:<whose>". Keys "spool:*" belong to the store; telemetry itself uses "rescue:",
// "request:" and "compact:" followed by a session.
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

// request is the newest prompt after a task ended: the next task's description.
type request struct {
	Description string `json:"d,omitempty"`
	Category    string `json:"c,omitempty"`
	Prompt      string `json:"p,omitempty"`
}

func requestKey(session string) string { return "request:" + session }

func (r request) encode() string {
	b, err := json.Marshal(r)
	if err != nil {
		return "" // unreachable: three strings
	}
	return string(b)
}

// decodeRequest reads a request; a damaged one only costs a description.
func decodeRequest(raw string) (r request) {
	if raw == "" || json.Unmarshal([]byte(raw), &r) != nil {
		return request{}
	}
	return r
}
