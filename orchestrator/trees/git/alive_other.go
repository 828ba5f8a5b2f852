//go:build !linux

package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
)

// arguments shows the argument list of every process, blanks between the arguments.
func arguments(ctx context.Context, each func(argv string)) error {
	res, err := proc.Run(ctx, proc.Cmd{Argv: []string{"ps", "-axww", "-o", "command="}, MaxOutput: maxOutput})
	if err != nil {
		return err
	}
	if res.Exit != 0 || res.Truncated {
		return fmt.Errorf("ps: exit %d", res.Exit)
	}
	for line := range strings.Lines(string(res.Stdout)) {
		each(strings.TrimSuffix(line, "\n"))
	}
	return nil
}
