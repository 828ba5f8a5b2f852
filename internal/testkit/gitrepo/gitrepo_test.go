package gitrepo_test

import (
	"os"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

func TestCommitIdsAreFixed(t *testing.T) {
	t.Parallel()
	var ids [2]string
	for i := range ids {
		r := gitrepo.New(t, t.TempDir(), "feat/demo")
		r.Write("a/b c.txt", "x\n")
		ids[i] = r.Commit("one")
		if got := r.Git("branch", "--show-current"); got != "feat/demo" {
			t.Errorf("branch = %q, want feat/demo", got)
		}
		if got := r.Git("status", "--porcelain"); got != "" {
			t.Errorf("status = %q, want clean", got)
		}
		if data, err := os.ReadFile(r.Path("a/b c.txt")); err != nil || string(data) != "x\n" {
			t.Errorf("file = %q, %v", data, err)
		}
	}
	if ids[0] != ids[1] || len(ids[0]) != 40 {
		t.Errorf("ids = %q, want the same one twice", ids)
	}
}

// trap notes that Fatal was called and ends its goroutine, as a test does.
type trap struct {
	*testing.T
	called chan string
}

func (p trap) Fatal(args ...any) {
	p.called <- "fatal"
	<-p.Context().Done()
}

func TestErrorsAreFatal(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	p := trap{t, make(chan string, 1)}
	go gitrepo.New(p, r.Path("no\x00name"), "main")
	if got := <-p.called; got != "fatal" {
		t.Errorf("got %q", got)
	}
}
