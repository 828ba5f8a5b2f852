package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
)

// maxOutput bounds what git says: refs and configuration, in bytes. About half a million refs.
const maxOutput = 64 << 20

// settings keep the repository's configuration from running or writing anything.
var settings = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotepath=off", "-c", "core.warnAmbiguousRefs=false",
	"-c", "log.showSignature=false", "-c", "diff.renameLimit=1000",
}

// passed names the variables that say where the user's own configuration is. No other GIT_* variable reaches git.
var passed = [...]string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// run starts git on the repository. Any exit status but 0 and those in fine is an error.
func run(ctx context.Context, repo gitx.Repo, stdin []byte, fine int, args ...string) (string, int, error) {
	env := []string{
		"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", // a partial clone must not fetch
		"GIT_DIR=" + repo.GitDir,
	}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	argv := append(append([]string{"git"}, settings[:]...), args...)
	res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: repo.Root, Env: env, Stdin: stdin, MaxOutput: 2 * maxOutput})
	switch {
	case errors.Is(err, proc.ErrNotFound):
		return "", 0, fmt.Errorf("git %s: %w: %w", args[0], ErrNoGit, err)
	case err != nil:
		return "", 0, fmt.Errorf("git %s: %w", args[0], err)
	case res.Truncated:
		return "", 0, fmt.Errorf("git %s: more than %d bytes: %w", args[0], maxOutput, ErrTooLarge)
	case res.Exit != 0 && res.Exit != fine:
		return "", res.Exit, fmt.Errorf("git %s: exit %d: %s", args[0], res.Exit, firstLine(res.Stderr))
	}
	return string(res.Stdout), res.Exit, nil
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	const long = 300
	return strings.ToValidUTF8(line[:min(len(line), long)], "?")
}

// object is the name of what an expression stands for, empty when there is nothing.
func object(ctx context.Context, repo gitx.Repo, expr string) (string, error) {
	out, code, err := run(ctx, repo, nil, 1, "rev-parse", "--quiet", "--verify", "--end-of-options", expr)
	if code == 128 { // an expression that git cannot read
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(out), nil
}

// isOID is true for a full object name of SHA-1 or SHA-256.
func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func isZero(oid string) bool { return strings.Trim(oid, "0") == "" }

func branchName(ref string) string {
	name, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return ""
	}
	return name
}
