package claudecli_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/claudecli"
	client "github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

const root = "../../.."

// installed makes sure that the pinned clients are there, as `make deps` does; it only looks when they are.
var installed = sync.OnceValue(func() error {
	out, err := exec.Command(filepath.Join(root, "e2e", "client", "install.sh")).CombinedOutput()
	if err != nil {
		return errors.New(string(out))
	}
	return nil
})

// real is a backend with a pinned client in a home of its own, whose endpoint follows the script.
func real(t *testing.T, version string, script mockapi.Script) (*claudecli.Backend, *mockapi.Server, string) {
	t.Helper()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
	c, err := client.Find(root, version)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	server := mockapi.New(t, script)
	// HOME is no variable that the backend chooses, so the user's environment cannot set it; the configuration folder is.
	env := append(client.Environ(home, server.URL), "CLAUDE_CONFIG_DIR="+home)
	return claudecli.New(claudecli.Options{Path: c.Path, TempDir: t.TempDir(), Environ: env}), server, home
}

func forEachClient(t *testing.T, test func(t *testing.T, version string)) {
	t.Helper()
	for _, v := range client.Versions() {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			test(t, v)
		})
	}
}

func structured(input map[string]any) mockapi.Step {
	return mockapi.Turn(mockapi.Tool("StructuredOutput", input))
}

func TestRealClientAnswersInTheWantedForm(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, version string) {
		b, server, home := real(t, version, mockapi.Script{Steps: []mockapi.Step{structured(map[string]any{"reason": "because", "ok": true})}})
		marks := map[string]string{
			"CLAUDE.md":     "MEMORY-OF-THE-USER",
			"settings.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch ` + home + `/hook-ran"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch ` + home + `/hook-ran"}]}]}}`,
			".claude.json":  `{"mcpServers":{"x":{"type":"stdio","command":"/bin/sh","args":["-c","touch ` + home + `/server-ran; cat"]}}}`,
		}
		for name, text := range marks {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := b.Ask(t.Context(), question())
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Reason string
			OK     bool
		}
		if json.Unmarshal(got.JSON, &answer) != nil || answer.Reason != "because" || !answer.OK || got.Model != "claude-haiku-4-5-20251001" || got.TokensIn != 170 || got.TokensOut != 42 || got.CostUSD == nil {
			t.Errorf("reply = %+v", got)
		}
		talk := server.Talk("")
		if len(talk) != 1 {
			t.Fatalf("%d requests", len(talk))
		}
		r := talk[0]
		if !slices.Equal(r.Tools, []string{"StructuredOutput"}) || !strings.Contains(r.System, "You judge.") || !strings.Contains(r.Text(), "Is it?") {
			t.Errorf("tools %v, system %q", r.Tools, r.System)
		}
		if strings.Contains(string(r.Body), "MEMORY-OF-THE-USER") {
			t.Error("the user's memory is part of the question")
		}
		for _, mark := range []string{"hook-ran", "server-ran"} {
			if _, err := os.Stat(filepath.Join(home, mark)); err == nil {
				t.Errorf("%s", mark)
			}
		}
		if kept, _ := filepath.Glob(filepath.Join(home, "projects", "*", "*.jsonl")); len(kept) != 0 {
			t.Errorf("sessions were kept: %v", kept)
		}
	})
}

func TestRealClientFails(t *testing.T) {
	t.Parallel()
	never := structured(map[string]any{"error": "x"})
	for name, c := range map[string]struct {
		step mockapi.Step
		kind error
	}{
		"500":     {mockapi.Fail(http.StatusInternalServerError, "boom"), llm.ErrUnavailable},
		"429":     {mockapi.Fail(http.StatusTooManyRequests, "slow down"), llm.ErrQuota},
		"schema":  {never, llm.ErrSchema},
		"refusal": {mockapi.Step{Blocks: []mockapi.Block{mockapi.Text("I will not.")}, Stop: "refusal"}, llm.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachClient(t, func(t *testing.T, version string) {
				b, _, _ := real(t, version, mockapi.Script{After: &c.step})
				if got, err := b.Ask(t.Context(), question()); !errors.Is(err, c.kind) || got.JSON != nil {
					t.Errorf("%v, want %v; answer %s", err, c.kind, got.JSON)
				}
			})
		})
	}
}

func TestRealClientEndsWithItsContext(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, version string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		hang := make(chan struct{})
		defer close(hang)
		b, _, _ := real(t, version, mockapi.Script{Steps: []mockapi.Step{{Do: func(mockapi.Request) mockapi.Step { cancel(); <-hang; return mockapi.Say("late") }}}})
		if _, err := b.Ask(ctx, question()); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestOptionsThatBothClientsHave(t *testing.T) {
	t.Parallel()
	forEachClient(t, func(t *testing.T, version string) {
		if err := installed(); err != nil {
			t.Fatal(err)
		}
		c, err := client.Find(root, version)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), c.Path, "--help")
		cmd.Env = client.Environ(t.TempDir(), "http://127.0.0.1:1")
		help, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range []string{"--model", "--output-format", "--json-schema", "--tools", "--setting-sources", "--no-session-persistence", "--system-prompt", "--strict-mcp-config"} {
			if !strings.Contains(string(help), option+" ") {
				t.Errorf("the help does not name %s", option)
			}
		}
	})
}
