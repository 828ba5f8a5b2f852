package settings

import (
	"slices"

	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

// emptied says what becomes of a container that holds nothing any more.
type emptied struct {
	// containers that devflow filled first go back to what they were.
	containers []Container
	// dropEvents takes out every event array from which an entry was removed.
	dropEvents bool
}

func (e emptied) find(path ...string) (Container, bool) {
	for _, c := range slices.Backward(e.containers) {
		if slices.Equal(c.Path, path) {
			return c, true
		}
	}
	return Container{}, false
}

// Uninstall returns the text of f without the entries of devflow. A group of
// several hooks loses only ours. Containers that devflow had filled first and
// that are empty now become what they were before; all other ones stay.
func Uninstall(f *File, o Owner, containers []Container) (Change, error) {
	c := Change{}
	for _, h := range f.Handlers {
		if o.Ours(h) {
			c.Removed++
		}
	}
	c.Edits = f.without(o.Ours, emptied{containers: containers})
	var err error
	c.Data, err = splice.Apply(f.Doc.Data, c.Edits)
	return c, err
}

// without returns the edits that take the handlers out for which drop holds.
func (f *File) without(drop func(Handler) bool, e emptied) []splice.Edit {
	if f.hooks == nil {
		return nil
	}
	byGroup := map[*span.Node]map[int]bool{}
	for _, h := range f.Handlers {
		if drop(h) {
			g := f.hooks.Value(h.Event).Items[h.group]
			if byGroup[g] == nil {
				byGroup[g] = map[int]bool{}
			}
			byGroup[g][h.index] = true
		}
	}
	var edits []splice.Edit
	gone := make([]bool, len(f.hooks.Members))
	for i, event := range f.hooks.Members {
		var inner []splice.Edit
		inner, gone[i] = f.withoutIn(event, byGroup, e)
		edits = append(edits, inner...)
	}
	left := slices.Contains(gone, false)
	if !left {
		// Also an object "hooks" that people emptied goes if devflow made it.
		if c, ok := e.find("hooks"); ok && c.Absent {
			return f.withoutHooks(e)
		} else if ok {
			return []splice.Edit{f.Doc.Replace(f.hooks, c.Was)}
		}
	}
	return append(edits, f.Doc.Remove(f.hooks, func(i int) bool { return gone[i] }, "{}")...)
}

// withoutIn handles one event; gone means that the member itself has to go.
func (f *File) withoutIn(event span.Member, byGroup map[*span.Node]map[int]bool, e emptied) (edits []splice.Edit, gone bool) {
	array := event.Value
	if array.Kind != span.Array {
		return nil, false
	}
	empty, touched := make([]bool, len(array.Items)), false
	for i, g := range array.Items {
		out := byGroup[g]
		if len(out) == 0 {
			continue
		}
		touched = true
		list := g.Value("hooks")
		if len(out) == len(list.Items) {
			empty[i] = true
			continue
		}
		edits = append(edits, f.Doc.Remove(list, func(i int) bool { return out[i] }, "[]")...)
	}
	c, recorded := e.find("hooks", event.Key)
	if slices.Contains(empty, false) {
		return append(edits, f.Doc.Remove(array, func(i int) bool { return empty[i] }, "[]")...), false
	}
	switch {
	case recorded && c.Absent:
		return nil, true
	case touched && e.dropEvents:
		return nil, true
	case touched && recorded:
		return []splice.Edit{f.Doc.Replace(array, c.Was)}, false
	case touched:
		return f.Doc.Remove(array, func(int) bool { return true }, "[]"), false
	}
	return nil, false
}

// withoutHooks takes the member "hooks" out of the top level.
func (f *File) withoutHooks(e emptied) []splice.Edit {
	root := f.Doc.Root
	if c, ok := e.find(); ok && len(root.Members) == 1 {
		if len(c.Was) == 0 || c.Was[0] != '{' { // the file held no value at all
			at := f.Doc.BOM
			return []splice.Edit{{At: at, Removed: string(f.Doc.Data[at:]), Inserted: c.Was}}
		}
		return []splice.Edit{f.Doc.Replace(root, c.Was)}
	}
	return f.Doc.Remove(root, func(i int) bool { return root.Members[i].Key == "hooks" }, "{}")
}
