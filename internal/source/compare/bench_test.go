package compare_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/cases"
	"github.com/devflow-suite/devflow/internal/source/compare"
)

// A file of 4 KB, as a hook sees it.
func file() []byte {
	return []byte("package a\n" + strings.Repeat("// F does.\nfunc F(a int) int {\n\tif a > 1 {\n\t\treturn g(a, \"x\")\n\t}\n\treturn a + 1\n}\n\n", 45))
}

func BenchmarkLex(b *testing.B) {
	src := file()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		source.Lex(source.Go, src)
	}
}

func BenchmarkDecls(b *testing.B) {
	f := source.Lex(source.Go, file())
	b.ReportAllocs()
	for b.Loop() {
		f.Decls()
	}
}

func BenchmarkCases(b *testing.B) {
	f := source.Lex(source.Go, file())
	b.ReportAllocs()
	for b.Loop() {
		cases.Find(f)
	}
}

func BenchmarkCompare(b *testing.B) {
	src := file()
	for _, tt := range []struct {
		name          string
		before, after []byte
	}{
		{"new", nil, src}, {"edit", src, []byte(strings.Replace(string(src), "a + 1", "a + 2", 1))}, {"comment", src, []byte(strings.Replace(string(src), "does", "is", 1))},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compare.Compare(source.Go, tt.before, tt.after)
			}
		})
	}
}
