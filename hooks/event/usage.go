package event

import (
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// Reading is how this event reads the transcript. tx is used to find the session's model as the client names it: the
// transcript leaves out the mark of the larger context window.
func (s *Scene) Reading(tx *store.Tx) (usage.Options, error) {
	o := usage.Options{Now: s.Now, Window: s.Cfg.Context.Window, Model: s.In.Model}
	for model, price := range s.Cfg.Pricing {
		o.Prices = o.Prices.With(model, price.Input, price.Output)
	}
	if o.Model == "" {
		var err error
		if o.Model, err = telemetry.Get(tx, modelKey(s.Session)); err != nil {
			return o, err
		}
	}
	return o, nil
}

func modelKey(session string) string { return "model:" + session }

// KeepModel remembers the model that SessionStart named.
func (s *Scene) KeepModel(tx *store.Tx) error {
	if s.In.Model == "" {
		return nil
	}
	return telemetry.Put(tx, modelKey(s.Session), s.In.Model)
}

// CatchUp counts everything that the session's transcripts hold, subagents included, for the end of a turn or a session.
func (s *Scene) CatchUp() (usage.Result, error) {
	db, err := s.DB()
	if err != nil {
		return usage.Result{}, err
	}
	var o usage.Options
	err = db.View(func(tx *store.Tx) error {
		o, err = s.Reading(tx)
		return err
	})
	if err != nil {
		return usage.Result{}, err
	}
	o.Subagents = true
	return usage.Catch(db, s.Session, s.In.TranscriptPath, o)
}

// Rollup brings the 54 columns of the session's newest task up to date; res is what CatchUp found.
func (s *Scene) Rollup(tx *store.Tx, res usage.Result) error {
	t, err := telemetry.Current(tx, s.Session)
	if err != nil || t == nil {
		return err
	}
	return journal.Rollup(tx, t, journal.Extra{
		NowMS: s.Now.UnixMilli(), Stop: s.In.Event == claude.EventStop, Window: res.Window, Stack: stack(s.Root), Skills: res.Skills,
	})
}

// stacks names the toolchain of a project by a file in its root, in order of precedence.
var stacks = [...][2]string{
	{"pubspec.yaml", "flutter"}, {"package.json", "node"}, {"deno.json", "node"}, {"pom.xml", "maven"}, {"mvnw", "maven"}, {"build.gradle", "other"},
	{"build.gradle.kts", "other"}, {"Cargo.toml", "rust"}, {"go.mod", "go"}, {"pyproject.toml", "python"}, {"setup.py", "python"},
	{"requirements.txt", "python"}, {"setup.cfg", "python"}, {"Gemfile", "other"}, {"composer.json", "other"}, {"Package.swift", "other"}, {"CMakeLists.txt", "other"},
}

func stack(root string) string {
	if root == "" {
		return ""
	}
	for _, s := range stacks {
		if _, err := os.Stat(filepath.Join(root, s[0])); err == nil {
			return s[1]
		}
	}
	return "none"
}
