package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
)

// trialTime bounds one try of a backend.
const trialTime = 10 * time.Second

// Find looks for a backend that works, by running a command in it. want Auto takes bwrap, else landlock, and never
// none. launcher is the start of a command line that ends in Launch, such as {"/path/devflock", "sandbox"}: landlock
// and limits need it. The error is ErrUnavailable, wrapped, with one sentence that holds the reasons and what helps,
// or the cause of ctx.
func Find(ctx context.Context, want Kind, launcher []string) (Sandbox, error) {
	b := &backend{launcher: slices.Clone(launcher), secrets: systemSecrets(), settings: kernelSettings()}
	var err error
	switch want {
	case None:
		b.kind = None
		b.lacks = []string{"everything: commands run with all your rights"}
		return Sandbox{b}, nil
	case Bwrap:
		err = b.tryBwrap(ctx)
	case Landlock:
		err = b.tryLandlock(ctx)
	case Auto, "":
		if err = b.tryBwrap(ctx); err != nil && ctx.Err() == nil {
			if second := b.tryLandlock(ctx); second != nil {
				err = fmt.Errorf("%w, and %w", err, second)
			} else {
				b.lacks = append(b.lacks, fmt.Sprintf("bwrap, which would protect better, because %v", err))
				err = nil
			}
		}
	default:
		return Sandbox{}, fmt.Errorf("find confinement: unknown backend %q; known are auto, bwrap, landlock, none", want)
	}
	if ctx.Err() != nil {
		return Sandbox{}, fmt.Errorf("find confinement: %w", context.Cause(ctx))
	}
	if err != nil {
		return Sandbox{}, fmt.Errorf("find confinement: %w: %w; %s", ErrUnavailable, err, remedy)
	}
	b.findLimits()
	return Sandbox{b}, nil
}

const remedy = "install bubblewrap and allow unprivileged user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap), or use a kernel from 6.2 on with landlock among its security modules"

// isolation is what every bwrap gets; the user namespace follows, as it works here.
var isolation = [...]string{"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL"}

func (b *backend) tryBwrap(ctx context.Context) error {
	path := findBwrap()
	if path == "" {
		return errors.New("bwrap is not installed")
	}
	b.kind, b.bwrap = Bwrap, path
	var first error
	for _, filter := range [...]bool{true, false} {
		if filter && len(b.launcher) == 0 {
			continue
		}
		b.filter = filter
		for i, user := range userNamespaces {
			b.flags = append(slices.Clone(isolation[:]), user...)
			err := b.trial(ctx)
			if err == nil {
				b.lacks = b.bwrapLacks(i == 0)
				return nil
			}
			if first == nil || i == 1 { // the try with the namespace alone says best what is wrong
				first = err
			}
			if ctx.Err() != nil {
				return first
			}
		}
	}
	return fmt.Errorf("bwrap does not work here (%w)", first)
}

// userNamespaces are tried in this order: with one that is the last, with one, and without for a bwrap with set-user-ID.
var userNamespaces = [...][]string{{"--unshare-user", "--disable-userns"}, {"--unshare-user"}, {}}

func (b *backend) bwrapLacks(last bool) []string {
	var lacks []string
	if !last {
		lacks = append(lacks, "a ban on new user namespaces inside")
	}
	if !b.filter {
		lacks = append(lacks, "a filter of system calls: sockets to the host of a virtual machine and kernel keyrings can be reached")
	}
	if !b.filter || !scopes() {
		lacks = append(lacks, "guarding of abstract Unix sockets while a command may use the network")
	}
	return lacks
}

// trial runs true in the backend as it is set now.
func (b *backend) trial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	dir := "/usr"
	c, err := (Sandbox{b}).Wrap(Policy{Dir: dir, Env: []string{"PATH=/usr/bin:/bin:/run/current-system/sw/bin"}}, []string{"true"})
	if err != nil {
		return err
	}
	res, err := proc.Run(ctx, c)
	if err != nil {
		return err
	}
	if res.Exit != 0 {
		text, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n")
		if text == "" {
			text = fmt.Sprintf("exit status %d", res.Exit)
		}
		return errors.New(text)
	}
	return nil
}

// findBwrap prefers the system's own program to whatever PATH leads to.
func findBwrap() string {
	places := append([]string{"/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"}, filepath.SplitList(os.Getenv("PATH"))...)
	for _, dir := range places {
		path := filepath.Join(dir, "bwrap")
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path
		}
	}
	return ""
}
