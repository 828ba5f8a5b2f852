// Package config resolves devflow's places and reads its two TOML files: <root>/config.toml of the user, who may set
// everything, and <project>/.devflow.toml of a repository, which may only tighten (an agent can edit it).
// It owns no table. It is not a general settings library: an option exists here only if some part reads it.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Names of the modules that `disabled` may switch off. Guards and the judge are not among them.
const (
	ModuleProfiler = "profiler" // risk level per task
	ModuleTDD      = "tdd"      // implementation without a test
	ModuleRescue   = "rescue"   // plan across compaction
	ModuleContext  = "context"  // warnings about a full context
	ModuleCommits  = "commits"  // advice about commit messages
)

// Limits of the file: a configuration beyond it is refused rather than read.
const maxFileBytes = 256 << 10

// Defaults; sources: governance rules of the project (docs/adr/0002-defaults.md).
const (
	DefaultTokenLimit = 150_000 // work tokens after a FAIL without a PASS
	DefaultMaxRetries = 3       // judged attempts before a person is asked
	DefaultFileWarn   = 400     // lines of a touched file before the push gate mentions it
	DefaultFileFail   = 600     // lines of a new or grown file that the push gate refuses
	ArmAfterFail      = "after_fail"
	ArmAlways         = "always"
)

// Price overrides what one model costs. All values are USD per million tokens; cache prices derive from Input.
type Price struct {
	Input  float64 `toml:"input"`
	Output float64 `toml:"output"`
}

// Config is the merged configuration. The zero value is not valid; use Default or Load. It is never written after Load.
type Config struct {
	Disabled          []string         `toml:"disabled"`           // modules that stay silent
	ProtectedBranches []string         `toml:"protected_branches"` // names or prefix/* patterns
	IsProduction      bool             `toml:"is_production"`      // the project runs in production: impact ≥ 0.8
	MaxRetries        int              `toml:"max_retries"`        // judged FAILs before the halt, 1 to 5
	TDD               TDD              `toml:"tdd"`
	TokenDelta        TokenDelta       `toml:"token_delta"`
	Context           Context          `toml:"context"`
	Guard             Guard            `toml:"guard"`
	Gate              Gate             `toml:"gate"`
	Judge             Judge            `toml:"judge"`
	Flock             Flock            `toml:"flock"`
	Learned           bool             `toml:"learned_skills_auto_inject"` // tell a new session what people promoted with `devflow learn`
	Pricing           map[string]Price `toml:"pricing"`                    // model prefix → price
}

// TDD narrows where a missing test is a finding.
type TDD struct {
	SourceDirs []string `toml:"source_dirs"` // empty: everywhere in the project
}

// TokenDelta is the guard against burning tokens without a PASS.
type TokenDelta struct {
	Limit int64  `toml:"limit"` // work tokens since the baseline
	Arm   string `toml:"arm"`   // after_fail or always
}

// Context overrides the context window of the model, in tokens; 0 means: by the model table.
type Context struct {
	Window int64 `toml:"window"`
}

// Problem is one thing that a configuration file says and that devflow did not follow.
type Problem struct {
	File    string `json:"file"`
	Text    string `json:"text"`              // ends with what holds instead
	Ignored bool   `json:"ignored,omitempty"` // nothing in the file holds
}

func (p Problem) String() string { return p.File + ": " + p.Text }

// Guard relaxes the destructive rules. Secrets and self-protection cannot be relaxed.
type Guard struct {
	Allow []string `toml:"allow"` // rule ids, or "git.*" for a whole group; `devflow guard rules` lists them
}

// Gate is about what an agent publishes.
type Gate struct {
	AllowPushToMain bool              `toml:"allow_push_to_main"` // protected branches need no person
	AutoPush        string            `toml:"auto_push"`          // off, suggest or auto
	FileWarn        int               `toml:"file_length_warn"`   // lines of a touched file
	FileFail        int               `toml:"file_length_critical"`
	Tests           map[string]string `toml:"tests"` // project root, cleaned → shell command that runs its tests
	Boundaries      []Boundary        `toml:"boundaries"`
}

// Boundary forbids imports. Patterns are globs over slash paths relative to the project.
type Boundary struct {
	From  string   `toml:"from"`  // importing files
	Deny  []string `toml:"deny"`  // what they must not import
	Allow []string `toml:"allow"` // exceptions
}

// Modes of auto-push in rising order.
const (
	AutoPushOff     = "off"
	AutoPushSuggest = "suggest"
	AutoPushAuto    = "auto"
)

// autoPushRank orders the modes; -1 is none of them.
func autoPushRank(mode string) int {
	return slices.Index([]string{AutoPushOff, AutoPushSuggest, AutoPushAuto}, mode)
}

