package flock_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator"
)

const askTool, requestTool = "mcp__devflow__ask_region", "mcp__devflow__request_change"

// shopPlan is what the scripted manager answers: four modules, two of them needed by others.
func shopPlan() map[string]any {
	module := func(name string, deps ...any) any {
		return map[string]any{"name": name, "path": name, "weight": 1, "depends_on": append([]any{}, deps...)}
	}
	task := func(id, module, what, check string, deps ...any) any {
		return map[string]any{"id": id, "module": module, "description": what, "depends_on": append([]any{}, deps...), "acceptance_cmd": check}
	}
	return map[string]any{
		"summary": "A shop: prices, a server for them, a page, and words about it.",
		"modules": []any{module("core"), module("api", "core"), module("ui", "core"), module("docs", "api", "ui")},
		"tasks": []any{
			task("prices", "core", "Keep the prices in prices.txt.", "grep -q 3 prices.txt"),
			task("serve", "api", "Serve the prices of core.", "cmp served.txt ../core/prices.txt", "prices"),
			task("paint", "ui", "Paint the prices of core.", "grep -q 'price 3' page.txt", "prices"),
			task("write", "docs", "Write down what there is.", "test -s all.txt && grep -q more all.txt", "serve", "paint"),
		},
	}
}

// answers keeps what the workers were answered.
type answers struct {
	mu   sync.Mutex
	seen map[string]string
}

func (a *answers) keep(name string, then mockapi.Step) mockapi.Step {
	return mockapi.Step{Do: func(r mockapi.Request) mockapi.Step {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.seen[name] = r.Last()
		return then
	}}
}

func (a *answers) get(name string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen[name]
}

func shopModel(a *answers) mockapi.Script {
	ask := func(region, question string) mockapi.Step {
		return mockapi.Turn(mockapi.Tool(askTool, map[string]any{"region": region, "question": question}))
	}
	request := func(region, what, check string) mockapi.Step {
		return mockapi.Turn(mockapi.Tool(requestTool, map[string]any{"region": region, "description": what, "acceptance_cmd": check, "wait": true}))
	}
	return taskmodel.Model{
		Plan: shopPlan(),
		Tasks: map[string][]mockapi.Step{
			"prices": {ask("api", "what do you need?"), a.keep("core asks api", mockapi.Turn(mockapi.Bash("echo 3 > prices.txt"))), mockapi.Say("prices.txt holds the PRICES-OF-CORE")},
			"serve":  {request("core", "add extra things in extra.txt", "grep -q more extra.txt"), a.keep("api requests", mockapi.Turn(mockapi.Bash("cp ../core/prices.txt served.txt"))), mockapi.Say("served")},
			"paint":  {ask("core", "which file holds the prices?"), a.keep("ui asks core", mockapi.Turn(mockapi.Bash("echo price $(cat ../core/prices.txt) > page.txt"))), mockapi.Say("painted")},
			"write":  {ask("ui", "what is on the page?"), a.keep("docs asks ui", mockapi.Turn(mockapi.Bash("cat ../api/served.txt ../ui/page.txt ../core/extra.txt > all.txt"))), mockapi.Say("written")},
		},
		Before: func(r mockapi.Request, task string) (mockapi.Step, bool) {
			switch {
			case !strings.HasPrefix(task, "req-"):
				return mockapi.Step{}, false
			case strings.Contains(r.Last(), "extra things"):
				return mockapi.Turn(mockapi.Bash("echo more > extra.txt")), true
			}
			return mockapi.Say("added"), true
		},
	}.Script()
}

// An idea becomes a merged branch: a manager plans four regions, their workers ask and request on the first turn though everything
// is slow to get ready, and each sees what it depends on.
func TestAnIdeaBecomesAMergedBranch(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c claudecli.Client) {
		a := &answers{seen: map[string]string{}}
		s := newStage(t, c, empty, shopModel(a))
		s.client = s.lateClient()
		p := s.start(s.flags("--idea", "a shop", "--workers", "4", "--expose", nodeModules(c))...)
		sum := p.well().Summary
		r := s.rows()
		if sum.Done != 5 || sum.Tasks != 5 || sum.Failed+sum.Blocked+sum.Open != 0 || len(sum.Missing) != 0 || sum.Attempts != 5 || sum.Project != s.project || sum.Run != string(r.run.ID) {
			t.Errorf("summary %+v", *sum)
		}
		if sum.Commit != s.repo.Git("rev-parse", "devflock/integration") || sum.Usage.Requests != requests(s) {
			t.Errorf("commit %s, %d requests of %d", sum.Commit, sum.Usage.Requests, requests(s))
		}
		if len(r.regions) != 4 || r.run.State != orchestrator.RunDone {
			t.Errorf("rows: %s", r)
		}
		got := s.repo.Git("ls-tree", "-r", "--name-only", "devflock/integration")
		if want := "api/served.txt\ncore/extra.txt\ncore/prices.txt\ndocs/all.txt\nui/page.txt"; got != want {
			t.Errorf("branch holds\n%s\nwant\n%s", got, want)
		}
		for path, want := range map[string]string{"core/prices.txt": "3", "core/extra.txt": "more", "api/served.txt": "3", "ui/page.txt": "price 3", "docs/all.txt": "3\nprice 3\nmore"} {
			if got := s.show(path); got != want {
				t.Errorf("%s = %q, want %q", path, got, want)
			}
		}
		for name, want := range map[string]string{"core asks api": "Region api", "api requests": "req-", "ui asks core": "PRICES-OF-CORE", "docs asks ui": "ui/page.txt"} {
			if got := a.get(name); !strings.Contains(got, want) {
				t.Errorf("%s: the answer lacks %q: %s", name, want, got)
			}
		}
		offered(s)
		s.gone("")
		s.untouched()
		s.keyless()
	})
}

// requests are those of workers: the manager's are not the run's.
func requests(s *stage) (n int64) {
	for _, r := range s.srv.Requests() {
		if (r.Kind == mockapi.Talk || r.Kind == mockapi.Side) && !r.HasTool("StructuredOutput") {
			n++
		}
	}
	return n
}

// offered wants both region tools in every request of a worker, the first of each included.
func offered(s *stage) {
	s.Helper()
	seen := 0
	for _, r := range s.srv.Talk("") {
		if r.HasTool("StructuredOutput") {
			continue
		}
		if seen++; !slices.Contains(r.Tools, askTool) || !slices.Contains(r.Tools, requestTool) {
			s.Errorf("request %d with %d messages offers %v", r.N, len(r.Messages), r.Tools)
		}
	}
	if seen == 0 {
		s.Error("no worker has asked anything")
	}
	for _, r := range s.srv.Requests() {
		if key := r.Header.Get("X-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); key != realKey && r.Kind != mockapi.Other {
			s.Errorf("request %d reaches the endpoint with the key %q", r.N, key)
		}
	}
}

// nodeModules is the folder of packages that a client belongs to.
func nodeModules(c claudecli.Client) string {
	const packages = "/node_modules"
	return c.Path[:strings.LastIndex(c.Path, packages+"/")+len(packages)]
}
