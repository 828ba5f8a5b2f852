package land_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/internal/testkit/flocksim"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// yard is a merge queue on trees in memory.
type yard struct {
	t        testing.TB
	mem      *flocksim.Memory
	o        land.Options
	q        *land.Queue
	landed   []string
	returned map[string]string
	notices  []string
	tests    []string // the commits' tasks of each test
	red      func(names []string, content func(string) string) string
}

func newYard(t testing.TB, whole bool) *yard {
	y := &yard{t: t, mem: flocksim.NewMemory(), returned: map[string]string{}}
	y.o = land.Options{Trees: y.mem, Whole: whole,
		Test: func(_ context.Context, dir string, tasks []orchestrator.TaskRow) (land.Verdict, error) {
			var ids []string
			for _, x := range tasks {
				ids = append(ids, x.ID)
			}
			y.tests = append(y.tests, strings.Join(ids, "+"))
			if y.red == nil {
				return land.Verdict{OK: true}, nil
			}
			why := y.red(ids, func(name string) string { c, _, _ := y.mem.Read(dir, name); return c })
			return land.Verdict{OK: why == "", Output: why}, nil
		},
		Landed: func(_ context.Context, tasks []string, _ string) error {
			y.landed = append(y.landed, tasks...)
			return nil
		},
		Returned: func(_ context.Context, task, failure string) error { y.returned[task] = failure; return nil },
		Notice: func(kind land.NoticeKind, task, _ string) {
			y.notices = append(y.notices, strings.TrimSpace(string(kind)+" "+task))
		},
	}
	y.q = land.New(y.o)
	return y
}

// commit makes a commit of a region on the present tip.
func (y *yard) commit(id string, files ...string) orchestrator.TaskRow {
	ctx := y.t.Context()
	if _, err := y.mem.Begin(ctx, id); err != nil {
		y.t.Fatal(err)
	}
	for _, f := range append(files, id+"/file") {
		if err := y.mem.Write(y.mem.Root(id), f, "by "+id); err != nil {
			y.t.Fatal(err)
		}
	}
	c, changed, err := y.mem.Commit(ctx, id, trees.Message{Trailers: []string{"Task: " + id}})
	if err != nil || !changed {
		y.t.Fatal(changed, err)
	}
	return orchestrator.TaskRow{Task: orchestrator.Task{ID: id}, Region: id, Commit: c}
}

func (y *yard) land(tasks ...orchestrator.TaskRow) {
	y.t.Helper()
	if err := y.q.Land(y.t.Context(), tasks); err != nil {
		y.t.Fatal(err)
	}
	if y.mem.Checkouts() > 0 {
		y.t.Error("throw-away trees are left")
	}
}

