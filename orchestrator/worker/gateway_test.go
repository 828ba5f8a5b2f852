package worker_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator/gateway"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

func TestBehindTheRealGatewayTheKeyStaysOutside(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		eachClient(t, kind, testBehindGateway)
	}
}

func testBehindGateway(t *testing.T, version string, kind sandbox.Kind) {
	const key = "sk-real-key-of-the-person"
	w := newWorld(t, mockapi.Script{Steps: []mockapi.Step{
		mockapi.Fail(529, "overloaded"), // the gateway tries again, unseen
		mockapi.Turn(mockapi.Tool(askTool, map[string]any{"region": "ui", "question": "q"})),
		mockapi.Turn(mockapi.Bash("env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; grep -r real-key ~ ..; true")), mockapi.Say("ok"),
	}})
	socket := filepath.Join(w.root, "g")
	g, err := gateway.Start(gateway.Options{
		Socket: socket, Token: token, Expect: regions.Tools(),
		Upstream: func() gateway.Endpoint {
			return gateway.Endpoint{Name: "e", URL: w.api.URL, Key: key, Auth: "x-api-key", Model: "qwen", API: "anthropic"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	o := w.options(version, kind)
	o.Socket = socket
	linked := filepath.Join(w.root, "claude") // as installers leave it
	if err := os.Symlink(o.Client, linked); err != nil {
		t.Fatal(err)
	}
	o.Client = linked
	res := w.turn(w.start(o), "go")
	if res.Text != "ok" || res.Usage.Requests != 3 {
		t.Errorf("%+v", res)
	}
	talk := w.api.Talk("")
	if got := talk[len(talk)-1].Header.Get("X-Api-Key"); got != key {
		t.Errorf("the endpoint saw key %q", got)
	}
	for _, r := range talk {
		if strings.Contains(r.Text(), key) {
			t.Error("the key was found inside")
		}
	}
}
