// Package settings reads a settings.json of Claude Code as the client takes it: typed, read-only, with the place of
// everything that the client would silently ignore.
//
// It owns no file and no table, and never writes. To change a file, splice bytes at the offsets of the nodes (package span).
package settings

import (
	"strconv"

	"github.com/devflow-suite/devflow/internal/claude/span"
)

// Settings is a read-only view of one settings.json. Never write one back: change the bytes.
type Settings struct {
	Tree                  *span.Node
	Hooks                 *span.Member // nil when absent
	Events                []EventHooks // in file order, unknown names included
	DisableAllHooks       bool
	AllowManagedHooksOnly bool
	Env                   map[string]string // values that are no strings appear as their literal
	Problems              []Problem         // in file order of their discovery
}

// EventHooks is one member of hooks.
type EventHooks struct {
	Name   string
	Member *span.Member
	Groups []Group // nil when the value is no array
}

// Group is one matcher with its handlers.
type Group struct {
	Node     *span.Node
	Matcher  string // "" matches all
	Hooks    *span.Node
	Handlers []Handler
}

// Handler is one hook of a group.
type Handler struct {
	Node        *span.Node
	Type        string // command, prompt, agent, http, mcp_tool
	Command     string
	Args        []string
	Exec        bool // args is present: the command is started without a shell
	If          string
	Shell       string
	Timeout     float64 // seconds; 0 when absent
	Async       bool
	AsyncRewake bool
}

// Effect is what a problem makes the client do, from the mildest up.
type Effect uint8

// The effects. The client says nothing about any of them when it runs without a terminal.
const (
	EffectNone  Effect = iota // odd, but everything else works
	EffectEvent               // the hooks of one event are ignored
	EffectHooks               // all hooks of the file are ignored
	EffectFile                // the whole file is ignored: all hooks, env, permissions
)

// Problem is content of a settings file that the client ignores, or that ignores content.
type Problem struct {
	Path   string // e.g. hooks.Stop[0].hooks[1].timeout
	Offset int    // bytes
	Line   int    // from 1
	Column int    // from 1, in characters
	Text   string
	Effect Effect
}

// Worst is the hardest effect of all problems: EffectFile means that the client ignores this file.
func (s Settings) Worst() Effect {
	worst := EffectNone
	for _, p := range s.Problems {
		worst = max(worst, p.Effect)
	}
	return worst
}

// Parse reads a settings file. What is not JSON is a *span.SyntaxError with line and column; the client ignores such a file,
// and an empty one, as a whole. A byte order mark is fine. Content that is JSON but that the client does not take is listed
// in Problems. The rules are those of 2.1.197, the stricter of the two clients that were measured: 2.1.332 ignores the whole
// file only for a bad entry under PreToolUse, and under other events that entry alone. Members that were not tried follow
// the client's published schema.
func Parse(data []byte) (Settings, error) {
	root, err := span.Parse(data)
	if err != nil {
		return Settings{}, err
	}
	r := settingsReader{data: data, Settings: Settings{Tree: root}}
	if root.Kind != span.Object {
		r.problem(EffectFile, root, "", "the file must hold an object, not "+a(root.Kind))
		return r.Settings, nil
	}
	r.duplicates(root, "")
	r.DisableAllHooks = isTrue(root.Value("disableAllHooks"))
	r.AllowManagedHooksOnly = isTrue(root.Value("allowManagedHooksOnly"))
	if env := root.Value("env"); env != nil && env.Kind == span.Object {
		r.Env = make(map[string]string, len(env.Members))
		for _, m := range env.Members {
			r.Env[m.Key] = m.Value.Text
		}
	}
	if allow := root.Value("permissions").Value("allow"); allow != nil && allow.Kind != span.Array {
		r.problem(EffectFile, allow, "permissions.allow", "must be an array, not "+a(allow.Kind))
	}
	if days := root.Value("cleanupPeriodDays"); days != nil && days.Kind != span.Number {
		r.problem(EffectFile, days, "cleanupPeriodDays", "must be a number, not "+a(days.Kind))
	}
	if r.Hooks = root.Get("hooks"); r.Hooks != nil {
		r.hooks(r.Hooks.Value)
	}
	return r.Settings, nil
}

type settingsReader struct {
	Settings
	data []byte
}

func (r *settingsReader) problem(effect Effect, at *span.Node, path, text string) {
	line, column := span.Position(r.data, at.Start)
	r.Problems = append(r.Problems, Problem{Path: path, Offset: at.Start, Line: line, Column: column, Text: text, Effect: effect})
}

// duplicates reports members that a later one of the same name hides from the client.
func (r *settingsReader) duplicates(n *span.Node, path string) {
	for _, key := range n.Duplicates() {
		for _, m := range n.Members {
			if m.Key == key {
				r.problem(EffectNone, m.Value, dotted(path, key), "appears more than once; only the last one counts")
				break
			}
		}
	}
}

