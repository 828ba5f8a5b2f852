package runner

const (
	// maxProcs is how many processes and threads a worker or a check may have: a build on many cores has some hundred, and what forks
	// without end must not take the machine along.
	maxProcs = 4096
	// memoryShare is which part of the machine's memory, in percent, one worker or check may take before the kernel ends what it runs.
	memoryShare = 75
)

// Limits are what one worker, or one check, may use of the machine where control groups can be made: processes with their threads, and
// bytes of memory, 0 when nobody can tell how much there is. Where no groups can be made, sandbox.Sandbox.Lacks says so.
func Limits() (procs int, memory int64) { return maxProcs, maxMemory() }

// maxMemory is memoryShare in bytes; 0, no limit, when nobody can tell how much there is.
func maxMemory() int64 { return machineMemory() / 100 * memoryShare }
