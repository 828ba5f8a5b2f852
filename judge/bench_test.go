package judge_test

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkBoundary judges 1,000 changed lines in 20 files, with their tests there: the whole run with its git processes
// and both transactions.
func BenchmarkBoundary(b *testing.B) {
	w := newWorld(b, "strict")
	k := 0
	for b.Loop() {
		b.StopTimer()
		k++
		for i := range 20 {
			var src strings.Builder
			for l := range 50 {
				fmt.Fprintf(&src, "def f%d(x):\n", l)
				fmt.Fprintf(&src, "    return x + %d\n", l*k)
			}
			w.Repo.Write(fmt.Sprintf("src/m%02d.py", i), src.String())
			w.Repo.Write(fmt.Sprintf("tests/test_m%02d.py", i), "def test_f():\n    assert f0(1) == 1\n")
		}
		b.StartTimer()
		if r := w.stop(); r.Verdict != "pass" {
			b.Fatalf("%+v", r)
		}
	}
}
