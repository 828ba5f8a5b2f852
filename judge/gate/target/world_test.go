package target_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/target"
)

// TestMain keeps the configuration of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Setenv("PWD", ".") // as some hooks have it
	os.Exit(m.Run())
}

// world is a clone with two bare remotes, origin and fork.
type world struct {
	gitrepo.Repo
	base string
	repo gitx.Repo
}

// newWorld makes branches in every relation to the remotes: main and feat/a ahead of their upstreams, feat/b new, rel with an
// upstream of another name, ahead with one on fork, and one per odd name. v1 is a tag that origin has, v2 (annotated) and v3 are
// not there, dup is a branch and a tag. gone and feat/ü are branches of origin alone.
func newWorld(t testing.TB, format string) world {
	t.Helper()
	base := filepath.Join(t.TempDir(), "a wörld")
	for _, name := range []string{"origin.git", "fork.git", "own"} {
		dir := filepath.Join(base, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		args := []string{"init", "-q", "--object-format=" + format, "-b", "main"}
		if strings.HasSuffix(name, ".git") {
			args = append(args, "--bare")
		}
		git(t, dir, args...)
	}
	w := world{Repo: gitrepo.New(t, filepath.Join(base, "own"), "main"), base: base}
	w.Write("a.txt", "one\n")
	w.Commit("one")
	w.Git("remote", "add", "origin", filepath.Join(base, "origin.git"))
	w.Git("remote", "add", "fork", filepath.Join(base, "fork.git"))
	w.Git("tag", "v1")
	for _, b := range []string{"feat/a", "rel", "feat/b", "gone", "feat/ü", "on-fork", "wip/x.y@z", "heads", "dup", "tracked"} {
		w.Git("branch", b)
	}
	w.Git("push", "-q", "-u", "origin", "main", "feat/a", "tracked", "gone", "feat/ü", "v1")
	w.Git("push", "-q", "-u", "fork", "on-fork", "main:trunk")
	w.Git("fetch", "-q", "--all")
	w.Git("branch", "-q", "-u", "origin/main", "main")
	w.Git("branch", "-q", "-u", "origin/main", "rel")
	w.Git("branch", "-q", "-D", "gone", "feat/ü")
	w.Git("branch", "-q", "--unset-upstream", "on-fork")
	w.Git("remote", "set-head", "origin", "main")
	for _, b := range []string{"main", "feat/a", "rel", "feat/b", "on-fork"} {
		w.Git("checkout", "-q", b)
		w.Write("b.txt", "two on "+b+"\n")
		w.Commit("two on " + b)
	}
	w.Git("tag", "-a", "-m", "two", "v2", "main")
	w.Git("tag", "v3", "feat/a")
	w.Git("tag", "dup")
	w.Git("checkout", "-q", "main")
	w.find(t)
	return w
}

func (w *world) find(t testing.TB) {
	t.Helper()
	repo, err := gitx.Find(w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	w.repo = repo
}

// git runs git outside a repository of gitrepo's.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, code := try(t, dir, append([]string{"git"}, args...)...)
	if code != 0 {
		t.Fatalf("git %q: exit %d: %s", args, code, out)
	}
	return strings.TrimRight(out, "\n")
}

func try(t testing.TB, dir string, argv ...string) (string, int) {
	t.Helper()
	res, err := proc.Run(t.Context(), proc.Cmd{Argv: argv, Dir: dir, Env: []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}})
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	return string(res.Stdout), res.Exit
}

// parsed reads a command line into its pushes.
func parsed(t testing.TB, line string) []push.Push {
	t.Helper()
	s, err := shell.Parse(line)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	var cmds []shell.Command
	for i := range s.Commands {
		cmds = append(cmds, gitcmd.Expand(&s.Commands[i], nil)...)
	}
	return push.Find(&s, cmds)
}

// resolve reads the last push of a command line.
func (w *world) resolve(t testing.TB, line string) ([]target.Update, error) {
	t.Helper()
	list := parsed(t, line)
	if len(list) == 0 {
		t.Fatalf("%q: no push", line)
	}
	return target.Resolve(t.Context(), w.repo, list[len(list)-1], func(b string) bool { return b == "main" })
}

// brief is an update in one line: what from, what to, its flags.
func brief(u target.Update) string {
	b := u.Local + ":" + u.RemoteRef
	for _, f := range []struct {
		on   bool
		name string
	}{
		{u.Force, "force"}, {u.Lease, "lease"}, {u.Delete, "delete"}, {u.Tag, "tag"}, {u.New, "new"}, {u.Pending, "pending"},
		{u.Protected, "protected"}, {u.UpToDate(), "same"}, {u.Prefix != "", "prefix=" + u.Prefix},
	} {
		if f.on {
			b += " " + f.name
		}
	}
	return b
}

func briefs(list []target.Update) []string {
	out := []string{}
	for _, u := range list {
		out = append(out, brief(u))
	}
	return out
}

// quoted writes arguments as a shell line.
func quoted(args []string) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "'%s'", strings.ReplaceAll(a, "'", `'\''`))
	}
	return b.String()
}
