package verify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
)

const (
	// DefaultTimeout bounds a command when Options.Timeout is 0.
	DefaultTimeout = 10 * time.Minute
	// DefaultMaxOutput bounds what is kept of a command's output, in bytes, when Options.MaxOutput is 0.
	DefaultMaxOutput = 256 << 10
)

// Options say how to run checks. Home is wanted.
type Options struct {
	Home      string         // absolute: folder of private homes and caches, one of each region; made
	Evidence  string         // absolute: folder that gets one file of each command; "" keeps none
	Timeout   time.Duration  // 0 = DefaultTimeout
	MaxOutput int            // bytes; 0 = DefaultMaxOutput
	Env       []string       // KEY=value; PATH and LANG above all. HOME, TMPDIR and the caches are set here and win
	ReadOnly  []sandbox.Bind // more that may be read: toolchains outside of /usr
	Hide      []string       // of that and of the trees, what may not
	CommonDir string         // the repository's common git directory; "" = look for it from the tree
	Caches    Caches         // packages of the person, to be read; see FindCaches
	Protect   Protect
	Lend      Lend  // dependency folders that the person has; nil = none
	Procs     int   // processes at most; 0 = no limit
	Memory    int64 // bytes at most; 0 = no limit
	Log       *slog.Logger
	Now       func() time.Time // nil = time.Now
}

// Lend prepares a tree whose project folder is root, before each command there, and gives what the command may see besides. scratch
// is a folder that no command can write unless a part of it is given back in write.
type Lend func(ctx context.Context, root, scratch string) (read, write []sandbox.Bind, err error)

// Protect names files that a command sees as they are in a commit.
type Protect struct {
	Paths  []string // slash patterns below the project's folder: "**/*_test.go", "tests/**"
	Commit string   // "" = nothing is protected
}

// Verifier runs checks. It may be used from many goroutines.
type Verifier struct {
	box   sandbox.Sandbox
	o     Options
	count atomic.Int64
}

var _ schedule.Verifier = (*Verifier)(nil)

// New makes a verifier.
func New(box sandbox.Sandbox, o Options) *Verifier {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = DefaultMaxOutput
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Verifier{box: box, o: o}
}

// outcome is how a command ended.
type outcome struct {
	exit     int
	timedOut bool
	elapsed  time.Duration
	output   string // cleaned
}

var errTimeout = errors.New("the time-out of the check has passed")

// Verify runs a check. Verdict.Output begins with how the command ended, in words, when it was not well. An error says that the
// command was not run, or not to its end: the confinement, the machine or the caller's context is to blame, and not the work.
func (v *Verifier) Verify(ctx context.Context, c schedule.Check) (schedule.Verdict, error) {
	o, err := v.run(ctx, c)
	if err != nil {
		return schedule.Verdict{}, fmt.Errorf("verify: %w", err)
	}
	verdict := schedule.Verdict{OK: o.exit == 0 && !o.timedOut, Output: o.output, TimedOut: o.timedOut}
	if !verdict.OK {
		verdict.Output = v.ended(o) + "\n" + o.output
	}
	return verdict, nil
}