func (y *yard) blamed() []string {
	var out []string
	for id := range y.returned {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestBatchIsTestedOnceAndLands(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	y.land(y.commit("a"), y.commit("b"), y.commit("c"))
	same(t, "landed", y.landed, "a", "b", "c")
	same(t, "tests", y.tests, "a+b+c")
	result := y.mem.Result()
	if result["a/file"] == "" || result["b/file"] == "" || result["c/file"] == "" {
		t.Errorf("result %v", result)
	}
	y.land(y.commit("d"))
	same(t, "landed", y.landed, "a", "b", "c", "d")
}

// The tree of one commit on the tip is the one that its acceptance check saw.
func TestCommitOnTheTipIsNotCheckedAgain(t *testing.T) {
	t.Parallel()
	y := newYard(t, false)
	y.land(y.commit("a"))
	same(t, "tests", y.tests)
	a, b := y.commit("b"), y.commit("c")
	y.land(a)
	y.land(b) // on the tip before
	same(t, "tests", y.tests, "c")
}

func TestCulpritIsFoundAndTheOthersLand(t *testing.T) {
	t.Parallel()
	for _, culprits := range [][]string{{"a"}, {"d"}, {"h"}, {"b", "c"}, {"a", "h"}, {"a", "b", "c", "d", "e", "f", "g", "h"}} {
		t.Run(strings.Join(culprits, ""), func(t *testing.T) {
			t.Parallel()
			y := newYard(t, true)
			y.red = func(_ []string, content func(string) string) string {
				for _, c := range culprits {
					if content(c+"/file") != "" {
						return "broken by " + c
					}
				}
				return ""
			}
			var batch []orchestrator.TaskRow
			var good []string
			for _, id := range strings.Split("abcdefgh", "") {
				batch = append(batch, y.commit(id))
				if !slices.Contains(culprits, id) {
					good = append(good, id)
				}
			}
			y.land(batch...)
			slices.Sort(y.landed)
			same(t, "landed", y.landed, good...)
			same(t, "returned", y.blamed(), culprits...)
			for _, c := range culprits {
				if !strings.Contains(y.returned[c], "broken by "+c) {
					t.Errorf("%s was told %q", c, y.returned[c])
				}
			}
			if limit := 2 + len(culprits)*9; len(y.tests) > limit { // twice red, the tip, and three halvings of at most two runs
				t.Errorf("%d tests for %d culprits, want at most %d: %v", len(y.tests), len(culprits), limit, y.tests)
			}
		})
	}
}

// Two changes that are red only together: the later one goes back.
func TestLaterOfTwoThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	y.red = func(_ []string, content func(string) string) string {
		if content("b/file") != "" && content("d/file") != "" {
			return "b and d"
		}
		return ""
	}
	y.land(y.commit("a"), y.commit("b"), y.commit("c"), y.commit("d"), y.commit("e"))
	slices.Sort(y.landed)
	same(t, "landed", y.landed, "a", "b", "c", "e")
	same(t, "returned", y.blamed(), "d")
}

func TestRedIsRunAgainBeforeAnybodyIsBlamed(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	n := 0
	y.red = func([]string, func(string) string) string {
		if n++; n == 1 {
			return "timing"
		}
		return ""
	}
	y.land(y.commit("a"), y.commit("b"))
	same(t, "landed", y.landed, "a", "b")
	same(t, "notices", y.notices, "flaky")
}

// Who did not make it red is not blamed; the first who makes a green tree red is.
func TestTestThatWasRedBefore(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	y.red = func(_ []string, content func(string) string) string {
		if content("fix/file") == "" {
			return "nothing is there yet"
		}
		if content("bad/file") != "" {
			return "bad"
		}
		return ""
	}
	y.land(y.commit("a"))
	y.land(y.commit("b"))
	same(t, "landed", y.landed, "a", "b")
	same(t, "notices", y.notices, "red_before", "red_before")
	if v, err := y.q.Final(t.Context()); err != nil || v.OK {
		t.Errorf("final: %+v, %v", v, err)
	}
	y.land(y.commit("fix"))
	y.land(y.commit("bad"))
	same(t, "returned", y.blamed(), "bad")
	if v, err := y.q.Final(t.Context()); err != nil || !v.OK {
		t.Errorf("final: %+v, %v", v, err)
	}
}

// Without a test of the tree each commit's own check runs on what is merged, and whoever makes one red goes back.
func TestAcceptanceChecksOfTheBatch(t *testing.T) {
	t.Parallel()
	y := newYard(t, false)
	y.red = func(ids []string, content func(string) string) string {
		if slices.Contains(ids, "a") && content("c/file") != "" {
			return "a's check"
		}
		return ""
	}
	y.land(y.commit("a"), y.commit("b"), y.commit("c"), y.commit("d"))
	slices.Sort(y.landed)
	same(t, "landed", y.landed, "a", "b", "d")
	same(t, "returned", y.blamed(), "c")
}

// A1: a conflict is never resolved by choosing a side. One with a commit of the batch counts only once that has landed.
func TestConflict(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	y.red = func(_ []string, content func(string) string) string {
		if content("a/file") != "" {
			return "a is bad"
		}
		return ""
	}
	y.land(y.commit("a", "shared/file"), y.commit("b", "shared/file"), y.commit("c", "shared/file"), y.commit("d"))
	slices.Sort(y.landed)
	same(t, "landed", y.landed, "b", "d")
	same(t, "returned", y.blamed(), "a", "c")
	if !strings.Contains(y.returned["c"], "CONFLICT") || !strings.Contains(y.returned["a"], "a is bad") {
		t.Errorf("told: %v", y.returned)
	}
	if got := y.mem.Result()["shared/file"]; got != "by b" {
		t.Errorf("shared file is %q", got)
	}
}

// A5 and A13: what the branch holds already has landed, whoever did it; a task without a change lands.
func TestWhatIsThereHasLanded(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	a := y.commit("a")
	y.land(a)
	y.landed, y.tests = nil, nil
	y.land(a, orchestrator.TaskRow{Task: orchestrator.Task{ID: "nothing"}})
	same(t, "landed", y.landed, "a", "nothing")
	same(t, "tests", y.tests)
}

// A7: the branch moved while the merge was tested.
func TestBranchThatMoves(t *testing.T) {
	t.Parallel()
	y := newYard(t, true)
	moves := 0
	y.red = func([]string, func(string) string) string {
		if moves++; moves <= 2 {
			y.mem.Move("by/hand", fmt.Sprint(moves))
		}
		return ""
	}
	y.land(y.commit("a"), y.commit("b"))
	same(t, "landed", y.landed, "a", "b")
	if got := y.mem.Result(); got["by/hand"] != "2" || got["a/file"] == "" {
		t.Errorf("result %v", got)
	}
	y.red = func([]string, func(string) string) string {
		moves++
		y.mem.Move("by/hand", fmt.Sprint(moves))
		return ""
	}
	if err := y.q.Land(t.Context(), []orchestrator.TaskRow{y.commit("c")}); !errors.Is(err, trees.ErrMoved) {
		t.Errorf("a branch that never stands still: %v", err)
	}
}

func TestErrorBlamesNobody(t *testing.T) {
	t.Parallel()
	broken := errors.New("no sandbox")
	for _, point := range []string{"tip", "merge", "checkout", "advance", "contains", "test"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			y := newYard(t, true)
			batch := []orchestrator.TaskRow{y.commit("a"), y.commit("b")}
			y.mem.Point = func(name string) error {
				if name == point {
					return broken
				}
				return nil
			}
			if point == "test" {
				o := y.o
				o.Test = func(context.Context, string, []orchestrator.TaskRow) (land.Verdict, error) {
					return land.Verdict{}, broken
				}
				y.q = land.New(o)
			}
			if err := y.q.Land(t.Context(), batch); !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
			same(t, "returned", y.blamed())
			same(t, "landed", y.landed)
			y.mem.Point, y.q = nil, land.New(y.o)
			y.land(batch...)
			same(t, "landed", y.landed, "a", "b")
		})
	}
}

// Whatever the culprits are: exactly they go back, and every step of the branch was green.
func TestExactlyTheCulpritsGoBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "commits")
		bad := rapid.SliceOfN(rapid.Bool(), n, n).Draw(rt, "bad")
		y := newYard(t, true)
		y.red = func(_ []string, content func(string) string) string {
			for i, b := range bad {
				if b && content(fmt.Sprintf("r%02d/file", i)) != "" {
					return "red"
				}
			}
			return ""
		}
		var batch []orchestrator.TaskRow
		var good, culprits []string
		for i, b := range bad {
			id := fmt.Sprintf("r%02d", i)
			batch = append(batch, y.commit(id))
			if b {
				culprits = append(culprits, id)
			} else {
				good = append(good, id)
			}
		}
		if err := y.q.Land(t.Context(), batch); err != nil {
			rt.Fatal(err)
		}
		slices.Sort(y.landed)
		if !slices.Equal(y.landed, good) || !slices.Equal(y.blamed(), culprits) {
			rt.Fatalf("landed %v, returned %v; want %v, %v", y.landed, y.blamed(), good, culprits)
		}
	})
}
