package reach

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/power/stmt"
)

// leavesOnCI reports whether a statement leaves where tests count: on the machine that runs them for everybody.
func (w *walker) leavesOnCI(s stmt.Stmt) bool {
	f := w.f
	if !f.Is(s.From, "if") || w.holds(s.From, s.To) {
		return false
	}
	blocks := stmt.Blocks(f, s)
	if len(blocks) != 1 {
		return false
	}
	from, to := condition(f, blocks[0])
	if to-from > 16 || !onCI(w, from, to) {
		return false
	}
	for _, in := range stmt.Split(f, blocks[0].From, blocks[0].To) {
		if f.Is(in.From, "return") && !calls(f, in.From+1, in.To) {
			return true
		}
	}
	return false
}

// onCI reports whether a condition asks for a variable that build machines set, and holds when it is set.
func onCI(w *walker, from, to int) bool {
	f := w.f
	asks, reads := false, false
	for i := from; i < to; i++ {
		name := f.Text(i)
		if f.Kind(i) == source.String {
			name = f.Unquote(i)
		}
		switch name {
		case "CI", "GITHUB_ACTIONS", "CONTINUOUS_INTEGRATION", "GITLAB_CI", "TRAVIS", "CIRCLECI", "BUILD_ID", "JENKINS_URL":
			asks = true
		case "environ", "getenv", "Getenv", "LookupEnv", "env", "environment", "getProperty", "var", "get":
			reads = true
		case "!", "not", "&&", "and", "is_err":
			return false
		case "==", "===":
			if v := f.Text(i + 1); f.Unquote(i+1) == "" || v == "None" || v == "null" || v == "nil" || v == "undefined" {
				return false
			}
		}
	}
	return asks && reads
}

// apart reports whether a statement starts a goroutine that the test does not wait for.
func (w *walker) apart(s stmt.Stmt) bool {
	f := w.f
	if f.Lang != source.Go || !f.Is(s.From, "go") {
		return false
	}
	for i := w.u.From; i < w.u.To; i++ {
		switch f.Text(i) {
		case "Wait", "<-", "select", "chan", "Sleep", "Done", "Eventually", "synctest", "Serve":
			return false
		}
	}
	return true
}
