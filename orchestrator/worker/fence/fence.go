// Package fence decides whether a tool call of a worker may write where it wants to: the second of the four write barriers, and the
// one that explains. It answers the client's PreToolUse question for every tool.
//
// It owns no table and no file and changes nothing. It looks at the file system as it is now, so something that is swapped a moment
// later gets past it: the kernel's confinement is behind it, and so are the permission rules before it and the audit after it. It
// does not look into shell commands: no reader of text can, and the kernel need not.
package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Guard decides for one worker. Make one with New; it is safe for concurrent use.
type Guard struct {
	dir     string
	given   []string // the folders as they were given, for people
	roots   []string // the same, symbolic links resolved
	regions bool     // the worker has ask_region and request_change
}

// New makes the guard of a worker that starts in dir and owns the writable folders, absolute paths all. The folders need not exist
// yet. regions says whether the worker has the tools that the reasons suggest.
func New(dir string, writable []string, regions bool) (*Guard, error) {
	if len(writable) == 0 {
		return &Guard{dir: dir, regions: regions}, nil // reads only
	}
	g := &Guard{dir: dir, regions: regions}
	for _, path := range append([]string{dir}, writable...) {
		if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
			return nil, fmt.Errorf("fence folder %q: not an absolute path", path)
		}
	}
	for _, path := range writable {
		real, err := resolve(filepath.Clean(path))
		if err != nil {
			return nil, fmt.Errorf("fence folder %s: %w", path, err)
		}
		if real == "/" {
			return nil, fmt.Errorf("fence folder %s: it is the whole file system", path)
		}
		g.given = append(g.given, filepath.Clean(path))
		g.roots = append(g.roots, real)
	}
	return g, nil
}

// writers are the client's tools that write files, with the keys under which one names its file.
var writers = [...]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

// pathKeys are all keys that a writer's file may stand under.
var pathKeys = [...]string{"file_path", "notebook_path", "path"}

// harmless are the client's tools that write no file by themselves. Bash is the kernel's business.
var harmless = [...]string{
	"Read", "Glob", "Grep", "LS", "NotebookRead", "Bash", "BashOutput", "KillBash", "KillShell", "TaskOutput", "TaskStop",
	"TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "StructuredOutput", "ToolSearch", "ListMcpResourcesTool", "ReadMcpResourceTool", "WaitForMcpServers",
	"mcp__devflow__ask_region", "mcp__devflow__request_change",
}

// Decide gives the reason why the call may not run, "" when it may. cwd is the folder in which the client is now, "" for the
// worker's own. Tools that are not known are refused: they might write.
func (g *Guard) Decide(tool string, input json.RawMessage, cwd string) (reason string) {
	switch {
	case slices.Contains(harmless[:], tool):
		return ""
	case !slices.Contains(writers[:], tool):
		return g.refuse(fmt.Sprintf("The tool %q is not one that a worker may use.", short(tool)))
	}
	var fields map[string]json.RawMessage // exact names, the last of equal ones, as in the client
	if json.Unmarshal(input, &fields) != nil || fields == nil {
		return g.refuse(tool + " was called without readable arguments.")
	}
	named := false
	for _, key := range pathKeys {
		raw, ok := fields[key]
		if !ok {
			continue
		}
		named = true
		var path string
		if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &path) != nil || path == "" {
			return g.refuse(tool + ": " + key + " is not a path.")
		}
		if why := g.path(path, cwd); why != "" {
			return g.refuse(fmt.Sprintf("%s: %s %s.", tool, short(path), why))
		}
	}
	if !named {
		return g.refuse(tool + " names no file.")
	}
	return ""
}

// maxPath is the kernel's bound on a path, in bytes.
const maxPath = 4096

// path says what is wrong with writing there, "" for nothing.
func (g *Guard) path(path, cwd string) string {
	switch {
	case strings.ContainsRune(path, 0):
		return "holds a NUL character"
	case len(path) > maxPath:
		return "is longer than a path can be"
	case strings.HasPrefix(path, "~"):
		return "begins with ~: name the absolute path"
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(cwd) {
			cwd = g.dir
		}
		path = cwd + "/" + path // not Join: it would take ".." away before links are followed
	}
	// The client takes ".." away by text, the kernel follows links first: the file must be inside both ways.
	for i, way := range [...]string{filepath.Clean(path), path} {
		real, err := resolve(way)
		if errors.Is(err, syscall.ENOENT) && i == 1 {
			continue // the kernel cannot write there, and the client does not ask it to
		}
		if err != nil {
			return "cannot be followed (" + err.Error() + ")"
		}
		if why := g.inside(real); why != "" {
			return why
		}
	}
	return ""
}

func (g *Guard) inside(real string) string {
	for _, root := range g.roots {
		rest, ok := under(real, root)
		if !ok {
			continue
		}
		if rest == "" {
			return "is a folder"
		}
		for part := range strings.SplitSeq(rest, "/") {
			if strings.EqualFold(part, ".git") {
				return "is part of a git repository's own files, which nobody writes by hand"
			}
		}
		return ""
	}
	return "is outside your folders"
}

// under gives the rest of a path below root, "" for root itself.
func under(path, root string) (rest string, ok bool) {
	if path == root {
		return "", true
	}
	return strings.CutPrefix(path, root+"/")
}

// refuse makes the reason that the model reads.
func (g *Guard) refuse(what string) string {
	var b strings.Builder
	b.WriteString(what)
	if len(g.given) == 0 {
		b.WriteString(" You may read everything and write nothing.")
		return b.String()
	}
	b.WriteString(" You may write only below " + strings.Join(g.given, ", ") + ".")
	if g.regions {
		b.WriteString(" To learn about other folders read them or use ask_region; to get something changed there use request_change.")
	}
	return b.String()
}

func short(s string) string {
	const limit = 300
	s = strings.ToValidUTF8(s, "?")
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
