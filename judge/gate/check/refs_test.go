package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/judge/gate"
	"github.com/devflow-suite/devflow/judge/gate/pushes"
	"github.com/google/go-cmp/cmp"
)

// remotes is what both remotes have: "fork feat/x" → object.
func (w *world) remotes() map[string]string {
	w.Helper()
	all := map[string]string{}
	for _, name := range [...]string{"origin", "fork"} {
		for line := range strings.Lines(w.run(filepath.Join(w.base, name+".git"), "git", "for-each-ref", "--format=%(refname) %(objectname)")) {
			ref, oid, _ := strings.Cut(strings.TrimSpace(line), " ")
			all[name+" "+ref] = oid
		}
	}
	return all
}

// rich has branches and tags in every relation to the remotes.
func rich(t testing.TB) *world {
	w := newWorld(t)
	w.deps.Linters = quick()
	for _, b := range [...]string{"gone", "side", "wip/ü", "release/1"} {
		w.Git("branch", b)
	}
	w.Git("push", "-q", "origin", "gone", "side")
	w.Git("push", "-q", "fork", "main")
	w.Git("branch", "-q", "-D", "gone")
	w.Git("tag", "old")
	w.Git("push", "-q", "origin", "old")
	w.work("side")
	w.Git("checkout", "-q", "side")
	w.Commit("side")
	w.Git("checkout", "-q", "feat/x")
	w.work("a")
	w.Commit("two")
	w.Git("tag", "light")
	w.Git("tag", "-a", "-m", "heavy", "heavy")
	return w
}

func TestWhatTheGateNamesIsWhatGitSends(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"git push origin feat/x", "git push -u origin feat/x", "git push origin HEAD", "git push origin HEAD:feat/y", "git push origin HEAD:refs/heads/feat/y",
		"git push origin feat/x:main", "git push origin +feat/x:side", "git push -f origin HEAD:side", "git push origin feat/x side", "git push --all origin",
		"git push --all fork", "git push --mirror fork", "git push origin :gone", "git push origin --delete gone side", "git push -d origin gone", "git push origin --tags",
		"git push origin light", "git push origin heavy refs/tags/light", "git push --follow-tags origin feat/x", "git push origin :", "git push origin 'refs/heads/*:refs/heads/*'",
		"git push origin 'refs/heads/*:refs/heads/mine/*'", "git push --prune origin 'refs/heads/*'", "git push origin wip/ü", "git push ../fork.git feat/x", "git push origin @",
		"git push origin HEAD~0:refs/heads/raw", "git push origin feat/x^{commit}:refs/heads/peeled", "git push origin feat/x:refs/notes/x", "git push origin main", "git push", "git push nowhere x",
		"git -c push.default=current push", "git -c push.default=current -c remote.pushDefault=fork push", "git -c remote.origin.push=+HEAD:refs/heads/side push origin",
		"git -c push.autoSetupRemote=true push", "cd .. && git -C own push origin feat/x", "git --git-dir=.git push origin feat/x", "(git push origin feat/x)", "GIT_DIR=.git git push origin feat/x",
		"git push origin feat/x && git push fork side:main", "git push --atomic origin feat/x side", "git push --force-with-lease origin feat/x", "git send-pack ../fork.git feat/x:refs/heads/sent",
	} {
		t.Run(strings.ReplaceAll(line, "/", "|"), func(t *testing.T) {
			t.Parallel()
			w := rich(t)
			before := w.remotes()
			res := w.ask(line, func(r *gate.Request) { r.Agent = false })
			if res.Refused() {
				t.Fatalf("refused: %s", res.Text)
			}
			named := map[string]string{}
			for _, ref := range res.Refs {
				remote := strings.TrimSuffix(filepath.Base(ref.Remote), ".git")
				if before[remote+" "+ref.Name] != ref.New {
					named[remote+" "+ref.Name] = ref.New
				}
			}
			w.run(w.Dir, "sh", "-c", line+" 2>/dev/null; true")
			after, sent := w.remotes(), map[string]string{}
			for ref, oid := range after {
				if before[ref] != oid {
					sent[ref] = oid
				}
			}
			for ref := range before {
				if _, ok := after[ref]; !ok {
					sent[ref] = pushes.Gone
				}
			}
			if diff := cmp.Diff(sent, named); diff != "" {
				t.Errorf("sent (-), named (+): %s", diff)
			}
		})
	}
}

