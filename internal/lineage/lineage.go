// Package lineage tells which processes started this one. It reads /proc on Linux and knows nothing elsewhere. It owns no
// table and judges nothing; who changes its own environment or leaves its parents can hide from it.
package lineage

// Process is one ancestor.
type Process struct {
	PID  int
	SID  int      // session of processes that it belongs to, see setsid(2)
	Args []string // command line
	Env  []string // environment it was started with; nil when it belongs to somebody else
}

// maxDepth bounds how far up Ancestors looks.
const maxDepth = 64

// maxEnv bounds the environment and command line that are read of one process, in bytes.
const maxEnv = 256 << 10

// Getenv is a variable of the process, "" when it is not known.
func (p Process) Getenv(name string) string {
	for _, kv := range p.Env {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}
