// Package environ chooses what of the user's environment may reach a program that we start in the user's name. It owns no
// table and reads no environment itself. internal/proc is stricter: what is chosen here is added to its list on purpose.
package environ

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/redact"
)

// withheldPrefixes begin the names of variables that never reach such a program: git's would send its commands to the user's
// repository, the client's and ours would make it take part in the session, and a package manager or make around us would
// reach into the one that runs the tests.
var withheldPrefixes = [...]string{
	"GIT_", "CLAUDE", "ANTHROPIC", "DEVFLOW_", "PAPERWEIGHT_", "npm_lifecycle_", "npm_package_", "BASH_FUNC_",
}

// withheldNames are single variables of the same kinds, agents that sign in the user's name, and what runs code in every
// shell.
var withheldNames = [...]string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "NODE_TEST_CONTEXT", "INIT_CWD",
	"BASH_ENV", "ENV", "LD_PRELOAD", "PWD", "OLDPWD", "SHLVL", "_",
}

// secretWords are parts of a name, between underscores, that announce a secret as its value.
var secretWords = [...]string{
	"TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "PWD", "KEY", "KEYS", "APIKEY", "APITOKEN", "ACCESSKEY", "CREDENTIAL", "CREDENTIALS",
	"CREDS", "AUTH", "AUTHORIZATION", "COOKIE", "COOKIES", "JWT", "BEARER", "PAT", "PRIVATE", "DSN", "SIGNATURE", "WEBHOOK", "PIN", "OTP",
}

// secretParts are parts of a name that announce one without underscores around them.
var secretParts = [...]string{"PASSWORD", "SECRETKEY", "APIKEY", "ACCESSTOKEN", "AUTHTOKEN", "PRIVATEKEY", "ACCESSKEY", "CLIENTSECRET"}

// Safe chooses what a program of the project may see of the user's environment: everything but secrets, by name and by
// value, and what would redirect git or belongs to the client, to devflow or to a build that we are part of. withheld are the
// names of the others.
func Safe(user []string) (env, withheld []string) {
	for _, kv := range user {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "":
		case withheldName(name) || redact.String(value) != value:
			withheld = append(withheld, name)
		default:
			env = append(env, kv)
		}
	}
	return env, withheld
}

func withheldName(name string) bool {
	if name == proc.ChildMarker { // internal/proc sets it
		return true
	}
	for _, p := range withheldPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	if slices.Contains(withheldNames[:], name) {
		return true
	}
	upper := strings.ToUpper(name)
	for word := range strings.FieldsFuncSeq(upper, func(r rune) bool { return r == '_' || r == '.' || r == '-' }) {
		if slices.Contains(secretWords[:], strings.TrimRight(word, "0123456789")) {
			return true
		}
	}
	flat := strings.ReplaceAll(upper, "_", "")
	return slices.ContainsFunc(secretParts[:], func(p string) bool { return strings.Contains(flat, p) })
}

// accessNames are the variables that git needs to reach a server and to sign in as the user. They go to git alone, not to the
// tests.
var accessNames = [...]string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR", "DBUS_SESSION_BUS_ADDRESS", "GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// Access is what git needs of an environment to reach a server and to sign in as the user. It holds secrets: it is for git alone.
func Access(environ []string) (env []string) {
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); value != "" && slices.Contains(accessNames[:], name) {
			env = append(env, kv)
		}
	}
	return env
}
