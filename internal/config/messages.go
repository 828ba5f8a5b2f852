package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// option is one key of the files with what people should write for it. A model's name in [pricing] is "*".
type option struct {
	key     string
	want    string
	example string
	fits    func(v any) bool
}

// options lists every key that the files may hold.
func options() []option {
	return []option{
		{"disabled", "a list of texts", `["tdd"]`, isTexts},
		{"protected_branches", "a list of texts", `["main", "release/*"]`, isTexts},
		{"is_production", "true or false", "true", is[bool]},
		{"max_retries", "a whole number", fmt.Sprint(DefaultMaxRetries), is[int64]},
		{"tdd.source_dirs", "a list of texts", `["src"]`, isTexts},
		{"token_delta.limit", "a whole number", fmt.Sprint(DefaultTokenLimit), is[int64]},
		{"token_delta.arm", "a text", `"` + ArmAfterFail + `"`, is[string]},
		{"guard.allow", "a list of texts", `["git.stash-drop"]`, isTexts},
		{"gate.allow_push_to_main", "true or false", "true", is[bool]},
		{"gate.auto_push", "a text", `"` + AutoPushSuggest + `"`, is[string]},
		{"gate.file_length_warn", "a whole number", fmt.Sprint(DefaultFileWarn), is[int64]},
		{"gate.file_length_critical", "a whole number", fmt.Sprint(DefaultFileFail), is[int64]},
		{"gate.tests.*", "a text", `"make test"`, is[string]},
		{"gate.boundaries", "a list of tables", `[{ from = "ui/**", deny = ["db/**"] }]`, isTables},
		{"judge.backend", "a text", `"` + BackendClaude + `"`, is[string]},
		{"judge.model", "a text", `"` + DefaultModel + `"`, is[string]},
		{"judge.base_url", "a text", `"http://127.0.0.1:11434/v1"`, is[string]},
		{"judge.api_key_env", "a text", `"JUDGE_API_KEY"`, is[string]},
		{"judge.command", "a list of texts", `["my-judge", "--json"]`, isTexts},
		{"judge.require_model", "true or false", "true", is[bool]},
		{"judge.mutation", "true or false", "false", is[bool]},
		{"learned_skills_auto_inject", "true or false", "true", is[bool]},
		{"context.window", "a whole number", "200000", is[int64]},
		{"pricing.*.input", "a number", "3.0", isNumber},
		{"pricing.*.output", "a number", "15.0", isNumber},
	}
}

// modules lists what `disabled` may name.
func modules() []string {
	return []string{ModuleProfiler, ModuleTDD, ModuleRescue, ModuleContext, ModuleCommits}
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

func isNumber(v any) bool { return is[int64](v) || is[float64](v) }

func isTexts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(e any) bool { return !is[string](e) })
}

func isTables(v any) bool {
	if is[[]map[string]any](v) {
		return true
	}
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(e any) bool { return !is[map[string]any](e) })
}

// mistakes explains in people's words why data could not be decoded: every value of a wrong type, or where the text stops
// being TOML. cause is what the decoder said.
func mistakes(data string, cause error) []string {
	var tree map[string]any
	if _, err := toml.Decode(data, &tree); err != nil {
		return []string{"not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	if found := mistyped(tree, nil); len(found) > 0 {
		return found
	}
	return []string{strings.TrimPrefix(cause.Error(), "toml: ")}
}

// mistyped walks one table. Keys match without regard to case, as they do for the decoder.
func mistyped(table map[string]any, at []string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		path := append(slices.Clone(at), name)
		value := table[name]
		sub, isTable := value.(map[string]any)
		if o, ok := lookup(path); ok {
			if !o.fits(value) {
				key := toml.Key(path).String()
				found = append(found, fmt.Sprintf("%s is %s, want %s: write %s = %s", key, kind(value), o.want, key, o.example))
			}
			continue
		}
		switch {
		case isTable:
			found = append(found, mistyped(sub, path)...)
		case isSection(path):
			found = append(found, fmt.Sprintf("%s is %s, want a table: write [%s] on a line of its own", toml.Key(path), kind(value), toml.Key(path)))
		}
	}
	return found
}

