// Package told says what the guard makes of a command line, for people and programs. It owns no table and decides nothing.
package told

import (
	"fmt"
	"io"
	"strings"

	"github.com/devflow-suite/devflow/guard"
	"github.com/devflow-suite/devflow/guard/line"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/guard/write"
	"github.com/devflow-suite/devflow/internal/commandline"
)

// width is that of the text, for a terminal of 80 columns.
const width = 78

// segments are the parts of a line that the push gate would look at.
func segments(l line.Line) (list []string) {
	for _, p := range l.Pushes {
		if !p.DryRun {
			list = append(list, p.Segment)
		}
	}
	return list
}

// Report is the answer about a command line.
type Report struct {
	Decision string            `json:"decision"` // pass ask deny
	Unread   string            `json:"unread,omitempty"`
	Findings []verdict.Finding `json:"findings,omitempty"`
	Push     []string          `json:"push,omitempty"`
}

// New is the answer about a line.
func New(l line.Line, found []verdict.Finding) Report {
	r := Report{Decision: verdict.Worst(found).String(), Findings: found, Push: segments(l)}
	if l.Err != nil {
		r.Unread = l.Err.Error()
	}
	return r
}

// Text writes the answer for people.
func (r Report) Text(w io.Writer) error {
	fold := &commandline.Fold{W: w, Width: width}
	for _, f := range r.Findings {
		fmt.Fprintln(fold, guard.Text([]verdict.Finding{f}, ""))
	}
	switch {
	case len(r.Findings) > 0:
	case r.Unread != "":
		fmt.Fprintln(fold, "pass: it is no command line that a shell can read ("+r.Unread+")")
	case len(r.Push) > 0:
		fmt.Fprintln(fold, "pass: the guard lets it run; the push gate decides")
	default:
		fmt.Fprintln(fold, "pass: nothing speaks against it")
	}
	for _, p := range r.Push {
		fmt.Fprintln(fold, "push: `"+p+"` goes through the push gate (devflow gate push)")
	}
	return fold.Flush()
}

// Reading is that, with how the line was read.
type Reading struct {
	Report
	Commands []Call `json:"commands"`
	Writes   []File `json:"writes,omitempty"`
}

type Call struct {
	Words  []string `json:"words"`
	Sets   []string `json:"sets,omitempty"`   // an assignment by itself
	Behind []string `json:"behind,omitempty"` // wrappers, outermost first
	Dir    string   `json:"dir,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

type File struct {
	Path string `json:"path"`
	How  string `json:"how"`
	Via  string `json:"via"`
}

// Read is the reading of a line.
func Read(l line.Line, found []verdict.Finding) Reading {
	r := Reading{Report: New(l, found), Commands: []Call{}}
	for i := range l.Expanded.Commands {
		c := &l.Expanded.Commands[i]
		e := Call{Words: c.Args, Sets: c.Assign, Behind: c.Wrappers, Dir: c.Dir.Path}
		if len(c.Words) > 0 {
			e.Words, e.Sets = append([]string{c.Words[0].Text}, c.Args...), nil
		}
		for _, note := range [...]struct {
			holds bool
			text  string
		}{
			{c.Unreadable, "the program is known only at run time"}, {c.Opaque, "a part of it cannot be read"},
			{c.Remote, "runs on another machine or in a container"}, {c.Dir.Unknown, "the folder is known only at run time"},
		} {
			if note.holds {
				e.Notes = append(e.Notes, note.text)
			}
		}
		r.Commands = append(r.Commands, e)
	}
	for _, w := range l.Writes {
		r.Writes = append(r.Writes, File{w.Path.Text, how(w), w.Via})
	}
	return r
}

func how(w write.Write) string {
	switch {
	case w.Delete && w.Tree:
		return "delete tree"
	case w.Delete:
		return "delete"
	case w.Append:
		return "append"
	case w.Partial:
		return "edit"
	}
	return "write"
}

// Text writes it for people.
func (r Reading) Text(w io.Writer) error {
	if r.Unread != "" {
		fmt.Fprintln(w, "not read to its end: "+r.Unread)
	}
	for _, c := range r.Commands {
		notes := c.Notes
		if len(c.Behind) > 0 {
			notes = append([]string{"behind " + strings.Join(c.Behind, " ")}, notes...)
		}
		if c.Dir != "" {
			notes = append(notes, "in "+c.Dir)
		}
		line := "runs: " + strings.Join(c.Words, " ")
		if len(c.Words) == 0 {
			line = "sets: " + strings.Join(c.Sets, " ")
		}
		if len(notes) > 0 {
			line += "  (" + strings.Join(notes, "; ") + ")"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	for _, f := range r.Writes {
		fmt.Fprintf(w, "%s: %s (%s)\n", f.How, f.Path, f.Via)
	}
	return r.Report.Text(w)
}
