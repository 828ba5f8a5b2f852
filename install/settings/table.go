package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Registration is one group that devflow puts into a settings file. Timeout is
// in seconds, the unit of Claude Code's settings schema. An empty Matcher means
// all, and is left out of the file.
type Registration struct {
	Event, Matcher, Binary string
	Timeout                int
}

// EditTools is the matcher of the tools that change files. MultiEdit is not
// offered by Claude Code 2.1.197 and costs nothing.
const EditTools = "Write|Edit|MultiEdit|NotebookEdit"

// Names of the seven hook executables.
const (
	SessionStart     = "devflow-session-start"
	UserPromptSubmit = "devflow-user-prompt-submit"
	PreToolUse       = "devflow-pre-tool-use"
	PostToolUse      = "devflow-post-tool-use"
	PreCompact       = "devflow-pre-compact"
	Stop             = "devflow-stop"
	SessionEnd       = "devflow-session-end"
)

// Registrations lists everything that devflow registers, in the order in which
// a session meets it. The timeouts are those of docs/claude-hooks.md: 600 s
// where a gate or a judge may be awaited, 10 s at tool calls, 30 s elsewhere.
// The two PreToolUse groups share one command string, which Claude Code runs
// once; no tool call matches both.
func Registrations() []Registration {
	return []Registration{
		{"SessionStart", "", SessionStart, 30},
		{"UserPromptSubmit", "", UserPromptSubmit, 30},
		{"UserPromptExpansion", "", UserPromptSubmit, 30},
		{"PreToolUse", EditTools, PreToolUse, 10},
		{"PreToolUse", "Bash", PreToolUse, 600},
		{"PostToolUse", "", PostToolUse, 10},
		{"PostToolUseFailure", "", PostToolUse, 10},
		{"SubagentStart", "", PostToolUse, 30},
		{"CwdChanged", "", PostToolUse, 30},
		{"PreCompact", "", PreCompact, 30},
		{"PostCompact", "", PreCompact, 30},
		{"Stop", "", Stop, 600},
		{"StopFailure", "", Stop, 30},
		{"SubagentStop", "", Stop, 30},
		{"SessionEnd", "", SessionEnd, 30},
	}
}

// Binaries lists the seven hook executables.
func Binaries() []string {
	return []string{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PreCompact, Stop, SessionEnd}
}

func registered(event string) bool {
	for _, r := range Registrations() {
		if r.Event == event {
			return true
		}
	}
	return false
}

// Command returns the command string for a hook executable in binDir: shell
// form, path in POSIX single quotes, and "|| exit 0", so that a crash which Go
// cannot recover from (status 2 means "block") cannot stop a session. binDir
// must be absolute and valid UTF-8, because JSON cannot spell anything else.
func Command(binDir, binary string) (string, error) {
	if !filepath.IsAbs(binDir) {
		return "", fmt.Errorf("spell hook command: folder %q is not absolute", binDir)
	}
	if !utf8.ValidString(binDir) {
		return "", fmt.Errorf("spell hook command: folder %q is not valid UTF-8", binDir)
	}
	return ShellQuote(filepath.Join(binDir, binary)) + " || exit 0", nil
}

// ShellQuote returns s as one word of a POSIX shell.
func ShellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ShellWord quotes a path for a shell command that people copy, if it needs to
// be.
func ShellWord(path string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r))
	}
	if path != "" && strings.IndexFunc(path, odd) < 0 {
		return path
	}
	return ShellQuote(path)
}
