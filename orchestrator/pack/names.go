package pack

import (
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator"
)

// reserved is the branch that regions are merged on; no region may have its name.
const reserved = "integration"

// nameRegions gives every region a name: its module's when it has one module whose name is usable, otherwise region-1, region-2, …
// skipping what a module or another region is called. Names never collide, also not on file systems that ignore case.
func nameRegions(regions []orchestrator.Region, modules []orchestrator.Module) {
	taken := map[string]bool{reserved: true}
	for _, m := range modules {
		taken[strings.ToLower(m.Name)] = true
	}
	given := map[string]bool{}
	for i, r := range regions {
		if name := r.Modules[0].Name; len(r.Modules) == 1 && usable(name) && !given[name] {
			regions[i].Name, given[name] = name, true
		}
	}
	for i, k := 0, 1; i < len(regions); i++ {
		for regions[i].Name == "" {
			if name := "region-" + strconv.Itoa(k); !taken[name] {
				regions[i].Name = name
			}
			k++
		}
	}
}

// usable reports whether a module's name can name a branch and a folder: [a-z0-9][a-z0-9_-]{0,40}, not reserved.
func usable(name string) bool {
	if name == "" || len(name) > 41 || name == reserved || name[0] == '-' || name[0] == '_' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-", r) }) < 0
}
