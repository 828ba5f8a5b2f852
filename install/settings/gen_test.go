package settings_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/install/splice"
)

// layout draws how one settings text is written.
type layout struct {
	newline, unit, colon, comma string
	lines                       bool
	noise                       bool // odd white space in places
	t                           *rapid.T
}

func drawLayout(t *rapid.T) *layout {
	return &layout{
		t:       t,
		newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"),
		unit:    rapid.SampledFrom([]string{"  ", "    ", "\t", " ", ""}).Draw(t, "unit"),
		colon:   rapid.SampledFrom([]string{": ", ":", " : "}).Draw(t, "colon"),
		comma:   rapid.SampledFrom([]string{", ", ","}).Draw(t, "comma"),
		lines:   rapid.Bool().Draw(t, "lines"),
		noise:   rapid.Bool().Draw(t, "noise"),
	}
}

func (l *layout) blank() string {
	if !l.noise {
		return ""
	}
	return rapid.SampledFrom([]string{"", "", "", " ", "\t", l.newline, " " + l.newline + "  "}).Draw(l.t, "blank")
}

// container writes parts between the brackets, each already spelled.
func (l *layout) container(open, closing string, depth int, parts []string) string {
	if len(parts) == 0 {
		return open + l.blank() + closing
	}
	if !l.lines {
		return open + l.blank() + strings.Join(parts, l.blank()+l.comma) + l.blank() + closing
	}
	in := l.newline + strings.Repeat(l.unit, depth+1)
	return open + l.blank() + in + strings.Join(parts, l.blank()+","+l.blank()+in) + l.newline + strings.Repeat(l.unit, depth) + closing
}

func (l *layout) member(key, value string) string {
	return spellKey(l.t, key) + l.colon + value
}

// spellKey sometimes escapes a letter of the key.
func spellKey(t *rapid.T, key string) string {
	if key != "" && rapid.IntRange(0, 9).Draw(t, "escape key") == 0 {
		return fmt.Sprintf(`"\u%04x%s`, key[0], splice.Quote(key[1:])[1:])
	}
	return splice.Quote(key)
}

func scalar(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"12345678901234567890", "1.50e+10", "-0", "true", "false", "null", `"opus"`, `"a \u0026\u0026 b && c"`, `"ü\/\"\\"`, `"\ud83d\ude00"`, `""`,
	}).Draw(t, "scalar")
}

func (l *layout) any(depth int) string {
	kind := rapid.IntRange(0, 3).Draw(l.t, "kind")
	if depth > 3 || kind < 2 {
		return scalar(l.t)
	}
	n := rapid.IntRange(0, 3).Draw(l.t, "children")
	var parts []string
	for i := range n {
		if kind == 2 {
			parts = append(parts, l.any(depth+1))
		} else {
			parts = append(parts, l.member(fmt.Sprintf("k%d", i), l.any(depth+1)))
		}
	}
	if kind == 2 {
		return l.container("[", "]", depth, parts)
	}
	return l.container("{", "}", depth, parts)
}

var foreignCommands = []string{
	`"/mine/stop.sh"`, `"python3 '/a b/x.py' && true"`, `"/x/devflow/hooks/y"`, `"devflow-stop"`, `"'/elsewhere/devflow-stop' || exit 0"`,
	`"entire hooks claude-code stop \u0026\u0026 :"`, `"$(cat"`, `""`,
}

func (l *layout) handler(depth int) string {
	if rapid.IntRange(0, 5).Draw(l.t, "prompt hook") == 0 {
		return l.container("{", "}", depth, []string{l.member("type", `"prompt"`), l.member("prompt", `"judge $ARGUMENTS"`)})
	}
	parts := []string{l.member("command", rapid.SampledFrom(foreignCommands).Draw(l.t, "command")), l.member("type", `"command"`)}
	if rapid.Bool().Draw(l.t, "timeout") {
		parts = append(parts, l.member("timeout", rapid.SampledFrom([]string{"7", "1e1", "0.5"}).Draw(l.t, "seconds")))
	}
	if rapid.Bool().Draw(l.t, "extra") {
		parts = append(parts, l.member("id", scalar(l.t)))
	}
	return l.container("{", "}", depth, parts)
}

func (l *layout) group(depth int) string {
	var parts []string
	if rapid.Bool().Draw(l.t, "matcher") {
		parts = append(parts, l.member("matcher", rapid.SampledFrom([]string{`""`, `"*"`, `"Bash"`, `"Write|Edit"`, `"mcp__.*"`}).Draw(l.t, "match")))
	}
	var hooks []string
	for range rapid.IntRange(0, 3).Draw(l.t, "handlers") {
		hooks = append(hooks, l.handler(depth+2))
	}
	return l.container("{", "}", depth, append(parts, l.member("hooks", l.container("[", "]", depth+1, hooks))))
}

// drawSettings draws the text of a settings file that devflow must accept and
// that holds nothing of devflow's.
func drawSettings(t *rapid.T) string {
	l := drawLayout(t)
	if rapid.IntRange(0, 19).Draw(t, "blank file") == 0 {
		return rapid.SampledFrom([]string{"", "\n", " \r\n", "\xef\xbb\xbf", "\xef\xbb\xbf\n"}).Draw(t, "blank text")
	}
	var parts []string
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"model", "env", "x", "permissions2", "ünï", "disableAllHooks2"}), 0, 4, rapid.ID[string]).Draw(t, "keys")
	hooksAt := rapid.IntRange(-1, len(keys)).Draw(t, "hooks at")
	for i := 0; i <= len(keys); i++ {
		if i == hooksAt {
			parts = append(parts, l.member("hooks", l.hooks()))
		}
		if i < len(keys) {
			parts = append(parts, l.member(keys[i], l.any(1)))
		}
	}
	text := l.blank() + l.container("{", "}", 0, parts) + rapid.SampledFrom([]string{"", l.newline, " "}).Draw(t, "tail")
	if rapid.IntRange(0, 5).Draw(t, "bom") == 0 {
		text = "\xef\xbb\xbf" + text
	}
	return text
}

func (l *layout) hooks() string {
	if rapid.IntRange(0, 6).Draw(l.t, "null hooks") == 0 {
		return "null"
	}
	events := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"PreToolUse", "Stop", "SessionStart", "PostToolUse", "Notification", "SessionEnd", "NoSuchEvent",
	}), 0, 5, rapid.ID[string]).Draw(l.t, "events")
	var parts []string
	for _, event := range events {
		if rapid.IntRange(0, 6).Draw(l.t, "null event") == 0 {
			parts = append(parts, l.member(event, "null"))
			continue
		}
		var groups []string
		for range rapid.IntRange(0, 3).Draw(l.t, "groups") {
			groups = append(groups, l.group(3))
		}
		parts = append(parts, l.member(event, l.container("[", "]", 2, groups)))
	}
	return l.container("{", "}", 1, parts)
}
