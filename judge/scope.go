package judge

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
)

// inScope is true for a file in one of the configured source folders; without any, everywhere.
func inScope(rel string, dirs []string) bool {
	if len(dirs) == 0 {
		return true
	}
	for _, dir := range dirs {
		if dir = path.Clean(dir); dir == "." || strings.HasPrefix(rel, dir+"/") {
			return true
		}
	}
	return false
}

// firstCode is the first added line with something in it.
func firstCode(lines []diff.Line) (n int, text string) {
	for _, l := range lines {
		if text = strings.TrimSpace(l.Text); text != "" {
			return l.N, text
		}
	}
	return 0, ""
}
