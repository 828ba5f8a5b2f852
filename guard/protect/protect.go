// Package protect says whether a tool call reaches for devflow itself: its root folder and database, the installed programs, the
// parts of Claude Code's settings that keep the hooks running, the project's configuration where it tightens a rule, git hooks and
// the switches that go around them, and the words with which a person allows something.
//
// It owns no table and no file. It looks at the file system to follow links (os only, no other process), and reads the few files
// whose content decides: settings, .devflow.toml, git's configuration, hooks.
//
// It is a speed bump and not a sandbox. It stops an agent that reaches for its guards by the roads that agents take; a program that
// the agent writes and starts can do what its user can. Reading is never refused. All findings have ids that start with "self.".
package protect

import (
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/shell"
)

// Ids of the findings.
const (
	RuleRoot      = "self.root"       // devflow's folder
	RuleDatabase  = "self.database"   // its database, wherever it lies
	RuleBinary    = "self.binary"     // the installed programs
	RuleSettings  = "self.settings"   // hooks, env, disableAllHooks of a settings file
	RuleConfig    = "self.config"     // a project file that loosens a rule
	RuleGitHook   = "self.git-hook"   // a git hook of devflow
	RuleHooksPath = "self.hooks-path" // core.hooksPath
	RuleNoVerify  = "self.no-verify"  // --no-verify and its relatives
	RuleHookCall  = "self.hook-call"  // a hook program called by hand
	RuleApprove   = "self.approve"    // the words of a person
	RuleUninstall = "self.uninstall"  // taking devflow out
	RuleClient    = "self.client"     // a Claude Code that runs without the hooks
	RuleEnv       = "self.env"        // variables that switch devflow off or elsewhere
	RuleKill      = "self.kill"       // ending devflow's processes
)

// Places is where the things are that must stay as they are.
type Places = sight.Places

// maxSegment bounds the part of a command line that a finding quotes, in bytes.
const maxSegment = 200

// deny is a finding that refuses.
func deny(rule, segment, why string) verdict.Finding {
	what, instead := words(rule)
	return verdict.Finding{Rule: rule, Decision: verdict.Deny, What: what, Why: why, Instead: instead, Segment: redact.Clip(segment, maxSegment)}
}

// ask is a finding that a person decides.
func ask(rule, segment, why string) verdict.Finding {
	f := deny(rule, segment, why)
	f.Decision = verdict.Ask
	return f
}

// words is what a rule is about, and what may be done instead.
func words(rule string) (what, instead string) {
	switch rule {
	case RuleRoot:
		return "changes devflow's own folder", "look at it with `devflow status`, and leave changes to a person"
	case RuleDatabase:
		return "changes devflow's database", "read it with `devflow-telemetry recent` or `sqlite3 -readonly`"
	case RuleBinary:
		return "changes or copies devflow's programs", "check the installation with `devflow doctor`"
	case RuleSettings:
		return "changes what keeps the hooks running", "change the other keys of the file with the Edit tool, and leave hooks, env and disableAllHooks to a person"
	case RuleConfig:
		return "loosens a rule of the project", "a project's .devflow.toml may only tighten; a person may loosen rules in devflow's own config.toml"
	case RuleGitHook:
		return "changes a git hook of devflow", "let the hook run and fix what it reports; `devflow gate push` says what that is"
	case RuleHooksPath:
		return "moves git's hooks elsewhere", "leave core.hooksPath as it is; `git config --get core.hooksPath` shows it"
	case RuleNoVerify:
		return "skips the git hooks", "run the command without the switch and fix what the hooks report"
	case RuleHookCall:
		return "calls a hook of devflow by hand", "check the hooks with `devflow doctor`"
	case RuleApprove:
		return "speaks in place of a person", "tell the user what was refused and why; only a person may type the approval"
	case RuleUninstall:
		return "takes devflow out or changes its programs", "ask the user to do it; `devflow doctor` shows the present state"
	case RuleClient:
		return "starts a Claude Code without devflow's hooks", "start it with the user's settings: `claude -p 'task'`"
	case RuleEnv:
		return "sets a variable that switches devflow off", "run the command without the variable"
	case RuleKill:
		return "ends devflow's processes", "let them finish; `devflow status` shows what is going on"
	}
	return "reaches for devflow itself", "leave it to a person"
}

// filled fills the gaps of w from the places.
func filled(w place.World, p Places) place.World {
	if w.Home == "" {
		w.Home = p.Home
	}
	if w.Cwd == "" {
		w.Cwd = p.Cwd
	}
	if w.Project == "" {
		w.Project = p.Project
	}
	return w
}

// Commands says what speaks against the plain commands of a script, their files aside: those are the business of Writes. Of the
// world only the folders are used. Asking for all at once looks at each folder once.
func Commands(s *shell.Script, w place.World, p Places) []verdict.Finding {
	var found []verdict.Finding
	e := sight.New(p, filled(w, p))
	for i := range s.Commands {
		found = append(found, command(s, &s.Commands[i], e)...)
	}
	return found
}

func command(s *shell.Script, c *shell.Command, e *sight.Eyes) []verdict.Finding {
	k := check{s: s, c: c, e: e}
	k.environment()
	if len(c.Words) > 0 && !k.elsewhere() {
		k.program(sight.ProgramName(c.Name))
	}
	return k.found
}

// check looks at one command.
type check struct {
	s     *shell.Script
	c     *shell.Command
	e     *sight.Eyes
	found []verdict.Finding
}

func (k *check) deny(rule, why string) { k.found = append(k.found, deny(rule, k.c.Text, why)) }
func (k *check) ask(rule, why string)  { k.found = append(k.found, ask(rule, k.c.Text, why)) }

// elsewhere reports whether the command runs on another machine.
func (k *check) elsewhere() bool {
	return k.c.Remote && len(k.c.Mounts) == 0
}
