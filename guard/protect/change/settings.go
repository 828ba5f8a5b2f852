// Package change says whether a change of a file's content takes devflow's hooks away or loosens a rule: Claude Code's settings, a
// project's .devflow.toml, git's configuration, files that shells read at their start. It owns no file and no table and reads only the
// user's own configuration, against which a project's is measured.
package change

import (
	"bytes"
	"strings"

	"github.com/devflow-suite/devflow/internal/claude/settings"
	"github.com/devflow-suite/devflow/internal/claude/span"
)

// guardedKeys are the members of a settings file that keep the hooks running.
var guardedKeys = [...]string{"hooks", "env", "disableAllHooks"}

// Guarded lists the guarded keys that a settings file uses. A file that cannot be read uses none: the client ignores it.
func Guarded(data []byte) []string {
	tree, err := span.Parse(data)
	if err != nil {
		return nil
	}
	var keys []string
	for _, k := range guardedKeys {
		if !Empty(tree.Value(k)) {
			keys = append(keys, k)
		}
	}
	return keys
}

// Settings says why a settings file must not change from before to after; "" if it may.
func Settings(before, after []byte) string {
	if bytes.Equal(before, after) {
		return ""
	}
	next, err := span.Parse(after)
	if err != nil {
		return "the file would be no JSON (" + err.Error() + "), and the client ignores such a file with all its hooks"
	}
	prev, err := span.Parse(before)
	if err != nil {
		prev = &span.Node{Kind: span.Object}
	}
	if next.Kind != span.Object {
		return "the file would hold no object, and the client ignores such a file with all its hooks"
	}
	var keys []string
	for _, k := range guardedKeys {
		if !equal(prev.Value(k), next.Value(k)) {
			keys = append(keys, k)
		}
	}
	if len(keys) > 0 {
		return "it changes " + strings.Join(keys, ", ") + " of the settings"
	}
	s, err := settings.Parse(after)
	if err != nil || s.Worst() < settings.EffectHooks {
		return ""
	}
	if old, err := settings.Parse(before); err == nil && old.Worst() >= s.Worst() {
		return ""
	}
	for _, p := range s.Problems {
		if p.Effect == s.Worst() {
			return "the client would ignore the file with all its hooks: " + p.Path + " " + p.Text
		}
	}
	return ""
}

// Empty reports whether a member is missing or says nothing.
func Empty(n *span.Node) bool {
	switch {
	case n == nil || n.Kind == span.Null:
		return true
	case n.Kind == span.Bool:
		return n.Text == "false"
	case n.Kind == span.Object:
		return len(n.Members) == 0
	case n.Kind == span.Array:
		return len(n.Items) == 0
	}
	return false
}

// equal compares two values as the client reads them: the order of members does not count, the last of a name does.
func equal(a, b *span.Node) bool {
	if Empty(a) || Empty(b) {
		return Empty(a) && Empty(b)
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case span.Object:
		return holdsAll(a, b) && holdsAll(b, a)
	case span.Array:
		if len(a.Items) != len(b.Items) {
			return false
		}
		for i := range a.Items {
			if !equal(a.Items[i], b.Items[i]) {
				return false
			}
		}
		return true
	}
	return a.Text == b.Text
}

// holdsAll reports whether b has every member of a with an equal value.
func holdsAll(a, b *span.Node) bool {
	last := make(map[string]*span.Node, len(b.Members))
	for _, m := range b.Members {
		last[m.Key] = m.Value
	}
	mine := make(map[string]*span.Node, len(a.Members))
	for _, m := range a.Members {
		mine[m.Key] = m.Value
	}
	for key, value := range mine {
		if other, ok := last[key]; !ok || !equal(value, other) {
			return false
		}
	}
	return true
}

// Mentions reports whether a text names one of the guarded keys, for content that is not known.
func Mentions(text string) bool {
	text = strings.ToLower(text)
	for _, word := range [...]string{"hook", "disableall", `"env"`, "'env'", ".env", "[env]", "pretooluse", "posttooluse"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
