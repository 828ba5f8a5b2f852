package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// startTime reads field 22 of /proc/PID/stat (proc(5)). The second field is the program's name in parentheses, which
// may hold spaces, newlines and parentheses itself.
func startTime(pid int) (ticks int64, running bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	end := bytes.LastIndexByte(text, ')')
	fields := bytes.Fields(text[end+1:])
	if end < 0 || len(fields) < 20 { // fields[0] is field 3, the state
		return 0, false
	}
	ticks, err = strconv.ParseInt(string(fields[19]), 10, 64)
	if err != nil {
		return 0, false
	}
	state := fields[0][0]
	return ticks, state != 'Z' && state != 'X'
}
