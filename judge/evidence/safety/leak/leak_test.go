package leak_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/safety/leak"
)

func found(path, text string) string {
	c := rulecase.Of(map[string][]byte{}, map[string][]byte{path: []byte(text)}, nil)
	var out []string
	for _, r := range leak.Rules() {
		for _, f := range rulecase.Findings(r, c) {
			out = append(out, r.ID+":"+strings.TrimPrefix(f, path+":"))
		}
	}
	return strings.Join(out, ", ")
}

// made is a value of n characters that belongs to nobody.
func made(r *rand.Rand, n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func TestMadeUpCredentials(t *testing.T) {
	t.Parallel()
	const upper, lower, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
	r := rand.New(rand.NewPCG(1, 2))
	misses := map[string]int{}
	const rounds = 50
	for range rounds {
		an := upper + lower + digits
		values := map[string]string{
			"AWS_ACCESS_KEY_ID": "AKIA" + made(r, 16, upper+"234567"),
			"GITHUB_TOKEN":      "ghp_" + made(r, 36, an),
			"STRIPE_SECRET_KEY": "sk_live_" + made(r, 24, an),
			"SLACK_BOT_TOKEN":   "xoxb-" + made(r, 12, digits) + "-" + made(r, 12, digits) + "-" + made(r, 24, an),
			"GOOGLE_API_KEY":    "AIza" + made(r, 35, an+"-_"),
			"OPENAI_API_KEY":    "sk-proj-" + made(r, 48, an),
			"SIGNING_SECRET":    made(r, 40, "abcdef"+digits),
			"DB_PASSWORD":       made(r, 6, upper+lower) + "!" + made(r, 4, digits) + made(r, 4, upper+lower),
			"DATABASE_URL":      "postgres://svc:" + made(r, 14, an) + "@db.prod.acme.io:5432/main",
			"JWT_SECRET":        made(r, 43, an+"+/") + "=",
			"ADMIN_PASSWORD":    "Autumn" + made(r, 4, digits) + "!",
			"API_KEY":           made(r, 32, an),
			"AUTH_TOKEN":        made(r, 24, lower+digits),
			"CLIENT_SECRET":     made(r, 32, "abcdef"+digits),
		}
		for name, v := range values {
			for path, line := range map[string]string{
				"src/a.py": name + " = \"" + v + "\"\n", "a.go": "package a\n\nconst " + camel(name) + " = \"" + v + "\"\n", "src/a.ts": "export const " + name + " = '" + v + "'\n",
				"src/main/A.java": "class A {\n  private static final String " + name + " = \"" + v + "\";\n}\n", "src/a.rs": "const " + name + ": &str = \"" + v + "\";\n",
				"lib/a.dart": "const _" + camel(name) + " = '" + v + "';\n", ".env": name + "=" + v + "\n", "config/production.yaml": "a:\n  " + strings.ToLower(name) + ": " + v + "\n",
			} {
				if !strings.HasSuffix(found(path, line), "hard") {
					misses[name+" in "+path]++
				}
			}
		}
	}
	for where, n := range misses {
		if n > rounds/12 {
			t.Errorf("%s: %d of %d not found", where, n, rounds)
		}
	}
}

func TestValueForWhenTheEnvironmentHasNone(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{
		"a.js":        "const smtpPassword = process.env.SMTP_PASSWORD || 'Autumn7319!'\n",
		"a.py":        "SMTP_PASSWORD = os.environ.get(\"SMTP_PASSWORD\", \"Autumn7319!\")\n",
		"a.go":        "package a\n\nfunc smtpPassword() string {\n\tif v := os.Getenv(\"SMTP_PASSWORD\"); v != \"\" {\n\t\treturn v\n\t}\n\treturn \"Autumn7319!\"\n}\n",
		"src/a.rs":    "pub fn smtp_password() -> String {\n    std::env::var(\"SMTP_PASSWORD\").unwrap_or_else(|_| \"Autumn7319!\".into())\n}\n",
		"lib/a.dart":  "const smtpPassword = String.fromEnvironment('SMTP_PASSWORD', defaultValue: 'Autumn7319!');\n",
		"src/A.java":  "class A {\n  static final String P = System.getProperty(\"smtpPassword\", \"Autumn7319!\");\n}\n",
		"src/conf.ts": "export const smtpPassword = process.env.SMTP_PASSWORD ?? 'Autumn7319!'\n",
	} {
		if got := found(path, text); !strings.HasSuffix(got, "hard") {
			t.Errorf("nothing found in %s, but %q:\n%s", path, got, text)
		}
	}
	for path, text := range map[string]string{
		"a.js": "const smtpPassword = process.env.SMTP_PASSWORD || ''\n", "a.py": "token = os.environ.get(\"TOKEN\", \"none\")\n",
		"a.go": "package a\n\nfunc passwordField() string {\n\treturn \"password input\"\n}\n", "a.ts": "label('password', 'Passwort2 neu')\n",
	} {
		if got := found(path, text); got != "" {
			t.Errorf("found %q in %s:\n%s", got, path, text)
		}
	}
}

func camel(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

func TestWhatIsNoCredential(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct{ path, text string }{
		{"a.py", "API_KEY = os.environ.get(\"SERVICE_API_KEY\", \"\")\n"}, {"a.go", "package a\n\nvar apiKey = os.Getenv(\"SERVICE_API_KEY\")\n"},
		{".env.example", "API_KEY=changeme\nDB_PASSWORD=Winter2024!\n"}, {"tests/test_a.py", "FAKE_PASSWORD = \"Winter2024!\"\n"}, {"a.ts", "const PASSWORD_MIN_LENGTH = 12\n"},
		{"a.ts", "const passwordLabel = 'Passwort2 eingeben'\n"}, {"a.ts", "beginToken: 'abc123',\n"}, {"a.yaml", "password: ${DB_PASSWORD}\n"}, {"a.yaml", "password: \"{{ vault.db }}\"\n"},
		{"a.py", "PASSWORD = \"your-password-here1\"\n"}, {"docs/a.md", "DB_PASSWORD=Winter2024!\n"}, {"a.py", "password = getpass.getpass()\n"}, {"a.py", "if password == 'Winter2024!':\n    pass\n"},
		{"a.rs", "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    const PASSWORD: &str = \"Winter2024!\";\n}\n"}, {"package-lock.json", "\"integrity\": \"sha512-aaaa\"\n"},
		{"examples/a.py", "PASSWORD = \"Winter2024!\"\n"}, {"a.py", "PASSWORD_HASHERS = ['x2y2z2']\n"}, {"a.java", "class A { String passwordFieldId = \"password-input-2\"; }\n"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if got := found(tt.path, tt.text); got != "" {
				t.Errorf("found %q in %s:\n%s", got, tt.path, tt.text)
			}
		})
	}
}

func TestMovedIsNotNew(t *testing.T) {
	t.Parallel()
	line := []byte("DB_PASSWORD = \"Winter2024!\"\n")
	c := rulecase.Of(map[string][]byte{"a.py": line}, map[string][]byte{"b.py": line}, nil)
	if got := rulecase.Findings(leak.Rules()[0], c); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}
