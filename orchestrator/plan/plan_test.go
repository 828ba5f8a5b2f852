package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/plan"
)

// good is a plan without a fault.
func good() orchestrator.Plan {
	return orchestrator.Plan{
		Summary: "A shop.",
		Modules: []orchestrator.Module{
			{Name: "api", Path: "src/api", Weight: 2, DependsOn: []string{"store"}},
			{Name: "store", Path: "src/store", Weight: 3.5, DependsOn: []string{}},
		},
		Tasks: []orchestrator.Task{
			{ID: "store-1", Module: "store", Description: "Write the store's interface.", DependsOn: []string{}, Acceptance: "go test ./..."},
			{ID: "api-1", Module: "api", Description: "Write the handlers {of \"everything\"}.", DependsOn: []string{"store-1"}, Acceptance: "go vet . && grep -q '}' api.go"},
		},
	}
}

func text(tb testing.TB, v any) string {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// changed is the good plan after an edit of its JSON.
func changed(tb testing.TB, pairs ...string) string {
	tb.Helper()
	s := text(tb, good())
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(s, pairs[i]) {
			tb.Fatalf("%q is not in %s", pairs[i], s)
		}
		s = strings.Replace(s, pairs[i], pairs[i+1], 1)
	}
	return s
}

func problems(tb testing.TB, err error) plan.Problems {
	tb.Helper()
	if err == nil {
		return nil
	}
	ps, ok := errors.AsType[plan.Problems](err)
	if !ok {
		tb.Fatalf("error %v is no list of problems", err)
	}
	return ps
}

