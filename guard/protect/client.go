package protect

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/internal/claude/span"
	"github.com/devflow-suite/devflow/internal/shell"
)

// isClient reports whether a command starts Claude Code, and returns its arguments.
func isClient(c *shell.Command) ([]shell.Word, bool) {
	name := sight.ProgramName(c.Name)
	rest := c.Words[1:]
	switch {
	case name == "claude", name == "claude-code", strings.HasPrefix(name, "claude-code@"):
		return rest, true
	case name == "npx" || name == "bunx" || name == "pnpx" || name == "npm" || name == "pnpm" || name == "yarn" || name == "bun" || name == "node" || name == "deno" || name == "nodejs":
		for i, a := range rest {
			if strings.Contains(a.Text, "anthropic-ai/claude-code") || strings.HasSuffix(a.Text, "claude-code/cli.js") ||
				(strings.HasPrefix(name, "npx") || strings.HasPrefix(name, "bunx")) && a.Text == "claude" {
				return rest[i+1:], true
			}
		}
	case strings.Contains(c.Words[0].Text, "anthropic-ai/claude-code"):
		return rest, true
	}
	return nil, false
}

// client looks at a nested Claude Code: one that speaks for a person, or that runs without devflow's hooks.
func (k *check) client(args []shell.Word) {
	if speaks(words2text(args)) || speaks(k.stdin()) {
		k.deny(RuleApprove, "the nested session would be given the words of a person")
		return
	}
	resumes, unsure := false, k.readsFile() || k.c.Stdin.Kind == shell.FeedFile || k.c.Stdin.Kind == shell.FeedPipe || k.c.Stdin.Text.Dynamic
	for i := 0; i < len(args); i++ {
		name, value, attached := strings.Cut(args[i].Text, "=")
		next := func() shell.Word {
			w := args[i]
			w.Text = value
			if !attached && i+1 < len(args) {
				i++
				w = args[i]
			}
			return w
		}
		switch name {
		case "-r", "--resume", "-c", "--continue", "--session-id", "--from-pr", "--teleport":
			resumes = true
		case "--bare", "--safe-mode":
			k.deny(RuleClient, name+" leaves the hooks out")
		case "--setting-sources":
			if v := next(); !v.Dynamic && !strings.Contains(v.Text, "user") {
				k.deny(RuleClient, "without the user's settings it has no hooks of devflow")
			}
		case "--settings":
			k.givenSettings(next())
		case "config":
			if change.Mentions(words2text(args[i:])) && (i+1 < len(args)) && args[i+1].Text != "get" && args[i+1].Text != "list" {
				k.deny(RuleSettings, "it changes what keeps the hooks running")
			}
		default:
			unsure = unsure || args[i].Dynamic
		}
	}
	if resumes && unsure {
		k.ask(RuleApprove, "a session is resumed with words that cannot be told")
	}
	k.clientEnvironment()
}

// givenSettings judges --settings: JSON, or a file.
func (k *check) givenSettings(v shell.Word) {
	data := []byte(v.Text)
	if !strings.HasPrefix(strings.TrimSpace(v.Text), "{") {
		t := k.e.Target(k.c.Dir, v)
		if data = sight.Read(t.Path); data == nil || v.Dynamic {
			k.ask(RuleClient, "what the settings say cannot be told")
			return
		}
	}
	tree, err := span.Parse(data)
	if err != nil {
		if change.Mentions(string(data)) {
			k.ask(RuleClient, "what the settings say cannot be told")
		}
		return
	}
	for _, key := range [...]string{"disableAllHooks", "allowManagedHooksOnly"} {
		if !change.Empty(tree.Value(key)) {
			k.deny(RuleClient, "its settings set "+key)
		}
	}
	if env := tree.Value("env"); env != nil {
		for _, m := range env.Members {
			if change.OffSwitch(m.Key) || m.Key == "CLAUDE_CONFIG_DIR" {
				k.deny(RuleEnv, "its settings set "+m.Key)
			}
		}
	}
}

// readsFile reports whether a file is redirected into the command.
func (k *check) readsFile() bool {
	for _, r := range k.c.Redirs {
		if r.Op == "<" && r.FD == "" {
			return true
		}
	}
	return false
}

// maxLookBack bounds how many other commands of a line are asked about one, so that a long line costs what its length says.
const maxLookBack = 64

