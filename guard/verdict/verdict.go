// Package verdict is the vocabulary of the guard: what speaks against a tool call, and how much. It owns no table and
// looks at nothing.
package verdict

// Decision is what the guard says to a tool call. The zero value lets it pass.
type Decision uint8

// The decisions in rising order. Ask hands the call to a person; in a headless session that is a refusal. Deny refuses it.
const (
	Pass Decision = iota
	Ask
	Deny
)

func (d Decision) String() string {
	switch d {
	case Pass:
		return "pass"
	case Ask:
		return "ask"
	}
	return "deny"
}

// Finding is one thing that speaks against a tool call. It holds no secret: Segment went through redaction.
type Finding struct {
	Rule     string   `json:"rule"` // stable id, "rm.root"
	Decision Decision `json:"-"`
	What     string   `json:"what"`              // what the rule is about: "deletes a whole tree"
	Why      string   `json:"why"`               // what is lost, in this case: names the path or ref
	Instead  string   `json:"instead,omitempty"` // an alternative that is not itself refused
	Segment  string   `json:"segment,omitempty"` // the part of the command line, or "path:line" of a written file
}

// Worst is the highest decision of the findings, Pass for none.
func Worst(findings []Finding) Decision {
	d := Pass
	for _, f := range findings {
		d = max(d, f.Decision)
	}
	return d
}
