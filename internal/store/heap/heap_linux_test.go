package heap_test

import (
	"bytes"
	"sync"
	"testing"
	"unsafe"

	_ "github.com/mattn/go-sqlite3"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/store/heap"
)

func TestSQLiteUsesIt(t *testing.T) {
	t.Parallel()
	if !heap.Active() {
		t.Error("SQLite was started before the allocator was offered, or refused it")
	}
}

// piece is a piece in use and what was written to all of it.
type piece struct {
	at   unsafe.Pointer
	mark byte
}

func (p piece) bytes() []byte { return unsafe.Slice((*byte)(p.at), heap.Size(p.at)) }

func (p piece) intact(n int) bool {
	return bytes.Count(p.bytes()[:n], []byte{p.mark}) == n
}

func (p piece) fill() {
	b := p.bytes()
	for i := range b {
		b[i] = p.mark
	}
}

func TestPiecesNeverOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var used []piece
		size := rapid.OneOf(rapid.IntRange(1, 200), rapid.IntRange(1, 100_000))
		mark := byte(0)
		take := func(at unsafe.Pointer, n int) piece {
			mark++
			p := piece{at, mark}
			if at == nil || heap.Size(at) < n || uintptr(at)%8 != 0 {
				t.Fatalf("asked for %d bytes, got %d at %p", n, heap.Size(at), at)
			}
			p.fill()
			return p
		}
		pick := func(t *rapid.T) int {
			if len(used) == 0 {
				t.Skip()
			}
			return rapid.IntRange(0, len(used)-1).Draw(t, "piece")
		}
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(t *rapid.T) {
				n := size.Draw(t, "bytes")
				used = append(used, take(heap.Alloc(n), n))
			},
			"free": func(t *rapid.T) {
				i := pick(t)
				heap.Free(used[i].at)
				used = append(used[:i], used[i+1:]...)
			},
			"resize": func(t *rapid.T) {
				i, n := pick(t), size.Draw(t, "bytes")
				kept := min(n, heap.Size(used[i].at))
				moved := piece{heap.Resize(used[i].at, n), used[i].mark}
				if !moved.intact(kept) {
					t.Fatalf("content changed while resizing to %d bytes", n)
				}
				used[i] = take(moved.at, n)
			},
			"": func(t *rapid.T) {
				for _, p := range used {
					if !p.intact(heap.Size(p.at)) {
						t.Fatalf("a piece of %d bytes was written by another", heap.Size(p.at))
					}
				}
			},
		})
		for _, p := range used {
			heap.Free(p.at)
		}
	})
}

func TestThreadsShareIt(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 20_000 {
				p := piece{heap.Alloc(1 + (i*37+w)%3000), byte(w)}
				p.fill()
				if !p.intact(heap.Size(p.at)) {
					t.Errorf("worker %d: a piece was written by another", w)
					return
				}
				heap.Free(p.at)
			}
		})
	}
	wg.Wait()
}

func TestOddSizes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, -1} {
		if p := heap.Alloc(n); p != nil {
			t.Errorf("Alloc(%d) = %p, want nil", n, p)
		}
	}
	heap.Free(nil)
	if p := heap.Resize(nil, 10); heap.Size(p) != 16 {
		t.Errorf("resizing nothing to 10 gave %d bytes, want 16", heap.Size(p))
	}
	for n := 1; n <= 1<<16; n++ {
		p := heap.Alloc(n)
		if got := heap.Size(p); got < n || got > 8 && got > n+n/4+8 {
			t.Errorf("Alloc(%d) has %d bytes", n, got)
		}
		heap.Free(p)
	}
}
