package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// sortByPlace puts problems in the order of the plan: the plan as a whole, its summary, modules and tasks by their numbers.
func sortByPlace(ps Problems) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		ka, kb := key(a.Where), key(b.Where)
		return cmp.Or(cmp.Compare(ka.group, kb.group), cmp.Compare(ka.number, kb.number), cmp.Compare(ka.member, kb.member))
	})
}

type sortKey struct{ group, number, member int }

// key places: a list as a whole comes behind its elements, where its cycles are understood.
func key(where string) sortKey {
	head, member, _ := strings.Cut(where, ".")
	list, number, _ := strings.Cut(strings.TrimSuffix(head, "]"), "[")
	k := sortKey{group: slices.Index([]string{"", "summary", "modules", "tasks"}, list), number: 1 << 30}
	if k.group < 0 {
		k.group = 4
	}
	if n, err := strconv.Atoi(number); err == nil {
		k.number = n
	}
	member, _, _ = strings.Cut(member, "[")
	k.member = slices.Index([]string{"", "name", "id", "path", "module", "weight", "description", "depends_on", "acceptance_cmd"}, member)
	return k
}
