package proc

import "golang.org/x/sys/unix"

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

func startTime(pid int) (micros int64, running bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return 0, false
	}
	at := info.Proc.P_starttime
	return at.Sec*1_000_000 + int64(at.Usec), info.Proc.P_stat != zombie
}
