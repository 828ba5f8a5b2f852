package sandbox

import "github.com/devflow-suite/devflow/internal/sandbox/cgroup"

// findLimits looks which limits can be set, and says which not. They need the launcher.
func (b *backend) findLimits() {
	if len(b.launcher) > 0 {
		b.procs, b.memory = cgroup.Possible()
	}
	switch {
	case !b.procs && !b.memory:
		b.lacks = append(b.lacks, "limits of processes and memory (no control group can be made here)")
	case !b.procs:
		b.lacks = append(b.lacks, "a limit of processes (no control group for it can be made here)")
	case !b.memory:
		b.lacks = append(b.lacks, "a limit of memory (no control group for it can be made here)")
	}
}
