package main

import (
	"context"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/environ"
	"github.com/devflow-suite/devflow/judge/governance"
	"github.com/devflow-suite/devflow/mcpserver"
)

// mcp answers MCP clients on standard input and output.
func (a *app) mcp() *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the governance of tasks to MCP clients on standard input and output",
		Description: `The tools are evaluate_task, get_task_health and apply_devflow_governance.
Logs go to standard error. It ends when the input ends.

Examples:
  claude mcp add devflow -- devflow mcp
  {"mcpServers": {"devflow": {"command": "devflow", "args": ["mcp"]}}}

Exit codes: 0 done, 1 error, 2 wrong use`,
		Action: func(ctx context.Context, _ *cli.Command) error {
			paths, err := config.ResolvePaths(a.Getenv)
			if err != nil {
				return err
			}
			deps := a.governed(paths)
			deps.Judge = governance.Lane(a.Exe, paths, environ.Access(os.Environ()))
			return mcpserver.Run(ctx, a.Stdin, a.Stdout, mcpserver.Deps{Governance: deps, Version: frame.Version(version), Log: deps.Log})
		},
	}
}
