// Package shell reads a shell command line the way bash would and flattens it into the simple commands that would run.
//
// It owns no table and no file. It follows wrappers (sudo, env, timeout, xargs, ssh, docker run, sh -c, eval, find -exec …) to the
// program that really runs, tracks `cd`, variables, function calls and what echo and printf feed into a pipe as far as the text tells,
// lists redirections with the directory they are relative to, and can say what the exit status of the whole line proves about one of
// its commands. What only the run time knows is kept as written and marked. It decides nothing: what is dangerous, what is a test run and what is read-only
// is the business of its callers.
//
// Parsing is done by mvdan.cc/sh/v3/syntax in its bash dialect. That parser is recursive and a stack overflow cannot be recovered
// from, so the input is handed to it through a reader that watches the depth of the stack (see the package depth): input of any shape
// costs bounded memory and time linear in its length.
//
// The table of wrappers is in the package wrap, what variables hold in vars, and what harmless programs print in static.
//
// All values are plain data; a Script may be shared by goroutines once Parse has returned it.
package shell

import (
	"errors"
	"fmt"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/devflow-suite/devflow/internal/shell/depth"
	"github.com/devflow-suite/devflow/internal/shell/flow"
	"github.com/devflow-suite/devflow/internal/shell/state"
	"github.com/devflow-suite/devflow/internal/shell/word"
	"github.com/devflow-suite/devflow/internal/shell/wrap"
)

// MaxSource bounds a command line, in bytes. Longer input is ErrTooLong, which keeps the worst case of a hook small.
const MaxSource = 4 << 20

// maxNesting is how many scripts may be nested in strings (sh -c "bash -c '…'") before the inner text is left unread and the
// command is marked Opaque.
const maxNesting = 12

// Errors for errors.Is. The Script beside one of them holds the commands before the trouble: bash runs those, too.
var (
	ErrTooLong = errors.New("command line too long")
	ErrTooDeep = errors.New("command line nested too deeply")
	ErrSyntax  = errors.New("not readable as shell")
)

// Place says where in the script a command stands. Bits combine.
type Place uint16

// Places of a command.
const (
	InPipe       Place = 1 << iota // one side of a pipe
	InSubshell                     // inside ( )
	InSubst                        // inside $( ), backquotes or <( )
	InFunction                     // inside a function body: runs only when called
	InCondition                    // the condition of if, while, until
	InBranch                       // runs only if a condition or the command before it let it
	InLoop                         // inside a loop body
	InBackground                   // started with &
	InNested                       // read from a string: sh -c, eval, su -c, find -exec sh -c
)

// Word is one shell word after quote removal; see the package word.
type Word = word.Word

// Mount is a folder of this machine that a container sees.
type Mount = wrap.Mount

// Redirect is one redirection of a command or of a compound statement; see the package state.
type Redirect = state.Redirect

// Dir is a directory as far as the text of the script tells; see the package state.
type Dir = state.Dir

// Command is one simple command after unwrapping.
type Command struct {
	Name       string     // base name of the program ("git" for /usr/bin/git); "" if there is none or it is Unreadable
	Args       []string   // texts of the arguments, see Words for what is sure about them
	Words      []Word     // Words[0] is the program as written, Words[i+1] belongs to Args[i]; empty without a program
	Assign     []string   // leading assignments and those given to env or sudo, "NAME=value"
	Redirs     []Redirect // its own redirections; Script.Redirs has these and those of compound statements
	Stdin      Feed       // its standard input; of an Opaque command with FeedPipe: where its script comes from
	Wrappers   []string   // programs that were unwrapped, outermost first: "sudo", "env", "xargs", "bash", "find"
	Dir        Dir        // where it runs
	Place      Place
	Remote     bool    // runs elsewhere (ssh, docker run, kubectl exec …): its paths are not of this machine, save through Mounts
	Mounts     []Mount // what a container sees of this machine
	User       string  // user given to sudo -u, su, runuser or doas; "" is the present one, or root of a bare sudo
	Unreadable bool    // the program is known only at run time ($cmd, ./r*), or a wrapper had an option we do not know
	Opaque     bool    // a script inside it was not read: nested too deeply, only known at run time, or broken
	Guessed    bool    // with Opaque: the script is listed all the same, its run-time parts as they are written
	Text       string  // source text of the simple command, wrappers included
	Pos        int     // byte offset of Text in the script that was parsed (for nested scripts: of the outer command)
}

// Wrapped reports whether the command was reached through the named wrapper.
func (c *Command) Wrapped(name string) bool {
	return slices.Contains(c.Wrappers, name)
}

// Script is a flattened command line. The zero value is an empty script.
type Script struct {
	Commands []Command // in source order, substitutions before the command that uses them
	Redirs   []Redirect
	Funcs    []string // names of functions that the script declares
	Forks    []string // names of functions that start themselves in a pipe or in the background: fork bombs

	flow  *flow.Node
	funcs map[string]*flow.Node
}

// Parse reads src as bash. On error the Script still holds every command that stood completely before the trouble. The error is,
// or wraps, ErrTooLong, ErrTooDeep or ErrSyntax. Cost is linear in len(src); Parse does not touch the file system or environment.
func Parse(src string) (Script, error) {
	var s Script
	if len(src) > MaxSource {
		return s, fmt.Errorf("parse shell: %w: %d bytes", ErrTooLong, len(src))
	}
	var root struct { // one allocation
		walker
		state  state.State
		shared shared
	}
	w := &root.walker
	w.src, w.out, w.shell, w.shared = src, &s, &root.state, &root.shared
	w.shared.budget = spare + 6*len(src)
	var err error
	s.flow, err = w.parse(src)
	if w.uncalled(); err == nil && w.shared.deep {
		err = fmt.Errorf("parse shell: %w", ErrTooDeep)
	}
	return s, err
}

// parse reads one script text (outer or nested) and returns its control flow. src may be a nested string; w.src must be the same.
func (w *walker) parse(src string) (*flow.Node, error) {
	r := &depth.Reader{Source: src}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(r, "")
	body := w.stmts(file.Stmts)
	switch {
	case r.TooDeep:
		return body, fmt.Errorf("parse shell: %w", ErrTooDeep)
	case err != nil:
		return body, fmt.Errorf("parse shell: %w: %v", ErrSyntax, err)
	}
	return body, nil
}

// Role tells Exit what to assume about a command. Exit itself knows true, false, :, set, shopt, trap, umask, exit, return, and
// functions that the script declares.
type Role uint8

// Roles.
const (
	Other  Role = iota // may end either way
	Target             // the command that is asked about
	Setup              // taken to succeed: cd, export, source, mkdir, echo …
)

// Exit follows every way through the script and says what its exit status proves. role is asked once for each command on each way.
func (s *Script) Exit(role func(c *Command) Role) flow.Proof {
	return flow.Follow(s.flow, func(cmd int) (flow.Act, *flow.Node) {
		c := &s.Commands[cmd]
		switch role(c) {
		case Target:
			return flow.Target, nil
		case Setup:
			return flow.Succeeds, nil
		}
		if body := s.funcs[c.Name]; body != nil {
			return flow.Any, body
		}
		return flow.Builtin(c.Name, c.Args, len(c.Words) > 1 && c.Words[1].Literal()), nil
	})
}
