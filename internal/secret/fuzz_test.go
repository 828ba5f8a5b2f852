package secret_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/secret"
)

// Any text made of beginnings is looked at in linear time: with quadratic code, one of these takes minutes.
func TestTextsMadeOfBeginningsEnd(t *testing.T) {
	t.Parallel()
	const size = 512 << 10
	for _, piece := range []string{
		"-----BEGIN RSA PRIVATE " + "KEY-----", "-----BEGIN RSA PRIVATE " + "KEY-----\n\n", "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----\nVersion: x\n", "-", "--B", "---- BEGIN ", "PuTTY-User-Key-File-2: ", "PuTTY-User-Key-File-2: x\nPrivate-Lines: 1\n", "eyJ", "eyJ.", "eyJhbGciOiJIUz.", "eyJhbGciOiJIUz.eyJhbGciOiJIUz.",
		"\\neyJ", "xoxb-", "pypi-", "sk-ant-", "sk-", "glpat-", "SG.", "ya29.", "hvs.", "dvf_", "1//0", "AKIA", "://", "://a:", "://a:b@", "a://u:p", "hooks.slack.com/services/", "discord.com/api/webhooks/", "MTA", "MTA-", "MTA.", "1Q~", "1:AA", "12345678:AA", "-us1", "key-", "mailgun key-", "token: ", "token:", "token=", "key",
		"key:", "key=\"", "apikey=\"\"", "secret(", "password\n", "password: [\"", "token token ", "token is ", "api_key,", "authorization: bearer ", "token=a1B2c3D4", "\"", "'", "=", ":", "a", "A1b2", "/", "+/", "\n", "\x00", "é",
	} {
		text := strings.Repeat(piece, size/len(piece)+1)
		secret.Find(text)
		secret.Find("token=\"" + text)
	}
}

func TestLinesAndOrder(t *testing.T) {
	t.Parallel()
	key, token := "AKIA"+made(1, 16, base32s), "ghp_"+made(2, 36, alnums)
	text := "a\n" + key + "\r\n\n" + token + " " + key + "\nx: " + token
	want := []secret.Match{
		{Rule: "aws-access-key-id", Start: 2, End: 22, Line: 2, High: true}, {Rule: "github-token", Start: 25, End: 65, Line: 4, High: true},
		{Rule: "aws-access-key-id", Start: 66, End: 86, Line: 4, High: true}, {Rule: "github-token", Start: 90, End: 130, Line: 5, High: true},
	}
	if d := cmp.Diff(want, secret.Find(text)); d != "" {
		t.Errorf("Find(%q) (-want +got):\n%s", text, d)
	}
}

// Data of images, fonts and archives holds any beginning sooner or later.
func TestBinaryDataInBase64IsLeftAlone(t *testing.T) {
	t.Parallel()
	data := random(3 << 20)
	for name, text := range map[string]string{
		"standard": base64.StdEncoding.EncodeToString(data), "url-safe": base64.RawURLEncoding.EncodeToString(data[:1<<20]), "lines": wrap(base64.StdEncoding.EncodeToString(data), 76), "bytes": string(data),
	} {
		if got := rules(text); got != nil {
			t.Errorf("%s: %.500q", name, got)
		}
	}
}

func wrap(s string, n int) string {
	var b strings.Builder
	for len(s) > n {
		b.WriteString(s[:n] + "\n")
		s = s[n:]
	}
	return b.String() + s
}

func FuzzFind(f *testing.F) {
	for _, values := range samples(5) {
		for _, v := range values {
			f.Add("password = \"" + v + "\"")
		}
	}
	for _, text := range honest {
		f.Add(text)
	}
	f.Add(pem("RSA PRIVATE KEY", 2, "Proc-Type: 4,ENCRYPTED\n"))
	f.Add("postgres://a:b%4" + "0cdefgh12@db.acme.io/x\nname: API_KEY\n  value: \"" + made(3, 30, alnums) + "\"")
	f.Fuzz(func(t *testing.T, s string) {
		got := secret.Find(s)
		last := 0
		for _, m := range got {
			if m.Start < last || m.End <= m.Start || m.End > len(s) || m.Line != 1+strings.Count(s[:m.Start], "\n") {
				t.Fatalf("Find(%q) = %+v", s, got)
			}
			last = m.End
		}
		moved := secret.Find("x y\n" + s + "\n")
		if len(moved) < len(got) {
			t.Errorf("Find(%q) = %+v, but %+v with a line above and an end of line", s, got, moved)
		}
	})
}
