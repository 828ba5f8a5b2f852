package claudecli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
)

func TestFindNamesTheCommandThatInstalls(t *testing.T) {
	t.Parallel()
	_, err := claudecli.Find(t.TempDir(), "2.1.332")
	if !errors.Is(err, claudecli.ErrMissing) || !strings.Contains(err.Error(), "make deps") {
		t.Errorf("err = %v, want ErrMissing with the command", err)
	}
}

func TestEnvironHasNothingOfTheCaller(t *testing.T) {
	t.Setenv("SECRET_OF_THE_CALLER", "1")
	env := claudecli.Environ("/h", "http://127.0.0.1:1", "MORE=2")
	for _, want := range []string{"HOME=/h", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "IS_SANDBOX=1", "DISABLE_AUTOUPDATER=1", "MORE=2"} {
		if !slices.Contains(env, want) {
			t.Errorf("environment lacks %s", want)
		}
	}
	if got := strings.Join(env, " "); strings.Contains(got, "SECRET_OF_THE_CALLER") {
		t.Errorf("environment = %s", got)
	}
}

// fake writes a shell script that stands for the client. It is read by a shell, not started: a file that was just written can be busy
// while tests beside this one start processes.
func fake(t *testing.T, body string) (claudecli.Client, claudecli.Options) {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "claude")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return claudecli.Client{Version: "0", Path: path}, claudecli.Options{Home: home, Dir: home, URL: "http://127.0.0.1:1", Wrap: []string{"/bin/sh"}}
}

// echo answers each line of input with a result event.

const echo = `while read -r line; do
	printf '%s\n' "$line" >>"$HOME/got"
	echo '{"type":"result","subtype":"success","session_id":"s1","result":"r","terminal_reason":"completed"}'
done
echo "$@" >&2
exit 3
`

func TestPromptsFollowOneAnother(t *testing.T) {
	t.Parallel()
	client, o := fake(t, echo)
	o.Prompts, o.Continue, o.Args = []string{"one", "two\nlines"}, true, []string{"--more"}
	res, err := client.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Exit != 3 || res.SessionID != "s1" || res.Final().Reason != "completed" || len(res.Events) != 2 {
		t.Errorf("result = %+v", res)
	}
	if got := string(res.Stderr); !strings.Contains(got, "--continue --more") || !strings.Contains(got, "bypassPermissions") {
		t.Errorf("arguments = %s", got)
	}
	got, err := os.ReadFile(filepath.Join(o.Home, "got"))
	want := `{"message":{"content":"one","role":"user"},"type":"user"}` + "\n" + `{"message":{"content":"two\nlines","role":"user"},"type":"user"}` + "\n"
	if d := cmp.Diff(want, string(got)); err != nil || d != "" {
		t.Errorf("input (%v, -want +got):\n%s", err, d)
	}
}

func TestCancelEndsTheClientWithItsChildren(t *testing.T) {
	t.Parallel()
	client, o := fake(t, "sleep 600 & sleep 600\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	o.Prompts, o.OnStart = []string{"one"}, func(*os.Process) { cancel(errors.New("enough")) }
	_, err := client.Run(ctx, o)
	if err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("err = %v, want the cause", err)
	}
}

func TestPreparedHomeTrustsTheProject(t *testing.T) {
	t.Parallel()
	home := claudecli.Home{Dir: t.TempDir()}
	if err := home.Prepare("/p"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(home.Dir, ".claude.json"))
	if err != nil || !strings.Contains(string(data), `"/p":{"hasCompletedProjectOnboarding":true,"hasTrustDialogAccepted":true}`) {
		t.Errorf("state = %s, %v", data, err)
	}
	if filepath.Dir(home.Settings()) != filepath.Join(home.Dir, ".claude") {
		t.Errorf("settings = %s", home.Settings())
	}
}
