package shell

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/static"
)

// FeedKind says what is known about the standard input of a command.
type FeedKind uint8

// Kinds of feed.
const (
	FeedNone FeedKind = iota // inherited from whoever runs the script
	FeedText                 // Feed.Text: a here-document, a here-string, or the computed output of the pipe before it
	FeedFile                 // Feed.File: < file
	FeedPipe                 // the output of Feed.From, not computed
)

// Feed is the standard input of a command as far as the text of the script tells.
type Feed struct {
	Kind FeedKind
	Text Word  // FeedText: what is read; Dynamic if it holds parts known only at run time
	File Word  // FeedFile: the file, relative to the directory of the command
	From []int // FeedText from a pipe and FeedPipe: indexes in Script.Commands of the commands that write into it
}

// feed is what the commands since from hand on through a pipe or a substitution.
func (w *walker) feed(c *static.Capture, from int) Feed {
	f := Feed{Kind: FeedPipe}
	for i := from; i < len(w.out.Commands); i++ {
		f.From = append(f.From, i)
	}
	if text, ok := c.Text(); ok && w.spend(len(text.Text)) {
		f.Kind, f.Text = FeedText, text
	}
	return f
}

// unseen runs fn, whose output cannot be computed even if that of its commands can.
func (w *walker) unseen(fn func() *flow.Node) *flow.Node {
	old := w.capture
	w.capture = nil
	n := fn()
	if old != nil {
		old.Unknown = true
	}
	w.capture = old
	return n
}

// produce adds the output of a command to what is being collected.
func (w *walker) produce(c *Command) {
	if w.capture == nil {
		return
	}
	for _, r := range c.Redirs {
		if (r.FD == "" || r.FD == "1") && (strings.HasPrefix(r.Op, ">") || strings.HasPrefix(r.Op, "&>")) {
			return
		}
	}
	if c.Unreadable || c.Opaque || len(c.Words) == 0 {
		w.capture.Unknown = w.capture.Unknown || len(c.Words) > 0 || len(c.Redirs) > 0
		return
	}
	out, ok := static.Output(c.Name, c.Words[1:], c.Stdin.Text, c.Stdin.Kind == FeedText)
	w.capture.Add(out, ok && w.spend(len(out.Text)))
}

// input is the standard input of a command with these redirections.
func (w *walker) input(redirs []Redirect, subs *subst) Feed {
	for i := len(redirs) - 1; i >= 0; i-- {
		r := &redirs[i]
		if r.FD != "" && r.FD != "0" {
			continue
		}
		switch r.Op {
		case "<<", "<<-":
			return Feed{Kind: FeedText, Text: r.Body}
		case "<<<":
			t := r.Target
			t.Text += "\n"
			return Feed{Kind: FeedText, Text: t}
		case "<":
			if o := subs.find(r.Target); o != nil {
				return o.feed
			}
			if r.Target.Text == "/dev/stdin" {
				return w.stdin
			}
			return Feed{Kind: FeedFile, File: r.Target}
		case "<&", "<>":
			return Feed{Kind: FeedPipe}
		}
	}
	return w.stdin
}

// subst collects what the substitutions of one statement run and print.
type subst struct {
	flows []*flow.Node
	outs  []output
}

// output is what one substitution hands on.
type output struct {
	source string
	feed   Feed
}

// find returns the process or command substitution that the word consists of, nil if it is none.
func (s *subst) find(x Word) *output {
	if s == nil || !x.Dynamic {
		return nil
	}
	for i := range s.outs {
		if s.outs[i].source == x.Text {
			return &s.outs[i]
		}
	}
	return nil
}

// writers lists the commands in substitutions whose output could not be computed.
func (s *subst) writers() []int {
	if s == nil {
		return nil
	}
	var out []int
	for i := range s.outs {
		if s.outs[i].feed.Kind == FeedPipe {
			out = append(out, s.outs[i].feed.From...)
		}
	}
	return out
}
