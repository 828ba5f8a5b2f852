package worker

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

// baseURL is a name that resolves nowhere: with ANTHROPIC_UNIX_SOCKET the client speaks plain HTTP over the socket, and without a
// base URL it would speak TLS.
const baseURL = "http://devflow.invalid"

// innerSocket is where the gateway's socket is found inside a sandbox that has a file system of its own. Outside paths may be too
// long for a socket.
const innerSocket = "/run/devflow/api.sock"

// clientRetries is small because the gateway retries with more knowledge than the client has.
const clientRetries = 2

// defaultPath is the PATH of a worker without one in Options.Env.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environ is the whole environment of the client: nothing of ours, and no real key.
func (o *Options) environ() []string {
	tmp := filepath.Join(o.Home, "tmp")
	recipe := []string{
		"HOME=" + o.Home, "TMPDIR=" + tmp, "CLAUDE_CODE_TMPDIR=" + tmp,
		"ANTHROPIC_UNIX_SOCKET=" + o.socket(), "ANTHROPIC_BASE_URL=" + baseURL, "ANTHROPIC_API_KEY=" + o.Token,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
		"ENABLE_TOOL_SEARCH=false", "CLAUDE_CODE_MAX_RETRIES=" + strconv.Itoa(clientRetries), "DEVFLOW_WORKER=1",
	}
	if o.Model != "" {
		for _, name := range [...]string{"ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"} {
			recipe = append(recipe, name+"="+o.Model)
		}
	}
	if o.Window > 0 {
		recipe = append(recipe, "CLAUDE_CODE_AUTO_COMPACT_WINDOW="+strconv.FormatInt(o.Window, 10))
	}
	if o.Foreign {
		recipe = append(recipe, "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1")
	}
	env := []string{"PATH=" + defaultPath, "LANG=C.UTF-8"}
	for _, list := range [...][]string{o.Env, recipe} {
		for _, kv := range list {
			key, _, ok := strings.Cut(kv, "=")
			if !ok || key == "" {
				continue
			}
			env = slices.DeleteFunc(env, func(have string) bool { return strings.HasPrefix(have, key+"=") })
			env = append(env, kv)
		}
	}
	return env
}

func (o *Options) socket() string {
	if o.Sandbox.Kind() == sandbox.Bwrap {
		return innerSocket
	}
	return o.Socket
}

// arguments of the client. id is the session, resumed or new.
func (o *Options) arguments(id string, resume bool) ([]string, error) {
	settings, err := o.settings()
	if err != nil {
		return nil, err
	}
	servers := `{"mcpServers":{}}`
	if o.Regions != nil { // declared here, not in initialize, so that the handshake begins at once
		servers = `{"mcpServers":{"` + regions.Name + `":{"type":"sdk","name":"` + regions.Name + `"}}}`
	}
	argv := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages", "--replay-user-messages",
		"--setting-sources", "", "--strict-mcp-config", "--mcp-config", servers, "--tools", strings.Join(o.Tools, ","),
		"--permission-mode", "dontAsk", "--settings", settings,
	}
	if resume {
		argv = append(argv, "--resume", id)
	} else {
		argv = append(argv, "--session-id", id)
	}
	if o.MaxTurns > 0 {
		argv = append(argv, "--max-turns", strconv.Itoa(o.MaxTurns))
	}
	if o.Model != "" {
		argv = append(argv, "--model", o.Model)
	}
	if len(o.Schema) > 0 {
		argv = append(argv, "--json-schema", string(o.Schema))
	}
	return argv, nil
}

// settings are the permission rules: the first write barrier. What is not allowed is refused without asking (dontAsk).
func (o *Options) settings() (string, error) {
	allow := []string{}
	writes := false
	for _, t := range o.Tools {
		switch t {
		case "Write", "Edit", "MultiEdit", "NotebookEdit": // all of them go by Edit rules
			writes = true
		default:
			allow = append(allow, t)
		}
	}
	if o.seams.everything {
		allow = append(allow, "Edit", "Write", "NotebookEdit")
	} else if writes {
		for _, path := range o.Writable {
			allow = append(allow, "Edit(/"+pattern(path)+"/**)") // "//" begins an absolute path
		}
	}
	if o.Regions != nil {
		allow = append(allow, "mcp__"+regions.Name)
	}
	data, err := json.Marshal(map[string]any{"permissions": map[string]any{"allow": allow}})
	if err != nil {
		return "", fmt.Errorf("encode settings: %w", err)
	}
	if len(data) > maxArg {
		return "", fmt.Errorf("permission rules have %d bytes, at most %d are possible", len(data), maxArg)
	}
	return string(data), nil
}

// pattern writes a path in the language of the client's path rules, which is that of .gitignore. Measured on both pinned clients
// with every odd character in a folder's name: a backslash makes these plain, but not itself, for which "any character" stands.
func pattern(path string) string {
	var b strings.Builder
	for _, r := range filepath.Clean(path) {
		switch {
		case r == '\\':
			b.WriteByte('?')
		case strings.ContainsRune("()[]{}*!#", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
