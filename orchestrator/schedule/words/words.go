// Package words makes the texts of a schedule: what a worker is told went wrong, the message of a task's commit, one line for people.
//
// All of them are bounded and free of what is no text. It owns no table and no file.
package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/land"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// Bounds of texts, in bytes: our choice, what a model with a small window can still be shown beside its work.
const (
	MaxFailure = 6 << 10  // of what a worker is told went wrong
	MaxChange  = 12 << 10 // of a change that it has to make again
	maxBody    = 2 << 10
	maxSubject = 72 // what git log shows in a line
	maxNames   = 10 // of tasks or paths in one sentence
)

// Clip bounds a text to about limit bytes: it keeps the head and, because errors come last, twice as much of the tail, and says how
// much is missing. What is no text is dropped: invalid UTF-8, control characters, escape sequences of terminals.
func Clip(s string, limit int) string {
	s = plain(s)
	if len(s) <= limit {
		return s
	}
	head, tail := limit/3, len(s)-(limit-limit/3)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", s[:head], tail-head, s[tail:])
}

func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escape(s[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && unicode.IsControl(r) {
			i += size
			continue
		}
		b.WriteString(s[i : i+size])
		i += size
	}
	return b.String()
}

// escape gives the length of the escape sequence at the start of s: CSI … final byte, OSC … BEL or ST, or two bytes (ECMA-48).
func escape(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e { // not a sequence after all
				return i
			}
		}
		return len(s)
	case ']':
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
				return i + 2
			case s[i] == '\n':
				return i
			}
		}
		return len(s)
	}
	if s[1] < 0x20 || s[1] > 0x7e {
		return 1
	}
	return 2
}

// Line is the first line of a text, bounded.
func Line(s string, limit int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(plain(s)), "\n")
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimSpace(s[:cut]) + "…"
}

// Names lists some of them.
func Names(all []string) string {
	if len(all) <= maxNames {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:maxNames], ", "), len(all)-maxNames)
}

// Trailer is the line by which the commit of an attempt is found again.
func Trailer(a orchestrator.Attempt) string { return "Devflock-Attempt: " + a.Fence }

// Message is that of a task's commit.
func Message(t orchestrator.TaskRow, a orchestrator.Attempt) trees.Message {
	return trees.Message{
		Subject:  Line(t.ID+": "+t.Description, maxSubject),
		Body:     Clip(strings.TrimSpace(t.Description), maxBody),
		Trailers: []string{"Devflock-Run: " + string(t.Run), "Devflock-Task: " + t.ID, Trailer(a)},
	}
}

// Outside tells a worker which paths it must not have changed.
func Outside(paths []string) string {
	return "Files outside of this region's folders were changed, which is not allowed: " + Names(paths) +
		"\nUndo these changes. What is needed there has to be asked for with request_change."
}

// Red tells a worker what its check said. work is what was wrong with the attempt itself; nil = nothing.
func Red(v land.Verdict, command string, work error) string {
	var b strings.Builder
	if work != nil {
		fmt.Fprintf(&b, "The attempt did not end well: %s\n", Line(work.Error(), 400))
	}
	what := "is red"
	if v.TimedOut {
		what = "did not end in time"
	}
	fmt.Fprintf(&b, "The acceptance check %s: %s\n%s", what, Line(command, 400), Clip(v.Output, MaxFailure))
	return b.String()
}

// Nothing tells a worker that its attempt left no change. work is what was wrong with the attempt itself; nil = nothing.
func Nothing(work error) string {
	if work != nil {
		return "The attempt did not end well, and nothing was changed in this region's folders: " + Line(work.Error(), 400)
	}
	return "Nothing was changed in this region's folders, and the task has no check that could show that it is done already."
}
