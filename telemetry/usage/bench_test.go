package usage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/telemetry/usage"
)

// BenchmarkIncrement is what Stop pays for reading a transcript that grew by one reply, the file being small or large.
func BenchmarkIncrement(b *testing.B) {
	for _, size := range []int{1 << 10, 200 << 20} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			w := newWorld(b)
			filler := `{"type":"user","message":{"role":"user","content":"` + strings.Repeat("x", 64<<10) + `"}}` + "\n"
			for written := 0; written < size; written += len(filler) {
				w.append(filler)
			}
			o := force
			o.Now = now
			if _, err := usage.Catch(w.db, w.session, w.path, o); err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				i++
				w.append(reply{id: fmt.Sprint("m", i), in: 1, out: 1}.String())
				w.ingest(force)
			}
			if got := w.sums().In; got != int64(i) {
				b.Fatalf("counted %d replies of %d", got, i)
			}
		})
	}
}

// BenchmarkCatch is a first reading of 64 MiB that consists of replies of 8 KiB.
func BenchmarkCatch(b *testing.B) {
	w := newWorld(b)
	content := `{"type":"text","text":"` + strings.Repeat("x", 8<<10) + `"}`
	const n = 8 << 10
	for i := range n {
		w.append(reply{id: fmt.Sprint("m", i), in: 1, content: content}.String())
	}
	o := force
	o.Now = now
	b.SetBytes(n * 8 << 10)
	for i := 0; b.Loop(); i++ {
		w.session = fmt.Sprint("c", i)
		w.begin()
		w.update(forget)
		if _, err := usage.Catch(w.db, w.session, w.path, o); err != nil {
			b.Fatal(err)
		}
		if got := w.sums().In; got != n {
			b.Fatalf("counted %d replies of %d", got, n)
		}
	}
}
