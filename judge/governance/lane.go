package governance

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/judge"
)

// Lane judges through `devflow boundary`, the process that the stop hook starts too; exe is the program, env is put on top of
// what every child sees. The same diff asked about again is no new attempt.
func Lane(exe string, paths config.Paths, env []string) func(ctx context.Context, session string, seq int64) (judge.Result, error) {
	return func(ctx context.Context, session string, seq int64) (res judge.Result, err error) {
		out, err := proc.Run(ctx, proc.Cmd{
			Argv: []string{exe, "boundary", "--session", session, "--task", strconv.FormatInt(seq, 10), "--new-turn"}, Dir: paths.Root,
			Env: append([]string{"DEVFLOW_HOME=" + paths.Root, "DEVFLOW_DB=" + paths.DB, "HOME=" + paths.Home}, env...),
		})
		if err != nil {
			return res, err
		}
		if out.Exit != 0 {
			return res, fmt.Errorf("devflow boundary ended with status %d: %.300s", out.Exit, out.Stderr)
		}
		if err := json.Unmarshal(out.Stdout, &res); err != nil {
			return res, fmt.Errorf("read answer of devflow boundary: %w", err)
		}
		return res, nil
	}
}