func (v *Verifier) run(ctx context.Context, c schedule.Check) (outcome, error) {
	if strings.ContainsRune(c.Command, 0) || strings.TrimSpace(c.Command) == "" {
		return outcome{}, errors.New("there is no command that could be run")
	}
	place, err := v.place(c)
	if err != nil {
		return outcome{}, err
	}
	policy, err := v.policy(ctx, c, place)
	if err != nil {
		return outcome{}, err
	}
	mark := mark()
	policy.Env = append(policy.Env, mark)
	// The command is an argument, not a part of a script: no comment, bracket or here-document in it changes what is around it.
	cmd, err := v.box.Wrap(policy, []string{"/bin/sh", "-c", `exec "$0" -c "$1" 2>&1`, shell(), c.Command})
	if err != nil {
		return outcome{}, err
	}
	unchanged, err := guard(c.Root)
	if err != nil {
		return outcome{}, err
	}
	restore, err := v.protect(ctx, c.Root)
	if err != nil {
		return outcome{}, err
	}
	cmd.MaxOutput = v.o.MaxOutput
	inner, cancel := context.WithTimeoutCause(ctx, v.o.Timeout, errTimeout)
	defer cancel()
	res, runErr := proc.Run(inner, cmd)
	v.leftovers(mark)
	changed, err := unchanged()
	if err := errors.Join(err, restore()); err != nil {
		return outcome{}, err
	}
	if err := place.sweep(); err != nil {
		v.o.Log.Warn("temporary files of a check stay", "region", c.Region, "error", err)
	}
	o := outcome{exit: res.Exit, timedOut: runErr != nil && ctx.Err() == nil && errors.Is(context.Cause(inner), errTimeout), elapsed: res.Elapsed}
	o.output = clean(res.Stdout)
	if extra := clean(res.Stderr); extra != "" { // of the confinement itself
		o.output = strings.TrimSuffix(o.output, "\n") + "\n" + extra
	}
	if runErr != nil && !o.timedOut {
		return outcome{}, runErr
	}
	if changed {
		o.exit, o.output = max(o.exit, 1), "The command changed the file .git of its work tree, which is not allowed; it was put back.\n"+o.output
	}
	v.keep(c, o)
	return o, nil
}

// leftovers ends what a command left behind where nothing else did.
func (v *Verifier) leftovers(mark string) {
	if v.box.Kind() != sandbox.None {
		return // its processes ended with their namespace, or with the launcher that supervises them
	}
	if n := killMarked(mark); n > 0 {
		v.o.Log.Warn("a check left processes behind, which were ended", "count", n)
	}
}

func shell() string {
	for _, path := range [...]string{"/bin/bash", "/usr/bin/bash"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return "/bin/sh"
}

// folder is the private place of a region's checks.
type folder struct{ dir string }

func (v *Verifier) place(c schedule.Check) (folder, error) {
	name := c.Region
	if name == "" {
		name = "merged.tree" // no region is called so
	}
	if name != filepath.Base(name) || !filepath.IsLocal(name) {
		return folder{}, fmt.Errorf("region %q is no name", c.Region)
	}
	for _, path := range [...]string{c.Root, c.Dir, v.o.Home} {
		if !filepath.IsAbs(path) {
			return folder{}, fmt.Errorf("folder %q is not absolute", path)
		}
	}
	if rel, err := filepath.Rel(c.Root, c.Dir); err != nil || !filepath.IsLocal(rel) {
		return folder{}, fmt.Errorf("folder %s is not inside %s", c.Dir, c.Root)
	}
	f := folder{filepath.Join(v.o.Home, name)}
	for _, sub := range [...]string{"home", "tmp", "cache"} {
		err := os.MkdirAll(f.sub(sub), 0o700)
		if info, e := os.Lstat(f.sub(sub)); err == nil && (e != nil || !info.IsDir()) {
			err = fmt.Errorf("%s is no folder", f.sub(sub))
		}
		if err != nil {
			return folder{}, fmt.Errorf("make home of checks: %w", err)
		}
	}
	return f, nil
}

func (f folder) sub(name ...string) string { return filepath.Join(append([]string{f.dir}, name...)...) }

// mark is an entry of the environment by which a command's processes, and nobody else's, are known.
func mark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "DEVFLOW_CHECK=" + hex.EncodeToString(b[:])
}

// sweep empties the folder of temporary files. Other checks of the same region may be running: only what is old enough goes.
func (f folder) sweep() error {
	top, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer func() { _ = top.Close() }() // only removed through it
	tmp, err := top.OpenRoot("tmp")
	if err != nil {
		return err
	}
	defer func() { _ = tmp.Close() }()
	entries, err := fs.ReadDir(tmp.FS(), ".")
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			errs = append(errs, tmp.RemoveAll(e.Name()))
		}
	}
	return errors.Join(errs...)
}
