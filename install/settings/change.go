package settings

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

// Container is an object or array that held nothing when devflow put its first
// entry into it. Path is empty for the file's top level, else "hooks" or
// "hooks", event. Was is the text that stood there: "" for a container that was
// not there at all (for the top level: the blank text of an empty file).
type Container struct {
	Path   []string `json:"path"`
	Absent bool     `json:"absent,omitempty"`
	Was    string   `json:"was,omitempty"`
}

// Change is a new text for a file and how it came about.
type Change struct {
	Data []byte
	// Edits leads from the old text to Data. It is nil when the change took
	// several steps and cannot be undone by its inverse.
	Edits []splice.Edit
	// Containers are those that this change filled first.
	Containers []Container
	// Added, Renewed and Removed count hook entries.
	Added, Renewed, Removed int
	// Notes are lines for people about things found on the way.
	Notes []string
}

// Install returns the text of f with every registration of devflow in it
// exactly once, running the executables in binDir. Entries of devflow that are
// there already stay in their place; their command and timeout are renewed.
// Missing ones are added at the end of the event's array. The result has been
// read again and compared: foreign entries are unchanged, or an error is
// returned. Whether a client takes the file at all is Usable's question.
func Install(f *File, o Owner, binDir string) (Change, error) {
	var c Change
	base := f
	o.Dirs = append(slices.Clone(o.Dirs), filepath.Clean(binDir))
	edits, renewed, removed, err := renew(f, o, binDir)
	if err != nil {
		return Change{}, err
	}
	for i, pass := range edits {
		data, err := splice.Apply(base.Doc.Data, pass)
		if err != nil {
			return Change{}, err
		}
		if base, err = Read(data); err != nil {
			return Change{}, fmt.Errorf("read settings after step %d: %w", i+1, err)
		}
	}
	c.Renewed, c.Removed = renewed, removed
	add, containers, n, err := missing(base, o, binDir)
	if err != nil {
		return Change{}, err
	}
	c.Containers, c.Added = containers, n
	if c.Data, err = splice.Apply(base.Doc.Data, add); err != nil {
		return Change{}, err
	}
	if base == f {
		c.Edits = add
	}
	return c, verify(f, o, c)
}

// Slot returns the index in Registrations of the one that h fills, by event,
// matcher and executable, or -1.
func Slot(h Handler, binary string) int {
	return slot(h, binary, Registrations())
}

func slot(h Handler, binary string, regs []Registration) int {
	return slices.IndexFunc(regs, func(r Registration) bool {
		return r.Event == h.Event && r.Binary == binary && (r.Matcher == h.Matcher || r.Matcher == "" && h.Matcher == "*")
	})
}

// renew returns up to two passes of edits: spare entries out, then kept entries
// up to date.
func renew(f *File, o Owner, binDir string) (passes [][]splice.Edit, renewed, removed int, err error) {
	regs := Registrations()
	taken := make([]bool, len(regs))
	var spare []Handler
	var edits []splice.Edit
	for _, h := range f.Handlers {
		if !o.Ours(h) {
			continue
		}
		_, binary, _ := o.Look(h)
		i := slot(h, binary, regs)
		if i < 0 || taken[i] {
			spare = append(spare, h)
			continue
		}
		taken[i] = true
		fresh, err := f.refresh(h, regs[i], binDir)
		if err != nil {
			return nil, 0, 0, err
		}
		if len(fresh) > 0 {
			edits = append(edits, fresh...)
			renewed++
		}
	}
	// Renewing comes first: it does not move a handler's place in its group, and
	// both lists of edits could touch the same group.
	if len(edits) > 0 {
		passes = append(passes, edits)
		data, err := splice.Apply(f.Doc.Data, edits)
		if err != nil {
			return nil, 0, 0, err
		}
		if f, err = Read(data); err != nil {
			return nil, 0, 0, err
		}
	}
	if len(spare) > 0 {
		out := f.without(func(h Handler) bool { return contains(spare, h) }, emptied{})
		passes = append(passes, out)
	}
	return passes, renewed, len(spare), nil
}

