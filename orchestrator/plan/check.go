package plan

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/devflow-suite/devflow/orchestrator"
)

// Check holds a plan against the rules and gives everything that is wrong, in the order of the plan; nil when nothing is. It is the
// same for plans of managers, of files and of programs. An empty acceptance command is permitted here: Parse demands one.
func Check(p orchestrator.Plan) Problems { return check(p, nil) }

// check leaves out what is at places that skip names: they are known to be wrong already.
func check(p orchestrator.Plan, skip map[string]bool) Problems {
	c := checker{plan: p, skip: skip, modules: map[string]int{}, tasks: map[string]int{}}
	if len(p.Summary) > MaxSummary {
		c.add("summary", "has %d bytes, at most %d", len(p.Summary), MaxSummary)
	}
	c.checkModules()
	c.checkTasks()
	c.checkCycles()
	return c.found
}

type checker struct {
	plan    orchestrator.Plan
	skip    map[string]bool
	modules map[string]int // by name
	tasks   map[string]int // by id
	found   Problems
}

func (c *checker) add(where, format string, args ...any) {
	element, _, _ := strings.Cut(where, ".")
	if !c.skip[where] && !c.skip[element] {
		c.found.add(where, format, args...)
	}
}

func (c *checker) checkModules() {
	p := c.plan
	switch {
	case len(p.Modules) == 0:
		c.add("modules", "there is none")
	case len(p.Modules) > MaxTasks:
		c.add("modules", "there are %d, at most %d", len(p.Modules), MaxTasks)
	}
	for i, m := range p.Modules {
		if _, twice := c.modules[m.Name]; !twice {
			c.modules[m.Name] = i
		}
	}
	busy := map[string]bool{}
	for _, t := range p.Tasks {
		busy[t.Module] = true
	}
	tree := folders{}
	for i, m := range p.Modules {
		at := fmt.Sprintf("modules[%d]", i)
		c.checkName(at+".name", m.Name)
		if first := c.modules[m.Name]; first != i {
			c.add(at+".name", "%s is the name of modules[%d] already", quote(m.Name), first)
		}
		if text := badPath(m.Path); text != "" {
			c.add(at+".path", "%s %s", quote(m.Path), text)
		} else if other, how := tree.add(m.Path, i); other >= 0 {
			c.add(at+".path", "%s %s modules[%d], %s: every module needs a folder of its own", quote(m.Path), how, other, quote(p.Modules[other].Path))
		}
		if math.IsNaN(m.Weight) || m.Weight < minWeight || m.Weight > maxWeight {
			c.add(at+".weight", "is %v, want a number from %v to %v", m.Weight, minWeight, maxWeight)
		}
		for _, d := range m.DependsOn {
			if _, known := c.modules[d]; !known {
				c.add(at+".depends_on", "there is no module %s", quote(d))
			} else if d == m.Name {
				c.add(at+".depends_on", "the module depends on itself")
			}
		}
		if first := c.modules[m.Name]; first == i && !busy[m.Name] && !c.skip[at+".name"] {
			c.add(at, "module %s has no task: leave it out, or give it one", quote(m.Name))
		}
	}
}

// checkName checks a name that becomes part of branches and folders.
func (c *checker) checkName(where, name string) {
	switch {
	case !goodName(name):
		c.add(where, "%s: want one to 41 of a-z, 0-9, _ and -, the first a letter or a digit", quote(name))
	case reserved(name):
		c.add(where, "%s is reserved", quote(name))
	}
}

