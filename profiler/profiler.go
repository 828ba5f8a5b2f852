// Package profiler scores the risk of a task: probability × impact × detectability, each in per mille, and the level of
// oversight that follows. It is pure arithmetic on facts that others collect; it owns no table, reads no file and starts
// no process. All numbers are the project's published rules; scores are floored integers, so that the
// same facts give the same level on every machine.
package profiler

// Level is how closely a task is watched.
type Level string

// The levels in rising order.
const (
	Vibe        Level = "vibe"         // nothing is asked for
	Standard    Level = "standard"     // judged while the user goes on
	Strict      Level = "strict"       // judged before the turn ends
	HumanReview Level = "human_review" // strict, and a person approves the push
)

// High reports whether the level is one at which the turn waits for the verdict ("high risk").
func (l Level) High() bool { return l == Strict || l == HumanReview }

// Test states of an edited implementation file, best first.
const (
	TestChanged = "changed" // its test was changed in this task
	TestNonCode = "noncode" // nothing to test
	TestExists  = "exists"  // its test exists, unchanged
	TestNone    = "none"
)

// Kinds of files, as package tdd names them.
const (
	KindImpl      = "impl"
	KindTest      = "test"
	KindDoc       = "doc"
	KindConfig    = "config"
	KindGenerated = "generated"
)

// File is one file that the task edited or is about to edit.
type File struct {
	Path string // relative to the project, with slashes
	Kind string // one of the kinds above, anything else counts as code
	Read bool   // read, or created, before its first edit
	Test string // test state; "" counts as none for code, as noncode for documents, configuration and generated files
}

// Facts are everything that a score depends on, relative to the task's base.
type Facts struct {
	Files         []File
	Lines         int64 // added + removed over all files
	Command       Class // the heaviest command of the task; "" if it ran none
	Protected     bool  // the branch is a protected one
	Production    bool  // the configuration says is_production
	CI            bool  // the project has a CI configuration
	PythonChecker bool  // mypy or pyright is configured
	JSChecker     bool  // tsconfig.json with allowJs or checkJs
}

// Score is a risk in per mille.
type Score struct {
	P     int64 // probability of a mistake
	I     int64 // impact of one
	D     int64 // detectability: high means hard to notice
	R     int64 // P·I·D / 10⁶
	Level Level
}

// Rate computes the score.
func Rate(f Facts) Score {
	s := Score{P: f.probability(), I: f.impact(), D: f.detectability()}
	s.R = s.P * s.I * s.D / 1_000_000
	s.Level = s.level(f.Command == Destructive)
	return s
}

// level applies the thresholds; the first match wins.
func (s Score) level(destructive bool) Level {
	switch {
	case destructive || s.R >= 250 || s.I >= 850 && s.D >= 450:
		return HumanReview
	case s.R >= 100 || s.I >= 700 || s.P >= 500 && s.D >= 400:
		return Strict
	case s.R < 20 && s.I <= 200 && s.P <= 300:
		return Vibe
	}
	return Standard
}

// step is the value of the first bound that n does not exceed, and last beyond all of them.
func step(n int64, last int64, bounds ...[2]int64) int64 {
	for _, b := range bounds {
		if n <= b[0] {
			return b[1]
		}
	}
	return last
}

func (f Facts) probability() int64 {
	size := step(f.Lines, 800, [2]int64{20, 100}, [2]int64{100, 300}, [2]int64{400, 550})
	spread := step(f.topDirs(), 800, [2]int64{1, 100}, [2]int64{3, 400})
	var read, lang int64 = 0, 100
	for _, file := range f.Files {
		if file.Read {
			read++
		}
		lang = max(lang, language(file.Path))
	}
	familiarity := int64(800)
	switch n := int64(len(f.Files)); {
	case read == n:
		familiarity = 100
	case 2*read >= n:
		familiarity = 400
	}
	return (350*size + 200*spread + 250*familiarity + 200*lang) / 1000
}

func (f Facts) topDirs() int64 {
	seen := map[string]bool{}
	for _, file := range f.Files {
		seen[topDir(file.Path)] = true
	}
	return int64(len(seen))
}

func (f Facts) impact() int64 {
	i := step(int64(len(f.Files)), 900, [2]int64{1, 100}, [2]int64{5, 400}, [2]int64{15, 700})
	for _, file := range f.Files {
		i = max(i, PathImpact(file.Path, file.Kind))
	}
	i = max(i, f.Command.impact())
	if f.Protected {
		i = max(i, 600)
	}
	if f.Production {
		i = max(i, 800)
	}
	return i
}

func (f Facts) detectability() int64 {
	var tests, types int64 = 100, 100
	if len(f.Files) == 0 {
		tests = 300
	}
	for _, file := range f.Files {
		if file.Kind == KindTest {
			continue
		}
		state := file.Test
		if state == "" && (file.Kind == KindDoc || file.Kind == KindConfig || file.Kind == KindGenerated) {
			state = TestNonCode
		}
		tests = max(tests, testValue(state))
		if state != TestNonCode {
			types = max(types, f.types(file.Path))
		}
	}
	ci := int64(400)
	if f.CI {
		ci = 100
	}
	return (550*tests + 250*types + 200*ci) / 1000
}

func testValue(state string) int64 {
	switch state {
	case TestChanged:
		return 100
	case TestNonCode:
		return 300
	case TestExists:
		return 350
	}
	return 800
}
