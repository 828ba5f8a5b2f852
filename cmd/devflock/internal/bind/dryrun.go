package bind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/lend"
	"github.com/devflow-suite/devflow/orchestrator/place"
	"github.com/devflow-suite/devflow/orchestrator/runner"
	"github.com/devflow-suite/devflow/orchestrator/toolchain"
	"github.com/devflow-suite/devflow/orchestrator/trees"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
	"github.com/devflow-suite/devflow/orchestrator/verify"
)

// Commit is the commit that a revision names.
func Commit(ctx context.Context, p trees.Project, rev string) (string, error) {
	line, err := git.Runner{Dir: p.Top}.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%q names no commit of %s", rev, p.Top)
	}
	return line, nil
}

// dryRun tries the acceptance commands on a copy of the base, confined as in a run, before any work.
func (b *bound) dryRun(ctx context.Context, p trees.Project, base string, plan orchestrator.Plan, s orchestrator.Settings) (flags []engine.Flag, err error) {
	box, err := sandbox.Find(ctx, sandbox.Kind(s.Confine), []string{b.sys.Exe, LaunchCommand})
	if err != nil {
		return nil, err
	}
	all := place.All(b.paths.Root)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, fmt.Errorf("make folder for dry runs: %w", err)
	}
	dir, err := os.MkdirTemp(all, "dry-")
	if err != nil {
		return nil, fmt.Errorf("make folder for dry runs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tools := toolchain.Find(b.sys.Getenv, s.Expose)
	lender := lend.New(lend.Options{Project: p, Modules: lend.Modules(plan), Paths: s.Share, Kind: box.Kind(), Visible: tools.ReadOnly})
	procs, memory := runner.Limits()
	v := verify.New(box, verify.Options{
		Procs: procs, Memory: memory,
		Home: filepath.Join(dir, "homes"), Timeout: s.CheckTimeout, ReadOnly: tools.ReadOnly, Env: tools.Environ,
		CommonDir: p.CommonDir, Caches: tools.Caches, Lend: lender.Lend,
	})
	found, err := verify.DryRun(ctx, v, verify.Dry{Plan: plan, Tree: verify.Base(p.Top, p.Prefix, base, filepath.Join(dir, "trees"))})
	for _, f := range found {
		flags = append(flags, engine.Flag{Task: f.Task, Reason: f.Reason})
	}
	return flags, err
}
