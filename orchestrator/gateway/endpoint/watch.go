package endpoint

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is the quiet time after an edit before the file is read: editors write in several steps.
	settle = 60 * time.Millisecond
	// patience is the longest time that an endless row of edits can put off reading.
	patience = time.Second
	// lookAgain is how often the file is looked at without being told: some file systems tell nothing.
	lookAgain = 2 * time.Second
)

// Watch follows the file until ctx ends; it is for a goroutine of the caller's. changed is called, from that goroutine, after
// every change of an endpoint, and when an edit is not usable (then [Book.Err] says why, and the old endpoints stay) or usable
// again. It watches the folder, so both an editor that replaces the file and one that writes into it are seen; what happened
// between [OpenBook] and Watch is caught up with. The error is nil when ctx ended.
func (b *Book) Watch(ctx context.Context, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch endpoints: %w", err)
	}
	defer w.Close()
	if err := w.Add(filepath.Dir(b.path)); err != nil {
		return fmt.Errorf("watch endpoints: %w", err)
	}
	poll := time.NewTicker(lookAgain)
	defer poll.Stop()
	quiet := time.NewTimer(0)
	defer quiet.Stop()
	var since time.Time // of the first edit that was not read; zero: none
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Events:
			if !ok {
				return fmt.Errorf("watch endpoints: %w", fsnotify.ErrClosed)
			}
			if filepath.Clean(e.Name) != b.path {
				continue
			}
			now := time.Now()
			if since.IsZero() {
				since = now
			}
			quiet.Reset(max(0, min(settle, patience-now.Sub(since))))
			continue
		case <-w.Errors: // events were lost: look
		case <-poll.C:
			if !since.IsZero() {
				continue // the edit is not over
			}
		case <-quiet.C:
		}
		since = time.Time{}
		if b.Reload() && changed != nil {
			changed()
		}
	}
}
