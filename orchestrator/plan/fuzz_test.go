package plan_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/plan"
)

func FuzzParse(f *testing.F) {
	f.Add(text(f, good()))
	f.Add("x {\"a\": 1} ```json\n" + text(f, good()) + "\n```")
	f.Add(changed(f, `["store-1"]`, `5`))
	f.Add(changed(f, `"weight":2`, `"weight":1e999`))
	f.Add(`{"modules":[{"name":"a"},{"name":7,"path":{}}],"tasks":[1,{"id":[]}]}`)
	f.Add(`{"modules":null,"tasks":{"a":[{}]},"summary":{"x":["y"]}}`)
	f.Fuzz(func(t *testing.T, reply string) {
		p, err := plan.Parse(reply, nil)
		if err != nil {
			if len(problems(t, err)) == 0 {
				t.Fatal("an error without a problem")
			}
			return
		}
		if ps := plan.Check(p); ps != nil {
			t.Fatalf("Parse gave a plan that Check refuses: %v", ps)
		}
		again, err := plan.Parse(text(t, p), nil)
		if err != nil || cmp.Diff(p, again, cmpopts.EquateEmpty()) != "" {
			t.Fatalf("a plan does not come back: %v", err)
		}
	})
}

// The schema is what the client checks: it must accept what we accept.
func TestSchemaAgreesWithTheRules(t *testing.T) {
	t.Parallel()
	s, err := jsonschema.CompileString("plan.json", string(plan.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal([]byte(text(t, good())), &v); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{changed(t, `"api-1"`, `"A"`), changed(t, `"weight":2`, `"weight":0`), changed(t, `["store"]`, `"store"`), changed(t, `"acceptance_cmd":"go test ./..."`, `"acceptance_cmd":""`)} {
		if err := json.Unmarshal([]byte(bad), &v); err != nil {
			t.Fatal(err)
		}
		if s.Validate(v) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

func TestWriteAndLoadAreInverse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p := good()
		p.Summary = rapid.StringOfN(rapid.RuneFrom([]rune("aé<>&\"\\{}\n\u2028x")), 0, 30, -1).Draw(t, "summary") + "x"
		p.Modules[0].Weight = rapid.Float64Range(0.1, 100).Draw(t, "weight")
		p.Tasks[0].Description = "x" + rapid.StringOfN(rapid.RuneFrom([]rune("aé<>&\"\\{}\n\tx")), 10, 60, -1).Draw(t, "description") + "x"
		p.Tasks[1].Network = rapid.Bool().Draw(t, "network")
		if rapid.Bool().Draw(t, "nil") {
			p.Tasks[0].DependsOn = nil
		}
		file := filepath.Join(dir, "plan.json")
		if err := plan.Write(file, p); err != nil {
			t.Fatal(err)
		}
		got, err := plan.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		p.Summary = got.Summary[:len(got.Summary)-1] + "x"
		if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}

// Problems come in the order of the plan, whatever is wrong.
func TestProblemsAreStable(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"", "a", "A", "b", "region-1", "../x", "integration", "x y"})
	rapid.Check(t, func(t *rapid.T) {
		var p orchestrator.Plan
		for range rapid.IntRange(0, 5).Draw(t, "modules") {
			p.Modules = append(p.Modules, orchestrator.Module{Name: word.Draw(t, "name"), Path: word.Draw(t, "path"), Weight: rapid.Float64().Draw(t, "weight"), DependsOn: rapid.SliceOfN(word, 0, 2).Draw(t, "deps")})
		}
		for range rapid.IntRange(0, 5).Draw(t, "tasks") {
			p.Tasks = append(p.Tasks, orchestrator.Task{ID: word.Draw(t, "id"), Module: word.Draw(t, "module"), Description: word.Draw(t, "text"), DependsOn: rapid.SliceOfN(word, 0, 3).Draw(t, "deps"), Acceptance: word.Draw(t, "command")})
		}
		if diff := cmp.Diff(plan.Check(p), plan.Check(p)); diff != "" {
			t.Fatal(diff)
		}
	})
}
