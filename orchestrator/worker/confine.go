package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/worker/gitconf"
)

// policy says what the client may see and write: the third write barrier.
func (o *Options) policy(ctx context.Context) (sandbox.Policy, error) {
	p := sandbox.Policy{Dir: o.Dir, Env: o.environ(), Network: o.Network, Tmp: filepath.Join(o.Home, "tmp"), Hide: slices.Clone(o.Hide), Procs: o.Procs, Memory: o.Memory}
	if err := o.straight(); err != nil {
		return p, err
	}
	for _, w := range append([]string{o.Home}, o.Writable...) {
		p.ReadWrite = append(p.ReadWrite, sandbox.Bind{From: w})
	}
	p.ReadWrite = append(p.ReadWrite, sandbox.Bind{From: o.Socket, To: o.socket()})
	p.ReadWrite = append(p.ReadWrite, o.ReadWrite...)
	p.ReadOnly = append(p.ReadOnly, sandbox.Bind{From: o.Tree}, sandbox.Bind{From: o.Dir}, sandbox.Bind{From: needs(o.Client)})
	p.ReadOnly = append(p.ReadOnly, o.ReadOnly...)
	if o.CommonDir == "" {
		return p, nil
	}
	binds, hide, err := o.repository(ctx)
	if err != nil {
		return p, err
	}
	p.ReadOnly = append(p.ReadOnly, binds...)
	p.Hide = append(p.Hide, hide...)
	return p, nil
}

// straight refuses folders of the region that a symbolic link in the tree leads to: what is writable would be whatever it names.
func (o *Options) straight() error {
	root, err := os.OpenRoot(o.Tree)
	if err != nil {
		return fmt.Errorf("open tree: %w", err)
	}
	defer func() { _ = root.Close() }() // only looked at
	for _, folder := range append([]string{o.Dir}, o.Writable...) {
		rel, err := filepath.Rel(o.Tree, folder)
		if err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("folder %s is not in the tree %s", folder, o.Tree)
		}
		at := ""
		for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
			at = filepath.Join(at, part)
			if info, err := root.Lstat(at); err != nil {
				return fmt.Errorf("look at folder %s: %w", folder, err)
			} else if !info.IsDir() {
				return fmt.Errorf("folder %s: %s in the tree is no folder", folder, at)
			}
		}
	}
	return nil
}

// needs gives what must be readable for the client to start: its file, or the whole folder of packages when it is one of them,
// because a script finds its native part beside itself.
func needs(client string) string {
	const packages = "/node_modules/"
	if i := strings.LastIndex(client, packages); i >= 0 {
		return client[:i+len(packages)-1]
	}
	return client
}

// repository makes the git directory readable without its credentials: copies of the configuration files, in which only what git
// needs to read a work tree is left, stand in their places. Where nothing can stand in another file's place (landlock), the files
// are left out when they hold a credential; git then refuses to work inside, which is the smaller loss.
func (o *Options) repository(ctx context.Context) (binds []sandbox.Bind, hide []string, err error) {
	files := []string{filepath.Join(o.CommonDir, "config"), filepath.Join(o.CommonDir, "config.worktree")}
	more, err := filepath.Glob(filepath.Join(escapeGlob(o.CommonDir), "worktrees", "*", "config.worktree"))
	if err != nil {
		return nil, nil, fmt.Errorf("look for git configuration: %w", err)
	}
	copies := o.Home + ".git" // no region's name holds a dot
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return nil, nil, fmt.Errorf("copy git configuration: %w", err)
	}
	secret := false
	for i, file := range append(files, more...) {
		clean, found, err := gitconf.Scrub(ctx, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("copy git configuration: %w", err)
		}
		secret = secret || found
		to := filepath.Join(copies, fmt.Sprintf("config-%d", i))
		if err := atomicfile.WriteFile(to, clean, 0o600); err != nil {
			return nil, nil, fmt.Errorf("copy git configuration: %w", err)
		}
		binds = append(binds, sandbox.Bind{From: to, To: file})
	}
	modules := filepath.Join(o.CommonDir, "modules") // repositories of submodules, each with a configuration of its own
	if _, err := os.Lstat(modules); err == nil {
		hide = append(hide, modules)
	}
	switch {
	case o.Sandbox.Kind() == sandbox.Bwrap:
		return append([]sandbox.Bind{{From: o.CommonDir}}, binds...), hide, nil
	case !secret:
		return []sandbox.Bind{{From: o.CommonDir}}, hide, nil
	}
	o.Log.Warn("git configuration holds credentials: git does not work inside this worker", "region", o.Region)
	entries, err := os.ReadDir(o.CommonDir)
	if err != nil {
		return nil, nil, fmt.Errorf("read git directory: %w", err)
	}
	binds = nil
	for _, e := range entries {
		if e.Name() != "config" && e.Name() != "config.worktree" && e.Name() != "modules" {
			binds = append(binds, sandbox.Bind{From: filepath.Join(o.CommonDir, e.Name())})
		}
	}
	return binds, nil, nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
