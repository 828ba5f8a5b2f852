package flock_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator"
)

// stopped wants a run that was stopped, for a reason, and that can go on: exit code 1, and everything as it should be meanwhile.
func (s *stage) stopped(p *process, reason string) event {
	s.Helper()
	code := p.end()
	e := p.summary()
	if code != 1 || e.Summary.State != orchestrator.RunStopped || !strings.Contains(e.Summary.Reason, reason) || !strings.Contains(p.stderr.String(), "devflock resume "+e.Summary.Run) {
		s.Fatalf("exit code %d, summary %+v, said %s\n%s", code, *e.Summary, p.stderr.String(), s.trouble())
	}
	s.gone("")
	return e
}

// A cap in tokens stops the run in the middle of an attempt, and keeps it stopped; work that was accepted stays.
func TestTokenCap(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c claudecli.Client) {
		tasks := pairTasks()
		for i := range tasks["sums"] {
			tasks["sums"][i] = mockapi.Step{Blocks: []mockapi.Block{mockapi.Bash("echo 6 >> more.txt")}, Usage: &mockapi.Usage{Input: 30_000, Output: 5}}
		}
		s := newStage(t, c, subfolder, script(tasks))
		s.stopped(s.start(s.flags(append(s.plan(pair()), "--token-cap", "50000")...)...), "cap")
		r := s.rows()
		if prices, sums := r.tasks["prices"], r.tasks["sums"]; prices.State != orchestrator.TaskDone || sums.State != orchestrator.TaskPending || sums.Attempts != 0 || r.tasks["serve"].State != orchestrator.TaskPending {
			t.Errorf("rows: %s", r)
		}
		asked := len(s.srv.Requests())
		if n := s.tokens(); n < 50_000 || n > 50_000+30_005 { // at most the request that goes over it
			t.Errorf("%d tokens were used", n)
		}
		s.stopped(s.start("resume", "--json", "--project", s.project), "cap")
		if more := len(s.srv.Requests()) - asked; more > 0 {
			t.Errorf("%d requests were made beyond the cap", more)
		}
		s.stopped(s.start("resume", "--json", "--project", s.project, "--token-cap", "100000"), "cap")
		if more := len(s.srv.Requests()) - asked; more == 0 {
			t.Error("a higher cap lets no request through")
		}
		if code, out := s.do("integrate", "--project", s.project); code != 0 || s.show("core/prices.txt") != "3" {
			t.Errorf("integrate: %d %s", code, out)
		}
		s.keyless()
		if code, out := s.do("clean", "--project", s.project, "--force", string(r.run.ID)); code != 0 {
			t.Errorf("clean: %d %s", code, out)
		}
		s.untouched()
	})
}

// tokens are those that the rows say were used.
func (s *stage) tokens() (n int64) {
	for _, a := range s.rows().attempts {
		n += a.Usage.Tokens()
	}
	return n
}