func (r *settingsReader) hooks(n *span.Node) {
	if n.Kind != span.Object {
		r.problem(EffectHooks, n, "hooks", "must be an object, not "+a(n.Kind))
		return
	}
	r.duplicates(n, "hooks")
	for i := range n.Members {
		m := &n.Members[i]
		e := EventHooks{Name: m.Key, Member: m}
		path := dotted("hooks", m.Key)
		switch hidden := n.Get(m.Key) != m; {
		case hidden: // reported as a duplicate; the client never sees it
		case !KnownEvent(m.Key):
			r.problem(EffectEvent, m.Value, path, "is no event of the client")
		case m.Value.Kind != span.Array:
			r.problem(EffectEvent, m.Value, path, "must be an array, not "+a(m.Value.Kind))
		default:
			for k, g := range m.Value.Items {
				e.Groups = append(e.Groups, r.group(g, path+"["+strconv.Itoa(k)+"]"))
			}
		}
		r.Events = append(r.Events, e)
	}
}

func (r *settingsReader) group(n *span.Node, path string) Group {
	g := Group{Node: n}
	if n.Kind != span.Object {
		r.problem(EffectFile, n, path, "must be an object, not "+a(n.Kind))
		return g
	}
	r.duplicates(n, path)
	g.Matcher = r.text(n, "matcher", path)
	g.Hooks = n.Value("hooks")
	switch {
	case g.Hooks == nil:
		r.problem(EffectFile, n, path, "has no array hooks")
	case g.Hooks.Kind != span.Array:
		r.problem(EffectFile, g.Hooks, path+".hooks", "must be an array, not "+a(g.Hooks.Kind))
	default:
		for i, h := range g.Hooks.Items {
			g.Handlers = append(g.Handlers, r.handler(h, path+".hooks["+strconv.Itoa(i)+"]"))
		}
	}
	return g
}

func (r *settingsReader) handler(n *span.Node, path string) Handler {
	h := Handler{Node: n}
	if n.Kind != span.Object {
		r.problem(EffectFile, n, path, "must be an object, not "+a(n.Kind))
		return h
	}
	r.duplicates(n, path)
	h.Type = r.text(n, "type", path)
	h.Command, h.If, h.Shell = r.text(n, "command", path), r.text(n, "if", path), r.text(n, "shell", path)
	h.Async, h.AsyncRewake = isTrue(n.Value("async")), isTrue(n.Value("asyncRewake"))
	for _, key := range required(h.Type) {
		if n.Get(key) == nil {
			r.problem(EffectFile, n, path, "has no "+key)
		}
	}
	if required(h.Type) == nil {
		text := "has no type"
		if n.Get("type") != nil {
			text = "has the unknown type " + strconv.Quote(h.Type)
		}
		r.problem(EffectFile, n, path, text)
	}
	if c := n.Value("command"); h.Type == "command" && c != nil && c.Kind == span.String && c.Text == "" {
		r.problem(EffectNone, c, path+".command", "is empty and does nothing")
	}
	if s := n.Value("shell"); s != nil && h.Shell != "bash" && h.Shell != "powershell" {
		r.problem(EffectFile, s, path+".shell", "must be bash or powershell")
	}
	r.timeout(&h, path)
	r.args(&h, path)
	return h
}

func (r *settingsReader) timeout(h *Handler, path string) {
	t := h.Node.Value("timeout")
	if t == nil {
		return
	}
	var err error
	if t.Kind == span.Number {
		h.Timeout, err = strconv.ParseFloat(t.Text, 64)
	}
	if t.Kind != span.Number || err != nil || h.Timeout <= 0 {
		h.Timeout = 0
		r.problem(EffectFile, t, path+".timeout", "must be a number of seconds above 0")
	}
}

func (r *settingsReader) args(h *Handler, path string) {
	args := h.Node.Value("args")
	if args == nil {
		return
	}
	h.Exec = true
	if args.Kind != span.Array {
		r.problem(EffectFile, args, path+".args", "must be an array, not "+a(args.Kind))
		return
	}
	for i, arg := range args.Items {
		if arg.Kind != span.String {
			r.problem(EffectFile, arg, path+".args["+strconv.Itoa(i)+"]", "must be a string, not "+a(arg.Kind))
		}
		h.Args = append(h.Args, arg.Text)
	}
}

// text is the string member of that name; another type is a problem that costs the whole file.
func (r *settingsReader) text(n *span.Node, key, path string) string {
	v := n.Value(key)
	switch {
	case v == nil:
		return ""
	case v.Kind != span.String:
		r.problem(EffectFile, v, dotted(path, key), "must be a string, not "+a(v.Kind))
		return ""
	}
	return v.Text
}

// required lists the members that a handler of that type must have; nil for an unknown type.
func required(kind string) []string {
	switch kind {
	case "command":
		return []string{"command"}
	case "prompt", "agent":
		return []string{"prompt"}
	case "http":
		return []string{"url"}
	case "mcp_tool":
		return []string{"server", "tool"}
	}
	return nil
}

func isTrue(n *span.Node) bool { return n != nil && n.Kind == span.Bool && n.Text == "true" }

func dotted(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// a names a kind with its article.
func a(k span.Kind) string {
	switch k {
	case span.Null:
		return "null"
	case span.Array, span.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}
