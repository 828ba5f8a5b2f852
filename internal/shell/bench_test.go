package shell_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Hooks parse every Bash call; what people write must stay far below the start of a process.
func BenchmarkParse(b *testing.B) {
	piece := "cd a && FOO=1 sudo git commit -m \"it's $(date)\" | tee x; "
	for _, tt := range []struct{ name, src string }{
		{"git-status", "git status"},
		{"ten-words", "go test -run TestX -count 1 -race ./internal/shell ./guard -v"},
		{"short", "cd packages/a && npx vitest run 2>&1 | tail -5"},
		{"200KB", strings.Repeat(piece, 200<<10/len(piece))},
		{"2MB", strings.Repeat(piece, 2<<20/len(piece))},
		{"2MB-variables", strings.Repeat("d=build; for f in a b; do rm -rf \"$d/$f\"; done; ", 2<<20/48)},
		{"2MB-heredoc", "cat > f <<'E'\n" + strings.Repeat("some text $x `y` \"z\"\n", 2<<20/20) + "E\n"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := shell.Parse(tt.src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
