package gitconf_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/orchestrator/worker/gitconf"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOnlyWhatAReaderNeedsIsKept(t *testing.T) {
	t.Parallel()
	file := write(t, `[core]
	repositoryformatversion = 1
	bare
	sshCommand = ssh -i /home/me/key
	hooksPath = /home/me/hooks
[extensions]
	objectFormat = sha256
[user]
	name = "Per \"son\" \\ ;#ü	x"
	signingKey = ABC
[remote "origin"]
	url = https://me:ghp_secret@example.com/x.git
[url "https://tok:en@example.com/"]
	insteadOf = gh:
[http "https://example.com"]
	extraHeader = Authorization: secret
[credential]
	helper = store
[alias]
	x = !cat ~/.ssh/id
[include]
	path = /home/me/more
`)
	clean, secret, err := gitconf.Scrub(t.Context(), file)
	if err != nil || !secret {
		t.Fatalf("%v, %v", secret, err)
	}
	for _, bad := range []string{"secret", "tok", "signing", "key", "hooks", "origin", "alias", "include", "credential"} {
		if strings.Contains(strings.ToLower(string(clean)), bad) {
			t.Errorf("%s is in %s", bad, clean)
		}
	}
	cmd := exec.Command("git", "config", "--list", "-z", "--file", write(t, string(clean)))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "core.repositoryformatversion\n1\x00core.bare\x00extensions.objectformat\nsha256\x00user.name\nPer \"son\" \\ ;#ü\tx\x00"
	if diff := cmp.Diff(string(out), want); diff != "" {
		t.Error(diff)
	}
}

func TestPlainConfigurationHasNoSecret(t *testing.T) {
	t.Parallel()
	_, secret, err := gitconf.Scrub(t.Context(), write(t, "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:x/y.git\n\tpushurl = ssh://git@example.com/x/y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n"))
	if err != nil || secret {
		t.Errorf("%v, %v", secret, err)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, _, err := gitconf.Scrub(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, _, err := gitconf.Scrub(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
	if _, _, err := gitconf.Scrub(t.Context(), write(t, "[core\nx")); err == nil {
		t.Error("nonsense was read")
	}
}