// lookup finds the option of a key.
func lookup(path []string) (option, bool) {
	for _, o := range options() {
		if parts := strings.Split(o.key, "."); len(parts) == len(path) && matches(parts, path) {
			return o, true
		}
	}
	return option{}, false
}

// isSection reports whether a key is a table that holds options.
func isSection(path []string) bool {
	return slices.ContainsFunc(options(), func(o option) bool {
		parts := strings.Split(o.key, ".")
		return len(parts) > len(path) && matches(parts[:len(path)], path)
	})
}

func matches(parts, path []string) bool {
	for i, part := range parts {
		if part != "*" && !strings.EqualFold(part, path[i]) {
			return false
		}
	}
	return true
}

// kind names the type of a decoded value.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case int64:
		return "a whole number"
	case float64:
		return "a number with a fraction"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	}
	return "a date or time"
}

// unknown lists the keys that nothing reads, each with the nearest one that something does. What lies below an unknown
// table is not listed again.
func unknown(meta toml.MetaData) []string {
	var found []string
	var tables []toml.Key
	for _, key := range meta.Undecoded() {
		if slices.ContainsFunc(tables, func(t toml.Key) bool { return len(key) > len(t) && slices.Equal(t, key[:len(t)]) }) {
			continue
		}
		tables = append(tables, key)
		text := fmt.Sprintf("unknown key %q", key.String())
		if near := nearest(key); near != "" {
			text += ", the nearest known one is " + near
		}
		found = append(found, text)
	}
	return found
}

// nearest returns the known key that somebody most likely meant, or "".
func nearest(key toml.Key) string {
	name := strings.ToLower(key[len(key)-1])
	best, least := "", 0
	offer := func(known, full string) {
		far := distance(name, known)
		if far <= max(2, len(known)/3) && far < len(known) && (best == "" || far < least) {
			best, least = full, far
		}
	}
	for _, o := range options() {
		parts := strings.Split(o.key, ".")
		full := o.key
		if parts[0] == "pricing" {
			if len(key) != 3 || !strings.EqualFold(key[0], "pricing") {
				continue // input and output mean something below a model only
			}
			full = toml.Key{"pricing", key[1], parts[2]}.String()
		}
		offer(parts[len(parts)-1], full)
		if len(parts) > 1 && len(key) == 1 {
			offer(parts[0], "["+parts[0]+"]")
		}
	}
	if len(key) == 1 {
		offer("pricing", "[pricing]")
	}
	return best
}

// distance counts the letters to insert, remove or replace between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// absentDirs tells of folders of tdd.source_dirs that a project does not have.
func (c Config) absentDirs(project string) []string {
	var found []string
	for _, dir := range c.TDD.SourceDirs {
		if !isDir(filepath.Join(project, dir)) {
			found = append(found, fmt.Sprintf("tdd.source_dirs names %q: %s does not exist, so the rule covers nothing there", dir, filepath.Join(project, dir)))
		}
	}
	return found
}

// absentProjects tells of projects of gate.tests that are not there.
func (c Config) absentProjects() []string {
	var found []string
	for _, root := range slices.Sorted(maps.Keys(c.Gate.Tests)) {
		if !isDir(root) {
			found = append(found, fmt.Sprintf("gate.tests names %q: the folder does not exist, so the command is never run", root))
		}
	}
	return found
}

// cleanTests spells the folders of gate.tests as git does, without a trailing slash and without dots, and tells of those that
// are named twice. Of two, the one that was spelled so counts, else the first.
func (c *Config) cleanTests() []string {
	var twice []string
	for _, root := range slices.Sorted(maps.Keys(c.Gate.Tests)) {
		clean := filepath.Clean(root)
		if clean == root {
			continue
		}
		if _, known := c.Gate.Tests[clean]; known {
			twice = append(twice, fmt.Sprintf("gate.tests names %q, which is %q once more", root, clean))
		} else {
			c.Gate.Tests[clean] = c.Gate.Tests[root]
		}
		delete(c.Gate.Tests, root)
	}
	return twice
}
