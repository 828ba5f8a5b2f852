package event

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/lineage"
)

// sessionVar is the variable by which a client tells what it starts which session it belongs to (docs/claude-hooks.md).
const sessionVar = "CLAUDE_CODE_SESSION_ID"

// Typed reports whether this prompt can come from a person. It cannot when a tool of the same session has started this
// process, or the client that sent the prompt: then the agent has written it. An agent that takes pains to hide where its
// processes come from is not found out by this.
func (s *Scene) Typed() bool {
	return !FromTool(lineage.Ancestors(), s.In.SessionID, s.Exe)
}

// FromTool reports whether one of the ancestors of a hook is a tool of the session: it bears the session in its environment,
// and the client has started it, or it has left its parents. The shell in which the client runs the hook bears the session,
// too, and is known by its command line.
func FromTool(ancestors []lineage.Process, session, exe string) bool {
	if session == "" {
		return false
	}
	for i := len(ancestors) - 1; i >= 0; i-- {
		p := ancestors[i]
		if p.Getenv(sessionVar) != session || i == 0 && runsHook(p.Args, exe) {
			continue
		}
		if i+1 < len(ancestors) && isClient(ancestors[i+1], p) {
			return true
		}
		// A client marks what it starts. A process that bears the mark and was taken in by another one has left the client: by init,
		// or by whoever collects orphans, who is of another session of processes.
		adopted := i+1 == len(ancestors) || ancestors[i+1].PID == 1 || ancestors[i+1].SID != p.SID
		return adopted && p.Getenv("CLAUDECODE") != ""
	}
	return false
}

// isClient is whether a process is the Claude Code that has started child.
func isClient(p, child lineage.Process) bool {
	if len(p.Args) == 0 {
		return false
	}
	if exe := child.Getenv("CLAUDE_CODE_EXECPATH"); exe != "" && exe == p.Args[0] || filepath.Base(p.Args[0]) == "claude" {
		return true
	}
	return slices.ContainsFunc(p.Args[:min(len(p.Args), 3)], func(arg string) bool { return strings.Contains(arg, "claude-code") })
}

// runsHook is whether a command line is that of a shell which runs only the hook, as install registers it.
func runsHook(args []string, exe string) bool {
	if len(args) < 3 {
		return false
	}
	line := args[len(args)-1]
	name, ok := strings.CutSuffix(line, " || exit 0")
	return ok && len(name) > 2 && name[0] == '\'' && filepath.Base(strings.Trim(name, "'")) == filepath.Base(exe) && !strings.ContainsAny(name, ";&|<>`$\n")
}
