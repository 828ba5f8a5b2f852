package settings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

const (
	binOne = "/home/u/.claude/devflow/bin"
	binTwo = `/home/u/my "new"\ dir's/bin`
)

func owner() settings.Owner { return settings.Owner{Dirs: []string{binOne, binTwo}, Home: "/home/u"} }

func install(t testing.TB, text, bin string) settings.Change {
	t.Helper()
	f, err := settings.Read([]byte(text))
	if err != nil {
		t.Fatalf("Read(%q): %v", text, err)
	}
	c, err := settings.Install(f, owner(), bin)
	if err != nil {
		t.Fatalf("Install into %q: %v", text, err)
	}
	return c
}

func uninstall(t testing.TB, text string, made []settings.Container) string {
	t.Helper()
	f, err := settings.Read([]byte(text))
	if err != nil {
		t.Fatalf("Read(%q): %v", text, err)
	}
	c, err := settings.Uninstall(f, owner(), made)
	if err != nil {
		t.Fatalf("Uninstall from %q: %v", text, err)
	}
	return string(c.Data)
}

// fataler lets rapid shrink what the helpers report.
type fataler struct {
	testing.TB
	t *rapid.T
}

func (f fataler) Helper()                      {}
func (f fataler) Fatal(args ...any)            { f.t.Fatal(args...) }
func (f fataler) Fatalf(s string, args ...any) { f.t.Fatalf(s, args...) }

func TestInstallThenUninstallIsIdentity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := fataler{TB: t, t: rt}
		before := drawSettings(rt)
		c := install(tb, before, binOne)
		if got := uninstall(tb, string(c.Data), c.Containers); got != before {
			rt.Fatalf("uninstall gives\n%q, want\n%q\nafter\n%s", got, before, c.Data)
		}
		if got, err := splice.Apply(c.Data, splice.Inverse(c.Edits)); err != nil || string(got) != before {
			rt.Fatalf("inverse edits give %q, %v, want %q", got, err, before)
		}
	})
}

func TestInstallTwiceIsInstallOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := fataler{TB: t, t: rt}
		once := install(tb, drawSettings(rt), binOne)
		twice := install(tb, string(once.Data), binOne)
		if !bytes.Equal(once.Data, twice.Data) || twice.Added+twice.Renewed+twice.Removed > 0 {
			rt.Fatalf("second install changed\n%s to\n%s", once.Data, twice.Data)
		}
	})
}

func TestInstallFromAnotherFolderRenewsInPlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := fataler{TB: t, t: rt}
		before := drawSettings(rt)
		one := install(tb, before, binOne)
		moved := install(tb, string(one.Data), binTwo)
		fresh := install(tb, before, binTwo)
		if diff := cmp.Diff(string(fresh.Data), string(moved.Data)); diff != "" {
			rt.Fatalf("moved install is not what a fresh one writes (-fresh +moved):\n%s", diff)
		}
		if got := uninstall(tb, string(moved.Data), one.Containers); got != before {
			rt.Fatalf("uninstall gives %q, want %q", got, before)
		}
	})
}

// TestUninstallAfterUserEdits lets a user add and remove entries that are not
// devflow's between install and uninstall: the entries that are left afterwards
// are exactly theirs.
func TestUninstallAfterUserEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := fataler{TB: t, t: rt}
		c := install(tb, drawSettings(rt), binOne)
		text := string(c.Data)
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			text = userEdit(rt, text)
		}
		got := uninstall(tb, text, c.Containers)
		if strings.Contains(got, binOne) {
			rt.Fatalf("an entry of ours is left in %s", got)
		}
		if diff := cmp.Diff(foreign(rt, text), foreign(rt, got)); diff != "" {
			rt.Fatalf("foreign entries changed (-before +after):\n%s\nfrom %s\nto %s", diff, text, got)
		}
	})
}

// TestReinstallAfterUserEdits repairs what the user took out, and the last
// uninstall still leaves exactly the user's entries.
func TestReinstallAfterUserEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := fataler{TB: t, t: rt}
		one := install(tb, drawSettings(rt), binOne)
		text := string(one.Data)
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			text = userEdit(rt, text)
		}
		two := install(tb, text, binTwo)
		if three := install(tb, string(two.Data), binTwo); string(three.Data) != string(two.Data) {
			rt.Fatalf("third install changed\n%s to\n%s", two.Data, three.Data)
		}
		got := uninstall(tb, string(two.Data), append(one.Containers, two.Containers...))
		if strings.Contains(got, "devflow-pre-tool-use") {
			rt.Fatalf("an entry of ours is left in %s", got)
		}
		if diff := cmp.Diff(foreign(rt, text), foreign(rt, got)); diff != "" {
			rt.Fatalf("foreign entries changed (-before +after):\n%s\nfrom %s\nto %s", diff, text, got)
		}
	})
}

