package protect_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/protect"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/shell"
)

// lines of which a long command line may consist, each of some 20 bytes.
var long = [...]string{
	"echo x > out/file\n", "rm $x/$y\n", "claude -p x\n", "kill $p | xargs kill\n", "cp a/b c/d\n", "ls ~/.claude/devflow | xargs rm\n", "git commit -m x\n", "chmod +x a b c\n",
	"find . -name x -delete\n", "sqlite3 dev.db x\n", "ln -s a b\n", "python3 -c 'x'\n",
}

// TestLongLines runs what would take minutes if any rule were quadratic.
func TestLongLines(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, line := range long {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			script, err := shell.Parse(strings.Repeat(line, 20_000/len(line)))
			if err != nil {
				t.Fatal(err)
			}
			protect.Commands(&script, s.world, s.places)
			protect.Writes(write.Of(&script), s.world, s.places)
		})
	}
}

func BenchmarkLong(b *testing.B) {
	for _, line := range long {
		for _, size := range []int{100_000, 1_000_000} {
			script, err := shell.Parse(strings.Repeat(line, size/len(line)))
			if err != nil {
				b.Fatal(err)
			}
			p := protect.Places{Root: "/root/.claude/devflow", DB: "/root/.claude/devflow/telemetry/devflow.db", Bin: "/root/.claude/devflow/bin", Home: "/root", Cwd: "/tmp", Project: "/tmp"}
			b.Run(strings.TrimSpace(line)+"/"+map[int]string{100_000: "100K", 1_000_000: "1M"}[size], func(b *testing.B) {
				for b.Loop() {
					protect.Commands(&script, scene{}.world, p)
					protect.Writes(write.Of(&script), scene{}.world, p)
				}
			})
		}
	}
}

func BenchmarkFile(b *testing.B) {
	p := protect.Places{Root: "/root/.claude/devflow", DB: "/root/.claude/devflow/telemetry/devflow.db", Bin: "/root/.claude/devflow/bin", Home: "/root", Cwd: "/tmp", Project: "/tmp", Settings: []string{"/root/.claude/settings.json", "/root/.claude/settings.local.json", "/tmp/.claude/settings.json"}}
	for b.Loop() {
		protect.Watches(p, "/tmp/src/main.go")
	}
}
