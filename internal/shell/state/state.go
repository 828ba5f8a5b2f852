// Package state is what a running shell carries from one command to the next, as far as the text of a script tells: directory, options,
// variables, positional parameters.
//
// It owns no table and no file, and does not look at the environment: what the script did not set is not known.
package state

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/vars"
	"github.com/devflow-suite/devflow/internal/shell/word"
)

// maxPath is the longest directory that is followed, in bytes: PATH_MAX of Linux. It keeps a million `cd a` linear.
const maxPath = 4096

// Dir is a directory as far as the text of the script tells.
type Dir struct {
	Path    string // slash path: "" is where the script starts; else relative to it, absolute, or starting with "~"
	Unknown bool   // a cd to something known only at run time came before; Path is then the last known one
	From    string // if Unknown: where that cd led, as the script says it ("$(mktemp -d)", "$HOME/x"), "" if it does not
}

// Join resolves a path that is relative to the directory. It does not touch the file system.
func (d Dir) Join(p string) Dir {
	switch {
	case path.IsAbs(p):
		return Dir{Path: path.Clean(p)}
	case p == "~" || strings.HasPrefix(p, "~"):
		return Dir{Path: p}
	case d.Unknown:
		if d.From != "" && len(d.From)+len(p) <= maxPath {
			d.From += "/" + p
		} else {
			d.From = ""
		}
		return d
	}
	if len(d.Path)+len(p) > maxPath {
		return Dir{Path: d.Path, Unknown: true}
	}
	q := path.Join(d.Path, p)
	if q == "." {
		q = ""
	}
	return Dir{Path: q}
}

// State is what a running shell carries from one command to the next, as far as we follow it.
type State struct {
	Dir      Dir
	Prev     Dir  // where the last cd came from …
	Moved    bool // … if there was one
	Errexit  bool // set -e
	Pipefail bool // set -o pipefail
	Vars     *vars.Scope
	Params   []word.Word // $0, $1 …
	Given    bool        // params is known
	Open     bool        // further parameters may follow
}

// Join makes what differs between two ways through the script unknown.
func (s *State) Join(o *State) {
	if s.Dir != o.Dir {
		s.Dir.Unknown, s.Dir.From = true, ""
	}
	if s.Moved != o.Moved || s.Prev != o.Prev {
		s.Prev, s.Moved = Dir{}, false
	}
	s.Errexit = s.Errexit && o.Errexit
	s.Pipefail = s.Pipefail && o.Pipefail
	s.Vars = vars.Join(s.Vars, o.Vars)
	s.JoinParams(o)
}

// JoinParams makes positional parameters that differ unknown.
func (s *State) JoinParams(o *State) {
	same := s.Given == o.Given && len(s.Params) == len(o.Params) && (len(s.Params) == 0 || &s.Params[0] == &o.Params[0])
	s.Given = s.Given && same
}

// Assign sets a variable of the present shell. A leading ~ is expanded now, so that quotes around its later use do not matter.
func (s *State) Assign(name string, v vars.Value) {
	if v.Known && !v.List && len(v.Words) == 1 {
		x := v.Words[0]
		if !x.Quoted && (x.Text == "~" || strings.HasPrefix(x.Text, "~/")) {
			v.Words = []word.Word{{Text: "$HOME" + x.Text[1:], Dynamic: true}}
		}
	}
	if old, ok := s.Vars.Lookup(name); ok {
		v.Exported = v.Exported || old.Exported
	}
	s.Vars = s.Vars.Set(name, v)
}

// Unknown notes that a variable now holds something that only the run time knows.
func (s *State) Unknown(name string) { s.Assign(name, vars.Value{}) }

// Set follows one assignment.
func (s *State) Set(a *syntax.Assign, value word.Word, list []word.Word, exported bool, spend func(int) bool) {
	name := a.Name.Value
	value.Glob = false // no patterns are expanded in an assignment; an unquoted use does it
	v := vars.One(value)
	v.Exported = exported
	if a.Array != nil {
		v = vars.Value{Words: list, Known: true, List: true}
		for _, e := range a.Array.Elems {
			v.Known = v.Known && e.Index == nil
		}
	}
	old, assigned := s.Vars.Lookup(name)
	switch {
	case a.Index != nil:
		n := Subscript(a.Index)
		if old.Known && n == itoa(len(old.Words)) || !assigned && n == "0" {
			v = vars.Value{Words: append(old.Words[:len(old.Words):len(old.Words)], value), Known: true, List: true}
			break
		}
		v = vars.Value{}
	case a.Append && !old.Known:
		v = vars.Value{}
	case a.Append && a.Array != nil:
		v.Words = append(old.Words[:len(old.Words):len(old.Words)], v.Words...)
	case a.Append && old.List || a.Append && len(old.Words) != 1:
		v = vars.Value{}
	case a.Append:
		x := old.Words[0]
		if !spend(len(x.Text) + len(value.Text)) {
			v = vars.Value{}
			break
		}
		v.Words = []word.Word{{Text: x.Text + value.Text, Dynamic: x.Dynamic || value.Dynamic, Quoted: x.Quoted || value.Quoted}}
	}
	s.Assign(name, v)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return "" // longer arrays that are filled one by one are not followed
}