// goodName reports whether a name has the form [a-z0-9][a-z0-9_-]{0,40}.
func goodName(name string) bool {
	if name == "" || len(name) > 41 || name[0] == '-' || name[0] == '_' {
		return false
	}
	for i := range len(name) {
		if b := name[i]; (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '_' && b != '-' {
			return false
		}
	}
	return true
}

// reserved names are the branch that everything is merged on, and what the packer calls regions.
func reserved(name string) bool { return name == "integration" || strings.HasPrefix(name, "region-") }

func (c *checker) checkTasks() {
	p := c.plan
	switch {
	case len(p.Tasks) == 0:
		c.add("tasks", "there is none")
	case len(p.Tasks) > MaxTasks:
		c.add("tasks", "there are %d, at most %d", len(p.Tasks), MaxTasks)
	}
	for i, t := range p.Tasks {
		if _, twice := c.tasks[t.ID]; !twice {
			c.tasks[t.ID] = i
		}
	}
	for i, t := range p.Tasks {
		at := fmt.Sprintf("tasks[%d]", i)
		if !goodName(t.ID) {
			c.add(at+".id", "%s: want one to 41 of a-z, 0-9, _ and -, the first a letter or a digit", quote(t.ID))
		}
		if first := c.tasks[t.ID]; first != i {
			c.add(at+".id", "%s is the id of tasks[%d] already", quote(t.ID), first)
		}
		if _, known := c.modules[t.Module]; !known {
			c.add(at+".module", "there is no module %s", quote(t.Module))
		}
		switch text := strings.TrimSpace(t.Description); {
		case utf8.RuneCountInString(text) < minDescription:
			c.add(at+".description", "%s is too short for somebody who knows nothing else: want at least %d characters", quote(text), minDescription)
		case len(t.Description) > MaxDescription:
			c.add(at+".description", "has %d bytes, at most %d", len(t.Description), MaxDescription)
		case strings.ContainsRune(t.Description, 0):
			c.add(at+".description", "holds a NUL")
		}
		for _, d := range t.DependsOn {
			if _, known := c.tasks[d]; !known {
				c.add(at+".depends_on", "there is no task %s", quote(d))
			} else if d == t.ID {
				c.add(at+".depends_on", "the task depends on itself")
			}
		}
		if strings.TrimSpace(t.Acceptance) != "" && len(p.Tasks) <= 10*MaxTasks {
			if text := Lint(t.Acceptance); text != "" {
				c.add(at+".acceptance_cmd", "%s %s", quote(t.Acceptance), text)
			}
		}
	}
}

func (c *checker) checkCycles() {
	tasks := make([][]int, len(c.plan.Tasks))
	for i, t := range c.plan.Tasks {
		tasks[i] = indexes(t.DependsOn, c.tasks, i)
	}
	if cycle := findCycle(tasks); cycle != nil {
		c.add("tasks", "wait for each other in a circle: %s", path(cycle, func(i int) string { return c.plan.Tasks[i].ID }))
	}
	modules := make([][]int, len(c.plan.Modules))
	for i, m := range c.plan.Modules {
		modules[i] = indexes(m.DependsOn, c.modules, i)
	}
	if cycle := findCycle(modules); cycle != nil {
		c.add("modules", "depend on each other in a circle: %s", path(cycle, func(i int) string { return c.plan.Modules[i].Name }))
	}
}

// indexes gives the known of names, but for self.
func indexes(names []string, byName map[string]int, self int) []int {
	var list []int
	for _, n := range names {
		if i, known := byName[n]; known && i != self {
			list = append(list, i)
		}
	}
	return list
}

// path writes a cycle, shortened in the middle when it is long.
func path(cycle []int, name func(int) string) string {
	const ends = 10
	var words []string
	for k, i := range cycle {
		if len(cycle) > 2*ends && k == ends {
			words = append(words, fmt.Sprintf("… (%d more)", len(cycle)-2*ends))
		}
		if len(cycle) <= 2*ends || k < ends || k >= len(cycle)-ends {
			words = append(words, clip(name(i)))
		}
	}
	return strings.Join(append(words, clip(name(cycle[0]))), " → ")
}

// findCycle gives the nodes of one cycle of a graph, each followed by one that it depends on; nil when there is none. It finds the
// same one every time, and needs no recursion: chains may be as long as memory permits.
func findCycle(deps [][]int) []int {
	const fresh, open, closed = 0, 1, 2
	state := make([]byte, len(deps))
	next := make([]int, len(deps)) // the dependency that is looked at next
	var stack []int
	for root := range deps {
		if state[root] != fresh {
			continue
		}
		stack = append(stack[:0], root)
		state[root] = open
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			if next[i] == len(deps[i]) {
				state[i] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			d := deps[i][next[i]]
			next[i]++
			switch state[d] {
			case fresh:
				state[d] = open
				stack = append(stack, d)
			case open:
				for k, j := range stack {
					if j == d {
						return stack[k:]
					}
				}
			}
		}
	}
	return nil
}
