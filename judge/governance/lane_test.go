package governance_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/governance"
)

func TestLaneReadsTheAnswerOfTheBoundary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ program, want string }{{"answer.sh", "warn"}, {"failure.sh", "status 1: broken"}, {"nothing.sh", "read answer"}} {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "strict")
			exe, err := filepath.Abs(filepath.Join("testdata", tt.program)) // a file that this process had written could be busy
			if err != nil {
				t.Fatal(err)
			}
			res, err := governance.Lane(exe, w.paths, []string{"KEY=value"})(context.Background(), "s1", 3)
			switch {
			case err != nil && !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %v, want %s", err, tt.want)
			case err == nil && string(res.Verdict) != tt.want:
				t.Errorf("verdict %s, want %s", res.Verdict, tt.want)
			}
			if tt.want != "warn" {
				return
			}
			if args, err := os.ReadFile(filepath.Join(w.paths.Root, "args")); err != nil || string(args) != "boundary --session s1 --task 3 --new-turn|value\n" {
				t.Errorf("arguments %q, %v", args, err)
			}
		})
	}
}