// A task that never gets right fails after its attempts, what depends on it is blocked and says why, and the rest is integrated.
func TestATaskThatFails(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c claudecli.Client) {
		module := func(name string, deps ...string) orchestrator.Module {
			return orchestrator.Module{Name: name, Path: name, Weight: 1, DependsOn: deps}
		}
		plan := orchestrator.Plan{
			Summary: "one of them fails", Modules: []orchestrator.Module{module("core"), module("api", "core"), module("ui", "api")},
			Tasks: []orchestrator.Task{
				{ID: "prices", Module: "core", Description: "keep the prices", Acceptance: "grep -q 3 prices.txt"},
				{ID: "serve", Module: "api", Description: "serve the prices", DependsOn: []string{"prices"}, Acceptance: "echo WHAT-IS-WRONG; grep -q never served.txt"},
				{ID: "paint", Module: "ui", Description: "paint the page", DependsOn: []string{"serve"}, Acceptance: "test -s page.txt"},
				{ID: "frame", Module: "ui", Description: "frame the page", DependsOn: []string{"paint"}, Acceptance: "test -s frame.txt"},
				{ID: "sums", Module: "core", Description: "keep the sums", DependsOn: []string{"prices"}, Acceptance: "grep -q 6 sums.txt"},
			},
		}
		tasks := pairTasks()
		repaired := make(chan string, 10)
		again := func(r mockapi.Request) mockapi.Step {
			if strings.Contains(r.Last(), "WHAT-IS-WRONG") && strings.Contains(r.Last(), "not accepted") {
				repaired <- r.Last()
			}
			return mockapi.Turn(mockapi.Bash("echo try >> served.txt"))
		}
		tasks["serve"] = []mockapi.Step{{Do: again}, mockapi.Say("I think so"), {Do: again}, mockapi.Say("now it is"), {Do: again}, mockapi.Say("surely")}
		s := newStage(t, c, linked, script(tasks))
		p := s.start(s.flags(append(s.plan(plan), "--attempts", "2")...)...)
		code := p.end()
		sum := p.summary().Summary
		if code != 3 || sum.State != orchestrator.RunFailed || sum.Done != 2 || sum.Failed != 1 || sum.Blocked != 2 || sum.Open != 0 || len(sum.Missing) != 3 {
			t.Fatalf("exit code %d, summary %+v\n%s", code, *sum, s.trouble())
		}
		for _, m := range sum.Missing {
			want := map[string]string{"serve": "WHAT-IS-WRONG", "paint": "serve", "frame": "paint"}[m.Task]
			if want == "" || !strings.Contains(m.Reason, want) {
				t.Errorf("missing %+v, want a reason with %q", m, want)
			}
		}
		if len(repaired) != 1 {
			t.Errorf("%d repairs were told what is wrong, want 1", len(repaired))
		}
		r := s.rows()
		if n := len(r.of("paint")) + len(r.of("frame")); n != 0 || r.tasks["serve"].Attempts != 2 {
			t.Errorf("%d attempts at what was blocked: %s", n, r)
		}
		if got := s.repo.Git("ls-tree", "-r", "--name-only", sum.Branch, "core", "api", "ui"); got != "core/prices.txt\ncore/sums.txt" {
			t.Errorf("%s holds %s", sum.Branch, got)
		}
		if sum.Branch != "devflock/"+sum.Run+"/integration" || s.repo.Git("branch", "--list", "devflock/integration") != "" {
			t.Errorf("branch %s", sum.Branch)
		}
		if code, out := s.do("integrate", "--project", s.project); code != 0 || s.show("core/sums.txt") != "6" {
			t.Errorf("integrate: %d %s", code, out)
		}
		s.gone("")
		s.untouched()
		s.keyless()
	})
}

// Ctrl-C, which reaches the whole foreground group, and SIGTERM stop a run while a command of a worker runs that would never end.
// Nothing goes on, and the run can be resumed without anything lost or counted.
func TestSignals(t *testing.T) {
	t.Parallel()
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var hold *gate
			tasks := pairTasks()
			tasks["sums"] = []mockapi.Step{{Do: func(r mockapi.Request) mockapi.Step {
				return does("echo half > half.txt; (trap '' TERM INT HUP; setsid -f cat " + hold.path + "); trap '' TERM INT; cat " + hold.path + "; echo 6 > sums.txt")[0].Do(r)
			}}}
			for range 5 {
				tasks["sums"] = append(tasks["sums"], tasks["sums"][0])
			}
			s := newStage(t, client(t, claudecli.Versions()[i]), detached, script(tasks))
			hold = s.newGate("hold")
			p := s.start(s.flags(s.plan(pair())...)...)
			hold.reached(p)
			to := p.cmd.Process.Pid
			if sig == syscall.SIGINT {
				to = -to
			}
			if err := syscall.Kill(to, sig); err != nil {
				t.Fatal(err)
			}
			e := s.stopped(p, "interrupt")
			if e.Summary.Done != 1 || e.Summary.Open != 2 {
				t.Errorf("summary %+v", *e.Summary)
			}
			hold.release(s)
			s.start("resume", "--json").well()
			for id, task := range s.rows().tasks {
				if task.Attempts != 1 || task.State != orchestrator.TaskDone {
					t.Errorf("task %s is %s after %d attempts", id, task.State, task.Attempts)
				}
			}
			if got := s.show("api/served.txt"); got != "6" {
				t.Errorf("served.txt = %q", got)
			}
			s.gone("")
			s.untouched()
			s.keyless()
		})
	}
}
