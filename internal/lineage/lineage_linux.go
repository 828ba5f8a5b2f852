package lineage

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
)

// Ancestors lists the parent of this process, its parent, and so on.
func Ancestors() []Process {
	var chain []Process
	for pid := os.Getppid(); pid > 0 && len(chain) < maxDepth; {
		parent, session := status(pid)
		chain = append(chain, Process{PID: pid, SID: session, Args: list(pid, "cmdline"), Env: list(pid, "environ")})
		pid = parent
	}
	return chain
}

// list reads a file of words that end with NUL.
func list(pid int, name string) []string {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/" + name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEnv))
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// status reads the parent and the session of a process: the fourth and the sixth field of stat. The second is a name in
// parentheses that may hold anything.
func status(pid int) (parent, session int) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 4 {
		return 0, 0
	}
	parent, err = strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0, 0
	}
	session, err = strconv.Atoi(string(fields[3]))
	if err != nil {
		return parent, 0
	}
	return parent, session
}
