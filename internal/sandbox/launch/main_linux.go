package launch

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/devflow-suite/devflow/internal/sandbox/probe"
)

// Main is the hidden command: args follow its name on the command line. It gives the exit status.
func Main(args []string) int {
	runtime.LockOSThread() // death signals, capabilities and filters belong to threads
	if len(args) == 0 {
		return report(fmt.Errorf("%w: no role", errUsage))
	}
	if args[0] == "probe" {
		return probe.Main(args[1:], os.Stdout)
	}
	o, err := parse(args[1:])
	if err != nil {
		return report(err)
	}
	prefix := os.Args[:max(len(os.Args)-len(args), 1)] // how we were called, to call ourselves again
	switch args[0] {
	case "run":
		return run(o, prefix)
	case "guard":
		return guard(o, prefix)
	case "stage":
		return stage(o)
	}
	return report(fmt.Errorf("%w: unknown role %q", errUsage, args[0]))
}

func report(err error) int {
	fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
	return ExitSetup
}

// orphaned is sent by the kernel when the parent dies. It differs from TERM because then there is nobody to wait for a
// tidy end.
const orphaned = unix.SIGUSR2

// followParent makes the death of the parent end us. parent is who it should be, when known.
func followParent(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(orphaned), 0, 0, 0); err != nil {
		return fmt.Errorf("follow the parent: %w", err)
	}
	if parent > 0 && os.Getppid() != parent && errors.Is(unix.Kill(parent, 0), unix.ESRCH) {
		return errors.New("the parent has ended already")
	}
	return nil
}

// again is the command line of another role of ours.
func again(prefix []string, role string, o options) []string {
	argv := append(append([]string(nil), prefix...), role)
	argv = append(argv, o.flags...)
	return append(append(argv, "--"), o.argv...)
}