func contains(list []Handler, h Handler) bool {
	return slices.ContainsFunc(list, func(s Handler) bool {
		return s.Event == h.Event && s.group == h.group && s.index == h.index
	})
}

// refresh returns what has to change in a kept entry of ours.
func (f *File) refresh(h Handler, r Registration, binDir string) ([]splice.Edit, error) {
	command, err := Command(binDir, r.Binary)
	if err != nil {
		return nil, err
	}
	for _, m := range h.node.Members {
		switch m.Key {
		case "type", "command", "timeout", "statusMessage":
		default: // async, args, if, … would change what the entry does
			return []splice.Edit{f.Doc.Replace(h.node, f.Doc.Spell(entry(command, r), h.node.Start))}, nil
		}
	}
	timeout := h.node.Value("timeout")
	if timeout == nil {
		return []splice.Edit{f.Doc.Replace(h.node, f.Doc.Spell(entry(command, r), h.node.Start))}, nil
	}
	var edits []splice.Edit
	if h.Command != command {
		edits = append(edits, f.Doc.Replace(h.node.Value("command"), splice.Quote(command)))
	}
	if h.Timeout != float64(r.Timeout) {
		edits = append(edits, f.Doc.Replace(timeout, strconv.Itoa(r.Timeout)))
	}
	return edits, nil
}

func entry(command string, r Registration) splice.Value {
	return splice.Obj(
		splice.Named("type", splice.Literal(`"command"`)),
		splice.Named("command", splice.Literal(splice.Quote(command))),
		splice.Named("timeout", splice.Literal(strconv.Itoa(r.Timeout))),
	)
}

func group(command string, r Registration) splice.Value {
	hooks := splice.Named("hooks", splice.Arr(entry(command, r)))
	if r.Matcher == "" {
		return splice.Obj(hooks)
	}
	return splice.Obj(splice.Named("matcher", splice.Literal(splice.Quote(r.Matcher))), hooks)
}

// missing returns the edits that add the registrations which f lacks.
func missing(f *File, o Owner, binDir string) (edits []splice.Edit, made []Container, n int, err error) {
	regs := Registrations()
	have := make([]bool, len(regs))
	for _, h := range f.Handlers {
		if o.Ours(h) {
			_, binary, _ := o.Look(h)
			if i := slot(h, binary, regs); i >= 0 {
				have[i] = true
			}
		}
	}
	groups := map[string][]splice.Value{}
	var events []string
	for i, r := range regs {
		if have[i] {
			continue
		}
		command, err := Command(binDir, r.Binary)
		if err != nil {
			return nil, nil, 0, err
		}
		if groups[r.Event] == nil {
			events = append(events, r.Event)
		}
		groups[r.Event] = append(groups[r.Event], group(command, r))
		n++
	}
	if n == 0 {
		return nil, nil, 0, nil
	}
	var members []splice.Value
	for _, event := range events {
		array := f.hooks.Value(event)
		switch {
		case array == nil:
			members = append(members, splice.Named(event, splice.Arr(groups[event]...)))
			made = append(made, Container{Path: []string{"hooks", event}, Absent: true})
			continue
		case array.Kind == span.Null:
			edits = append(edits, f.Doc.Replace(array, f.Doc.Spell(splice.Arr(groups[event]...), array.Start)))
		default:
			edits = append(edits, f.Doc.Append(array, groups[event]))
		}
		if len(array.Items) == 0 {
			made = append(made, Container{Path: []string{"hooks", event}, Was: f.raw(array)})
		}
	}
	if len(members) > 0 {
		outer, more := f.addEvents(members)
		edits, made = append(edits, outer), append(made, more...)
	}
	return edits, made, n, nil
}

