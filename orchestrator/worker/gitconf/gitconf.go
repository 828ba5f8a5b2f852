// Package gitconf makes copies of git configuration files without credentials, for those who may read a repository but not its
// owner's keys.
//
// It owns no table and writes no file. What is kept is listed, not what is dropped: a key can stand in any setting.
package gitconf

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
)

// kept are the settings that a reader of the repository needs; sections end with a dot.
var kept = [...]string{"core.", "extensions.", "user.name", "user.email", "index.", "status.", "diff."}

// dropped are settings among them that name programs or files.
var dropped = [...]string{"core.sshcommand", "core.askpass", "core.gitproxy", "core.hookspath", "core.fsmonitor", "core.editor", "core.pager", "core.worktree", "core.attributesfile", "core.excludesfile", "diff.external"}

// Scrub gives a configuration file without what a worker must not know: only what git needs to read a
// work tree is left. secret says that it held something that looks like a credential. The error is fs.ErrNotExist (wrapped) for a
// file that is not there. Included files are not followed.
func Scrub(ctx context.Context, file string) (clean []byte, secret bool, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%s is no file", file)
	}
	res, err := proc.Run(ctx, proc.Cmd{Argv: []string{"git", "config", "--list", "-z", "--no-includes", "--file", file}, Dir: "/", Env: []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}})
	if err != nil {
		return nil, false, err
	}
	if res.Exit != 0 || res.Truncated {
		return nil, false, fmt.Errorf("git cannot list %s", file)
	}
	var b strings.Builder
	for entry := range strings.SplitSeq(string(res.Stdout), "\x00") {
		key, value, has := strings.Cut(entry, "\n")
		section, rest, ok := strings.Cut(key, ".")
		if !ok {
			continue
		}
		lower := strings.ToLower(section) + "." + strings.ToLower(rest)
		secret = secret || credential(lower, value)
		if !keep(lower) || strings.Count(key, ".") != 1 {
			continue
		}
		b.WriteString("[" + section + "]\n\t" + rest)
		if has {
			b.WriteString(" = " + quote(value))
		}
		b.WriteString("\n")
	}
	return []byte(b.String()), secret, nil
}

func keep(key string) bool {
	for _, d := range dropped {
		if key == d {
			return false
		}
	}
	for _, k := range kept {
		if key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k) {
			return true
		}
	}
	return false
}

// credential reports whether a setting may hold a key: headers, tokens, and addresses with a password in them.
func credential(key, value string) bool {
	for _, word := range [...]string{"extraheader", "token", "password", "secret", "oauth", "credential", "cookie"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	for _, text := range [...]string{key, value} {
		scheme, rest, ok := strings.Cut(text, "://")
		if !ok {
			continue
		}
		host, _, _ := strings.Cut(rest, "/")
		if user, _, has := strings.Cut(host, "@"); has && (strings.Contains(user, ":") || !strings.HasSuffix(scheme, "ssh")) {
			return true // a name alone is a token in http, and none in ssh
		}
	}
	return false
}

func quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(value) + `"`
}
