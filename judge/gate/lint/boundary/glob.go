package boundary

import (
	"path"
	"strings"
)

// maxAlternatives bounds what the braces of one pattern may become.
const maxAlternatives = 64

// match reports whether a slash path fits a glob: * and ? within a name, ** for any number of folders, [a-z], {a,b}. A pattern that
// ends with /** fits the folder itself too.
func match(pattern, name string) bool {
	for _, p := range alternatives(strings.TrimPrefix(pattern, "./")) {
		if fits(strings.Split(strings.TrimSuffix(p, "/"), "/"), strings.Split(strings.Trim(name, "/"), "/")) {
			return true
		}
	}
	return false
}

// alternatives expands braces.
func alternatives(pattern string) []string {
	todo, out := []string{pattern}, []string(nil)
	for len(todo) > 0 && len(out)+len(todo) <= maxAlternatives {
		p := todo[0]
		todo = todo[1:]
		shut := strings.IndexByte(p, '}')
		open := -1
		if shut > 0 {
			open = strings.LastIndexByte(p[:shut], '{') // the innermost pair
		}
		if open < 0 {
			out = append(out, p)
			continue
		}
		for alt := range strings.SplitSeq(p[open+1:shut], ",") {
			todo = append(todo, p[:open]+alt+p[shut+1:])
		}
	}
	return append(out, todo...)
}

// fits compares segments in time proportional to the product of their numbers.
func fits(pattern, name []string) bool {
	reach := make([]bool, len(name)+1) // reach[i]: the pattern so far fits name[:i]
	reach[0] = true
	for _, seg := range pattern {
		next := make([]bool, len(name)+1)
		if seg == "**" {
			any := false
			for i := range reach {
				any = any || reach[i]
				next[i] = any
			}
		} else {
			for i := range name {
				if reach[i] {
					ok, err := path.Match(seg, name[i])
					next[i+1] = ok && err == nil
				}
			}
		}
		reach = next
	}
	return reach[len(name)]
}