func TestParseFindsThePlan(t *testing.T) {
	t.Parallel()
	p := text(t, good())
	other := text(t, func() orchestrator.Plan { x := good(); x.Summary = "An older one."; return x }())
	pretty, err := json.MarshalIndent(good(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, reply := range map[string]string{
		"bare":                          p,
		"fenced":                        "```json\n" + p + "\n```",
		"fenced without a language":     "Here:\n```\n" + string(pretty) + "\n```\nGood luck!",
		"braces in prose before":        "I use {braces} and {\"a\": 1} first. " + p,
		"code before":                   "func f() { if x { y() } }\n" + p + "\n}",
		"an unfinished object before":   `{"modules": [` + p,
		"a draft before":                other + "\nBetter:\n" + p,
		"a broken one behind":           p + `{"modules": [{]}`,
		"a wrong one behind":            p + "\n" + changed(t, `"api-1"`, `"API 1"`),
		"another object behind":         p + "\n" + `{"status": "done"}`,
		"a fence in a description":      changed(t, "Write the handlers", "Write ```go\\nfunc f() {\\n```"),
		"an envelope":                   `{"plan": ` + p + `, "confidence": 1}`,
		"an envelope with a text":       `{"result": ` + text(t, p) + `}`,
		"a list":                        "[" + p + "]",
		"a byte order mark":             "\ufeff" + p,
		"thinking before":               "Let me think. {\n" + strings.Repeat("}{", 50) + p,
		"default weight":                changed(t, `"weight":2,`, ""),
		"null lists":                    changed(t, `"depends_on":[]`, `"depends_on":null`),
		"a path with dot and slash":     changed(t, `"src/api"`, `"./src/api/"`),
		"a dependency twice":            changed(t, `["store-1"]`, `["store-1","store-1"]`),
		"many objects":                  strings.Repeat(`{"a":1} `, 5000) + p,
		"a summary is not the question": strings.Replace(p, `"summary":"A shop.",`, "", 1),
	} {
		got, err := plan.Parse(reply, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := good()
		switch name {
		case "a fence in a description":
			want.Tasks[1].Description = "Write ```go\nfunc f() {\n``` {of \"everything\"}."
		case "default weight":
			want.Modules[0].Weight = 1
		case "a summary is not the question":
			want.Summary = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestAPathIsTheNameUnlessGiven(t *testing.T) {
	t.Parallel()
	got, err := plan.Parse(changed(t, `"path":"src/api",`, ""), nil)
	if err != nil || got.Modules[0].Path != "api" {
		t.Errorf("path %q, %v", got.Modules[0].Path, err)
	}
}

func TestStructuredOutputIsPreferred(t *testing.T) {
	t.Parallel()
	p := text(t, good())
	if _, err := plan.Parse("all done", []byte(p)); err != nil {
		t.Error(err)
	}
	if _, err := plan.Parse(p, []byte(" null ")); err != nil {
		t.Error(err)
	}
	if _, err := plan.Parse(p, []byte(`{"modules": [], "tasks": []}`)); err == nil {
		t.Error("a wrong structured plan was passed over for the text")
	}
	if _, err := plan.Parse(p, []byte(p+p)); err == nil {
		t.Error("two structured plans were taken")
	}
}

func TestWhatIsNoPlan(t *testing.T) {
	t.Parallel()
	p := text(t, good())
	for _, tt := range []struct{ reply, says string }{
		{"", "empty"},
		{"I cannot do that.", "no JSON object"},
		{"API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}", "modules and tasks"},
		{p[:len(p)-30], "breaks off"},
		{`{"summary": "x"}`, "modules and tasks"},
		{`[1, 2]`, "no JSON object"},
		{strings.Repeat(" ", plan.MaxBytes) + p, "bytes"},
		{"{" + strings.Repeat(`"a":{`, 50_000), "no JSON object"},
		{strings.Repeat(`{"a":`, 3000), "breaks off"},
		{strings.Repeat("{", 200_000), "no JSON object"},
		{`{"plan": ` + p + `, "other": ` + p + `}`, "modules and tasks"},
		{strings.Repeat(`{"x":`, 12000) + "1" + strings.Repeat("}", 12000), ""},
	} {
		_, err := plan.Parse(tt.reply, nil)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("Parse(%.40q…) = %.200v, want an error that says %q", tt.reply, err, tt.says)
		}
	}
}

// Each of the published planner's faults that lie in the answer, and their relatives: what is wrong, where it is said.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply string
		want  []string // beginnings of the problems, all of them
	}{
		"depends_on is a number":           {changed(t, `["store-1"]`, `5`), []string{"tasks[1].depends_on: expected array"}},
		"depends_on is a text":             {changed(t, `["store-1"]`, `"store-1"`), []string{"tasks[1].depends_on: expected array"}},
		"depends_on is an object":          {changed(t, `["store"]`, `{"store":1}`), []string{"modules[0].depends_on: expected array"}},
		"depends_on holds a number":        {changed(t, `["store-1"]`, `["store-1", 7]`), []string{"tasks[1].depends_on[1]: expected string"}},
		"a module is a text":               {changed(t, `{"name":"api","path":"src/api","weight":2,"depends_on":["store"]}`, `"api"`), []string{"modules[0]: expected object", `tasks[1].module: there is no module "api"`}},
		"modules is an object":             {`{"summary":"x","modules":{},"tasks":[]}`, []string{"modules: expected array"}},
		"nothing in the lists":             {`{"summary":"x","modules":[],"tasks":[]}`, []string{"modules: there is none", "tasks: there is none"}},
		"no tasks":                         {`{"summary":"x","modules":[{"name":"a"}]}`, []string{": missing properties: 'tasks'"}},
		"a name with a blank":              {changed(t, `"api"`, `"a b"`, `"module":"api"`, `"module":"a b"`), []string{`modules[0].name: "a b": want`}},
		"a name that leads out":            {changed(t, `"name":"api"`, `"name":"../x"`, `"module":"api"`, `"module":"../x"`), []string{`modules[0].name: "../x": want`}},
		"a name that is an option":         {changed(t, `"name":"api"`, `"name":"-f"`, `"module":"api"`, `"module":"-f"`), []string{`modules[0].name`}},
		"a name with a capital":            {changed(t, `"name":"api"`, `"name":"Api"`, `"module":"api"`, `"module":"Api"`), []string{`modules[0].name`}},
		"a glob as name":                   {changed(t, `"name":"api"`, `"name":"*"`, `"module":"api"`, `"module":"*"`), []string{`modules[0].name`}},
		"a line end as name":               {changed(t, `"name":"api"`, `"name":"api\n"`, `"module":"api"`, `"module":"api\n"`), []string{`modules[0].name: "api?": want`}},
		"a name that is too long":          {changed(t, `"name":"api"`, `"name":"`+strings.Repeat("x", 42)+`"`, `"module":"api"`, `"module":"`+strings.Repeat("x", 42)+`"`), []string{`modules[0].name`}},
		"a reserved name":                  {changed(t, `"name":"api"`, `"name":"integration"`, `"module":"api"`, `"module":"integration"`), []string{`modules[0].name: "integration" is reserved`}},
		"the packer's name":                {changed(t, `"name":"api"`, `"name":"region-2"`, `"module":"api"`, `"module":"region-2"`), []string{`modules[0].name: "region-2" is reserved`}},
		"two of a name":                    {changed(t, `"name":"store"`, `"name":"api"`), []string{`modules[0].depends_on: there is no module "store"`, `modules[1].name: "api" is the name of modules[0]`, `tasks[0].module: there is no module "store"`}},
		"a module that waits for itself":   {changed(t, `["store"]`, `["api"]`), []string{"modules[0].depends_on: the module depends on itself"}},
		"an unknown module":                {changed(t, `["store"]`, `["stroe"]`), []string{`modules[0].depends_on: there is no module "stroe"`}},
		"a module without tasks":           {changed(t, `"module":"api"`, `"module":"store"`), []string{`modules[0]: module "api" has no task`}},
		"a weight of zero":                 {changed(t, `"weight":2`, `"weight":0`), []string{"modules[0].weight: is 0"}},
		"a negative weight":                {changed(t, `"weight":2`, `"weight":-1`), []string{"modules[0].weight: is -1"}},
		"a weight that is too large":       {changed(t, `"weight":2`, `"weight":101`), []string{"modules[0].weight: is 101"}},
		"an endless weight":                {changed(t, `"weight":2`, `"weight":1e999`), []string{`modules[0].weight: the number "1e999" is out of range`}},
		"a huge exponent":                  {changed(t, `"weight":2`, `"weight":1e2000000000`), []string{`modules[0].weight: the number`}},
		"a weight that is a text":          {changed(t, `"weight":2`, `"weight":"2"`), []string{"modules[0].weight: expected number"}},
		"an id with a slash":               {changed(t, `"api-1"`, `"api/1"`), []string{`tasks[1].id: "api/1": want`}},
		"two of an id":                     {changed(t, `"id":"api-1"`, `"id":"store-1"`), []string{`tasks[1].id: "store-1" is the id of tasks[0]`, "tasks[1].depends_on: the task depends on itself"}},
		"an unknown task":                  {changed(t, `["store-1"]`, `["store-2"]`), []string{`tasks[1].depends_on: there is no task "store-2"`}},
		"a task that waits for itself":     {changed(t, `["store-1"]`, `["api-1"]`), []string{`tasks[1].depends_on: the task depends on itself`}},
		"a short description":              {changed(t, "Write the store's interface.", "  Write it \\n"), []string{`tasks[0].description: "Write it" is too short`}},
		"no acceptance":                    {changed(t, `"acceptance_cmd":"go test ./..."`, `"acceptance_cmd":" "`), []string{"tasks[0].acceptance_cmd: is empty"}},
		"acceptance left out":              {changed(t, `,"acceptance_cmd":"go test ./..."`, ``), []string{"tasks[0]: missing properties: 'acceptance_cmd'"}},
		"acceptance that cannot fail":      {changed(t, `"go test ./..."`, `"exit 0"`), []string{`tasks[0].acceptance_cmd: "exit 0" cannot fail`}},
		"acceptance is a number":           {changed(t, `"go test ./..."`, `1`), []string{`tasks[0].acceptance_cmd: expected string`}},
		"a member that nobody knows":       {changed(t, `"depends_on":["store-1"]`, `"depends_on":["store-1"],"dependsOn":[]`), []string{"tasks[1]: additionalProperties 'dependsOn' not allowed"}},
		"a manager asks for the network":   {changed(t, `"id":"api-1"`, `"id":"api-1","network":true`), []string{"tasks[1]: additionalProperties 'network' not allowed"}},
		"a member twice":                   {changed(t, `"weight":2`, `"weight":2,"weight":3`), []string{`modules[0]: the member "weight" stands there twice`}},
		"a circle of tasks":                {changed(t, `"depends_on":[],"acceptance_cmd"`, `"depends_on":["api-1"],"acceptance_cmd"`), []string{"tasks: wait for each other in a circle: store-1 → api-1 → store-1"}},
		"a circle of modules":              {changed(t, `"weight":3.5,"depends_on":[]`, `"weight":3.5,"depends_on":["api"]`), []string{"modules: depend on each other in a circle: api → store → api"}},
		"an escape sequence in a name":     {changed(t, `"name":"api"`, `"name":"\u001b[31mx"`, `"module":"api"`, `"module":"\u001b[31mx"`), []string{`modules[0].name: "?[31mx"`}},
		"a wrong name and a missing thing": {changed(t, `"name":"api"`, `"name":7`), []string{"modules[0].name: expected string", `tasks[1].module: there is no module "api"`}},
		"everything at once": {changed(t, `"path":"src/api"`, `"path":"src"`, `"weight":2`, `"weight":0`, `["store-1"]`, `["nope"]`, `"go test ./..."`, `"true"`), []string{
			"modules[0].weight", `modules[1].path: "src/store" lies inside`, "tasks[0].acceptance_cmd", "tasks[1].depends_on"}},
	} {
		_, err := plan.Parse(tt.reply, nil)
		got := problems(t, err)
		ok := len(got) == len(tt.want)
		for i := range min(len(got), len(tt.want)) {
			ok = ok && strings.HasPrefix(got[i].String(), strings.TrimPrefix(tt.want[i], ": "))
		}
		if !ok {
			t.Errorf("%s: problems\n%s\nwant\n- %s", name, got.List(), strings.Join(tt.want, "\n- "))
		}
		if _, again := plan.Parse(tt.reply, nil); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: two answers", name)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		ok   bool
	}{
		{"a", "b", true}, {"src/a", "src/b", true}, {"a", "ab", true}, {"src/api", "src/api2", true}, {"My Folder", "b", true}, {"pkg/.hidden", "b", true}, {"größe", "b", true},
		{"app/(auth)", "b", true}, {"packages/@scope/x", "b", true},
		{".", "b", false}, {"./", "b", false}, {"", "b", false}, {"..", "b", false}, {"../x", "b", false}, {"a/../b", "c", false}, {"a/./b", "c", false}, {"a//b", "c", false}, {"/etc", "b", false},
		{"/", "b", false}, {"~/x", "b", false}, {"~", "b", false}, {"C:/x", "b", false}, {"c:x", "b", false}, {`a\b`, "c", false}, {`a\..\b`, "c", false}, {".git", "b", false}, {".git/hooks", "b", false}, {"x/.git", "b", false},
		{".GIT", "b", false}, {".Git/x", "b", false}, {"git~1", "b", false}, {".git ", "b", false}, {".git.", "b", false}, {".g\u200cit", "b", false}, {".devflow", "b", false}, {"x/.devflow/y", "b", false}, {".claude", "b", false},
		{"a\nb", "c", false}, {"a\x00b", "c", false}, {"a*", "b", false}, {"app/[slug]", "b", false}, {"-rf", "b", false}, {"x/-f", "b", false}, {":(top)", "b", false}, {"!a", "b", false}, {"#a", "b", false}, {"a.", "b", false}, {"a ", "b", false},
		{"a\xff", "b", false}, {strings.Repeat("x", plan.MaxPath+1), "b", false}, {"a/\u202ecod", "b", false},
		{"src", "src/api", false}, {"src/api", "src", false}, {"src/api/v1", "src", false}, {"a", "a", false}, {"a", "A", false}, {"src/Api", "SRC/api/x", false}, {"straße", "STRASSE", false},
		{"caf\u00e9", "cafe\u0301", false}, {"CAF\u00c9/x", "cafe\u0301", false}, {"ﬁle", "file", false}, {"K", "\u212a", false},
	} {
		p := good()
		p.Modules[0].Path, p.Modules[1].Path = tt.a, tt.b
		if got := plan.Check(p); (len(got) == 0) != tt.ok {
			t.Errorf("folders %q and %q: %v, want ok = %v", tt.a, tt.b, got, tt.ok)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	for w, ok := range map[float64]bool{0.1: true, 100: true, 5: true, 0.09: false, 100.01: false, 0: false, -1: false, math.Inf(1): false, math.Inf(-1): false, math.MaxFloat64: false} {
		p := good()
		p.Modules[0].Weight = w
		if got := plan.Check(p); (len(got) == 0) != ok {
			t.Errorf("weight %v: %v", w, got)
		}
	}
	p := good()
	p.Modules[0].Weight = math.NaN()
	if len(plan.Check(p)) != 1 {
		t.Error("a weight that is no number was accepted")
	}
}

func TestCheckPermitsWhatIsRight(t *testing.T) {
	t.Parallel()
	p := good()
	p.Tasks[0], p.Tasks[1] = p.Tasks[1], p.Tasks[0] // depends on a later one in the list
	p.Tasks[0].Acceptance = ""                      // a person may want that
	if got := plan.Check(p); got != nil {
		t.Error(got)
	}
	if err := plan.Check(p).Err(); err != nil {
		t.Error("no problem is an error")
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	p := good()
	for i := range plan.MaxTasks - 2 {
		p.Tasks = append(p.Tasks, orchestrator.Task{ID: fmt.Sprint("more", i), Module: "api", Description: "Write another handler."})
	}
	if got := plan.Check(p); got != nil {
		t.Error(got)
	}
	p.Tasks = append(p.Tasks, orchestrator.Task{ID: "last", Module: "api", Description: "Write another handler."})
	if got := plan.Check(p); len(got) != 1 || got[0].Where != "tasks" {
		t.Error(got)
	}
	p = good()
	p.Tasks[0].Description = strings.Repeat("x", plan.MaxDescription+1)
	p.Summary = strings.Repeat("x", plan.MaxSummary+1)
	p.Tasks[1].Acceptance = "go test " + strings.Repeat("x", 3000)
	if got := plan.Check(p); len(got) != 3 {
		t.Error(got)
	}
}

func TestLongChains(t *testing.T) {
	t.Parallel()
	const n = 100_000
	p := good()
	for i := range n {
		p.Tasks = append(p.Tasks, orchestrator.Task{ID: fmt.Sprint("c", i), Module: "api", Description: "One link of the chain.", DependsOn: []string{fmt.Sprint("c", max(0, i-1))}})
	}
	p.Tasks[2].DependsOn = nil
	if got := plan.Check(p); len(got) != 1 || !strings.Contains(got[0].Text, "100002") {
		t.Errorf("a chain of %d: %.300v", n, got)
	}
	p.Tasks[2].DependsOn = []string{fmt.Sprint("c", n-1)}
	got := plan.Check(p)
	if len(got) != 2 || !strings.HasPrefix(got[1].Text, "wait for each other in a circle: c0 → c99999 → c99998 →") || !strings.HasSuffix(got[1].Text, "→ c1 → c0") || len(got[1].Text) > 500 {
		t.Errorf("a circle of %d: %.1000v", n, got)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	var p orchestrator.Plan
	for range 3000 {
		p.Modules = append(p.Modules, orchestrator.Module{Name: strings.Repeat("\x1b", 5000)})
	}
	got := plan.Check(p).Error()
	if len(got) > 100_000 || !strings.Contains(got, "more") || strings.Contains(got, "\x1b") {
		t.Errorf("a message of %d bytes", len(got))
	}
}

func TestFilesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "plan.json")
	p := good()
	p.Tasks[1].Network, p.Tasks[0].Acceptance = true, ""
	if err := plan.Write(file, p); err != nil {
		t.Fatal(err)
	}
	got, err := plan.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p.Modules[0].Weight = math.NaN()
	if err := plan.Write(file, p); err == nil {
		t.Error("a weight that is no number was written")
	}
	if again, err := plan.Load(file); err != nil || cmp.Diff(got, again) != "" {
		t.Errorf("a failed write changed the file: %v", err)
	}
}

func TestFileProblemsHaveLines(t *testing.T) {
	t.Parallel()
	pretty, err := json.MarshalIndent(good(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, to, says string }{
		{`"weight": 2`, `"weight": 0`, "line 7: modules[0].weight: is 0"},
		{`"weight": 2,`, `"weight": 2`, "line 8: column 7: no JSON: invalid character '\"' after object key:value pair"},
		{`"id": "api-1"`, `"id": "A"`, "line 28: tasks[1].id"},
		{`"id": "api-1",`, ``, "tasks[1]: missing properties: 'id'"},
		{`"api-1"`, `"api-1", "wrong": 1`, "line 27: tasks[1]: additionalProperties 'wrong'"},
	} {
		file := filepath.Join(t.TempDir(), "plan.json")
		data := strings.Replace(string(pretty), tt.from, tt.to, 1)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := plan.Load(file)
		if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.says)
		}
	}
	for _, data := range []string{"", "  ", "{", "nonsense", string(pretty) + "x", string(pretty) + string(pretty), "[]", "null", `"x"`, "\x00"} {
		file := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Load(file); len(problems(t, err)) == 0 {
			t.Errorf("%q was loaded", data)
		}
	}
	if _, err := plan.Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := plan.Load(t.TempDir()); err == nil {
		t.Error("a folder was loaded")
	}
}
