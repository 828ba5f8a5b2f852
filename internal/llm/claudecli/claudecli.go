// Package claudecli asks through the claude program of the user, headless: with the sign-in that the user has, but without
// tools, settings, hooks, memory and servers, in an empty private folder, and with nothing of it kept.
//
// Versions differ in their options; which ones a client lacks is learnt from what it refuses. Without the options that keep
// hooks and tools away it is not used at all. Seen with Claude Code 2.1.197 and 2.1.332, both of which have all of them.
// The package owns no table; the private folders are removed before Ask returns.
package claudecli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/proc"
)

// Options of a backend.
type Options struct {
	Path     string   // of the program, or its name on PATH; "" is "claude"
	Environ  []string // the user's environment; what the client needs of it is chosen here
	TempDir  string   // where private folders are made; "" is the system's
	Thinking int      // tokens that the model may think before the answer; 0 = none
}

const (
	maxOutput = 4 << 20         // bytes of the client's output
	grace     = 1 * time.Second // from TERM to KILL
	maxArg    = 100 << 10       // bytes of one argument; Linux takes 128 KB
)

// Backend implements llm.Backend.
type Backend struct {
	o       Options
	mu      sync.Mutex
	lacking []string // options that this client refused
}

// New makes a backend. It does not look whether the program is there.
func New(o Options) *Backend {
	if o.Path == "" {
		o.Path = "claude"
	}
	return &Backend{o: o}
}

// Name implements llm.Backend.
func (b *Backend) Name() string { return "claude" }

// Ask implements llm.Backend. The temperature is ignored: the client has no such option and asks at the model's own.
func (b *Backend) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if strings.HasPrefix(r.Model, "-") || r.Model == "" {
		return llm.Reply{}, llm.FailForGood(llm.ErrUnavailable, "no model named %q", r.Model)
	}
	if len(r.Schema) > maxArg || len(r.System) > maxArg {
		return llm.Reply{}, llm.FailForGood(llm.ErrUnavailable, "the instructions are too long for the claude program")
	}
	dir, err := os.MkdirTemp(b.o.TempDir, "devflow-model-")
	if err != nil {
		return llm.Reply{}, llm.Fail(llm.ErrUnavailable, "make a private folder: %v", err)
	}
	defer os.RemoveAll(dir)
	for range len(optional()) + 1 {
		lacking := b.known()
		argv, prompt := b.command(r, lacking)
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Env: childEnv(b.o.Environ, b.o.Thinking, r.MaxTokens), Stdin: []byte(prompt), MaxOutput: maxOutput, Grace: grace})
		if err != nil {
			return llm.Reply{}, b.startFailure(ctx, err)
		}
		name := unknownOption(res)
		if name == "" {
			return read(res, r)
		}
		if !slices.Contains(optional(), name) || slices.Contains(lacking, name) {
			return llm.Reply{}, llm.FailForGood(llm.ErrUnavailable, "the claude program does not know %s, without which it is not asked; update Claude Code", name)
		}
		b.learn(name)
	}
	return llm.Reply{}, llm.FailForGood(llm.ErrUnavailable, "the claude program refuses its options") // unreachable: every round learns one
}

func (b *Backend) known() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lacking)
}

func (b *Backend) learn(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.lacking, name) {
		b.lacking = append(b.lacking, name)
	}
}

// optional are the options that can be done without: the instructions and the schema then stand in the prompt, and the
// others only add to what --setting-sources and the empty folder do.
func optional() []string {
	return []string{"--json-schema", "--system-prompt", "--no-session-persistence", "--strict-mcp-config"}
}

// command builds the argument list and the prompt for a client that lacks some options.
func (b *Backend) command(r llm.Request, lacking []string) (argv []string, prompt string) {
	has := func(name string) bool { return !slices.Contains(lacking, name) }
	argv = []string{b.o.Path, "-p", "--model", r.Model, "--output-format", "json", "--tools", "", "--setting-sources", ""}
	if has("--no-session-persistence") {
		argv = append(argv, "--no-session-persistence")
	}
	if has("--strict-mcp-config") {
		argv = append(argv, "--strict-mcp-config")
	}
	prompt = r.Prompt
	if len(r.Schema) > 0 {
		if has("--json-schema") {
			argv = append(argv, "--json-schema", string(r.Schema))
		} else {
			prompt += "\n\nAnswer with one JSON object and nothing else. It has to satisfy this JSON schema:\n" + string(r.Schema) + "\n"
		}
	}
	if r.System != "" {
		if has("--system-prompt") {
			argv = append(argv, "--system-prompt", r.System)
		} else {
			prompt = r.System + "\n\n" + prompt
		}
	}
	return argv, prompt
}

func (b *Backend) startFailure(ctx context.Context, err error) error {
	if ended := llm.Ended(ctx); ended != nil {
		return ended
	}
	if errors.Is(err, proc.ErrNotFound) {
		return llm.FailForGood(llm.ErrUnavailable, "%s is not installed or not on PATH", filepath.Base(b.o.Path))
	}
	return llm.Fail(llm.ErrUnavailable, "%v", err)
}

// unknownOption is the option that the client refused, "" when it started.
func unknownOption(res proc.Result) string {
	if res.Exit == 0 {
		return ""
	}
	_, rest, ok := strings.Cut(string(res.Stderr), "unknown option '")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "'")
	name, _, _ = strings.Cut(name, "=")
	return name
}

// childEnv chooses what the client sees beyond what every child sees. Nothing that makes it take part in a session
// (CLAUDECODE, session ids, project folder) is among it.
func childEnv(user []string, thinking, maxTokens int) []string {
	env := environ.Client(user)
	env = append(env,
		"CLAUDE_CODE_MAX_RETRIES=1", // the tries are ours
		"MAX_THINKING_TOKENS="+strconv.Itoa(thinking),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	)
	if maxTokens > 0 {
		env = append(env, fmt.Sprint("CLAUDE_CODE_MAX_OUTPUT_TOKENS=", maxTokens+thinking))
	}
	return env
}
