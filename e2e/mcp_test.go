package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// TestModelAsksWhetherItMayPush lets the model ask devflow through the client's own MCP support: before it was judged, after a PASS,
// and after one more edit, all in one turn.
func TestModelAsksWhetherItMayPush(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, c claudecli.Client) {
		ask := func(path func(string) string, tool string) mockapi.Step {
			return mockapi.Turn(mockapi.Tool("mcp__devflow__"+tool, map[string]any{"project_root": path(".")}))
		}
		w := newWorld(t, c, func(path func(string) string) mockapi.Script {
			return mockapi.Script{Steps: []mockapi.Step{
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("one"))),
				mockapi.Turn(mockapi.Write(path("tests/auth/test_token.py"), tokenTest)),
				ask(path, "apply_devflow_governance"), ask(path, "evaluate_task"), ask(path, "apply_devflow_governance"), ask(path, "apply_devflow_governance"),
				mockapi.Turn(mockapi.Write(path("src/auth/token.py"), token("two"))),
				ask(path, "apply_devflow_governance"), ask(path, "get_task_health"), mockapi.Say("Done."),
			}}
		})
		config := filepath.Join(w.root, "mcp.json")
		writeJSON(t, config, map[string]any{"mcpServers": map[string]any{"devflow": map[string]any{"command": filepath.Join(w.bin, "devflow"), "args": []string{"mcp"}}}})
		res := w.run(claudecli.Options{Prompts: []string{"add token verification"}, Args: []string{"--mcp-config", config}})
		if got := res.Final(); got.Reason != "completed" || got.Result != "Done." {
			t.Fatalf("terminal_reason = %q, result %q; %s", got.Reason, got.Result, w.trouble())
		}
		talk := w.srv.Talk("")
		if len(talk) != 10 {
			t.Fatalf("requests = %d, want 10; %s", len(talk), w.trouble())
		}
		for i, want := range map[int][]string{
			3: {`"verdict":"none"`, `"ready_to_push":false`},
			4: {`"verdict":"pass"`, `"forced_fail_reasons":[]`, `"diff_sha":"`},
			5: {`"verdict":"pass"`, `"ready_to_push":true`, `"oversight_level":"`, `"risk":{"probability":0.`, `"shadow_started":false`},
			6: {`"verdict":"pass"`, `"ready_to_push":true`},
			8: {`"verdict":"stale"`, `"ready_to_push":false`},
			9: {`"last_verdict":"pass"`, `"halted":false`, `"tdd_violations":[]`},
		} {
			holds(t, "answer of MCP", strings.ReplaceAll(talk[i].Last(), `\"`, `"`), true, want...)
		}
		if got := w.rows("SELECT verdict FROM judge_runs ORDER BY n"); len(got) != 2 || got[1] != "pass" {
			t.Errorf("judgements = %q, want that of the tool and that of the end of the turn; %s", got, w.trouble())
		}
	})
}
