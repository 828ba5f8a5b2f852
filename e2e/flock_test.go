package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
)

// Files of the project that a worker changes.
const (
	prices     = "def price(name):\n    return 3\n"
	pricesTest = "from prices import price\n\n\ndef test_price():\n    assert price('tea') == 3\n\n\ndef test_every_name():\n    assert price('') == 3\n"
	morePrices = prices + "\n\ndef total(names):\n    return sum(price(n) for n in names)\n"
	moreTests  = pricesTest + "\n\ndef test_total():\n    from prices import total\n    assert total(['tea', 'milk']) == 6\n"
	fewerTests = "from prices import price, total\n\n\ndef test_total():\n    assert total(['tea', 'milk']) == 6\n"
)

// shopModel plans three modules. The worker of shop takes tests away, and puts them back when it is told; page builds on the others.
func shopModel() taskmodel.Model {
	module := func(name string, deps ...string) map[string]any {
		return map[string]any{"name": name, "path": name, "weight": 1, "depends_on": append([]string{}, deps...)}
	}
	task := func(id, module, acceptance string, deps ...string) map[string]any {
		return map[string]any{"id": id, "module": module, "description": "the part of " + module, "depends_on": append([]string{}, deps...), "acceptance_cmd": acceptance}
	}
	put := func(file, text string) string { return "cat > " + file + " <<'E'\n" + text + "E\n" }
	return taskmodel.Model{
		Plan: map[string]any{
			"summary": "totals and a page that shows them", "modules": []any{module("shop"), module("help"), module("page", "shop", "help")},
			"tasks": []any{task("totals", "shop", "grep -q total prices.py"), task("explain", "help", "grep -q tea help.txt"), task("show", "page", "grep -q total page.txt", "totals", "explain")},
		},
		Tasks: map[string][]mockapi.Step{
			"totals": {
				mockapi.Turn(mockapi.Bash("cd ../shop\n" + put("prices.py", morePrices) + put("test_prices.py", fewerTests))), mockapi.Say("Done."),
				mockapi.Turn(mockapi.Bash("cd ../shop\n" + put("test_prices.py", moreTests))), mockapi.Say("The tests are back."),
			},
			"explain": {mockapi.Turn(mockapi.Bash("cd ../help && echo tea > help.txt")), mockapi.Say("Explained.")},
			"show":    {mockapi.Turn(mockapi.Bash("cd ../page && cat ../shop/prices.py ../help/help.txt > page.txt")), mockapi.Say("Shown.")},
		},
	}
}

// mine is everything of the repository that a run must leave as it is.
func (w *world) mine() map[string]string {
	w.t.Helper()
	out := map[string]string{
		"head": w.repo.Git("symbolic-ref", "HEAD"), "status": w.repo.Git("status", "--porcelain", "--ignored"),
		"branches": w.repo.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/feat", "refs/heads/main", "refs/tags", "refs/stash"),
	}
	for _, name := range []string{"index", "config", "HEAD"} {
		data, err := os.ReadFile(w.repo.Path(".git/" + name))
		if err != nil {
			w.t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}

// heard counts the messages to the person that hold a text.
func (w *world) heard(text string) (n int) {
	w.t.Helper()
	for _, message := range w.told() {
		n += strings.Count(message, text)
	}
	return n
}

// flockLog is what devflock says of the project's newest run.
func (w *world) flockLog() string {
	ctx, cancel := contextFor(w.t)
	defer cancel()
	var out strings.Builder
	for _, name := range []string{"status", "logs"} {
		cmd := exec.CommandContext(ctx, filepath.Join(w.bin, "devflock"), name)
		cmd.Dir, cmd.Env = w.repo.Dir, claudecli.Environ(w.home.Dir, w.srv.URL)
		text, err := cmd.CombinedOutput()
		out.Write(text)
		if err != nil {
			out.WriteString(err.Error() + "\n")
		}
	}
	return out.String()
}

// TestFlockFromASession has a person type /flock: the end of the turn plans and drives the run with real workers; the judge refuses a
// worker that takes tests away, and takes its repair; the next prompt tells how it has ended, once; nothing of the person's moves.
func TestFlockFromASession(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		w := newWorld(t, c, func(func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{mockapi.Say("devflock takes it over."), mockapi.Say("It is done."), mockapi.Say("Yes.")}}
		})
		w.repo.Write("shop/prices.py", prices)
		w.repo.Write("shop/test_prices.py", pricesTest)
		w.repo.Commit("shop")
		url, workers := taskmodel.Serve(t, shopModel())
		w.configure("[flock]\nclient = \"" + c.Path + "\"\n")
		w.devflow("flock:probe", url, "--save", "manager")
		before := w.mine()

		w.say("/flock add totals and a page that shows them")
		if w.heard("is planned and started when this turn ends") != 1 {
			t.Errorf("the person was not told that the run is queued; %s", w.trouble())
		}
		w.eventually("the end of the run", func() bool {
			return len(w.rows("SELECT 1 FROM runs WHERE state IN('done','failed','stopped')")) == 1
		})
		if got := w.one("SELECT mode, state, request FROM runs"); got != "existing|done|add totals and a page that shows them" {
			t.Fatalf("run = %s, want it done; %s\n%s", got, w.trouble(), w.flockLog())
		}
		if diff := cmp.Diff(before, w.mine()); diff != "" {
			t.Errorf("what is the person's has changed (-before +after):\n%s", diff)
		}
		for file, want := range map[string]string{"shop/prices.py": morePrices, "shop/test_prices.py": moreTests, "page/page.txt": morePrices + "tea"} {
			if got := w.repo.Git("show", "devflock/integration:"+file); strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("%s = %q, want %q", file, got, want)
			}
		}
		attempts := w.rows("SELECT a.state, a.failure LIKE '%judge refuses%test_every_name%' FROM attempts a WHERE a.task='totals' ORDER BY a.n")
		if diff := cmp.Diff([]string{"rejected|1", "accepted|0"}, attempts); diff != "" {
			t.Errorf("attempts (-want +got):\n%s\n%s", diff, w.flockLog())
		}
		if got := w.one("SELECT count(*) FROM regions"); got != "2" {
			t.Errorf("%s workers, want 2", got)
		}
		told := 0
		for _, r := range workers.Talk("") {
			if strings.Contains(r.Last(), "judge refuses the change") && strings.Contains(r.Last(), "test_every_name") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("the worker was told %d times why its change is refused, want once", told)
		}

		const news = "is done and on the branch devflock/integration"
		if n := w.heard(news); n != 0 {
			t.Errorf("told %d times before the next prompt", n)
		}
		w.goOn("how is it going?")
		if n := w.heard(news); n != 1 {
			t.Errorf("told %d times, want once; %s", n, w.trouble())
		}
		w.goOn("really?")
		if n := w.heard(news); n != 1 {
			t.Errorf("told %d times, want once", n)
		}
		holds(t, "conversation", w.conversation(), false, news)
		if got := w.rows("SELECT id FROM runs"); len(got) != 1 {
			t.Errorf("runs = %q, want one", got)
		}
	})
}
