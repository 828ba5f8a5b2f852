package git_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

func TestAMarkedProcessIsFound(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	count := func(mark string) int {
		t.Helper()
		n, err := git.Alive(t.Context(), mark)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(mark); n != 0 {
		t.Errorf("%d before", n)
	}
	cmd := exec.Command("sh", "-c", "read x; exit 0", "sh", "-c", "devflock.mark="+mark+"/below")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if count(mark) != 1 || count(mark+"/below") != 1 || count(mark+"/bel") != 0 || count("") < 1 {
		t.Errorf("alive: %d %d %d %d", count(mark), count(mark+"/below"), count(mark+"/bel"), count(""))
	}
	over, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if err := git.Settle(over, mark); !errors.Is(err, why) {
		t.Errorf("settle = %v, want the cause", err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := git.Settle(t.Context(), mark); err != nil {
		t.Error(err)
	}
}

func TestALockedFolderIsLeftToOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := git.LockFolder(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := git.LockFolder(over, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("second lock: %v", err)
	}
	unlock()
	if unlock, err = git.LockFolder(over, dir); err != nil {
		t.Fatal(err)
	}
	unlock()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the lock left %v, %v", entries, err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	g := git.Runner{Dir: r.Dir}
	_, err := g.Run(t.Context(), git.Call{Args: []string{"rev-parse", "nothing"}})
	var failed *git.Error
	if !errors.As(err, &failed) || failed.Command != "rev-parse" || failed.Exit != 128 || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("err = %v", err)
	}
	if _, err := g.Run(t.Context(), git.Call{Args: []string{"rev-parse", "nothing"}, OK: []int{128}}); err != nil {
		t.Errorf("err = %v", err)
	}
	res, err := g.Run(t.Context(), git.Call{Args: []string{"version"}, Max: 3})
	if !errors.Is(err, gitx.ErrTooLarge) || string(res.Stdout) != "git" {
		t.Errorf("%q, %v", res.Stdout, err)
	}
}

func TestIdentityOf(t *testing.T) {
	t.Parallel()
	id := git.IdentityOf([][2]string{{"user.name", "a"}, {"user.email", "a@b"}, {"user.name", "c"}})
	if id != (git.Identity{Name: "c", Email: "a@b"}) {
		t.Errorf("id = %+v", id)
	}
	if id := git.IdentityOf([][2]string{{"user.name", "<>"}, {"user.email", "a@b"}}); id != git.Own() {
		t.Errorf("id = %+v", id)
	}
}

func FuzzStatus(f *testing.F) {
	f.Add([]byte("# branch.oid (initial)\x00# branch.head main\x00? new\x001 .M N... 100644 100644 120000 a b link name\x00! dist/\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 a b c path\x00"))
	f.Add([]byte("2 R. N... 1 2 3 a b R100 x\x00y\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := git.ParseStatus(data)
		if err != nil {
			return
		}
		for _, c := range s.Changes {
			if c.Path == "" || strings.ContainsRune(c.Path, 0) {
				t.Errorf("path %q", c.Path)
			}
		}
	})
}