func TestProtectedBranches(t *testing.T) {
	t.Parallel()
	w := rich(t)
	protected := []string{gate.RuleProtected}
	all := func(r *gate.Request) { r.Lifted = []string{gate.RuleProtected} }
	person := func(r *gate.Request) { r.Agent = false }
	for _, line := range []string{
		"git push origin HEAD:main", "git push origin feat/x:main", "git push origin +feat/x:main", "git push origin HEAD:refs/heads/master", "git push origin release/1:release/2",
		"git push origin :main", "git push -d origin main", "git push --all origin", "git -C . push origin HEAD:main", "git -c remote.origin.push=HEAD:main push origin",
		"git push origin 'refs/heads/feat/*:refs/heads/release/*'", "git push ../origin.git HEAD:main", "git push origin side && git push origin HEAD:main", "gh pr merge 3 --squash", "gh repo sync",
	} {
		w.expect(line, w.ask(line), protected)
		if strings.Contains(line, "feat/x:main") || strings.Contains(line, "HEAD:main") {
			w.expect(line+" by a person", w.ask(line, person), nil)
		}
		w.expect(line+" lifted", w.ask(line, all, person), nil)
	}
	for _, line := range []string{"git push origin main", "git push origin HEAD:feat/main", "git push origin HEAD:mainline", "git push origin HEAD:refs/tags/main", "git push --dry-run origin HEAD:main", "git push -n origin :main"} {
		w.expect(line, w.ask(line), nil)
	}
	w.configure("protected_branches = [\"prod\"]")
	w.expect("another list", w.ask("git push origin HEAD:prod"), protected, "prod is a protected branch")
	w.expect("another list", w.ask("git push origin HEAD:main"), nil)
	w.Write(".devflow.toml", "protected_branches = [\"prod\", \"stage/*\"]\n[gate]\nallow_push_to_main = true\n")
	w.expect("the project adds", w.ask("git push origin HEAD:stage/eu"), protected)
	w.expect("the project may not allow", w.ask("git push origin HEAD:prod"), protected)
	w.configure("protected_branches = [\"prod\"]\n[gate]\nallow_push_to_main = true")
	if err := os.Remove(w.Path(".devflow.toml")); err != nil {
		t.Fatal(err)
	}
	w.expect("the user allows", w.ask("git push origin HEAD:prod"), nil)
	w.expect("the user allows", w.ask("gh pr merge 3"), nil)
	w.expect("unlooked at all the same", w.ask("jj git push"), protected, "use git push")
}

func TestTheConfigurationOfThePushedRepositoryHolds(t *testing.T) {
	t.Parallel()
	w, other := rich(t), rich(t)
	other.Write(".devflow.toml", "protected_branches = [\"main\", \"master\", \"release/*\", \"prod\"]\n")
	w.expect("theirs", w.ask("git -C "+other.Dir+" push origin HEAD:prod"), []string{gate.RuleProtected})
	w.Write(".devflow.toml", "protected_branches = [\"main\", \"master\", \"release/*\", \"live\"]\n")
	w.expect("ours, too", w.ask("git -C "+other.Dir+" push origin HEAD:live"), []string{gate.RuleProtected})
	w.expect("neither", w.ask("git -C "+other.Dir+" push origin HEAD:y"), nil)
	if rows := w.rows("root"); rows[2] != other.Dir {
		t.Errorf("roots %q, want %q at last", rows, other.Dir)
	}
	w.expect("without a project", w.ask("git -C "+other.Dir+" push origin HEAD:prod", func(r *gate.Request) { r.Root = "" }), []string{gate.RuleProtected})
}

