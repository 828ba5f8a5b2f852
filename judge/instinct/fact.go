package instinct

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// testRun is a test command of a task.
type testRun struct {
	input, runner string
	ok            bool
	command       string // of a failure
	absent        bool   // of a failure: the program is not there
}

func testRuns(tx *store.Tx, t *telemetry.Task) ([]testRun, error) {
	var runs []testRun
	err := tx.Query("SELECT input_sha,runner,ok,detail FROM tool_log WHERE session_id=? AND n>=? AND seq=? AND runner<>'' ORDER BY n",
		[]any{t.SessionID, t.FirstRow(), t.Seq}, func(r *store.Row) error {
			run := testRun{input: r.Text(0), runner: r.Text(1), ok: r.Bool(2)}
			if !run.ok {
				run.command, run.absent = command(r.Text(3))
			}
			runs = append(runs, run)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("list tests of %s: %w", t.ID(), err)
	}
	return runs, nil
}

// turnedGreen tells whether a failed test command was followed by a green one of the same runner.
func turnedGreen(runs []testRun) bool {
	for i, r := range runs {
		if !r.ok && slices.ContainsFunc(runs[i+1:], func(l testRun) bool { return l.ok && l.runner == r.runner }) {
			return true
		}
	}
	return false
}

// factConfidence is that of a fact: seen to be so, but in one task only.
const factConfidence = 0.6

// fromRuns gives what is certain from the test commands of a task: the command that failed and passed later, word for word,
// where it says more than the runner's name, and beside it a command that did not start here at all.
func fromRuns(runs []testRun, root string) []Instinct {
	good := ""
	for i, r := range runs {
		if r.ok || r.command == "" || !slices.ContainsFunc(runs[i+1:], func(l testRun) bool { return l.ok && l.input == r.input && r.input != "" }) {
			continue
		}
		if c, ok := whole(r.command, root); ok {
			good = c
		}
	}
	if good == "" {
		return nil
	}
	for _, r := range runs {
		if c, ok := whole(r.command, root); ok && r.absent && c != good {
			return []Instinct{{Category: "pitfall", Confidence: factConfidence, Source: FromFact, Content: "`" + c + "` does not start in this project; run the tests with `" + good + "`."}}
		}
	}
	if usual(good) {
		return nil
	}
	return []Instinct{{Category: "convention", Confidence: factConfidence, Source: FromFact, Content: "Run the tests of this project with `" + good + "`."}}
}

// maxCommand bounds a command that is worth repeating, in bytes.
const maxCommand = 100

// command reads the detail of a failed test: "$ " and the command, then its output.
func command(detail string) (line string, absent bool) {
	rest, ok := strings.CutPrefix(detail, "$ ")
	if !ok {
		return "", false
	}
	line, output, _ := strings.Cut(rest, "\n")
	if len(line) > maxCommand || strings.Contains(line, redact.Mark) || strings.ContainsAny(line, "`\x00") {
		return "", false
	}
	line = strings.TrimSpace(line)
	for i, w := range strings.Fields(line) {
		absent = absent || i == 0 && (strings.Contains(output, w+": command not found") || strings.Contains(output, w+": not found")) ||
			i > 0 && strings.Contains(output+"\n", ": No module named "+w+"\n")
	}
	return line, absent
}

// whole gives a command that runs all tests from the project's root, as a person would repeat it. One that picks tests,
// names files, or stands in the way of others says nothing about the project.
func whole(line, root string) (string, bool) {
	for _, sep := range [...]string{" && ", "; "} {
		if rest, ok := strings.CutPrefix(line, "cd "+root+sep); ok {
			line = rest
		}
	}
	if line == "" || strings.ContainsAny(line, "|<>;&$*'\"\\") {
		return "", false
	}
	words := strings.Fields(line)
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "/"), strings.HasPrefix(w, "~"), strings.Contains(w, "::"), strings.Contains(w, "=/"):
			return "", false
		case w == "-k" || w == "-t" || w == "-run" || w == "--run" || w == "--filter" || w == "--tests" || w == "--grep" || w == "-g" || w == "--lf" || w == "-m" && words[0] != "python" && words[0] != "python3":
			return "", false
		case strings.HasPrefix(w, "-run=") || strings.HasPrefix(w, "--filter=") || strings.HasPrefix(w, "--tests=") || strings.HasPrefix(w, "-Dtest="):
			return "", false
		case !strings.HasPrefix(w, "-") && path.Ext(w) != "" && !strings.HasSuffix(w, "...") && !strings.HasPrefix(w, "./"):
			return "", false // a file
		}
	}
	return line, true
}

// usual is what everybody would try first.
func usual(line string) bool {
	return slices.Contains([]string{
		"pytest", "pytest -q", "python -m pytest", "go test ./...", "go test", "npm test", "npm run test", "yarn test", "pnpm test", "npx jest", "npx vitest", "npx vitest run",
		"cargo test", "mvn test", "gradle test", "./gradlew test", "make test", "flutter test", "dart test", "dotnet test", "bundle exec rspec", "rspec",
	}, line)
}
