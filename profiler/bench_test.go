package profiler_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/profiler"
)

func BenchmarkClassify(b *testing.B) {
	s, err := shell.Parse("cd packages/a && FOO=1 npx vitest run 2>&1 | tail -5 && git add -A && git commit -m x")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		profiler.Classify(s, true)
	}
}
