// Package git runs the git program for devflock, so that nothing of the person's runs or changes with it: no hook, filter, merge or
// diff driver, fsmonitor, signing, credential helper, pager, maintenance, template or network, and no reflog of ours. It also gives
// the lock on a repository, and tells whether a git of ours is still alive.
//
// It owns no table and no file. Unlike internal/gitx, which only looks, what it runs may write: where, is its caller's business.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/proc"
)

// maxOutput bounds what is read of git, in bytes: about half a million paths.
const maxOutput = 64 << 20

// settings hold in every git of ours. They are given by the environment, which wins over every configuration file.
var settings = [...][2]string{
	{"core.hooksPath", "/dev/null"}, {"core.fsmonitor", "false"}, {"core.untrackedCache", "false"}, {"core.splitIndex", "false"},
	{"core.safecrlf", "false"}, {"core.quotePath", "false"}, {"core.logAllRefUpdates", "false"},
	{"core.trustctime", "true"}, {"core.checkStat", "default"}, // a worker may set a file's times
	{"core.sparseCheckout", "false"}, {"index.sparse", "false"}, {"submodule.recurse", "false"},
	{"core.askPass", ""}, {"core.editor", ":"}, {"core.pager", "cat"}, {"credential.helper", ""}, {"protocol.allow", "never"},
	{"gc.auto", "0"}, {"gc.autoDetach", "false"}, {"maintenance.auto", "false"}, {"commit.gpgSign", "false"}, {"tag.gpgSign", "false"},
	{"status.renames", "false"}, {"diff.noprefix", "false"}, {"diff.mnemonicPrefix", "false"}, {"diff.suppressBlankEmpty", "false"},
	{"merge.directoryRenames", "false"}, {"merge.renames", "true"}, {"init.templateDir", ""},
	{"core.fsync", "committed,reference"}, {"core.fsyncMethod", "batch"}, // what the rows call done survives a loss of power
}

// environment holds in every git of ours.
var environment = [...]string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=",
	"GIT_LFS_SKIP_SMUDGE=1",
}

// passed names the variables that say where the person's own configuration is: it decides what is ignored and how lines end.
var passed = [...]string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// Runner runs git in one place. It is a value: copy and change it freely. Paths are absolute.
type Runner struct {
	Dir      string      // working folder of the process
	GitDir   string      // "" = git looks for it from Dir, and refuses a repository of somebody else
	WorkTree string      // "" = none given
	Index    string      // index file; "" = that of GitDir
	Objects  string      // object folder; "" = that of GitDir
	Plain    bool        // no configuration and no attributes of the person or the machine
	Filters  []string    // names of filters to switch off
	Settings [][2]string // more settings
	Env      []string    // more of the environment, such as an identity
	Mark     string      // appears in the argument list, for Alive
}

// Call is one git process.
type Call struct {
	Args  []string
	Stdin []byte
	OK    []int // exit statuses that are an answer, besides 0
	Max   int   // bytes of output; 0 = 64 MB
}

// Error is an exit status of git that is no answer.
type Error struct {
	Command string // such as "update-ref"
	Exit    int
	Stderr  string // bounded
}

// Error gives the first line of what git said.
func (e *Error) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	return fmt.Sprintf("git %s: exit %d: %s", e.Command, e.Exit, strings.ToValidUTF8(line[:min(len(line), 300)], "?"))
}

// Run starts git and waits for it. The error wraps gitx.ErrNoGit when there is no git, gitx.ErrTooLarge with the first part of the
// output when there was too much, the cause of ctx when it ended first, or is an *Error.
func (r Runner) Run(ctx context.Context, c Call) (proc.Result, error) {
	argv := []string{"git"}
	if r.Mark != "" {
		argv = append(argv, "-c", markKey+r.Mark)
	}
	limit := c.Max
	if limit == 0 {
		limit = maxOutput
	}
	res, err := proc.Run(ctx, proc.Cmd{Argv: append(argv, c.Args...), Dir: r.Dir, Env: r.env(), Stdin: c.Stdin, MaxOutput: 2 * limit}) // the first half is kept whole
	switch {
	case errors.Is(err, proc.ErrNotFound):
		return res, fmt.Errorf("git %s: %w: %w", c.name(), gitx.ErrNoGit, err)
	case err != nil:
		return res, fmt.Errorf("git %s: %w", c.name(), err)
	case res.Exit != 0 && !slices.Contains(c.OK, res.Exit):
		return res, &Error{Command: c.name(), Exit: res.Exit, Stderr: string(res.Stderr[:min(len(res.Stderr), 4<<10)])}
	case res.Truncated || len(res.Stdout) > limit:
		res.Stdout = res.Stdout[:min(limit, len(res.Stdout))]
		return res, fmt.Errorf("git %s: more than %d bytes: %w", c.name(), limit, gitx.ErrTooLarge)
	}
	return res, nil
}

// Line runs git with these arguments and gives its output without the last line end.
func (r Runner) Line(ctx context.Context, args ...string) (string, error) {
	res, err := r.Run(ctx, Call{Args: args})
	return strings.TrimSuffix(string(res.Stdout), "\n"), err
}

func (c Call) name() string {
	for _, a := range c.Args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

func (r Runner) env() []string {
	env := append([]string(nil), environment[:]...)
	if r.Plain {
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1")
	} else {
		for _, name := range passed {
			if v, ok := os.LookupEnv(name); ok {
				env = append(env, name+"="+v)
			}
		}
	}
	for _, kv := range [...][2]string{{"GIT_DIR", r.GitDir}, {"GIT_WORK_TREE", r.WorkTree}, {"GIT_INDEX_FILE", r.Index}, {"GIT_OBJECT_DIRECTORY", r.Objects}} {
		if kv[1] != "" {
			env = append(env, kv[0]+"="+kv[1])
		}
	}
	n := 0
	set := func(key, value string) {
		i := strconv.Itoa(n)
		env = append(env, "GIT_CONFIG_KEY_"+i+"="+key, "GIT_CONFIG_VALUE_"+i+"="+value)
		n++
	}
	for _, kv := range settings {
		set(kv[0], kv[1])
	}
	if r.Plain {
		set("core.attributesFile", os.DevNull)
		set("core.excludesFile", os.DevNull)
	}
	for _, name := range r.Filters {
		for _, kv := range [...][2]string{{"clean", ""}, {"smudge", ""}, {"process", ""}, {"required", "false"}} {
			set("filter."+name+"."+kv[0], kv[1])
		}
	}
	for _, kv := range r.Settings {
		set(kv[0], kv[1])
	}
	return append(append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n)), r.Env...)
}

// Literal quotes paths so that git takes them for paths, not for patterns.
func Literal(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = ":(literal,top)" + p
	}
	return out
}

// Join is a list of paths for the -z options of git.
func Join(paths []string) []byte {
	if len(paths) == 0 {
		return []byte{}
	}
	return []byte(strings.Join(paths, "\x00") + "\x00")
}
