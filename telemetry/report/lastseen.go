package report

import (
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Sessions tells for each recorded session when a hook of it ran last.
type Sessions map[string]int64

const lastSeenSQL = `SELECT session_id, max(ms) FROM hook_runs GROUP BY session_id`

// ReadSessions reads all of them at once: hook_runs has no index by session, because every hook would pay for it.
func ReadSessions(db *store.DB) (Sessions, error) {
	seen := Sessions{}
	err := view(db, "sessions", func(tx *store.Tx) error {
		return tx.Query(lastSeenSQL, nil, func(r *store.Row) error {
			seen[r.Text(0)] = r.Int(1)
			return nil
		})
	})
	return seen, err
}

// LastSeen is when a hook of the session ran last; found is false for a session that left nothing.
func (s Sessions) LastSeen(session string) (at time.Time, found bool, err error) {
	ms, found := s[session]
	return time.UnixMilli(ms), found, nil
}
