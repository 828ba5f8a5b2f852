package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
)

const (
	// maxList bounds a list of paths or changes, in bytes: about half a million files.
	maxList = 64 << 20
	// diffThreshold: git calls larger blobs binary in a patch (core.bigFileThreshold), so they cost nothing to diff.
	diffThreshold = "4m"
)

// settings are given to every git: nothing of the repository's may run or be written.
var settings = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "core.splitIndex=false",
	"-c", "core.safecrlf=false", "-c", "core.quotepath=off", "-c", "core.bigFileThreshold=" + diffThreshold,
	"-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "diff.renameLimit=1000", "-c", "diff.suppressBlankEmpty=false",
}

// passed names the variables that say where the user's own git configuration is: it decides what is ignored and how
// lines end. No other GIT_* variable reaches git.
var passed = [...]string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// call is one git process.
type call struct {
	args  []string
	objs  string   // the private object folder
	env   []string // more of the environment
	stdin []byte
	max   int    // bound of the output; 0 = maxList
	ok    int    // an exit status that is an answer, besides 0
	hide  string // a name of ours that means nothing in a message, and differs each time
}

// name is the git command, without the options of git itself.
func (c call) name() string {
	for _, a := range c.args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

func (c call) say(stderr []byte) string {
	line := firstLine(stderr)
	if c.hide == "" {
		return line
	}
	return strings.ReplaceAll(line, c.hide, "index")
}

// run starts git in the work tree. A truncated output is ErrTooLarge with what there is of it.
func (r Repo) run(ctx context.Context, c call) (proc.Result, error) {
	filters, err := r.filterSettings()
	if err != nil {
		return proc.Result{}, err
	}
	argv := append([]string{"git"}, settings[:]...)
	argv = append(append(argv, filters...), c.args...)
	if c.max == 0 {
		c.max = maxList
	}
	res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: r.Root, Env: r.env(c), Stdin: c.stdin, MaxOutput: 2 * c.max}) // the first half is kept whole
	switch {
	case errors.Is(err, proc.ErrNotFound):
		return res, fmt.Errorf("git %s: %w: %w", c.name(), ErrNoGit, err)
	case err != nil:
		return res, fmt.Errorf("git %s: %w", c.name(), err)
	case res.Exit != 0 && res.Exit != c.ok:
		return res, fmt.Errorf("git %s: exit %d: %s", c.name(), res.Exit, c.say(res.Stderr))
	case res.Truncated || len(res.Stdout) > c.max:
		return res, fmt.Errorf("git %s: more than %d bytes: %w", c.name(), c.max, ErrTooLarge)
	}
	return res, nil
}

func (r Repo) env(c call) []string {
	env := []string{
		"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", // a partial clone must not fetch
		"GIT_OBJECT_DIRECTORY=" + c.objs,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + QuoteAlternate(filepath.Join(r.CommonDir, "objects")),
	}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, c.env...)
}

// QuoteAlternate writes a path as git wants it in a list separated by colons.
func QuoteAlternate(path string) string {
	if !strings.ContainsAny(path, ":\"\n\\") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	const long = 300
	if len(line) > long {
		line = line[:long]
	}
	return strings.ToValidUTF8(line, "?")
}
