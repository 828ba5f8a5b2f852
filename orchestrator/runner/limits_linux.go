package runner

import "golang.org/x/sys/unix"

// machineMemory is in bytes; 0 when it is not known.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
