package target_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/target"
	"github.com/google/go-cmp/cmp"
)

func TestFromPrePush(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	z, z64, a64 := strings.Repeat("0", 40), strings.Repeat("0", 64), strings.Repeat("a", 64)
	for _, tt := range []struct {
		name, in string
		want     []target.Update
		bad      bool
	}{
		{"nothing", "", nil, false},
		{"an update", "refs/heads/main " + a + " refs/heads/main " + b + "\n", []target.Update{{Local: "refs/heads/main", LocalOID: a, RemoteRef: "refs/heads/main", RemoteOID: b, Protected: true}}, false},
		{"a new branch", "refs/heads/x " + a + " refs/heads/x " + z + "\n", []target.Update{{Local: "refs/heads/x", LocalOID: a, RemoteRef: "refs/heads/x", New: true}}, false},
		{"a new branch, SHA-256", "refs/heads/x " + a64 + " refs/heads/x " + z64 + "\n", []target.Update{{Local: "refs/heads/x", LocalOID: a64, RemoteRef: "refs/heads/x", New: true}}, false},
		{"a deletion", "(delete) " + z + " refs/heads/x " + b + "\n", []target.Update{{RemoteRef: "refs/heads/x", RemoteOID: b, Delete: true}}, false},
		{"a deletion, SHA-256", "(delete) " + z64 + " refs/heads/main " + a64 + "\n", []target.Update{{RemoteRef: "refs/heads/main", RemoteOID: a64, Delete: true, Protected: true}}, false},
		{"a tag", "refs/tags/v1 " + a + " refs/tags/v1 " + z + "\n", []target.Update{{Local: "refs/tags/v1", LocalOID: a, RemoteRef: "refs/tags/v1", New: true, Tag: true}}, false},
		{"an expression with blanks", "HEAD^{/fix it} " + a + " refs/heads/x " + z + "\n", []target.Update{{Local: "HEAD^{/fix it}", LocalOID: a, RemoteRef: "refs/heads/x", New: true}}, false},
		{"two, the last without an end, CRLF", "HEAD " + a + " refs/heads/x " + z + "\r\n(delete) " + z + " refs/heads/y " + b, []target.Update{{Local: "HEAD", LocalOID: a, RemoteRef: "refs/heads/x", New: true}, {RemoteRef: "refs/heads/y", RemoteOID: b, Delete: true}}, false},
		{"odd names", "refs/heads/ü#'\"$x " + a + " refs/heads/ü#'\"$x " + z + "\n", []target.Update{{Local: "refs/heads/ü#'\"$x", LocalOID: a, RemoteRef: "refs/heads/ü#'\"$x", New: true}}, false},
		{"a short object", "HEAD abc refs/heads/x " + z + "\n", nil, true},
		{"two hashes", "HEAD " + a64 + " refs/heads/x " + z + "\n", nil, true},
		{"three fields", a + " refs/heads/x " + z + "\n", nil, true},
		{"no ref", "HEAD " + a + " x " + z + "\n", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := target.FromPrePush([]byte(tt.in), "origin", "/o", func(b string) bool { return b == "main" })
			for i := range tt.want {
				tt.want[i].Remote, tt.want[i].URL = "origin", "/o"
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.bad {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestFromPrePushIsWhatGitSays lets git run a hook that writes down its input.
func TestFromPrePushIsWhatGitSays(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		w := newWorld(t, format)
		told := filepath.Join(w.base, "told")
		w.Write(".git/hooks/pre-push", "#!/bin/sh\ncat > '"+told+"'\nexit 1\n")
		if err := os.Chmod(w.Path(".git/hooks/pre-push"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"push origin main feat/b", "push origin :gone", "push -f origin HEAD~1:refs/heads/old v2", "push --all origin", "push --mirror fork", "push --follow-tags origin main", "push origin ü:ü"} {
			args := strings.Fields(line)
			if line == "push origin ü:ü" {
				args = []string{"push", "origin", "feat/b:feat/ü"}
			}
			try(t, w.Dir, append([]string{"git"}, args...)...)
			in, err := os.ReadFile(told)
			if err != nil {
				t.Fatalf("%s: the hook was not asked: %v", line, err)
			}
			os.Remove(told)
			got, err := target.FromPrePush(in, "origin", "", nil)
			if err != nil || len(got) == 0 {
				t.Fatalf("%s: %v, %v of %q", line, got, err, in)
			}
			want, err := w.resolve(t, "git "+quoted(args))
			if err != nil {
				t.Fatal(err)
			}
			said := map[string]target.Update{}
			for _, u := range want {
				said[u.RemoteRef] = u
			}
			for _, u := range got {
				if v, ok := said[u.RemoteRef]; !ok || v.Delete != u.Delete || v.LocalOID != u.LocalOID || v.New != u.New && !v.Tag {
					t.Errorf("%s: git says %+v, Resolve %+v", line, u, v)
				}
			}
		}
	}
}

func FuzzFromPrePush(f *testing.F) {
	a := strings.Repeat("a", 40)
	f.Add([]byte("refs/heads/x " + a + " refs/heads/x " + a + "\n"))
	f.Add([]byte("(delete) " + strings.Repeat("0", 64) + " refs/heads/x " + strings.Repeat("b", 64)))
	f.Add([]byte(" \n \n\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		list, err := target.FromPrePush(in, "o", "u", nil)
		if err != nil && list != nil {
			t.Error("a list beside an error")
		}
		for _, u := range list {
			if u.RemoteRef == "" || u.Delete != (u.LocalOID == "") {
				t.Errorf("%+v", u)
			}
		}
	})
}
