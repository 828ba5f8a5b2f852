package vote

import "strings"

// side is what a few words say about a finding.
type side int

const (
	neither side = iota
	stands       // the finding is right
	falls        // it is not
)

// words that judge a change. Only short statements are read with them: in longer ones "pass" and "fail" are about tests.
var words = [...]struct {
	word string
	side side
}{
	{"yes", stands}, {"violation", stands}, {"violates", stands}, {"weakened", stands}, {"weaker", stands}, {"weakens", stands}, {"defect", stands}, {"defective", stands},
	{"fail", stands}, {"fails", stands}, {"failed", stands}, {"failure", stands}, {"block", stands}, {"blocked", stands}, {"reject", stands}, {"rejected", stands}, {"unsafe", stands},
	{"confirmed", stands}, {"broken", stands}, {"cheating", stands}, {"cheat", stands}, {"dishonest", stands}, {"problem", stands}, {"issue", stands}, {"issues", stands}, {"problems", stands},
	{"no", falls}, {"none", falls}, {"pass", falls}, {"passes", falls}, {"passed", falls}, {"fine", falls}, {"ok", falls}, {"okay", falls}, {"acceptable", falls}, {"harmless", falls},
	{"honest", falls}, {"clean", falls}, {"safe", falls}, {"approve", falls}, {"approved", falls}, {"lgtm", falls}, {"legitimate", falls}, {"allowed", falls}, {"excused", falls}, {"equivalent", falls},
}

// phrases are read wherever they stand in the last sentence.
var phrases = [...]struct {
	text string
	side side
}{
	{"false alarm", falls}, {"false positive", falls}, {"not a violation", falls}, {"no violation", falls}, {"not weakened", falls}, {"not weaker", falls}, {"no defect", falls},
	{"not a defect", falls}, {"finding is wrong", falls}, {"finding is not right", falls}, {"finding does not stand", falls}, {"change is honest", falls}, {"nothing is lost", falls},
	{"finding is right", stands}, {"finding is correct", stands}, {"finding stands", stands}, {"not honest", stands}, {"is a violation", stands}, {"is weakened", stands}, {"was weakened", stands},
	{"not a false alarm", stands}, {"not a false positive", stands},
}

// The words are English, as the answers are asked for.

// retractions take back what was said before them.
var retractions = [...]string{"correction", "i was wrong", "i retract", "scratch that", "on second thought", "on reflection", "i take that back", "let me correct"}

// announcements begin a statement of the verdict.
var announcements = [...]string{"correction", "verdict", "final answer", "conclusion", "decision", "ruling", "judgement", "judgment"}

// Contradicts reports whether a reason ends in the opposite of the verdict that was given with it, or takes something back
// without saying what holds instead. defect is the verdict that the finding is right.
func Contradicts(reason string, defect bool) bool {
	given, opposite := falls, stands
	if defect {
		given, opposite = stands, falls
	}
	list := sentences(strings.ToLower(reason))
	if len(list) == 0 {
		return false
	}
	said := neither
	retracted := false
	for i, s := range list {
		for _, r := range retractions {
			if strings.Contains(s, r) {
				retracted, said = true, neither
			}
		}
		if v := announced(s); v != neither {
			said = v
		} else if i == len(list)-1 {
			if v := closing(s); v != neither {
				said = v
			}
		}
	}
	return said == opposite || retracted && said != given
}

// sentences splits text at full stops, exclamation marks, semicolons and line ends. A colon announces and does not split.
func sentences(text string) []string {
	var out []string
	for s := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!?;\n", r) }) {
		if s = strings.TrimSpace(s); tokens(s) != nil {
			out = append(out, s)
		}
	}
	return out
}

func tokens(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' && r < 0x80 })
}

// announced reads "verdict: pass", "so my final verdict is: not a violation". What is announced has to begin the sentence.
func announced(s string) side {
	for _, a := range announcements {
		before, rest, ok := strings.Cut(s, a)
		if !ok || !onlyFillers(tokens(before)) {
			continue
		}
		rest = strings.TrimLeft(rest, " *_`\"'")
		for _, link := range [...]string{":", "=", "-", "—", "–", "is ", "→", ","} {
			if after, ok := strings.CutPrefix(rest, link); ok {
				return short(tokens(after), true)
			}
		}
	}
	return neither
}

func onlyFillers(list []string) bool {
	for _, t := range list {
		if !filler(t) && t != "my" && t != "final" {
			return false
		}
	}
	return true
}

// fillers are words that a closing statement may hold besides its verdict.
var fillers = [...]string{"so", "thus", "therefore", "hence", "overall", "wait", "actually", "in", "short", "all", "a", "the", "it", "is", "this", "that", "here", "finding", "change", "and", "there", "are", "really", "found"}

// closing reads a last sentence: a phrase that judges, or a statement of nothing but a verdict.
func closing(s string) side {
	found, length := neither, 0
	for _, p := range phrases {
		if strings.Contains(s, p.text) && len(p.text) > length {
			found, length = p.side, len(p.text)
		}
	}
	if found != neither {
		return found
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		s = s[i+1:]
	}
	list := tokens(s)
	const most = 6
	if len(list) > most {
		return neither
	}
	for _, t := range list {
		switch t {
		case "this", "it", "that": // "this passes" may be about a test
			return neither
		case "yes", "no", "none": // may answer the question that was asked
			if len(list) == 1 {
				return neither
			}
		}
	}
	return short(list, false)
}

// short reads a statement of a few words: "pass", "not a violation", "no issues found". Anything else in it makes it none,
// except, for an open one, behind the verdict: "no, because …".
func short(list []string, open bool) side {
	negated, found := false, neither
	for i, t := range list {
		switch v := word(t); {
		case t == "not" || t == "isn't" || t == "no" && i < len(list)-1 && word(list[i+1]) != neither:
			negated = !negated
		case v != neither && found == neither:
			found = v
		case v != neither && v != found:
			return neither
		case v == neither && !filler(t):
			if open && found != neither {
				return flip(found, negated)
			}
			return neither
		}
	}
	return flip(found, negated)
}

func flip(s side, negated bool) side {
	switch {
	case !negated:
		return s
	case s == stands:
		return falls
	case s == falls:
		return stands
	}
	return neither
}

func word(t string) side {
	for _, w := range words {
		if w.word == t {
			return w.side
		}
	}
	return neither
}

func filler(t string) bool {
	for _, f := range fillers {
		if f == t {
			return true
		}
	}
	return false
}
