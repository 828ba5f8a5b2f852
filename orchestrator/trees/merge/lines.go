package merge

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// hunk is one change: lines [at, at+minus) of the base were replaced by plus.
type hunk struct {
	at, minus int // from 0
	plus      []string
}

// touchesAny is true when git would not apply h and one of the others one after the other: they overlap or are next to each other, so
// they are the same change made twice, or a conflict. The others are in the order of the file.
func (h hunk) touchesAny(others []hunk) bool {
	i, _ := slices.BinarySearchFunc(others, h.at, func(g hunk, at int) int { return cmp.Compare(g.at+g.minus, at) })
	return i < len(others) && others[i].at <= h.at+h.minus
}

// parseHunks reads a patch of one file.
func parseHunks(patch []byte) ([]hunk, error) {
	var hunks []hunk
	at, inside := 0, false
	open := false // the last hunk goes on
	for record := range bytes.Lines(patch) {
		line := strings.TrimSuffix(string(record), "\n")
		switch {
		case strings.HasPrefix(line, "@@ "):
			start, count, err := hunkHead(line)
			if err != nil {
				return nil, err
			}
			at, inside, open = start, true, false
			if count > 0 {
				at-- // git counts from 1, and names the line before when there is none
			}
		case !inside || line == "" || line[0] == '\\':
		case line[0] == ' ':
			at++
			open = false
		case line[0] == '-' || line[0] == '+':
			if !open {
				hunks, open = append(hunks, hunk{at: at}), true
			}
			h := &hunks[len(hunks)-1]
			if line[0] == '-' {
				h.minus++
				at++
			} else {
				h.plus = append(h.plus, line[1:])
			}
		default:
			return nil, fmt.Errorf("read patch: unexpected line %q", line)
		}
	}
	return hunks, nil
}

// hunkHead reads "@@ -12,3 +14 @@"; a count that is left out is 1.
func hunkHead(line string) (start, count int, err error) {
	f := strings.Fields(line)
	if len(f) < 4 || !strings.HasPrefix(f[1], "-") {
		return 0, 0, fmt.Errorf("read patch: unexpected line %q", line)
	}
	count = 1
	first, second, two := strings.Cut(f[1][1:], ",")
	if _, err := fmt.Sscan(first, &start); err != nil {
		return 0, 0, fmt.Errorf("read patch: unexpected line %q", line)
	}
	if two {
		if _, err := fmt.Sscan(second, &count); err != nil {
			return 0, 0, fmt.Errorf("read patch: unexpected line %q", line)
		}
	}
	if start < 0 || count < 0 || start == 0 && count > 0 {
		return 0, 0, fmt.Errorf("read patch: unexpected line %q", line)
	}
	return start, count, nil
}

func split(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// lost gives the lines that got has too few of, sorted: kept by both sides, or added by one. The same change made by both sides
// counts once.
func lost(base []byte, ours, theirs []hunk, got []byte) []string {
	lines := split(base)
	removed := make([]bool, len(lines))
	need := map[string]int{}
	twice := map[string][2]int{} // added where the other side changed the same place: by us, by them
	for side, pair := range [...][2][]hunk{{ours, theirs}, {theirs, ours}} {
		for _, h := range pair[0] {
			for i := h.at; i < h.at+h.minus && i < len(lines); i++ {
				removed[i] = true
			}
			shared := h.touchesAny(pair[1])
			for _, line := range h.plus {
				if shared {
					n := twice[line]
					n[side]++
					twice[line] = n
				} else {
					need[line]++
				}
			}
		}
	}
	for i, line := range lines {
		if !removed[i] {
			need[line]++
		}
	}
	for line, n := range twice {
		need[line] += max(n[0], n[1])
	}
	for _, line := range split(got) {
		need[line]--
	}
	var missing []string
	for line, n := range need {
		for range max(n, 0) {
			missing = append(missing, line)
		}
	}
	slices.Sort(missing)
	return missing
}
