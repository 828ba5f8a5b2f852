package worker_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

const askTool, requestTool = "mcp__devflow__ask_region", "mcp__devflow__request_change"

func TestRegionToolsAreThereOnTheFirstTurnThoughEveryAnswerIsLate(t *testing.T) {
	t.Parallel()
	eachClient(t, sandbox.Bwrap, func(t *testing.T, version string, kind sandbox.Kind) {
		var w *world
		w = newWorld(t, mockapi.Script{Steps: []mockapi.Step{
			{Do: func(mockapi.Request) mockapi.Step {
				return mockapi.Turn(mockapi.Tool(askTool, map[string]any{"region": "ui", "question": "what does it export?"}))
			}},
			{Do: func(r mockapi.Request) mockapi.Step {
				return mockapi.Turn(mockapi.Write(filepath.Join(w.mine, "used.txt"), r.Last()))
			}},
			mockapi.Turn(mockapi.Tool(requestTool, map[string]any{"region": "ui", "description": "export Paint as well", "acceptance_cmd": "grep -q Paint ui.go", "wait": true})),
			mockapi.Say("first done"),
			mockapi.Turn(mockapi.Bash("cat used.txt && echo more > more.txt")),
			mockapi.Say("second done"),
		}})
		o := w.options(version, kind)
		// No handshake message is answered before the client has been asked three more times for the state of its servers, and
		// has told that ours is not there yet.
		asked := newTap(`"mcpServers":[`)
		o.Record = asked
		var held atomic.Int64
		o.Hold(func(method string) {
			if method == "initialize" || method == "tools/list" || strings.HasPrefix(method, "notifications/") {
				held.Add(1)
				asked.more(t, 3)
			}
		})
		k := w.start(o)
		res := w.turn(k, "do it")
		if held.Load() < 3 {
			t.Errorf("%d handshake messages were held, want at least 3", held.Load())
		}
		first := w.api.Talk("")[0]
		for _, name := range append(regions.Tools(), "Read", "Write", "Edit", "Bash", "Glob", "Grep") {
			if !first.HasTool(name) {
				t.Errorf("first request offers %v, not %s", first.Tools, name)
			}
		}
		if len(first.Tools) != 8 {
			t.Errorf("first request offers %v", first.Tools)
		}
		if !strings.Contains(first.System, "You own region api.") {
			t.Errorf("system prompt lacks ours: %s", first.System)
		}
		if res.Text != "first done" || res.Subtype != "success" || res.ToolCalls != 3 || len(res.Denied) > 0 {
			t.Errorf("first turn: %+v", res)
		}
		if got := w.read(filepath.Join(w.mine, "used.txt")); !strings.Contains(got, "PUBLIC-UI exports Render") {
			t.Errorf("used.txt: %s", got)
		}
		want := []string{"ask api→ui: what does it export?", "request api→ui: export Paint as well (grep -q Paint ui.go, true)"}
		if diff := cmp.Diff(w.asked.seen(), want); diff != "" {
			t.Error(diff)
		}
		use := mockapi.DefaultUsage()
		one := orchestrator.Usage{Input: int64(use.Input), Output: int64(use.Output), CacheRead: int64(use.CacheRead), CacheWrite: int64(use.CacheWrite5m)}
		if res.Context != one.Tokens() || res.Usage != (orchestrator.Usage{Input: 4 * one.Input, Output: 4 * one.Output, CacheRead: 4 * one.CacheRead, CacheWrite: 4 * one.CacheWrite, Requests: 4}) {
			t.Errorf("context %d, usage %+v", res.Context, res.Usage)
		}
		res = w.turn(k, "and more")
		if res.Text != "second done" || w.read(filepath.Join(w.mine, "more.txt")) != "more\n" || res.Usage.Requests != 2 {
			t.Errorf("second turn: %+v", res)
		}
		if !slices.Contains(w.api.Requests()[len(w.api.Requests())-1].Tools, askTool) {
			t.Error("tools are gone on the second turn")
		}
	})
}
