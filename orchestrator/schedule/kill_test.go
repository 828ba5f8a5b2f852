package schedule_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// childEnv makes the test program a process that drives the run in the folder that it names.
const childEnv = "DEVFLOW_SCHEDULE_CHILD"

// exitStopped says that the run did not end.
const exitStopped = 3

// child drives the run on a real database and real work trees; only workers and checks are simulated.
func child() int {
	state, err := driveReal(context.Background(), os.Getenv(childEnv))
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	case state != orchestrator.RunDone:
		fmt.Fprintln(os.Stderr, "run is", state)
		return exitStopped
	}
	return 0
}

// realWork is the scenario of the killed runs: 4 regions, 10 tasks, dependencies across regions, a red check, an endpoint that fails,
// and a change that is red after its merge. Workers and checks take a few milliseconds, so that kills fall in them too.
func realWork() flocksim.Scenario {
	sc := scenario(none("a1", "a"), none("b1", "b"), none("c1", "c", "a1"), work("d1", "d", flocksim.Faults{Wrong: 1}, "a1", "b1"), none("a2", "a", "c1"),
		work("b2", "b", flocksim.Faults{Infra: 1}, "d1"), work("c2", "c", flocksim.Faults{Poison: 1}), none("d2", "d", "a2"), none("a3", "a", "b2", "d2"), none("b3", "b", "c2"))
	for i := range sc.Tasks {
		sc.Tasks[i].Takes = 4 * time.Millisecond
	}
	sc.Settings.Attempts, sc.Settings.Test = 1000, "all" // each process makes the simulated mistakes anew
	return sc
}

func driveReal(ctx context.Context, dir string) (orchestrator.RunState, error) {
	db, err := store.Open(filepath.Join(dir, "run.db"), store.Options{})
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	ledger := orchestrator.Open(db, time.Now)
	sc := realWork()
	if err := ledger.Create(sc.Rows(runID, true)); err != nil && !errors.Is(err, orchestrator.ErrExists) {
		return "", err
	}
	p, err := trees.Examine(ctx, filepath.Join(dir, "project"))
	if err != nil {
		return "", err
	}
	real, err := trees.Open(ctx, trees.Options{Run: runID, Project: p, Dir: filepath.Join(dir, "trees")})
	if err != nil {
		return "", err
	}
	roots := map[string]string{}
	for _, r := range sc.Regions {
		tree, err := real.Region(ctx, r, []string{r})
		if err != nil {
			return "", err
		}
		roots[r] = tree.Dir
	}
	world := &flocksim.World{Scenario: sc, Files: flocksim.Disk{}, Root: func(r string) string { return roots[r] }, CheckTakes: time.Millisecond, TestTakes: 2 * time.Millisecond}
	sum, err := schedule.Run(ctx, schedule.Options{Run: runID, Ledger: ledger, Trees: real, Worker: world.Worker, Verifier: world, Regions: world.Regions(), Settings: sc.Settings,
		Backoff: schedule.Backoff{First: time.Millisecond}})
	if v := world.Violations(); err == nil && len(v) > 0 {
		err = errors.New(strings.Join(v, "; "))
	}
	if err == nil && sum.State != orchestrator.RunDone {
		err = errors.New(sum.Reason)
	}
	return sum.State, err
}

// process runs the child; kill, when positive, is when it is killed with everything that it holds.
func process(dir string, kill time.Duration) (killed bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // git may hold the pipe
	if err := cmd.Start(); err != nil {
		return false, err
	}
	if kill > 0 {
		t := time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
		defer t.Stop()
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() == -1 {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, out.String())
	}
	return false, nil
}

// resultOf checks the rows of a run that has ended, and gives the tree of its integration branch and how many attempts it took.
func resultOf(t *testing.T, dir string, repo gitrepo.Repo) (tree string, lost int) {
	t.Helper()
	db, err := store.Open(filepath.Join(dir, "run.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ledger := orchestrator.Open(db, time.Now)
	branch := "devflock/" + runID + "/integration"
	rows, err := ledger.Tasks(runID)
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, r := range rows {
		if r.State != orchestrator.TaskDone {
			t.Errorf("%s is %s: %s", r.ID, r.State, r.Reason)
			continue
		}
		done = append(done, r.ID)
		repo.Git("merge-base", "--is-ancestor", r.Commit, branch) // fatal when its commit is not reachable
	}
	sc := realWork()
	world := &flocksim.World{Scenario: sc}
	for _, wrong := range world.Audit(done, func(name string) (string, bool) { return repo.Git("show", branch+":"+name) + "\n", true }) {
		t.Error(wrong)
	}
	attempts, err := ledger.Attempts(runID)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range attempts {
		switch a.State {
		case orchestrator.AttemptLost:
			lost++
		case orchestrator.AttemptRunning:
			t.Errorf("attempt %s-%d still runs", a.Task, a.Number)
		}
	}
	return repo.Git("rev-parse", branch+"^{tree}"), lost
}

// real is one run with its repository.
type real struct {
	dir, head string
	repo      gitrepo.Repo
}

func begin(t *testing.T) real {
	t.Helper()
	dir := folder(t)
	if err := os.Mkdir(filepath.Join(dir, "project"), 0o755); err != nil {
		t.Fatal(err)
	}
	repo := gitrepo.New(t, filepath.Join(dir, "project"), "main")
	repo.Write("README", "base\n")
	return real{dir, repo.Commit("base"), repo}
}

// end drives a run to its end, and gives its tree and how many attempts were interrupted.
func (r real) end(t *testing.T) (tree string, lost int) {
	t.Helper()
	if _, err := process(r.dir, 0); err != nil {
		t.Fatal(err)
	}
	tree, lost = resultOf(t, r.dir, r.repo)
	if now := r.repo.Git("rev-parse", "main"); now != r.head {
		t.Errorf("main moved from %s to %s", r.head, now)
	}
	if left := r.repo.Git("status", "--porcelain"); left != "" {
		t.Errorf("the person's tree: %s", left)
	}
	return tree, lost
}

// B25, A5 and issue 5: kill -9 at 100 random moments, resume each time. The tree is that of an undisturbed run, every task's effect is in
// it exactly once, every task's commit is reachable, and the person's branch is where it was.
func TestKillAtRandomMoments(t *testing.T) {
	t.Parallel()
	const lanes, kills = 4, 25
	want, _ := begin(t).end(t)
	var mu sync.Mutex
	killed, interrupted, runs := 0, 0, 0
	t.Run("lane", func(t *testing.T) {
		for lane := range lanes {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(lane), uint64(time.Now().UnixNano())))
				for count := 0; count < kills && !t.Failed(); {
					r := begin(t)
					for count < kills {
						hit, err := process(r.dir, time.Duration(10+random.IntN(500))*time.Millisecond)
						if err != nil {
							t.Fatal(err)
						}
						if !hit { // it has come to its end
							break
						}
						count++
					}
					tree, lost := r.end(t)
					if tree != want {
						t.Errorf("after kills: tree %s, want %s", tree, want)
					}
					mu.Lock()
					interrupted, runs = interrupted+lost, runs+1
					mu.Unlock()
				}
				mu.Lock()
				killed += kills
				mu.Unlock()
			})
		}
	})
	t.Logf("%d kills in %d runs, %d attempts interrupted, one result", killed, runs, interrupted)
}