// addEvents puts new events into "hooks", which it makes if it is not there.
func (f *File) addEvents(members []splice.Value) (splice.Edit, []Container) {
	root := f.Doc.Root
	if root == nil {
		at := f.Doc.BOM
		text := f.Doc.Spell(splice.Obj(splice.Named("hooks", splice.Obj(members...))), at)
		if len(f.Doc.Data) == at {
			text += "\n"
		}
		return splice.Edit{At: at, Removed: string(f.Doc.Data[at:]), Inserted: text},
			[]Container{{Path: []string{"hooks"}, Absent: true}, {Was: string(f.Doc.Data[at:])}}
	}
	hooks := root.Value("hooks")
	switch {
	case hooks == nil:
		made := []Container{{Path: []string{"hooks"}, Absent: true}}
		if len(root.Members) == 0 {
			made = append(made, Container{Was: f.raw(root)})
		}
		return f.Doc.Append(root, []splice.Value{splice.Named("hooks", splice.Obj(members...))}), made
	case hooks.Kind == span.Null:
		return f.Doc.Replace(hooks, f.Doc.Spell(splice.Obj(members...), hooks.Start)),
			[]Container{{Path: []string{"hooks"}, Was: f.raw(hooks)}}
	case len(hooks.Members) == 0:
		return f.Doc.Append(hooks, members), []Container{{Path: []string{"hooks"}, Was: f.raw(hooks)}}
	default:
		return f.Doc.Append(hooks, members), nil
	}
}

func (f *File) raw(n *span.Node) string { return string(f.Doc.Data[n.Start:n.End]) }

// verify reads the new text and compares it with the old one.
func verify(old *File, o Owner, c Change) error {
	now, err := Read(c.Data)
	if err != nil {
		return fmt.Errorf("check new settings text: %w", err)
	}
	regs := Registrations()
	count := make([]int, len(regs))
	for _, h := range now.Handlers {
		if !o.Ours(h) {
			continue
		}
		_, binary, _ := o.Look(h)
		i := slot(h, binary, regs)
		if i < 0 {
			return fmt.Errorf("check new settings text: a stray entry of devflow is left in %s", h.Event)
		}
		count[i]++
	}
	for i, n := range count {
		if n != 1 {
			return fmt.Errorf("check new settings text: %s %s is registered %d times", regs[i].Event, regs[i].Matcher, n)
		}
	}
	if !slices.Equal(old.foreign(o), now.foreign(o)) {
		return fmt.Errorf("check new settings text: an entry that is not devflow's would have changed")
	}
	if c.Edits == nil {
		return nil
	}
	back, err := splice.Apply(c.Data, splice.Inverse(c.Edits))
	if err != nil {
		return fmt.Errorf("check new settings text: %w", err)
	}
	if !bytes.Equal(back, old.Doc.Data) {
		return fmt.Errorf("check new settings text: the old text cannot be restored from it")
	}
	return nil
}

// foreign lists the exact bytes of everything that is not devflow's: top-level
// members, events, group keys and hook entries, in order.
func (f *File) foreign(o Owner) []string {
	if f.Doc.Root == nil {
		return nil
	}
	mine := map[*span.Node]bool{}
	for _, h := range f.Handlers {
		mine[h.node] = o.Ours(h)
	}
	var out []string
	for _, m := range f.Doc.Root.Members {
		if m.Value != f.hooks {
			if m.Key != "hooks" {
				out = append(out, string(f.Doc.Data[m.KeyStart:m.Value.End]))
			}
			continue
		}
		for _, event := range f.hooks.Members {
			out = append(out, f.foreignEvent(event, mine)...)
		}
	}
	return out
}

func (f *File) foreignEvent(event span.Member, mine map[*span.Node]bool) []string {
	if event.Value.Kind != span.Array {
		if event.Value.Kind == span.Null {
			return nil
		}
		return []string{string(f.Doc.Data[event.KeyStart:event.Value.End])}
	}
	var out []string
	for _, g := range event.Value.Items {
		list := g.Value("hooks")
		if list == nil || len(list.Items) == 0 {
			out = append(out, event.Key+f.raw(g))
			continue
		}
		for _, h := range list.Items {
			if mine[h] {
				continue
			}
			for _, key := range g.Members {
				if key.Key != "hooks" {
					out = append(out, event.Key+string(f.Doc.Data[key.KeyStart:key.Value.End]))
				}
			}
			out = append(out, f.raw(h))
		}
	}
	return out
}
