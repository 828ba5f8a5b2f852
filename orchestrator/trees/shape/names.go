package shape

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// maxName bounds the name of a region, in bytes.
const maxName = 41

// RegionName tells whether a text can name a region, and so a branch, a folder and a ref: a-z, 0-9, _ and -, not starting with the
// last two. No such name is the folder of another one, so branches of regions never get in each other's way.
func RegionName(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// CheckFolder accepts a clean slash path below the project, not the project itself. The error is a *RefusedError.
func CheckFolder(p string) error {
	bad := p == "." || !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p || strings.ContainsAny(p, "\\\x00\n\r")
	for part := range strings.SplitSeq(p, "/") {
		bad = bad || strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
	}
	if bad {
		return &RefusedError{Reason: fmt.Sprintf("%q cannot be a region's folder", p), Hint: "name a folder below the project, such as src/api"}
	}
	return nil
}
