package strays_test

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/worker/strays"
)

// start starts a shell line that prints the number of a process in a session of its own, and waits for nothing.
func start(t *testing.T, env []string, script string) (cmd *exec.Cmd, stray int) {
	t.Helper()
	cmd = exec.Command("sh", "-c", script)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if stray, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(stray, syscall.SIGKILL) })
	return cmd, stray
}

func running(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	rest := string(data[strings.LastIndexByte(string(data), ')')+2:])
	return rest[0] != 'Z' && rest[0] != 'X'
}

func TestMarkedProcessesEndAndOthersLive(t *testing.T) {
	t.Parallel()
	const script = "setsid sleep 1000 >/dev/null & echo $!"
	mark := "STRAYS_TEST=" + t.TempDir()
	_, mine := start(t, []string{mark}, script)
	_, twin := start(t, []string{mark + "-twin"}, script)
	_, other := start(t, []string{"X=" + mark}, script)
	strays.End(nil, mark)
	if running(mine) || !running(twin) || !running(other) {
		t.Errorf("mine %v, twin %v, other %v", running(mine), running(twin), running(other))
	}
}

func TestFamilyEndsAlsoWithoutTheMark(t *testing.T) {
	t.Parallel()
	cmd, stray := start(t, nil, "env -i $(command -v setsid) $(command -v sleep) 1000 >/dev/null & echo $!; wait")
	family := strays.Descendants(cmd.Process.Pid)
	if len(family) == 0 {
		t.Fatal("no descendants")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !running(stray) {
		t.Fatal("the stray died by itself")
	}
	strays.End(family, "NO_SUCH_MARK="+t.TempDir())
	if running(stray) {
		t.Error("the stray lives")
	}
}
