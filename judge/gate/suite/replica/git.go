package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
	"os"
	"strconv"
	"strings"
)

// git runs git with a private index and the copy as its work tree.
type git struct {
	repo gitx.Repo
	dir  string // work tree and working folder
	env  []string
}

// quiet are settings that keep git from running or writing anything of the repository.
var quiet = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "core.splitIndex=false",
	"-c", "core.sparseCheckout=false", "-c", "core.quotepath=off", "-c", "advice.detachedHead=false",
}

func (g git) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	argv := append([]string{"git", "--git-dir=" + g.repo.GitDir, "--work-tree=" + g.dir}, quiet[:]...)
	env := []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL="}
	for _, name := range [...]string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"} { // where the user's own settings are
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	res, err := proc.Run(ctx, proc.Cmd{Argv: append(argv, args...), Dir: g.dir, Env: append(env, g.env...), Stdin: stdin, MaxOutput: 2 * maxListing})
	switch {
	case err != nil:
		return nil, err
	case res.Exit != 0:
		line, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n")
		return res.Stdout, &exitError{command: args[0], status: res.Exit, text: strings.ToValidUTF8(line, "?")}
	case res.Truncated:
		return nil, fmt.Errorf("git %s: %w", args[0], gitx.ErrTooLarge)
	}
	return res.Stdout, nil
}

// exitError is a git command that ended with another status than 0.
type exitError struct {
	command string
	status  int
	text    string
}

func (e *exitError) Error() string {
	return fmt.Sprintf("git %s: exit %d: %s", e.command, e.status, e.text)
}

// disarm switches off every filter that any configuration names: it is a program, and files behind it (git LFS) stay as
// they are in the repository. Names go by the environment, where any byte is allowed.
func (g *git) disarm(ctx context.Context) error {
	out, err := g.run(ctx, nil, "config", "-z", "--name-only", "--get-regexp", `^filter\..*\.(smudge|process|required)$`)
	var exit *exitError
	if err != nil && !(errors.As(err, &exit) && exit.status == 1) { // 1: there is none
		return err
	}
	n := 0
	for key := range bytes.SplitSeq(out, []byte{0}) {
		if len(key) == 0 {
			continue
		}
		value := ""
		if bytes.HasSuffix(key, []byte(".required")) {
			value = "false"
		}
		g.env = append(g.env, "GIT_CONFIG_KEY_"+strconv.Itoa(n)+"="+string(key), "GIT_CONFIG_VALUE_"+strconv.Itoa(n)+"="+value)
		n++
	}
	if n > 0 {
		g.env = append(g.env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
	}
	return nil
}
