package planner_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/plan"
	"github.com/devflow-suite/devflow/orchestrator/planner"
	"github.com/devflow-suite/devflow/orchestrator/survey"
)

func update() bool { f := flag.Lookup("update"); return f != nil && f.Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite golden files")
	os.Exit(m.Run())
}

func project() survey.Inventory {
	return survey.Inventory{
		Files: 30, Lines: 4000, Languages: []survey.Language{{Name: "Go", Files: 30, Lines: 4000}},
		Folders: []survey.Folder{{Path: "api", Files: 10, Lines: 1000}, {Path: "store", Files: 20, Lines: 3000}}, Builds: []string{"go.mod"},
		Modules: []survey.Module{{Name: "store", Path: "store", Files: 20, Lines: 3000, Main: "Go", Weight: 5}, {Name: "api", Path: "api", Files: 10, Lines: 1000, Main: "Go", Weight: 2.3, Uses: []string{"store"}}},
		Edges:   []survey.Edge{{From: "api", To: "store", Count: 4}},
	}
}

const good = `{"summary":"s","modules":[{"name":"api","path":"api","weight":2,"depends_on":[]},{"name":"new","path":"new","weight":40,"depends_on":[]}],
"tasks":[{"id":"t1","module":"api","description":"Write the handlers.","depends_on":[],"acceptance_cmd":"go test ."},
{"id":"t2","module":"new","description":"Write the new thing.","depends_on":["t1"],"acceptance_cmd":"go vet ."}]}`

func idea() planner.Ask {
	return planner.Ask{Mode: orchestrator.ModeIdea, Request: "A shop for {umbrellas}.\n=====\nWith a cart."}
}

func asks() map[string]planner.Ask {
	return map[string]planner.Ask{
		"idea":     idea(),
		"existing": {Mode: orchestrator.ModeExisting, Request: "Add payment.", Inventory: project()},
		"document": {Mode: orchestrator.ModeExisting, Inventory: project()},
		"fixed":    {Mode: orchestrator.ModeFixed, Request: "Add payment.", Workers: 4, Inventory: project()},
	}
}

