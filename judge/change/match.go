package change

import "sort"

// side is a unit on one side of the change.
type side[U any] struct {
	unit U
	file *File
	path string
	key  string // group and name
	name string
	bag  map[string]int // of words of the body; filled when needed
}

// matched joins indexes of two sides; -1 is none.
type matched struct {
	old, now int
	similar  float64
	moved    bool
}

// maxCompared bounds the comparisons by content: beyond it only names match.
const maxCompared = 250_000

// match pairs units: by place and name, then by name alone where the bodies agree best, then by body.
func match[U any](old, now []side[U], body func(U) string) []matched {
	partner := make([]int, len(now)) // of each present unit; -1 = none
	for i := range partner {
		partner[i] = -1
	}
	taken := make([]bool, len(old))
	byPlace, byName := map[string][]int{}, map[string][]int{}
	for i, o := range old {
		byPlace[o.path+"\x00"+o.key] = append(byPlace[o.path+"\x00"+o.key], i)
		byName[o.name] = append(byName[o.name], i)
	}
	pair := func(o, n int) {
		partner[n], taken[o] = o, true
	}
	former := func(s *side[U]) string {
		if s.file.OldPath != "" {
			return s.file.OldPath
		}
		return s.path
	}
	for i := range now {
		list := byPlace[former(&now[i])+"\x00"+now[i].key]
		for k, o := range list {
			if !taken[o] {
				pair(o, i)
				byPlace[former(&now[i])+"\x00"+now[i].key] = list[k+1:]
				break
			}
		}
	}
	bags := func(s *side[U]) map[string]int {
		if s.bag == nil {
			s.bag = bag(body(s.unit))
		}
		return s.bag
	}
	for i := range now {
		if partner[i] >= 0 {
			continue
		}
		best, score := -1, 0.0
		for _, o := range byName[now[i].name] {
			if taken[o] {
				continue
			}
			if s := similarity(bags(&old[o]), bags(&now[i])); best < 0 || s > score {
				best, score = o, s
			}
		}
		if best >= 0 && (score >= similarEnough/2 || len(byName[now[i].name]) == 1 && old[best].file == now[i].file) {
			pair(best, i)
		}
	}
	type candidate struct {
		old, now int
		score    float64
	}
	var list []candidate
	budget := maxCompared
	for i := range now {
		if partner[i] >= 0 {
			continue
		}
		for o := range old {
			if taken[o] {
				continue
			}
			if budget--; budget < 0 {
				break
			}
			if s := similarity(bags(&old[o]), bags(&now[i])); s >= similarEnough {
				list = append(list, candidate{o, i, s})
			}
		}
	}
	sort.SliceStable(list, func(a, b int) bool { return list[a].score > list[b].score })
	for _, c := range list {
		if partner[c.now] < 0 && !taken[c.old] {
			pair(c.old, c.now)
		}
	}
	var out []matched
	for i, o := range partner {
		if o < 0 {
			out = append(out, matched{-1, i, 0, false})
			continue
		}
		m := matched{o, i, 1, old[o].path != former(&now[i]) || old[o].key != now[i].key}
		if body(old[o].unit) != body(now[i].unit) {
			m.similar = similarity(bags(&old[o]), bags(&now[i]))
		}
		out = append(out, m)
	}
	for o := range old {
		if !taken[o] {
			out = append(out, matched{o, -1, 0, false})
		}
	}
	return out
}

// bag counts the words of a text.
func bag(text string) map[string]int {
	out := map[string]int{}
	for _, w := range Words(text) {
		out[w]++
	}
	return out
}

// similarity is twice the words that two bags share over all words: 0 to 1. Two empty bags are equal.
func similarity(a, b map[string]int) float64 {
	total, common := 0, 0
	for w, n := range a {
		total += n
		common += min(n, b[w])
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 1
	}
	return 2 * float64(common) / float64(total)
}

// Similarity compares two texts by their words, 0 to 1.
func Similarity(a, b string) float64 { return similarity(bag(a), bag(b)) }
