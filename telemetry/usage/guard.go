package usage

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/devflow-suite/devflow/telemetry"
)

// Bits of tasks.ctx_warned: what was already said. A compaction clears the first two, a new token baseline the third.
const (
	WarnedNear   = telemetry.WarnedNear   // 80 % of the room before compaction
	WarnedFull   = telemetry.WarnedFull   // 90 %
	WarnedTokens = telemetry.WarnedTokens // token limit passed while the guard was not armed
)

// Percentages of the room before compaction (Threshold) at which a session is told.
const (
	nearPercent = 80
	fullPercent = 90
)

// ContextWarning decides whether the model is told that its context fills up. warned is tasks.ctx_warned; the returned bits
// are to be stored instead. The text is empty when there is nothing new to say. plan is what /compact should focus on and
// may be empty.
func ContextWarning(occupancy, window int64, warned int64, plan string) (text string, bits int64) {
	room := Threshold(window)
	if room <= 0 || occupancy*100 < room*nearPercent {
		return "", warned
	}
	if plan == "" {
		plan = "what is done, what is open and the failing test"
	}
	used := group(occupancy) + " of the " + group(room) + " tokens before the client compacts"
	if occupancy*100 >= room*fullPercent {
		if warned&WarnedFull != 0 {
			return "", warned
		}
		return "[devflow:context] caution: over 90 % of the context is used (" + used + "). Finish or note down the current step now, then run /compact focus on " + plan + ".",
			warned | WarnedNear | WarnedFull
	}
	if warned&WarnedNear != 0 {
		return "", warned
	}
	return "[devflow:context] over 80 % of the context is used (" + used + "). At the next quiet point run /compact focus on " + plan + ".",
		warned | WarnedNear
}

// Decision is what the token guard wants.
type Decision int

// The three decisions of the token guard.
const (
	GuardNone   Decision = iota // nothing to say
	GuardAdvise                 // tell once that much was spent without a PASS
	GuardHalt                   // stop the run until a person resumes it
)

func (d Decision) String() string {
	return [...]string{GuardNone: "none", GuardAdvise: "advise", GuardHalt: "halt"}[d]
}

// Budget is what the token guard looks at. Token counts are work tokens.
type Budget struct {
	Work     int64 // of the task so far
	Baseline int64 // Work when the task started, last passed, or was resumed
	Limit    int64 // allowed since the baseline; 0 switches the guard off
	Armed    bool  // the task has failed at least once since its last PASS
	Always   bool  // configuration token_delta.arm is "always": no FAIL is needed
	Halted   bool  // the task is already halted, by this guard or by the judge
	Advised  bool  // WarnedTokens is set
}

// Delta is the number of work tokens since the baseline.
func (b Budget) Delta() int64 { return max(b.Work-b.Baseline, 0) }

// TokenGuard decides. A halted task is never halted again; an unarmed guard advises once.
func TokenGuard(b Budget) Decision {
	switch {
	case b.Limit <= 0 || b.Halted || b.Delta() <= b.Limit:
		return GuardNone
	case b.Armed || b.Always:
		return GuardHalt
	case b.Advised:
		return GuardNone
	}
	return GuardAdvise
}

// AdviceText is what the model is told once when the limit is passed and no verdict has failed yet.
func AdviceText(b Budget) string {
	return "[devflow:tokens] " + group(b.Delta()) + " work tokens were spent since the last PASS (limit " + group(b.Limit) +
		"). Nothing failed, so nothing is stopped; consider finishing what is there, running the tests and ending the turn. " +
		"After a FAIL the same amount halts the session."
}

// HaltText is the stop reason of an emergency halt. resumeCode is what a person types to go on; logFile is where the facts were written.
func HaltText(b Budget, resumeCode, logFile string) string {
	text := "[devflow:EMERGENCY_HALT] " + group(b.Delta()) + " work tokens were spent without a PASS (limit " + group(b.Limit) +
		"). The session is halted: reading is still possible, changes are not."
	if resumeCode != "" {
		text += " A person goes on by typing: devflow approve " + resumeCode + "."
	}
	text += " The limit is token_delta.limit in devflow's config.toml."
	if logFile != "" {
		text += " Facts: " + logFile
	}
	return text
}

// HaltRecord is one line of emergency-halt.log. Token counts are work tokens.
type HaltRecord struct {
	At       time.Time `json:"at"`
	Session  string    `json:"session"`
	Task     string    `json:"task"`
	Tokens   int64     `json:"tokens"`
	Baseline int64     `json:"baseline"`
	Delta    int64     `json:"delta"`
	Limit    int64     `json:"limit"`
	Verdict  string    `json:"verdict"` // last verdict of the task, "" before the first
}

// Line is the record as one line of JSON with its line end.
func (r HaltRecord) Line() []byte {
	r.At = r.At.UTC().Truncate(time.Millisecond)
	line, err := json.Marshal(r)
	if err != nil {
		return nil // unreachable: every field encodes
	}
	return append(line, '\n')
}

// Record builds the log line of a halt.
func (b Budget) Record(at time.Time, session, task, verdict string) HaltRecord {
	return HaltRecord{At: at, Session: session, Task: task, Tokens: b.Work, Baseline: b.Baseline, Delta: b.Delta(), Limit: b.Limit, Verdict: verdict}
}

// group writes a number with thousands separators: 1234567 is "1,234,567".
func group(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := 0; i < len(digits); i++ {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return sign + string(out)
}
