package access_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/access"
)

func env(name string) string {
	return map[string]string{"K": "sk-from-env-1", "SPACED": " sk-x ", "BAD": "a\nb", "E": ""}[name]
}

func TestParseTakesEverySpelling(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct{ url, key string }{
		"http://127.0.0.1:8080":                       {"http://127.0.0.1:8080", ""},
		"  http://127.0.0.1:8080/  ":                  {"http://127.0.0.1:8080", ""},
		"http://h/ sk-1":                              {"http://h", "sk-1"},
		"http://h|sk-1":                               {"http://h", "sk-1"},
		"http://h | sk-1":                             {"http://h", "sk-1"},
		"http://h\tsk-1":                              {"http://h", "sk-1"},
		"HTTPS://api.example.com/v1/messages sk-1":    {"https://api.example.com", "sk-1"},
		"https://x.example/openai/v1":                 {"https://x.example/openai", ""},
		"https://x.example/v1/chat/completions/ sk-1": {"https://x.example", "sk-1"},
		"http://[::1]:8080 $K":                        {"http://[::1]:8080", "sk-from-env-1"},
		"http://h ${K}":                               {"http://h", "sk-from-env-1"},
		"http://h|$SPACED":                            {"http://h", "sk-x"},
	} {
		got, err := access.Parse(line, env)
		if err != nil || got.URL != want.url || got.Key != want.key {
			t.Errorf("Parse(%q) = %q %q, %v; want %q %q", line, got.URL, got.Key, err, want.url, want.key)
		}
	}
}

func TestParseSaysWhatIsWrongWithoutTheKey(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                            "an address is needed",
		"127.0.0.1:8080 sk-secret":    "must start with http://",
		"ftp://h sk-secret":           "must start with http://",
		"http:// sk-secret":           "this is no address",
		"http://sk-secret@h":          "no user or password",
		"http://h?key=sk-secret":      "no ? and no #",
		"http://h#sk-secret":          "no ? and no #",
		"http://h sk-secret more":     "one address and one key",
		"http://h sk-secret\x07":      "a character that a key cannot hold",
		"http://h schlüssel":          "a character that a key cannot hold",
		"http://h $E":                 "environment variable E is empty",
		"http://h $A-B":               "no name of an environment variable",
		"http://h $BAD":               "a character that a key cannot hold",
		"http://h:port":               "this is no address",
		"http://h " + long("s", 5000): "longer than a key can be",
		long("x", 9000):               "too long",
	} {
		_, err := access.Parse(line, env)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%.40q) = %v, want %q and no key", line, err, want)
		}
	}
}

func long(s string, n int) string { return strings.Repeat(s, n) }

func TestClearTextIsWarnedOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"http://10.0.0.7 k": 1, "http://10.0.0.7": 0, "http://localhost:1 k": 0, "http://127.0.0.9 k": 0, "https://10.0.0.7 k": 0} {
		if got, err := access.Parse(line, env); err != nil || len(got.Warnings) != want {
			t.Errorf("%s: %v, %v; want %d warnings", line, got.Warnings, err, want)
		}
	}
}

func TestMaskedShowsTheEndsOfALongKeyOnly(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"": "none", "12345678": "…", "123456789": "1234…89"} {
		if got := access.Masked(key); got != want {
			t.Errorf("Masked(%q) = %q, want %q", key, got, want)
		}
	}
	if got := (access.Access{URL: "http://h", Key: "sk-secret-4711"}).String(); got != "http://h (key sk-s…11)" {
		t.Error(got)
	}
}

func TestFromFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	if err := os.WriteFile(file, []byte("sk-1\nsecond line\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	key, warning, err := access.FromFile(file)
	if key != "sk-1" || err != nil || !strings.Contains(warning, "chmod 600") {
		t.Errorf("open file: %q %q %v", key, warning, err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, warning, err := access.FromFile(file); warning != "" || err != nil {
		t.Errorf("closed file: %q %v", warning, err)
	}
	for _, text := range []string{"", "\nsk-1", strings.Repeat("x", 10_000)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if key, _, err := access.FromFile(file); err == nil {
			t.Errorf("%.10q gives %q", text, key)
		}
	}
	if _, _, err := access.FromFile(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	if _, _, err := access.FromFile(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there has a key")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("http://h|k")
	f.Add("https://[::1]/v1 $K")
	f.Fuzz(func(t *testing.T, line string) {
		a, err := access.Parse(line, env)
		if err != nil {
			return
		}
		again, err := access.Parse(strings.TrimSpace(a.URL+" "+a.Key), func(string) string { return "x" })
		if err != nil && !strings.HasPrefix(a.Key, "$") || err == nil && again.URL != a.URL {
			t.Errorf("%q gives %q, which gives %q, %v", line, a.URL, again.URL, err)
		}
	})
}