// Default is the configuration without any file.
func Default() Config {
	return Config{
		ProtectedBranches: []string{"main", "master", "release/*"},
		MaxRetries:        DefaultMaxRetries,
		TokenDelta:        TokenDelta{Limit: DefaultTokenLimit, Arm: ArmAfterFail},
		Gate:              Gate{AutoPush: AutoPushSuggest, FileWarn: DefaultFileWarn, FileFail: DefaultFileFail},
		Judge:             Judge{Backend: BackendOff, Model: DefaultModel, Mutation: true},
		Flock:             Flock{Confine: "auto", Governed: true},
	}
}

// Load reads the user's file and then the project's (projectRoot may be empty). It never fails: a file that cannot be
// read or is invalid leaves the values of the layer below, and is reported as a Problem.
func Load(p Paths, projectRoot string) (Config, []Problem) {
	var problems []Problem
	cfg := Default()
	if user, ok := readLayer(p.File, "the defaults hold", cfg, &problems); ok {
		cfg = user
	}
	tell := func(texts []string) {
		for _, text := range texts {
			problems = append(problems, Problem{File: p.File, Text: text})
		}
	}
	tell(cfg.idleRules())
	tell(cfg.absentProjects())
	if projectRoot == "" {
		return cfg, problems
	}
	tell(cfg.absentDirs(projectRoot))
	file := filepath.Join(projectRoot, ProjectFile)
	if proj, ok := readLayer(file, "the defaults and the user's config.toml hold", cfg, &problems); ok {
		cfg = tighten(cfg, proj, file, &problems)
	}
	return cfg, problems
}

// readLayer decodes one file over base. It reports false when the layer must be ignored; below says what holds then.
func readLayer(file, below string, base Config, problems *[]Problem) (Config, bool) {
	data, err := readBounded(file)
	if errors.Is(err, fs.ErrNotExist) {
		return base, false
	}
	ignore := func(texts ...string) (Config, bool) {
		for _, text := range texts {
			*problems = append(*problems, Problem{File: file, Text: text + "; the whole file is ignored, " + below, Ignored: true})
		}
		return base, false
	}
	if err != nil {
		return ignore(err.Error())
	}
	out := base.clone()
	out.Pricing, out.Gate.Boundaries = nil, nil
	meta, err := toml.Decode(string(data), &out)
	if err != nil {
		return ignore(mistakes(string(data), err)...)
	}
	for _, text := range unknown(meta) {
		*problems = append(*problems, Problem{File: file, Text: text + "; the line has no effect"})
	}
	if wrong := out.faults(); len(wrong) > 0 {
		return ignore(wrong...)
	}
	for _, text := range out.cleanTests() {
		*problems = append(*problems, Problem{File: file, Text: text + "; the line has no effect"})
	}
	for model, price := range base.Pricing {
		if _, ok := out.Pricing[model]; !ok {
			if out.Pricing == nil {
				out.Pricing = map[string]Price{}
			}
			out.Pricing[model] = price
		}
	}
	return out, true
}

func readBounded(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("larger than %d KiB", maxFileBytes>>10)
	}
	return os.ReadFile(file)
}

