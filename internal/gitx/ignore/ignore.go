// Package ignore tells what git ignores, by the .gitignore files along a path, .git/info/exclude and the user's exclude file,
// without git (gitignore(5) of git 2.47). It owns no file, writes nothing, and does not look at what git tracks.
package ignore

import (
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/regular"
)

// Bounds of what is read and matched.
const (
	maxFile  = 1 << 20 // bytes of one file of patterns; a larger one counts as empty
	maxDepth = 64      // components of a path
)

// Rules are the patterns that hold below one folder.
type Rules struct{ patterns []pattern }

// pattern is one line.
type pattern struct {
	segments []string
	negate   bool
	dirOnly  bool
	anywhere bool // no slash but at the end: matches in every folder below
}

// Parse reads the text of a .gitignore file. Lines that git would not understand match nothing.
func Parse(text string) Rules {
	var r Rules
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if p, ok := parseLine(strings.TrimSuffix(line, "\r")); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	return r
}

func parseLine(line string) (pattern, bool) {
	var p pattern
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return p, false
	}
	if line[0] == '!' {
		p.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.dirOnly, line = true, line[:len(line)-1]
	}
	p.anywhere = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	p.segments = strings.Split(line, "/")
	return p, len(p.segments) <= maxDepth
}

// verdict of one set of rules about a path.
type verdict uint8

const (
	silent verdict = iota
	ignored
	included
)

// Match reports whether these rules alone ignore a path below their folder. Folders above it are not asked.
func (r Rules) Match(rel string, dir bool) bool {
	return r.match(strings.Split(path.Clean("/" + rel)[1:], "/"), dir) == ignored
}

// match asks the rules about a path below their folder. The last pattern that matches counts.
func (r Rules) match(parts []string, dir bool) verdict {
	for i := len(r.patterns) - 1; i >= 0; i-- {
		p := &r.patterns[i]
		if p.dirOnly && !dir {
			continue
		}
		hit := false
		if p.anywhere {
			hit = segment(p.segments[0], parts[len(parts)-1])
		} else {
			hit = segments(p.segments, parts)
		}
		switch {
		case hit && p.negate:
			return included
		case hit:
			return ignored
		}
	}
	return silent
}

// segments matches a whole path; ** stands for any number of folders.
func segments(pattern, parts []string) bool {
	// reach[j] says whether the patterns so far can match the first j parts.
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for i, p := range pattern {
		next := make([]bool, len(parts)+1)
		for j := range reach {
			switch {
			case !reach[j]:
			case p == "**":
				from := j
				if i == len(pattern)-1 {
					from = j + 1 // a/** is what is in a, not a itself
				}
				for k := from; k <= len(parts); k++ {
					next[k] = true
				}
			case j < len(parts) && segment(p, parts[j]):
				next[j+1] = true
			}
		}
		reach = next
	}
	return reach[len(parts)]
}

// segment matches one component: *, ?, [classes] and backslashes. It goes back to the last star only, so it costs at most the
// product of the lengths.
func segment(p, s string) bool {
	star, mark, i, j := -1, 0, 0, 0
	for j < len(s) {
		if i < len(p) {
			if p[i] == '*' {
				star, mark = i, j
				i++
				continue
			}
			if n, ok := one(p[i:], s[j]); ok {
				i += n
				j++
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// one matches the first element of p against c and returns its length.
func one(p string, c byte) (int, bool) {
	switch p[0] {
	case '?':
		return 1, true
	case '\\':
		if len(p) > 1 {
			return 2, p[1] == c
		}
		return 1, false
	case '[':
		return class(p, c)
	}
	return 1, p[0] == c
}

// class matches a bracket expression.
func class(p string, c byte) (int, bool) {
	i, not, hit := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(p) && (p[i] != ']' || first); first = false {
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i:], ":]"); end > 0 {
				hit = hit || named(p[i+2:i+end], c)
				i += end + 2
				continue
			}
		}
		if p[i] == '\\' && i+1 < len(p) {
			i++
		}
		low, high := p[i], p[i]
		if i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']' {
			high = p[i+2]
			i += 2
		}
		hit = hit || low <= c && c <= high
		i++
	}
	if i >= len(p) {
		return 1, false // no end: git takes it for no pattern
	}
	return i + 1, hit != not
}

func named(class string, c byte) bool {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	switch class {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	case "xdigit":
		return digit || c|0x20 >= 'a' && c|0x20 <= 'f'
	}
	return false
}

// Tree answers for one work tree. It reads each file of patterns once, when it is first needed; it is safe for concurrent use.
type Tree struct {
	root     string
	excludes []string

	mu   sync.Mutex
	read map[string]Rules
}

// New makes a Tree for the work tree at root. excludes are the files of patterns outside of it, the strongest first:
// .git/info/exclude, then core.excludesFile (by default $XDG_CONFIG_HOME/git/ignore).
func New(root string, excludes ...string) *Tree {
	return &Tree{root: root, excludes: excludes, read: make(map[string]Rules)}
}

// Ignored reports whether git ignores the path, or a folder that it is in. rel is a slash path from the top of the work tree;
// dir says whether it is a folder.
func (t *Tree) Ignored(rel string, dir bool) bool {
	rel = path.Clean("/" + rel)[1:]
	if rel == "" {
		return false
	}
	parts := strings.Split(rel, "/")
	if len(parts) > maxDepth {
		return false
	}
	for n := 1; n <= len(parts); n++ {
		if t.ask(parts[:n], dir || n < len(parts)) == ignored {
			return true
		}
	}
	return false
}

// ask asks the nearest rules first.
func (t *Tree) ask(parts []string, dir bool) verdict {
	for up := len(parts) - 1; up >= 0; up-- {
		file := filepath.Join(t.root, filepath.FromSlash(strings.Join(parts[:up], "/")), ".gitignore")
		if v := t.rules(file).match(parts[up:], dir); v != silent {
			return v
		}
	}
	for _, file := range t.excludes {
		if v := t.rules(file).match(parts, dir); v != silent {
			return v
		}
	}
	return silent
}

func (t *Tree) rules(file string) Rules {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.read[file]
	if !ok {
		if data, err := regular.Read(file, maxFile); err == nil {
			r = Parse(string(data))
		}
		t.read[file] = r
	}
	return r
}
