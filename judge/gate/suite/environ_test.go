package suite_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/suite"
	"github.com/google/go-cmp/cmp"
)

func TestEnviron(t *testing.T) {
	t.Parallel()
	seen := []string{
		"PATH=/usr/bin:/opt/secret tools/bin", "HOME=/home/dev", "USER=dev", "LANG=de_DE.UTF-8", "LC_ALL=C", "TZ=UTC", "TMPDIR=/var/tmp", "TERM=xterm-256color",
		"GOPATH=/home/dev/go", "GOFLAGS=-mod=mod", "GOPROXY=https://proxy.example.com,direct", "GOPRIVATE=example.com/*", "CGO_ENABLED=1", "VIRTUAL_ENV=/v", "PYTHONPATH=src",
		"NODE_PATH=/n", "NODE_ENV=test", "NODE_OPTIONS=--max-old-space-size=4096", "JAVA_HOME=/jdk", "MAVEN_OPTS=-Xmx1g", "CARGO_HOME=/c", "RUSTFLAGS=-D warnings", "CI=1",
		"DATABASE_URL=postgres://localhost:5432/app_test", "REDIS_URL=redis://127.0.0.1:6379/1", "https_proxy=http://proxy.example.com:3128", "DOCKER_HOST=unix:///run/docker.sock",
		"DISPLAY=:0", "XAUTHORITY=/home/dev/.Xauthority", "XDG_SESSION_ID=c2", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus", "DESKTOP_SESSION=ubuntu-xorg",
		"TOKENIZERS_PARALLELISM=false", "KEYTIMEOUT=1", "KEYBOARD=de", "AWS_REGION=eu-central-1", "AWS_PROFILE=dev", "COMPASS_URL=http://localhost", "LS_COLORS=di=01;34:*.pem=00;38;5;9",
		"EDITOR=vim", "GITHUB_REPOSITORY=me/x", "GITHUB_ACTIONS=true", "EMPTY=", "PS1=\\u@\\h$ ", "DJANGO_SETTINGS_MODULE=app.settings", "RAILS_ENV=test", "npm_config_cache=/cache",
	}
	key := "ghp_" + strings.Repeat("aB3dE5", 6)
	hidden := []string{
		"GITHUB_TOKEN=x", "GH_TOKEN=x", "NPM_TOKEN=x", "OPENAI_API_KEY=x", "openai_api_key=x", "STRIPE_KEY=x", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x", "AWS_SESSION_TOKEN=x",
		"DB_PASSWORD=x", "PGPASSWORD=x", "MYSQL_PWD=x", "DB_PASS=x", "SSH_PASSPHRASE=x", "SECRET=x", "APP_SECRET_2=x", "GOOGLE_APPLICATION_CREDENTIALS=/k.json", "SESSION_COOKIE=x",
		"GITLAB_PAT=x", "SENTRY_DSN=x", "SLACK_WEBHOOK=x", "npm_config__auth=x", "npm_config_//registry.npmjs.org/:_authToken=x", "JWT_SIGNING_KEY=x", "TF_VAR_db.password=x", "privateKey=x", "TOKEN2=x", "MYAPP_CLIENTSECRET=x",
		"INNOCENT=" + key, "DATABASE_URL=postgres://app:hunter2@db.example.com/app", "HTTPS_PROXY=http://me:pw@proxy.example.com:3128", "REMOTE=https://" + key + "@github.com/x/y",
		"JAVA_OPTS=-Xmx1g -Ddb.password=hunter2hunter2", "PEM=-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
		"GIT_DIR=.git", "GIT_INDEX_FILE=x", "GIT_WORK_TREE=.", "GIT_CONFIG_PARAMETERS='a=b'", "GIT_EDITOR=true", "GIT_AUTHOR_NAME=x", "GIT_EXEC_PATH=/x", "GIT_PREFIX=",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=/x", "CLAUDE_CODE_SESSION_ID=s", "ANTHROPIC_BASE_URL=http://x", "ANTHROPIC_MODEL=m",
		"DEVFLOW_HOME=/x", "DEVFLOW_DB=/x", "DEVFLOW_CHILD=0", "DEVFLOW_PRE_PUSH=1", "DEVFLOW_SESSION_ID=s", "PAPERWEIGHT_RUN_ID=x",
		"SSH_AUTH_SOCK=/x", "MAKEFLAGS=-j --jobserver-auth=3,4", "MAKELEVEL=1", "NODE_TEST_CONTEXT=child-v8", "BASH_ENV=/x", "PWD=.", "OLDPWD=/", "_=/usr/bin/env", "BASH_FUNC_ls%%=() { :; }",
		"no equals sign", "=x",
	}
	env, withheld := suite.Environ(slices.Concat(hidden, seen))
	if diff := cmp.Diff(seen, env); diff != "" {
		t.Errorf("passed on (-want +got):\n%s", diff)
	}
	var names []string
	for _, kv := range hidden {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
			names = append(names, name)
		}
	}
	if diff := cmp.Diff(names, withheld); diff != "" {
		t.Errorf("withheld (-want +got):\n%s", diff)
	}
	if env, _ := suite.Environ(nil); !slices.Equal(env, []string{"CI=true"}) {
		t.Errorf("environment of nobody: %q, want CI=true", env)
	}
}

// TestTestsGetTheCleanEnvironment looks from inside, with variables of ours in this process. No parallel test may see them.
func TestTestsGetTheCleanEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"DEVFLOW_HOME": "/elsewhere", "DEVFLOW_DB": "/elsewhere/db", "GIT_DIR": "/elsewhere", "GIT_INDEX_FILE": "/elsewhere", "CLAUDECODE": "1", "ANTHROPIC_API_KEY": "x",
		"MY_TOKEN": "x", "GOPATH": "/go", "VIRTUAL_ENV": "/venv", "DATABASE_URL": "postgres://localhost/x", "PWD": ".",
	} {
		t.Setenv(name, value)
	}
	p := newProject(t, files{"sub/a": ""})
	c := shell("env > ../env.txt")
	c.Dir = "sub"
	if report := suite.Run(t.Context(), p.options(c)); report.Status != suite.OK {
		t.Fatal(report.Text())
	}
	data, err := os.ReadFile(p.Path("env.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		got[name] = value
	}
	for name, want := range map[string]string{
		"DEVFLOW_CHILD": "1", "GOPATH": "/go", "VIRTUAL_ENV": "/venv", "DATABASE_URL": "postgres://localhost/x", "PATH": os.Getenv("PATH"), "HOME": os.Getenv("HOME"), "PWD": p.repo.Root + "/sub",
	} {
		if got[name] != want {
			t.Errorf("%s=%q, want %q", name, got[name], want)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, "DEVFLOW_") && name != "DEVFLOW_CHILD" || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "CLAUDE") || strings.HasPrefix(name, "ANTHROPIC") || name == "MY_TOKEN" {
			t.Errorf("%s reaches the tests", name)
		}
	}
}