func TestPromptsAreGolden(t *testing.T) {
	t.Parallel()
	for name, ask := range asks() {
		got, err := planner.Prompt(ask)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".txt")
		if update() {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// What every prompt must say, and what only some may.
func TestPromptsSayWhatIsRequired(t *testing.T) {
	t.Parallel()
	always := []string{"manager", "owns only the folders", "do not see this conversation", "exactly one JSON object and no prose", `"summary"`, `"modules"`, `"tasks"`, `"acceptance_cmd"`, "2 or 3 sentences", "relative to the project's root",
		"no ..", "each owns its folder", "no file is shared", "1 for a small module, 5 for a large one", "A task changes one module", "1 to 8 files", "needs no questions", "define interfaces come\n  early", "run in the module's folder", "fast", "never true", "unique", "no cycles", "200 tasks", "fails before the task is done"}
	for name, tt := range map[string]struct{ has, lacks []string }{
		"idea":     {[]string{"from scratch", "sensible, well-known stack", "shared contracts", "A shop for {umbrellas}.", "======\n"}, []string{"Glob", "workers are available", "What the project holds"}},
		"existing": {[]string{"Glob, Grep and Read", "Do not change anything", "existing or\nnatural modules", "Add payment.", "What the project holds", "- store in store: 3000 lines", "weight 2.3", "go.mod", "api → store (4)", "data, not instructions"}, []string{"from scratch", "workers are available"}},
		"document": {[]string{"document its public interface and add the tests that are missing", "- store in store"}, []string{"The work, between"}},
		"fixed":    {[]string{"4 workers are available: aim for at least 4 independent modules", "Never invent modules", "Add payment.", "- store in store"}, nil},
	} {
		got, err := planner.Prompt(asks()[name])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range slices.Concat(always, tt.has) {
			if !strings.Contains(got, s) {
				t.Errorf("%s: the prompt lacks %q", name, s)
			}
		}
		for _, s := range tt.lacks {
			if strings.Contains(got, s) {
				t.Errorf("%s: the prompt holds %q", name, s)
			}
		}
		if p, err := plan.Parse(got, nil); err == nil {
			t.Errorf("%s: a prompt that is repeated would be taken as the plan %v", name, p)
		}
	}
}

func TestPromptsAreBounded(t *testing.T) {
	t.Parallel()
	ask := asks()["existing"]
	for i := range 50_000 {
		ask.Inventory.Folders = append(ask.Inventory.Folders, survey.Folder{Path: fmt.Sprintf("folder/%d", i), Files: 1})
	}
	if got, err := planner.Prompt(ask); err != nil || len(got) > 40_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestToolsOnlyRead(t *testing.T) {
	t.Parallel()
	if got := planner.Tools(idea()); got == nil || len(got) != 0 {
		t.Errorf("tools for an idea: %v", got)
	}
	if got := strings.Join(planner.Tools(asks()["existing"]), " "); got != "Read Glob Grep" {
		t.Errorf("tools for a project: %s", got)
	}
}

func TestWrongAsks(t *testing.T) {
	t.Parallel()
	for _, ask := range []planner.Ask{
		{}, {Mode: "auto", Request: "x"}, {Mode: orchestrator.ModeIdea}, {Mode: orchestrator.ModeExisting}, {Mode: orchestrator.ModeIdea, Request: " \n"},
		{Mode: orchestrator.ModeFixed, Request: "x"}, {Mode: orchestrator.ModeIdea, Request: strings.Repeat("x", planner.MaxRequest+1)},
	} {
		m := &manager{}
		if _, err := planner.Plan(t.Context(), ask, m); err == nil || len(m.heard) > 0 {
			t.Errorf("%q: %v, %d turns", ask.Mode, err, len(m.heard))
		}
	}
}

// manager answers by a script.
type manager struct {
	answers []any // a text, a Reply, an error, or a func() that ends the context
	fresh   error
	heard   []string // prompts, and "FRESH"
}

func (m *manager) Turn(_ context.Context, prompt string) (planner.Reply, error) {
	m.heard = append(m.heard, prompt)
	if len(m.answers) == 0 {
		return planner.Reply{}, errors.New("nothing is left of the script")
	}
	a := m.answers[0]
	m.answers = m.answers[1:]
	switch a := a.(type) {
	case string:
		return planner.Reply{Text: a}, nil
	case planner.Reply:
		return a, nil
	case func():
		a()
		return planner.Reply{}, errors.New("interrupted")
	case error:
		return planner.Reply{}, a
	}
	panic(a)
}

func (m *manager) Fresh(context.Context) error {
	m.heard = append(m.heard, "FRESH")
	return m.fresh
}

func TestTheFirstGoodPlanIsTaken(t *testing.T) {
	t.Parallel()
	m := &manager{answers: []any{"Here it is: ```json\n" + good + "\n```"}}
	p, err := planner.Plan(t.Context(), idea(), m)
	if err != nil || len(p.Tasks) != 2 || len(m.heard) != 1 {
		t.Errorf("%v, %v, %d turns", p, err, len(m.heard))
	}
	m = &manager{answers: []any{planner.Reply{Text: "done", Structured: json.RawMessage(good)}}}
	if _, err := planner.Plan(t.Context(), idea(), m); err != nil {
		t.Error(err)
	}
}

func TestEverythingWrongIsFedBack(t *testing.T) {
	t.Parallel()
	bad := strings.NewReplacer(`"go test ."`, `"exit 0"`, `["t1"]`, `["nope"]`, `"weight":2`, `"weight":-1`).Replace(good)
	m := &manager{answers: []any{bad, `{"modules": 5, "tasks": "x"}`, good}}
	if _, err := planner.Plan(t.Context(), idea(), m); err != nil {
		t.Fatal(err)
	}
	if len(m.heard) != 3 {
		t.Fatalf("%d turns", len(m.heard))
	}
	for _, s := range []string{"exit 0", `there is no task "nope"`, "is -1", "complete, corrected plan", "exactly one JSON object", "A shop for {umbrellas}."} {
		if !strings.Contains(m.heard[1], s) {
			t.Errorf("the second prompt lacks %q:\n%s", s, m.heard[1])
		}
	}
	if !strings.Contains(m.heard[2], "modules: expected array") {
		t.Errorf("the third prompt:\n%s", m.heard[2])
	}
}

func TestItIsGivenUpWithTheLastProblems(t *testing.T) {
	t.Parallel()
	m := &manager{answers: []any{"no", "{}", `{"modules":[{"name":"a"}],"tasks":[]}`, good}}
	_, err := planner.Plan(t.Context(), idea(), m)
	ps, ok := errors.AsType[plan.Problems](err)
	if !ok || len(m.heard) != 3 || !strings.Contains(ps.List(), `module "a" has no task`) || !strings.Contains(err.Error(), "3 times") {
		t.Errorf("%v after %d turns", err, len(m.heard))
	}
	ask := idea()
	ask.Attempts = 1
	m = &manager{answers: []any{"no", good}}
	if _, err := planner.Plan(t.Context(), ask, m); err == nil || len(m.heard) != 1 {
		t.Errorf("%v after %d turns", err, len(m.heard))
	}
}

// A session that fails is lost: the new one must hear the whole request, not only the contract.
func TestALostSessionIsToldEverythingAgain(t *testing.T) {
	t.Parallel()
	broken := errors.New("API error 529: overloaded")
	m := &manager{answers: []any{strings.Replace(good, "go test .", "true", 1), broken, good}}
	ask := asks()["existing"]
	if _, err := planner.Plan(t.Context(), ask, m); err != nil {
		t.Fatal(err)
	}
	if len(m.heard) != 4 || m.heard[2] != "FRESH" {
		t.Fatalf("heard %q", m.heard)
	}
	first, err := planner.Prompt(ask)
	if err != nil {
		t.Fatal(err)
	}
	if m.heard[0] != first || !strings.HasPrefix(m.heard[3], first) || !strings.Contains(m.heard[3], "could not be received") || !strings.Contains(m.heard[3], `"true" cannot fail`) {
		t.Errorf("the new session hears\n%s", m.heard[3])
	}
}

func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	broken := errors.New("API error 401")
	m := &manager{answers: []any{broken, broken, broken, good}}
	if _, err := planner.Plan(t.Context(), idea(), m); !errors.Is(err, broken) || len(m.heard) != 5 {
		t.Errorf("%v, heard %d", err, len(m.heard))
	}
	m = &manager{answers: []any{broken, good}, fresh: errors.New("no session")}
	if _, err := planner.Plan(t.Context(), idea(), m); !errors.Is(err, m.fresh) {
		t.Error(err)
	}
	// Alternating faults end, too.
	m = &manager{answers: []any{broken, "no", broken, "no", broken, good}}
	if _, err := planner.Plan(t.Context(), idea(), m); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// The client reports an API error as a success with a text: whoever brings the text must not make a plan of it.
func TestAnAPIErrorIsNoPlan(t *testing.T) {
	t.Parallel()
	text := `API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`
	m := &manager{answers: []any{text, text, text}}
	if _, err := planner.Plan(t.Context(), idea(), m); err == nil {
		t.Error("an API error became a plan")
	}
}

func TestAnEndedContextEndsItAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped by the person")
	m := &manager{answers: []any{func() { cancel(stop) }, good}}
	if _, err := planner.Plan(ctx, idea(), m); !errors.Is(err, stop) || len(m.heard) != 1 {
		t.Errorf("%v, heard %d", err, len(m.heard))
	}
}

func TestWeightsStayNearTheMeasured(t *testing.T) {
	t.Parallel()
	ask := asks()["existing"]
	for given, want := range map[string]float64{"0.1": 1.15, "2": 2, "50": 4.6} {
		m := &manager{answers: []any{strings.Replace(good, `"weight":2`, `"weight":`+given, 1)}}
		p, err := planner.Plan(t.Context(), ask, m)
		if err != nil || p.Modules[0].Weight != want || p.Modules[1].Weight != 40 {
			t.Errorf("weight %s became %v, want %v; a new folder has %v, want 40 (%v)", given, p.Modules[0].Weight, want, p.Modules[1].Weight, err)
		}
	}
}

func TestFeedbackIsBounded(t *testing.T) {
	t.Parallel()
	var tasks []string
	for i := range 3000 {
		tasks = append(tasks, fmt.Sprintf(`{"id":"T %d","module":"nobody","description":"x","depends_on":["u"],"acceptance_cmd":"true"}`, i))
	}
	m := &manager{answers: []any{`{"summary":"","modules":[],"tasks":[` + strings.Join(tasks, ",") + `]}`, good}}
	if _, err := planner.Plan(t.Context(), idea(), m); err != nil {
		t.Fatal(err)
	}
	if len(m.heard[1]) > 25_000 || !strings.Contains(m.heard[1], "more") {
		t.Errorf("a prompt of %d bytes", len(m.heard[1]))
	}
}
