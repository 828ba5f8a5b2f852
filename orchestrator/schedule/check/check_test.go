package check_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/schedule/check"
)

type verifier func(context.Context, check.Check) (land.Verdict, error)

func (v verifier) Verify(ctx context.Context, c check.Check) (land.Verdict, error) { return v(ctx, c) }

func plan(path string) orchestrator.Plan {
	return orchestrator.Plan{Modules: []orchestrator.Module{{Name: "api", Path: path}}}
}

func task(id, command string) orchestrator.TaskRow {
	return orchestrator.TaskRow{Task: orchestrator.Task{ID: id, Module: "api", Acceptance: command}, Region: "r"}
}

func TestFolderOfTheModuleIsMade(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var got check.Check
	r := check.Runner{Plan: plan("src/api"), Verifier: verifier(func(_ context.Context, c check.Check) (land.Verdict, error) {
		got = c
		_, err := os.Stat(c.Dir)
		return land.Verdict{OK: true}, err
	})}
	if _, err := r.Accept(t.Context(), "r", root, task("t1", "make check")); err != nil {
		t.Fatal(err)
	}
	if want := (check.Check{Region: "r", Root: root, Dir: filepath.Join(root, "src", "api"), Command: "make check"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A path from a plan and a link in a tree do not lead out of it.
func TestFolderOutsideIsNotMade(t *testing.T) {
	t.Parallel()
	root, other := t.TempDir(), t.TempDir()
	if err := os.Symlink(other, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../x", "link/x", "/x"} {
		r := check.Runner{Plan: plan(path), Verifier: verifier(func(context.Context, check.Check) (land.Verdict, error) {
			t.Errorf("%s: the check ran", path)
			return land.Verdict{}, nil
		})}
		if _, err := r.Accept(t.Context(), "r", root, task("t1", "true")); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if left, _ := os.ReadDir(other); len(left) > 0 {
		t.Errorf("made %v outside", left)
	}
}

func TestMergedTreeIsCheckedByItsTasksOrByTheRunsTest(t *testing.T) {
	t.Parallel()
	var ran []string
	r := check.Runner{Plan: plan(""), Verifier: verifier(func(_ context.Context, c check.Check) (land.Verdict, error) {
		ran = append(ran, c.Region+c.Command)
		return land.Verdict{OK: c.Command != "two", Output: "out"}, nil
	})}
	v, err := r.Merged(t.Context(), t.TempDir(), []orchestrator.TaskRow{task("t1", "one"), task("t2", ""), task("t3", "two"), task("t4", "three")})
	if err != nil || v.OK || !strings.HasPrefix(v.Output, "acceptance check of task t3: two\nout") || strings.Join(ran, " ") != "one two" {
		t.Errorf("%+v, %v; ran %v", v, err, ran)
	}
	r.Test, ran = "all", nil
	if v, err := r.Merged(t.Context(), t.TempDir(), []orchestrator.TaskRow{task("t1", "one")}); err != nil || !v.OK || strings.Join(ran, " ") != "all" {
		t.Errorf("%+v, %v; ran %v", v, err, ran)
	}
}

func TestVerifierThatForgetsItsTimeOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := check.Runner{Plan: plan(""), Limit: time.Minute, Grace: 10 * time.Second, Verifier: verifier(func(ctx context.Context, _ check.Check) (land.Verdict, error) {
			<-ctx.Done()
			return land.Verdict{}, ctx.Err()
		})}
		start := time.Now()
		if _, err := r.Accept(t.Context(), "r", root, task("t1", "sleep")); err == nil || !strings.Contains(err.Error(), "did not end 10s after its time-out of 1m0s") || time.Since(start) != 70*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}