func TestForceByAnAgent(t *testing.T) {
	t.Parallel()
	force := []string{gate.RuleForce}
	rewritten := func(t *testing.T) *world {
		w := newWorld(t)
		w.deps.Linters = quick()
		w.work("a")
		w.Commit("two")
		w.Git("push", "-q", "-u", "origin", "feat/x")
		w.Git("commit", "-q", "--amend", "-m", "other")
		w.Git("branch", "-q", "gone", "main")
		w.Git("push", "-q", "origin", "gone")
		w.Git("branch", "-q", "-D", "gone")
		return w
	}
	for _, tt := range []struct {
		line   string
		config []string
		want   []string
	}{
		{"git push -f origin feat/x", nil, force},
		{"git push origin +feat/x", nil, force},
		{"git push", []string{"remote.origin.push", "+refs/heads/feat/*:refs/heads/feat/*"}, force},
		{"git push origin feat/x", []string{"remote.origin.push", "+refs/heads/feat/*:refs/heads/feat/*"}, force},
		{"git -c remote.origin.push=+HEAD:feat/x push", nil, force},
		{"git push --force --force-with-lease", nil, force},
		{"git push --force-with-lease origin +feat/x", nil, force},
		{"git push", []string{"remote.origin.mirror", "true"}, force},
		{"git push --prune origin 'refs/heads/feat/*:refs/heads/*'", nil, []string{gate.RuleForce, gate.RuleProtected}},
		{"git commit --amend -m y && git push -f origin feat/x", nil, force},
		{"git push --force-with-lease origin feat/x", nil, nil},
		{"git push -f origin feat/x:feat/new", nil, nil},
		{"git push -f origin main~0:refs/heads/x", nil, nil},
		{"git push -d origin gone", nil, nil},
		{"git push origin :gone", nil, nil},
		{"git push -f origin HEAD:refs/tags/t", nil, nil},
	} {
		t.Run(strings.ReplaceAll(tt.line, "/", "|"), func(t *testing.T) {
			t.Parallel()
			w := rewritten(t)
			w.Write("notes.md", "not committed yet\n")
			if tt.config != nil {
				w.Git(append([]string{"config"}, tt.config...)...)
			}
			res := w.ask(tt.line)
			slices.Sort(res.Rules)
			w.expect(tt.line, res, tt.want)
			w.expect(tt.line+" by a person", w.ask(tt.line, func(r *gate.Request) { r.Agent = false }), nil)
			w.expect(tt.line+" lifted", w.ask(tt.line, func(r *gate.Request) { r.Lifted = []string{gate.RuleForce, gate.RuleProtected} }), nil)
		})
	}
}

func TestNothingToLookAtIsSilence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work("a")
	bare := filepath.Join(w.base, "folder")
	if err := os.MkdirAll(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"git push origin main", "git push -n origin feat/x", "git -C " + bare + " push", "git push", "git push origin nothing", "git -c push.default=nothing push",
		"git -C " + w.base + "/none push", "git push origin a b:",
	} {
		res := w.ask(line)
		if res.Refused() || res.Line != "" || len(res.Refs) > 0 {
			t.Errorf("%s: %+v", line, res)
		}
	}
	if rows := w.rows("verdict"); len(rows) > 0 || w.judge.asked > 0 || w.started() > 0 {
		t.Errorf("rows %q, judged %d, tests %d", rows, w.judge.asked, w.started())
	}
	res := w.ask("git push origin feat/x")
	w.expect("a new branch without a commit", res, nil, "(nothing new)", "origin feat/x")
}

func TestWhatIsKnownOnlyAtRunTime(t *testing.T) {
	t.Parallel()
	w := rich(t)
	errorRule := []string{gate.RuleError}
	for _, line := range []string{
		"git push origin $(cat target)", "git push $REMOTE HEAD:x", "git update-ref refs/heads/feat/x main && git push origin feat/x", "git worktree add ../w && git push origin feat/x",
		"git remote rename fork old && git push origin feat/x", "git init && git push origin feat/x", "git clone x new && cd new && git push", "git clone --bare x new.git; cd new.git && git push --mirror ../fork.git",
		"mkdir new && git -C new init && git -C new commit --allow-empty -m x && git -C new push ../fork.git HEAD:x", "cp -r . ../copy && cd ../copy && git push origin feat/x",
		"git checkout side && git commit -am x && git push origin side", "ssh host git push origin feat/x", "xargs git push origin < refs", "cat refs | xargs -n1 git push origin",
	} {
		res := w.ask(line)
		w.expect(line, res, errorRule)
		if strings.Count(res.Text, ". ") > 3 || strings.Contains(res.Text, "\n") {
			t.Errorf("%s: more than a sentence: %s", line, res.Text)
		}
		lifted := w.ask(line, func(r *gate.Request) { r.Lifted = []string{gate.RuleError} })
		w.expect(line+" lifted", lifted, nil, "allowed by a person")
	}
	w.Write("notes.md", "not committed yet\n")
	for _, line := range []string{
		"git commit --allow-empty -m x && git push origin feat/x", "git checkout -b new && git add -A && git commit -m x && git push -u origin new", "git status && git push origin feat/x", "cd src && git push origin feat/x", "git fetch && git push origin feat/x",
		"git tag v9 && git push origin v9", "git add . && git commit -m x && git push origin HEAD", "git branch b && git push origin b", "git checkout feat/x && git commit -am x && git push origin feat/x",
	} {
		w.expect(line, w.ask(line), nil)
	}
}