// TestUninstallCommutesWithUserEdits compares bytes: an edit that does not touch
// devflow's neighbourhood gives the same text with and without devflow.
func TestUninstallCommutesWithUserEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := fataler{TB: t, t: rt}
		before := drawSettings(rt)
		if len(strings.Trim(before, "\xef\xbb\xbf \r\n")) == 0 {
			return
		}
		edit := func(text string) string {
			return strings.Replace(text, "{", `{"first" :  "&&",`, 1)
		}
		if edit(before) == before || !json.Valid([]byte(strings.TrimPrefix(edit(before), "\xef\xbb\xbf"))) {
			return // "{}" takes no comma
		}
		c := install(tb, before, binOne)
		if got, want := uninstall(tb, edit(string(c.Data)), c.Containers), edit(before); got != want {
			rt.Fatalf("uninstall gives\n%q, want\n%q", got, want)
		}
	})
}

// userEdit adds or removes one foreign thing somewhere.
func userEdit(rt *rapid.T, text string) string {
	doc, err := splice.Parse([]byte(text))
	if err != nil {
		rt.Fatal(err)
	}
	hooks := doc.Root.Value("hooks")
	event := hooks.Members[rapid.IntRange(0, len(hooks.Members)-1).Draw(rt, "event")]
	mine := splice.Obj(splice.Named("hooks", splice.Arr(splice.Obj(
		splice.Named("type", splice.Literal(`"command"`)), splice.Named("command", splice.Literal(`"/added/by/user"`))))))
	var edits []splice.Edit
	switch kind := rapid.IntRange(0, 4).Draw(rt, "edit"); {
	case kind == 0:
		name := fmt.Sprintf("new%d", rapid.IntRange(0, 1<<30).Draw(rt, "key"))
		edits = append(edits, doc.Append(doc.Root, []splice.Value{splice.Named(name, splice.Literal("7"))}))
	case event.Value.Kind != span.Array:
		return text
	case kind == 1:
		edits = append(edits, doc.Append(event.Value, []splice.Value{mine}))
	case kind == 2 && len(event.Value.Items) > 0: // into the first group, which may be ours
		edits = append(edits, doc.Append(event.Value.Items[0].Value("hooks"), []splice.Value{splice.Obj(
			splice.Named("type", splice.Literal(`"command"`)), splice.Named("command", splice.Literal(`"/mixed/in"`)))}))
	case kind == 3 && len(event.Value.Items) > 0: // the user may also remove one of ours
		i := rapid.IntRange(0, len(event.Value.Items)-1).Draw(rt, "group")
		edits = doc.Remove(event.Value, func(k int) bool { return k == i }, "[]")
	case kind == 4:
		edits = append(edits, splice.Edit{At: event.Value.Start + 1, Inserted: " \t"})
	}
	out, err := splice.Apply(doc.Data, edits)
	if err != nil {
		rt.Fatal(err)
	}
	return string(out)
}

// foreign decodes with encoding/json and strips devflow's entries and whatever
// is empty then: an oracle that shares no code with the package.
func foreign(rt interface{ Fatalf(string, ...any) }, text string) map[string]any {
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\xef\xbb\xbf")))
	dec.UseNumber()
	root := map[string]any{}
	if strings.Trim(text, "\xef\xbb\xbf \r\n\t") != "" {
		if err := dec.Decode(&root); err != nil {
			rt.Fatalf("decode %q: %v", text, err)
		}
	}
	hooks, _ := root["hooks"].(map[string]any)
	for event, v := range hooks {
		var groups []any
		list, isList := v.([]any)
		if !isList && v != nil {
			continue
		}
		for _, g := range list {
			group := g.(map[string]any)
			var kept []any
			all := group["hooks"].([]any)
			for _, h := range all {
				if command, _ := h.(map[string]any)["command"].(string); !strings.Contains(command, binOne) {
					kept = append(kept, h)
				}
			}
			if len(kept) > 0 || len(all) == 0 {
				group["hooks"] = kept
				groups = append(groups, group)
			}
		}
		if len(groups) > 0 {
			hooks[event] = groups
		} else {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(root, "hooks")
	}
	return root
}
