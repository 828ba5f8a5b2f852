// Package wait says on a screen that something takes long, without getting in the way of what is written meanwhile.
//
// It owns no table and waits for nothing itself.
package wait

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
)

const (
	patience = time.Second      // how long something may be silent
	still    = 30 * time.Second // between two lines where the cursor cannot go back
)

// Screen is a stream that people look at. It may be used from many goroutines.
type Screen struct {
	W      io.Writer
	Redraw bool // the cursor can go back to the start of the line
	Mute   bool // says nothing about waiting

	mu   sync.Mutex
	line string // on the screen now, without a line end
}

// Write writes p above what says that something takes long.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	return s.W.Write(p)
}

func (s *Screen) wipe() {
	if s.line != "" {
		fmt.Fprint(s.W, "\r\x1b[K")
		s.line = ""
	}
}

// Start says from a second on, with the time that has gone, that what is going on. The caller calls done once; it may be called
// again.
func (s *Screen) Start(what string) (done func()) {
	if s.Mute {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		begun := time.Now()
		every := patience
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				s.tell(what, now.Sub(begun))
				if !s.Redraw && every != still {
					every = still
					tick.Reset(every)
				}
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() {
			close(stop)
			<-stopped
			s.mu.Lock()
			defer s.mu.Unlock()
			s.wipe()
		})
	}
}

func (s *Screen) tell(what string, gone time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Redraw {
		fmt.Fprintf(s.W, "%s … %s\n", what, grid.Span(gone))
		return
	}
	s.line = fmt.Sprintf("%s … %s", what, grid.Span(gone))
	fmt.Fprint(s.W, "\r\x1b[K"+s.line)
}
