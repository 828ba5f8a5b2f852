package swarm

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
)

// window is the text around a line.
func window(text string, line, around int) string {
	lines := strings.Split(text, "\n")
	from, to := max(line-around, 1), min(line+around, len(lines))
	if from > to {
		return ""
	}
	return strings.Join(lines[from-1:to], "\n") + "\n"
}

// maxDocs bounds the documents that are read, in bytes.
const maxDocs = 1 << 20

// readDocs collects the documents that people and agents go by.
func (in *input) readDocs(c *change.Change) {
	if c.Now == nil {
		return
	}
	var b strings.Builder
	for _, p := range c.Now.Paths() {
		if !isDoc(p) || b.Len() > maxDocs {
			continue
		}
		if text, ok := c.Now.Read(p); ok {
			b.Write(text)
			b.WriteByte('\n')
		}
	}
	in.docs = b.String()
}

// isDoc knows the documents of a project: README, CLAUDE.md and their kind, and what lies in its docs folder.
func isDoc(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	if ext != ".md" && ext != ".rst" && ext != ".adoc" && ext != ".txt" {
		return false
	}
	if strings.HasPrefix(p, "docs/") || strings.HasPrefix(p, "doc/") {
		return true
	}
	base := strings.ToUpper(strings.TrimSuffix(path.Base(p), path.Ext(p)))
	for _, name := range [...]string{"README", "CLAUDE", "AGENTS", "USAGE", "CONTRIBUTING", "GUIDE"} {
		if strings.HasPrefix(base, name) {
			return true
		}
	}
	return false
}
