package settings

import (
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

// Handler is one hook entry of a file.
type Handler struct {
	Event   string
	Matcher string
	Type    string
	Command string
	Exec    bool    // "args" is present: Command is a path, not shell text
	Timeout float64 // seconds; 0 if absent

	group, index int // place: group of the event, handler of the group
	node         *span.Node
}

// ShapeError is a file whose form devflow refuses to edit, with the place.
type ShapeError struct {
	Line, Column int
	Text         string
}

// Error gives line, column and reason.
func (e *ShapeError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// File is a settings file that has been read and understood.
type File struct {
	Doc      *splice.Doc
	Handlers []Handler        // in file order
	Problems []claude.Problem // what the client does not accept in it

	view  claude.Settings
	hooks *span.Node // object, or nil if absent or null
}

// Read parses data. Errors are *span.SyntaxError for text that is not strict
// JSON and *ShapeError for a form that must not be edited: a top level or
// "hooks" of another type, a repeated key where devflow has to choose, or an
// event of devflow's that is not an array of groups. Text without any value is
// accepted and stands for "{}": nothing in it could be lost. Other faults are
// in Problems.
func Read(data []byte) (*File, error) {
	doc, err := splice.Parse(data)
	if err != nil {
		return nil, err
	}
	f := &File{Doc: doc}
	if doc.Root == nil {
		return f, nil
	}
	if f.view, err = claude.ParseSettings(data); err != nil {
		return nil, err
	}
	doc.Root = f.view.Tree
	f.Problems = f.view.Problems
	if n := doc.Root.Value("disableAllHooks"); n != nil && n.Kind != span.Bool {
		// Seen with 2.1.197 and 2.1.332: no hook of the file runs any more.
		line, column := doc.Place(n.Start)
		f.Problems = append(f.Problems, claude.Problem{Path: "disableAllHooks", Offset: n.Start, Line: line, Column: column,
			Text: "must be true or false, not " + a(n.Kind), Effect: claude.EffectFile})
	}
	if doc.Root.Kind != span.Object {
		return nil, f.refuse(doc.Root, "the top level is %s, not an object", a(doc.Root.Kind))
	}
	if err := f.repeated(doc.Root, "hooks"); err != nil {
		return nil, err
	}
	hooks := doc.Root.Value("hooks")
	if hooks == nil || hooks.Kind == span.Null {
		return f, nil
	}
	if hooks.Kind != span.Object {
		return nil, f.refuse(hooks, `"hooks" is %s, not an object`, a(hooks.Kind))
	}
	f.hooks = hooks
	if err := f.repeated(hooks, ""); err != nil {
		return nil, err
	}
	for _, e := range f.view.Events {
		if err := f.event(e); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// event checks the shape of one event and collects its handlers. Events that
// devflow does not register are left alone whatever they are.
func (f *File) event(e claude.EventHooks) error {
	ours := registered(e.Name)
	if v := e.Member.Value; ours && v.Kind != span.Array && v.Kind != span.Null {
		return f.refuse(v, "%s is %s, not an array of hook groups", splice.Quote(e.Name), a(v.Kind))
	}
	for gi, g := range e.Groups {
		if err := f.repeated(g.Node, ""); err != nil {
			return err
		}
		if ours && g.Node.Kind != span.Object {
			return f.refuse(g.Node, "group %d of %s is %s, not an object", gi+1, splice.Quote(e.Name), a(g.Node.Kind))
		}
		if ours && (g.Hooks == nil || g.Hooks.Kind != span.Array) {
			return f.refuse(g.Node, `group %d of %s has no array "hooks"`, gi+1, splice.Quote(e.Name))
		}
		for hi, h := range g.Handlers {
			if err := f.repeated(h.Node, ""); err != nil {
				return err
			}
			if ours && h.Node.Kind != span.Object {
				return f.refuse(h.Node, "hook %d in group %d of %s is %s, not an object", hi+1, gi+1, splice.Quote(e.Name), a(h.Node.Kind))
			}
			f.Handlers = append(f.Handlers, Handler{Event: e.Name, Matcher: g.Matcher, Type: h.Type, Command: h.Command,
				Exec: h.Exec, Timeout: h.Timeout, group: gi, index: hi, node: h.Node})
		}
	}
	return nil
}

// Fatal returns the problems for which a client ignores the whole file: with
// every those that 2.1.197 has (one faulty hook entry is enough there), without
// it those that 2.1.332 has as well, which leaves out only the faulty entry.
func (f *File) Fatal(every bool) []claude.Problem {
	var out []claude.Problem
	for _, p := range f.Problems {
		if p.Effect == claude.EffectFile && (every || !strings.HasPrefix(p.Path, "hooks.")) {
			out = append(out, p)
		}
	}
	return out
}

// Usable returns a *ShapeError for the first problem that makes a client ignore
// the whole file, devflow's hooks in it included. It lets hook types and shells
// of unknown names pass: a client newer than the measured ones may have them,
// and 2.1.332 steps over them.
func (f *File) Usable() error {
	unknown := map[int]bool{}
	for _, e := range f.view.Events {
		for _, g := range e.Groups {
			for _, h := range g.Handlers {
				if h.Type != "" && !knownType(h.Type) {
					unknown[h.Node.Start] = true
				}
				if s := h.Node.Value("shell"); s != nil && s.Kind == span.String {
					unknown[s.Start] = true
				}
			}
		}
	}
	for _, p := range f.Fatal(true) {
		if unknown[p.Offset] {
			continue
		}
		who := "Claude Code"
		if strings.HasPrefix(p.Path, "hooks.") {
			who = "Claude Code 2.1.197"
		}
		return &ShapeError{Line: p.Line, Column: p.Column,
			Text: fmt.Sprintf("%s %s; %s ignores the whole file until this is corrected", p.Path, p.Text, who)}
	}
	return nil
}

func knownType(name string) bool {
	switch name {
	case "command", "prompt", "agent", "http", "mcp_tool":
		return true
	}
	return false
}

// Flag returns a top-level boolean; set is false if it is absent or no boolean.
func (f *File) Flag(key string) (value, set bool) {
	if f.Doc.Root == nil {
		return false, false
	}
	n := f.Doc.Root.Value(key)
	if n == nil || n.Kind != span.Bool {
		return false, false
	}
	return n.Text == "true", true
}

// Place returns line and column of a handler.
func (f *File) Place(h Handler) (line, column int) { return f.Doc.Place(h.node.Start) }

func (f *File) refuse(n *span.Node, format string, args ...any) error {
	line, column := f.Doc.Place(n.Start)
	return &ShapeError{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}

// repeated refuses an object in which a key (only that one, if set) stands
// twice: the client takes the last one, people mean either.
func (f *File) repeated(n *span.Node, only string) error {
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Key] && (only == "" || m.Key == only) {
			line, column := f.Doc.Place(m.KeyStart)
			return &ShapeError{Line: line, Column: column,
				Text: fmt.Sprintf("key %s stands twice in one object; remove one of them", splice.Quote(m.Key))}
		}
		seen[m.Key] = true
	}
	return nil
}

// a names a kind with its article.
func a(k span.Kind) string {
	name := k.String()
	switch {
	case k == span.Null:
		return name
	case strings.ContainsAny(name[:1], "aeiou"):
		return "an " + name
	}
	return "a " + name
}
