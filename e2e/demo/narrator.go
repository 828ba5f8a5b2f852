package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// Styles of the terminal.
const (
	bold, dim, red, green, yellow, cyan = "1", "2", "31", "32", "33", "36"
)

// width is where long lines are folded; margin stands before what is said.
const (
	width  = 110
	margin = "             "
)

// narrator prints the story. It is used by one goroutine at a time: the client waits while the model speaks.
type narrator struct {
	w     io.Writer
	color bool
}

// newNarrator uses colours on a terminal only, and only when they are allowed.
func newNarrator(w io.Writer, allowed bool) *narrator {
	f, ok := w.(*os.File)
	if !ok || !allowed {
		return &narrator{w: w}
	}
	info, err := f.Stat()
	return &narrator{w: w, color: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

func (n *narrator) paint(style, s string) string {
	if !n.color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (n *narrator) title(s string) { fmt.Fprintln(n.w, n.paint(bold, s)) }

func (n *narrator) chapter(s string) { fmt.Fprintf(n.w, "\n%s\n", n.paint(bold, s)) }

func (n *narrator) raw(s string) { fmt.Fprint(n.w, s) }

// line is what somebody does or says: agent, person, devflow.
func (n *narrator) line(who, text string) {
	style := dim
	switch who {
	case "agent":
		style = cyan
	case "devflow":
		style = yellow
	}
	label := fmt.Sprintf("  %-*s", len(margin)-2, who)
	for i, part := range fold(text, width) {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		fmt.Fprintln(n.w, n.paint(style, label)+part)
	}
}

// file shows what is written.
func (n *narrator) file(content string) {
	for _, line := range strings.Split(strings.TrimSuffix(content, "\n"), "\n") {
		fmt.Fprintln(n.w, strings.TrimRight(margin+n.paint(dim, "│ "+line), " "))
	}
}

// verdict is a line that must not be missed.
func (n *narrator) verdict(good bool, text string) {
	style := red
	if good {
		style = green
	}
	fmt.Fprintln(n.w, n.paint(bold+";"+style, "  "+text))
}

// fold breaks text at its line ends and, where a line is longer than limit, at blanks.
func fold(text string, limit int) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for len(line) > limit {
			cut := strings.LastIndex(line[:limit+1], " ")
			if cut <= len(indent) {
				break
			}
			out = append(out, line[:cut])
			line = indent + strings.TrimLeft(line[cut:], " ")
		}
		out = append(out, line)
	}
	return out
}

// spoken finds what the hooks told the model in the new part of a request. Context comes behind "hook additional context: " and runs
// to the end of its message or reminder; a block comes behind "Stop hook feedback:".
func spoken(text string) (context []string, block string) {
	for _, m := range regexp.MustCompile(`(?s)hook additional context: (\[devflow.*?)(?:\n</system-reminder>|\n\n|$)`).FindAllStringSubmatch(text, -1) {
		context = append(context, m[1])
	}
	if _, after, found := strings.Cut(text, "Stop hook feedback:\n"); found {
		block, _, _ = strings.Cut(after, "\n</system-reminder>")
		block = strings.TrimSpace(block)
	}
	return context, block
}

// refused are the texts of refusals among what is new to the model: from the mark to the end of the tool result.
func refused(text string) (list []string) {
	for _, mark := range [...]string{"[devflow:guard] refused", "[devflow:guard] asks", "[devflow:push-gate] refused"} {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			continue
		}
		end := strings.Index(rest, "\nOnly a person can allow")
		if end < 0 {
			end = len(rest)
		}
		list = append(list, mark+rest[:end])
	}
	return list
}
