package event

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/profiler"
	"github.com/devflow-suite/devflow/telemetry"
	"github.com/devflow-suite/devflow/telemetry/journal"
)

// Intent is what a tool call is about to do, as far as risk goes.
type Intent struct {
	Files []profiler.File // that it will write
	Lines int64           // that it will add and remove
	Class profiler.Class  // of a shell command
}

// Rate scores the task as it will be after the call: what it did so far, and the intent.
func (s *Scene) Rate(tx *store.Tx, t *telemetry.Task, in Intent) (profiler.Score, error) {
	f := profiler.Facts{
		Lines: in.Lines, Command: in.Class, Protected: s.Cfg.Protected(s.Branch()), Production: s.Cfg.IsProduction,
		CI: s.anyFile(ciFiles[:]),
	}
	if t != nil && !(t.Ended() && s.Fact.Mutates) {
		done, err := journal.TaskFacts(tx, t)
		if err != nil {
			return profiler.Score{}, err
		}
		f.Lines += done.Lines
		for _, file := range done.Files {
			f.Files = append(f.Files, profiler.File{Path: file.Path, Kind: file.Kind, Read: file.ReadBefore, Test: file.TestState})
		}
		classes, err := journal.Classes(tx, t)
		if err != nil {
			return profiler.Score{}, err
		}
		for _, class := range classes {
			f.Command = profiler.Heavier(f.Command, profiler.Class(class))
		}
	}
	for _, file := range in.Files {
		f.Files = addFile(f.Files, file)
	}
	f.PythonChecker = hasEnding(f.Files, ".py", ".pyi") && s.pythonChecker()
	f.JSChecker = hasEnding(f.Files, ".js", ".jsx", ".mjs", ".cjs") && s.jsChecker()
	return profiler.Rate(f), nil
}

// Scored is a score as a fact keeps it.
func Scored(score profiler.Score) telemetry.Score {
	return telemetry.Score{Level: string(score.Level), P: score.P, I: score.I, D: score.D, R: score.R}
}

// ScoreOf is the last score of a task.
func ScoreOf(t *telemetry.Task) telemetry.Score {
	return telemetry.Score{Level: t.Oversight, P: t.P, I: t.I, D: t.D, R: t.R}
}

// addFile adds a file that the task has not edited yet; the newer test state of a known one counts.
func addFile(list []profiler.File, file profiler.File) []profiler.File {
	for i := range list {
		if list[i].Path == file.Path {
			if list[i].Test != profiler.TestChanged {
				list[i].Test = file.Test
			}
			return list
		}
	}
	return append(list, file)
}

func hasEnding(files []profiler.File, endings ...string) bool {
	for _, f := range files {
		for _, e := range endings {
			if strings.HasSuffix(f.Path, e) {
				return true
			}
		}
	}
	return false
}

// RiskText is what the model is told when the level of its task changes.
func RiskText(score profiler.Score) string {
	text := fmt.Sprintf("[devflow:risk] oversight=%s probability=%s impact=%s detectability=%s.", strings.ToUpper(string(score.Level)), unit(score.P), unit(score.I), unit(score.D))
	switch score.Level {
	case profiler.Strict:
		text += " Required: a test with assertions for every changed implementation; the turn is judged before it ends."
	case profiler.HumanReview:
		text += " Required: a test with assertions for every changed implementation; the turn is judged before it ends, and a person has to review it before it is pushed."
	case profiler.Standard:
		text += " Expected: a test for every changed implementation; the turn is judged afterwards."
	}
	return text
}

// unit writes per mille as a share of one with two decimals.
func unit(perMille int64) string { return fmt.Sprintf("%d.%02d", perMille/1000, perMille%1000/10) }

// ciFiles are the configurations of CI services, relative to the project.
var ciFiles = [...]string{
	".github/workflows", ".gitlab-ci.yml", ".circleci", "Jenkinsfile", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".buildkite", ".drone.yml", ".ci",
}

func (s *Scene) anyFile(names []string) bool {
	if s.Root == "" {
		return false
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(s.Root, name)); err == nil {
			return true
		}
	}
	return false
}

// maxConfig bounds the configuration files that are searched for a type checker, in bytes.
const maxConfig = 256 << 10

func (s *Scene) pythonChecker() bool {
	if s.anyFile([]string{"mypy.ini", ".mypy.ini", "pyrightconfig.json"}) {
		return true
	}
	return s.mentions("pyproject.toml", "[tool.mypy", "[tool.pyright") || s.mentions("setup.cfg", "[mypy")
}

func (s *Scene) jsChecker() bool { return s.mentions("tsconfig.json", `"allowJs"`, `"checkJs"`) }

func (s *Scene) mentions(name string, words ...string) bool {
	if s.Root == "" {
		return false
	}
	data, err := regular.Read(filepath.Join(s.Root, name), maxConfig)
	if err != nil {
		return false
	}
	for _, w := range words {
		if strings.Contains(string(data), w) {
			return true
		}
	}
	return false
}