func TestManyRefs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Linters = quick()
	w.work("a")
	w.Commit("two")
	for i := range 30 {
		w.Git("branch", fmt.Sprint("same/", i))
		w.Git("tag", fmt.Sprint("t/", i))
	}
	res := w.ask("git push origin 'refs/heads/same/*:refs/heads/same/*' --tags")
	w.expect("one commit", res, nil, "and 57 more")
	if w.judge.asked != 1 || w.started() != 1 || len(w.rows("ref")) != 60 || len(res.Refs) != 50 {
		t.Errorf("judged %d times, tested %d times, %d rows, %d refs; want 1, 1, 60, 50", w.judge.asked, w.started(), len(w.rows("ref")), len(res.Refs))
	}
	for i := range 21 {
		w.Git("commit", "-q", "--allow-empty", "-m", "more")
		w.Git("branch", fmt.Sprint("other/", i))
	}
	w.expect("many ranges", w.ask("git push origin 'refs/heads/other/*:refs/heads/other/*'"), []string{gate.RuleError}, "at most 20")
	lines, tip := "", w.Git("rev-parse", "HEAD")
	for i := range 1001 {
		lines += fmt.Sprintf("refs/heads/x %s refs/heads/%d %s\n", tip, i, zeros)
	}
	w.expect("too many refs", w.hook("origin", "", "", "", func(r *gate.Request) { r.PrePush = []byte(lines) }), []string{gate.RuleError}, "at most 1000")
}

// An unrelated branch that the remote has already changes nothing about the rest.
func TestAPublishedBranchChangesNoVerdict(t *testing.T) {
	t.Parallel()
	w := rich(t)
	w.Write("src/side.py", "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n")
	w.Git("checkout", "-q", "-b", "bad")
	w.Commit("bad")
	w.Git("checkout", "-q", "feat/x")
	w.Git("branch", "pub/new", "main")
	w.judged("pass", "standard", "")
	for _, rest := range []string{"bad", "feat/x bad:main", "+feat/x:side :gone", "heavy HEAD:release/3"} {
		alone := w.ask("git push origin " + rest)
		for _, more := range []string{"main:refs/heads/pub/a", "side~1:refs/heads/pub/b", "pub/new", "old"} {
			for _, line := range []string{"git push origin " + more + " " + rest, "git push origin " + rest + "; git push origin " + more} {
				both := w.ask(line)
				if diff := cmp.Diff(alone.Rules, both.Rules); diff != "" || alone.Verdict != both.Verdict || len(alone.Steps) != len(both.Steps) {
					t.Errorf("%s: %s, alone %s: %s\n%s", line, both.Verdict, alone.Verdict, diff, both.Text)
				}
			}
		}
	}
}

func TestTheKindsOfServerCalls(t *testing.T) {
	t.Parallel()
	w := rich(t)
	for kind := push.Git; kind <= push.Tool; kind++ {
		req := w.req
		req.Pushes = []push.Push{{Kind: kind, Tool: "tool", DryRun: true}}
		w.expect(kind.String(), w.send(req), nil)
		if req.Pushes[0].DryRun = false; kind > push.Subtree {
			w.expect(kind.String(), w.send(req), []string{gate.RuleProtected}, "`tool`")
		}
	}
}