// faults lists the values that are out of their range.
func (c Config) faults() []string {
	var found []string
	note := func(wrong bool, format string, args ...any) {
		if wrong {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	note(c.MaxRetries < 1 || c.MaxRetries > 5, "max_retries is %d, want 1 to 5 (the client stops honouring blocks after 8)", c.MaxRetries)
	note(c.TokenDelta.Limit < 1000, "token_delta.limit is %d, want at least 1000", c.TokenDelta.Limit)
	note(c.TokenDelta.Arm != ArmAfterFail && c.TokenDelta.Arm != ArmAlways, "token_delta.arm is %q, want %q or %q", c.TokenDelta.Arm, ArmAfterFail, ArmAlways)
	note(c.Context.Window < 0, "context.window is %d, want 0 or more", c.Context.Window)
	note(autoPushRank(c.Gate.AutoPush) < 0, "gate.auto_push is %q, want %q, %q or %q", c.Gate.AutoPush, AutoPushOff, AutoPushSuggest, AutoPushAuto)
	note(c.Gate.FileWarn < 1 || c.Gate.FileFail < c.Gate.FileWarn, "gate.file_length_warn is %d and gate.file_length_critical %d, want 1 or more and not less than that",
		c.Gate.FileWarn, c.Gate.FileFail)
	for _, root := range slices.Sorted(maps.Keys(c.Gate.Tests)) {
		note(!filepath.IsAbs(root), "gate.tests names %q, want the absolute path of a project", root)
	}
	for i, b := range c.Gate.Boundaries {
		note(b.From == "" || len(b.Deny) == 0, "gate.boundaries[%d] lacks from or deny", i)
	}
	c.Judge.faults(note)
	c.Flock.faults(note)
	for _, m := range c.Disabled {
		note(!slices.Contains(modules(), m), "disabled names %q, want some of %s", m, strings.Join(modules(), ", "))
	}
	for _, dir := range c.TDD.SourceDirs {
		note(!filepath.IsLocal(dir), `tdd.source_dirs names %q, want a folder inside the project, relative to its root, such as "src"`, dir)
	}
	for _, model := range slices.Sorted(maps.Keys(c.Pricing)) {
		price := c.Pricing[model]
		note(price.Input < 0 || price.Output < 0, "pricing.%s is negative, want 0 or more", model)
	}
	return found
}

// Allowed reports whether the user has lifted a rule of the guard.
func (c Config) Allowed(rule string) bool {
	for _, a := range c.Guard.Allow {
		if lifts(a, rule) {
			return true
		}
	}
	return false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// tighten folds a project's layer into the user's: only what makes devflow stricter is taken.
func tighten(user, proj Config, file string, problems *[]Problem) Config {
	out := user.clone()
	refuse := func(key string) {
		*problems = append(*problems, Problem{File: file, Text: key + " would loosen a rule, which only the user's config.toml may; the line has no effect"})
	}
	if !slices.Equal(proj.Disabled, user.Disabled) {
		refuse("disabled")
	}
	for _, b := range proj.ProtectedBranches {
		if !slices.Contains(out.ProtectedBranches, b) {
			out.ProtectedBranches = append(out.ProtectedBranches, b)
		}
	}
	for _, b := range user.ProtectedBranches {
		if !slices.Contains(proj.ProtectedBranches, b) {
			refuse("protected_branches without " + b)
		}
	}
	if proj.IsProduction {
		out.IsProduction = true
	} else if user.IsProduction {
		refuse("is_production = false")
	}
	if proj.MaxRetries <= user.MaxRetries {
		out.MaxRetries = proj.MaxRetries
	} else {
		refuse("max_retries")
	}
	if proj.TokenDelta.Limit <= user.TokenDelta.Limit {
		out.TokenDelta.Limit = proj.TokenDelta.Limit
	} else {
		refuse("token_delta.limit")
	}
	if proj.TokenDelta.Arm == ArmAlways {
		out.TokenDelta.Arm = ArmAlways
	} else if user.TokenDelta.Arm == ArmAlways {
		refuse("token_delta.arm")
	}
	if !slices.Equal(proj.TDD.SourceDirs, user.TDD.SourceDirs) {
		refuse("tdd.source_dirs")
	}
	if len(proj.Pricing) != len(user.Pricing) {
		refuse("pricing")
	}
	out.Context = proj.Context
	out.Gate = tightenGate(user.Gate, proj.Gate, refuse)
	out.Judge = tightenJudge(user.Judge, proj.Judge, refuse)
	out.Flock = tightenFlock(user.Flock, proj.Flock, refuse)
	if proj.Learned != user.Learned {
		refuse("learned_skills_auto_inject")
	}
	if !slices.Equal(proj.Guard.Allow, user.Guard.Allow) {
		refuse("guard.allow")
	}
	return out
}

// tightenGate folds a project's push rules into the user's. A project may add boundaries.
func tightenGate(user, proj Gate, refuse func(key string)) Gate {
	out := user
	if proj.AllowPushToMain != user.AllowPushToMain {
		if out.AllowPushToMain = false; proj.AllowPushToMain {
			refuse("gate.allow_push_to_main")
		}
	}
	if autoPushRank(proj.AutoPush) <= autoPushRank(user.AutoPush) {
		out.AutoPush = proj.AutoPush
	} else {
		refuse("gate.auto_push")
	}
	if proj.FileWarn <= user.FileWarn {
		out.FileWarn = proj.FileWarn
	} else {
		refuse("gate.file_length_warn")
	}
	if proj.FileFail <= user.FileFail {
		out.FileFail = proj.FileFail
	} else {
		refuse("gate.file_length_critical")
	}
	if !maps.Equal(proj.Tests, user.Tests) {
		refuse("gate.tests")
	}
	out.Boundaries = append(slices.Clone(user.Boundaries), proj.Boundaries...)
	return out
}

func (c Config) clone() Config {
	c.Disabled = slices.Clone(c.Disabled)
	c.ProtectedBranches = slices.Clone(c.ProtectedBranches)
	c.TDD.SourceDirs = slices.Clone(c.TDD.SourceDirs)
	c.Guard.Allow = slices.Clone(c.Guard.Allow)
	c.Gate.Tests = maps.Clone(c.Gate.Tests)
	c.Judge.Command = slices.Clone(c.Judge.Command)
	c.Flock.Expose, c.Flock.Share = slices.Clone(c.Flock.Expose), slices.Clone(c.Flock.Share)
	return c
}

// Enabled reports whether a module may act.
func (c Config) Enabled(module string) bool { return !slices.Contains(c.Disabled, module) }

// Protected reports whether a branch is one that an agent must not publish to. Patterns end in "/*" or are exact.
func (c Config) Protected(branch string) bool {
	for _, p := range c.ProtectedBranches {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(branch, prefix) || p == branch {
			return branch != ""
		}
	}
	return false
}
