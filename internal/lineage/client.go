package lineage

// clientMark is the variable by which Claude Code marks what its tools start (docs/claude-hooks.md).
const clientMark = "CLAUDECODE"

// OfClient reports whether one of the ancestors was started by a tool of Claude Code: who takes the mark out of its own
// environment still has parents that bear it.
func OfClient(ancestors []Process) bool {
	for _, p := range ancestors {
		if p.Getenv(clientMark) != "" {
			return true
		}
	}
	return false
}
