// Package leaf asks a model about what cannot be proven: taste, the safety of business rules, and whether the task was done.
//
// Its answers fill columns of the task's telemetry and can at most warn. A bad answer counts only with a quotation that
// stands in what was shown; without one it is dropped, column and all. What the model thinks of the work as a whole is
// recorded and never used. The package owns no table and is pure.
package leaf

import (
	"github.com/devflow-suite/devflow/judge/verdict"
)

// leaf is one thing that is asked about. value is its type: a list of words, of which good are those that say nothing
// against the work, or a score.
type leaf struct {
	key    string
	values string // words, split by |; "" = a score from 0 to 1
	good   string // words, split by |
	least  float64
	column string // of the telemetry, "" = none
	axis   verdict.Axis
	rule   string // of the finding
	text   string // of the finding: constant, so that it is the same finding in the next run
	fix    string
	ask    string
}

// Words of leaves.
const (
	yesNo   = "yes|no"
	yesNoNA = "yes|no|na"
)

// leaves are the questions of taste, in their order.
var leaves = [...]leaf{
	{"lob_violation", yesNo, "no", 0, "lob_violations", verdict.Hygiene, "taste-locality", "what belongs together is spread out", "Move the pieces that change together next to each other.",
		"yes when understanding or changing one behaviour of this change needs files that nothing at its place points to"},
	{"duplication", yesNo, "no", 0, "duplication_detected", verdict.Hygiene, "taste-duplication", "the change repeats what is there already", "Use what is there.",
		"yes when the change writes again, in other words too, what the code shown does already"},
	{"type_contract_violation", yesNoNA, "no|na", 0, "type_contract_violations", verdict.Hygiene, "taste-type-contract", "a value does not keep the type that its signature promises", "Keep the promise, or change the signature and its callers.",
		"yes when a function can return or take what its declared type, doc or callers rule out; na for languages and files without types"},
	{"unjustified_complexity", yesNo, "no", 0, "unjustified_complexity", verdict.Hygiene, "taste-complexity", "the change is more complicated than what it does", "Inline what has one user, drop what nobody asked for.",
		"yes when a layer, option or abstraction of the change has a single user and nothing in the task asks for it"},
	{"naming_consistency", "", "", 0.7, "naming_consistency_score", verdict.Hygiene, "taste-naming", "names do not follow those around them", "Name it as its neighbours are named.",
		"1.0 unless a concrete name contradicts the names around it or what it stands for; quote that name's line"},
	{"edge_case_coverage", "none|minimal|adequate|thorough", "adequate|thorough", 0, "edge_case_coverage", verdict.TestSubstance, "taste-edge-cases", "edge cases of the changed code are not tested", "Test the empty, the malformed and the extreme input.",
		"how well the tests shown cover empty, malformed, extreme and concurrent input of the changed code; adequate for a change without behaviour; quote the code line whose edge is open"},
	{"monetary_math", "ok|suspicious|broken", "ok", 0, "monetary_math_status", verdict.Honesty, "taste-money", "money or an entitlement may come out wrong", "Use exact amounts and keep the paying side of every error path.",
		"broken when amounts lose exactness or an error path moves a paying user to free or denied; ok where no money or entitlement is touched"},
	{"idempotency", "ok|broken|na", "ok|na", 0, "idempotency_status", verdict.Honesty, "taste-idempotency", "doing it twice does it twice", "Make the second call find the work of the first.",
		"broken when a retry, a second delivery or a second run of this code repeats an effect; na where nothing has an effect outside"},
	{"contract_compatibility", "ok|breaking|na", "ok|na", 0, "contract_status", verdict.Honesty, "taste-contract", "callers or stored data of before do not work any more", "Keep the old form working, or migrate it.",
		"breaking when a public field, an enum value, a column type or a default is removed, renamed or changed in meaning; na where nothing public is touched"},
	{"user_intent", "yes|partial|no", "yes", 0, "user_intent_status", verdict.Scope, "taste-intent", "what the user will experience is not what was asked for", "Compare the behaviour with the task, not the code.",
		"what the person who wrote the task would experience: yes when it is what they asked for"},
	{"accidental_complexity", "ok|suspicious|broken", "ok", 0, "", verdict.Hygiene, "taste-accidental", "the change makes its surroundings harder to work with", "Take out what the task does not need.",
		"suspicious or broken when state, order of calls or configuration becomes something that one has to know"},
	{"design_system_adherence", "ok|deviates|na", "ok|na", 0, "", verdict.Hygiene, "taste-design-system", "the user interface leaves the project's own parts and tokens", "Use the project's parts and tokens.",
		"deviates when interface code hard-codes what the project has parts or tokens for; na for anything else"},
	{"agentic_legibility", "", "", 0.6, "", verdict.Hygiene, "taste-legibility", "the next reader will not see what this does", "Say why in a comment, or use plainer names.",
		"1.0 unless a concrete line cannot be understood from the file it stands in; quote that line"},
}
