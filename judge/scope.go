package judge

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/diff"
)

// firstCode is the first added line with something in it.
func firstCode(lines []diff.Line) (n int, text string) {
	for _, l := range lines {
		if text = strings.TrimSpace(l.Text); text != "" {
			return l.N, text
		}
	}
	return 0, ""
}
