package flock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator"
)

// pair is a plan of two regions: two tasks in the first, one in the second that needs the last of them.
func pair() orchestrator.Plan {
	return orchestrator.Plan{
		Summary: "a pair",
		Modules: []orchestrator.Module{{Name: "core", Path: "core", Weight: 1}, {Name: "api", Path: "api", Weight: 1, DependsOn: []string{"core"}}},
		Tasks: []orchestrator.Task{
			{ID: "prices", Module: "core", Description: "keep the prices", Acceptance: "grep -q 3 prices.txt"},
			{ID: "sums", Module: "core", Description: "keep the sums", DependsOn: []string{"prices"}, Acceptance: "grep -q 6 sums.txt"},
			{ID: "serve", Module: "api", Description: "serve the sums", DependsOn: []string{"sums"}, Acceptance: "cmp served.txt ../core/sums.txt"},
		},
	}
}

func pairTasks() map[string][]mockapi.Step {
	return map[string][]mockapi.Step{"prices": does("echo 3 > prices.txt"), "sums": does("echo 6 > sums.txt"), "serve": does("cp ../core/sums.txt served.txt")}
}

// steady wants one attempt at each task, none of them lost or counted twice, and one session in each region.
func (s *stage) steady() {
	s.Helper()
	r := s.rows()
	sessions := map[string]string{}
	for id, t := range r.tasks {
		list := r.of(id)
		if len(list) != 1 || list[0].State != orchestrator.AttemptAccepted || t.Attempts != 1 {
			s.Errorf("task %s: %d counted, %+v", id, t.Attempts, list)
			continue
		}
		if have := sessions[t.Region]; have != "" && have != list[0].Session || list[0].Session == "" {
			s.Errorf("region %s went on in the session %q, was %q", t.Region, list[0].Session, have)
		}
		sessions[t.Region] = list[0].Session
	}
	if s.Failed() {
		s.Log(s.trouble())
	}
}

// An endpoint that dies in the middle of answers, sets limits and hides behind a tunnel's error page costs time and nothing else.
func TestTroubleAtTheEndpoint(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c claudecli.Client) {
		s := newStage(t, c, subfolder, script(pairTasks()))
		proxy := newChaos(t, s.url, limited, limited, cutMiddle, tunnel, tunnel, cutEarly, refuse, cutLast, overload, inStream, limited)
		s.url = proxy.URL
		s.start(s.flags(s.plan(pair())...)...).well()
		if left := proxy.left(); len(left) > 0 {
			t.Errorf("nobody has met %q", left)
		}
		if got := s.show("api/served.txt"); got != "6" {
			t.Errorf("served.txt = %q", got)
		}
		s.steady()
		s.gone("")
		s.untouched()
		s.keyless()
	})
}

// Nobody answers: the person swaps the endpoint while the first request is being tried. That one goes silent, too, in the middle of
// the run, and the person edits the endpoints file.
func TestSwapWhileRetrying(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c claudecli.Client) {
		s := newStage(t, c, linked, script(pairTasks()))
		good := s.url
		s.url = "http://127.0.0.1:1"
		second := newChaos(t, good)
		p := s.start(s.flags(s.plan(pair())...)...)
		p.await("the endpoint is called dead", 1, kind("endpoint_dead"))
		if code, out := s.do("swap", "--project", s.project, "--endpoint", "manager", "--url", second.URL, "--key-env", "API_KEY", "--no-probe"); code != 0 {
			t.Fatalf("swap: %d %s", code, out)
		}
		p.await("the first task is integrated", 1, kind("task_done"))
		second.then(refuse, refuse, refuse, refuse, refuse, refuse, refuse, refuse, refuse, refuse, refuse, refuse)
		p.await("the second endpoint is called dead", 2, kind("endpoint_dead"))
		file := filepath.Join(s.folder(), "endpoints.toml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), second.URL) {
			t.Fatalf("the endpoints file lacks %s: %s", second.URL, strings.ReplaceAll(string(text), realKey, "KEY"))
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), second.URL, good)), 0o600); err != nil {
			t.Fatal(err)
		}
		p.well()
		s.steady()
		s.gone("")
		s.untouched()
		s.keyless()
	})
}