// clientEnvironment judges the variables that a nested Claude Code gets.
func (k *check) clientEnvironment() {
	for _, a := range k.c.Assign {
		k.clientVariable(a)
	}
	for i := range k.s.Commands[:min(len(k.s.Commands), maxLookBack)] {
		c := &k.s.Commands[i]
		if c.Pos > k.c.Pos {
			break
		}
		switch c.Name {
		case "export", "declare", "typeset", "readonly":
			for _, a := range c.Args {
				k.clientVariable(a)
			}
		case "":
			for _, a := range c.Assign {
				if len(c.Words) == 0 && change.OffSwitch(strings.SplitN(a, "=", 2)[0]) {
					k.clientVariable(a)
				}
			}
		}
	}
}

func (k *check) clientVariable(assign string) {
	name, value, ok := strings.Cut(assign, "=")
	if !ok || !change.On(value) {
		return
	}
	value = strings.Trim(value, `"'`)
	switch {
	case change.OffSwitch(name), name == "CLAUDE_CODE_MANAGED_SETTINGS_PATH", name == "CLAUDE_CODE_RESTRICT_PERSONAL_CONFIG":
	case name == "CLAUDE_CONFIG_DIR":
		if k.e.Target(shell.Dir{}, shell.Word{Text: value, Dynamic: strings.Contains(value, "$")}).Path == k.e.Real(k.e.ClaudeDir()) {
			return
		}
	case name == "HOME":
		if value == "$HOME" || value == "${HOME}" || value == "~" || value == k.e.World.Home {
			return
		}
	default:
		return
	}
	k.deny(RuleEnv, name+" takes devflow's hooks away from it")
}

// marks reports whether a variable marks devflow's own child processes.
func marks(name string) bool {
	return name == "DEVFLOW_CHILD" || name == "DEVFLOW_JUDGE_SUBPROCESS" || name == "PAPERWEIGHT_RUN_ID"
}

// environment judges variables whatever the command: marks that are exported or given to git, and git's own for hooks.
func (k *check) environment() {
	name := sight.ProgramName(k.c.Name)
	switch name {
	case "export", "setenv", "declare", "typeset", "readonly", "local", "set":
		for i, a := range k.c.Args {
			key, value, ok := strings.Cut(a, "=")
			if !ok && (name == "setenv" || name == "set") && i+1 < len(k.c.Args) {
				value, ok = k.c.Args[i+1], true
			}
			if !ok && name != "set" && name != "local" && marks(key) {
				value, ok = "1", true // exported after it was set
			}
			if ok && marks(key) && change.On(value) {
				k.deny(RuleEnv, key+" is the mark under which devflow's hooks do nothing")
			}
		}
	case "launchctl", "systemctl", "tmux", "setx", "dbus-update-activation-environment":
		for _, a := range k.c.Args {
			if key, _, _ := strings.Cut(a, "="); marks(key) {
				k.deny(RuleEnv, key+" is the mark under which devflow's hooks do nothing")
			}
		}
	case "git", "gh", "husky", "lefthook", "pre-commit":
		for _, a := range k.c.Assign {
			if key, value, _ := strings.Cut(a, "="); marks(key) && change.On(value) {
				k.deny(RuleEnv, key+" is the mark under which devflow's hooks do nothing")
			}
		}
	}
}

// speaks reports whether a text holds the words with which a person allows something.
func speaks(text string) bool {
	text = strings.ToLower(text)
	i := strings.Index(text, "devflow")
	return i >= 0 && strings.Contains(text[i:], "approve")
}

// words2text joins words for a search.
func words2text(words []shell.Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// stdin is what is known of the command's standard input: its text, and the commands that feed it.
func (k *check) stdin() string {
	var b strings.Builder
	b.WriteString(k.c.Stdin.Text.Text)
	for _, r := range k.c.Redirs {
		switch r.Op {
		case "<<", "<<-":
			b.WriteString(r.Body.Text)
		case "<<<":
			b.WriteString(r.Target.Text)
		}
	}
	for _, i := range k.c.Stdin.From {
		if i >= 0 && i < len(k.s.Commands) {
			b.WriteByte(' ')
			b.WriteString(k.s.Commands[i].Text)
		}
	}
	if k.c.Stdin.Kind == shell.FeedNone && k.c.Place&shell.InPipe != 0 {
		b.WriteByte(' ')
		b.WriteString(k.pipeText())
	}
	return b.String()
}

// pipeText is the text of the commands just before this one, for a pipe of which nothing is known.
func (k *check) pipeText() string {
	var b strings.Builder
	for i := range k.s.Commands {
		c := &k.s.Commands[i]
		if c.Pos >= k.c.Pos || i > maxLookBack {
			break
		}
		if c.Place&shell.InPipe != 0 {
			b.WriteString(c.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
