package redact_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/redact"
)

// values are made up: no service issued them.
var values = map[string]string{
	"anthropic":  "sk-ant-" + "api03-Zx9QwErTy12345678901234",
	"github":     "ghp_" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8",
	"gitlab":     "glpat-" + "Ab12Cd34Ef56Gh78Ij90",
	"slack":      "xoxb-" + "123456789012-abcDEF123456",
	"aws":        "AKIA" + "QZ7X2M4N8P6R5T3V",
	"google":     "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6",
	"jwt":        "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc123DEF456",
	"private":    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXkt\n-----END OPENSSH PRIVATE KEY-----",
	"unfinished": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA",
}

func TestSecretsAreRemovedWhereverTheyStand(t *testing.T) {
	t.Parallel()
	for name, v := range values {
		for _, frame := range []string{"%", "x %", "key=%", "\"%\"", "// %\n", "export K='%' && run", "[%]", "(%)"} {
			in := strings.ReplaceAll(frame, "%", v)
			got := redact.String(in)
			if strings.Contains(got, v) || !strings.Contains(got, redact.Mark) {
				t.Errorf("%s: String(%q) = %q: the value is still there", name, in, got)
			}
		}
	}
}

func TestAssignedValues(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`password = "hunter2-and-more"`:                `password = "[redacted]"`,
		`DB_PASSWORD=s3cr3tValue99 ./run`:              `DB_PASSWORD=[redacted] ./run`,
		`{"api_key": "abcDEF123456"}`:                  `{"api_key": "[redacted]"}`,
		"Authorization: Bearer abcDEF123456xyz":        "Authorization: Bearer [redacted]",
		"postgres://app:pa55word@db.test/x":            "postgres://app:[redacted]@db.test/x",
		"https://example.test:8080/path":               "https://example.test:8080/path",
		"Please review the password policy: update it": "Please review the password policy: update it",
		"the token: something else":                    "the token: something else",
		"tokens: 150000":                               "tokens: 150000",
		"":                                             "",
	} {
		if got := redact.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

// What stands behind a blank is a secret only where something announces it.
func TestBareValues(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"deploy --password hunter2andmore --yes":               "deploy --password [redacted] --yes",
		"x --api-key 'abcDEF123456'":                           "x --api-key '[redacted]'",
		"curl -u admin:hunter2 https://x.test":                 "curl -u admin:[redacted] https://x.test",
		"cd /x && curl --user a:b https://x.test":              "cd /x && curl --user a:[redacted] https://x.test",
		"sshpass -p hunter2 ssh h":                             "sshpass -p [redacted] ssh h",
		"mysql -phunter2 db":                                   "mysql -p[redacted] db",
		"docker login -p hunter2 r.test":                       "docker login -p [redacted] r.test",
		"redis-cli -a hunter2 ping":                            "redis-cli -a [redacted] ping",
		"git clone https://abcDEF123456xyz@github.test/x":      "git clone https://[redacted]@github.test/x",
		"export DB_PASS=hunter2and":                            "export DB_PASS=[redacted]",
		"PASSPHRASE=hunter2and x":                              "PASSPHRASE=[redacted] x",
		"openssl rsa -passin pass:hunter2":                     "openssl rsa -passin pass:[redacted]",
		"aws configure set aws_secret_access_key abcDEF123456": "aws configure set aws_secret_access_key [redacted]",
		"gh auth login --with-token <<< abcDEF123456":          "gh auth login --with-token <<< [redacted]",
		"the password is abcDEF123456, keep it":                "the password is [redacted], keep it",
		"Set-Cookie: session=abcDEF1234567; Path=/":            "Set-Cookie: [redacted]; Path=/",
		"the password policy was updated yesterday":            "the password policy was updated yesterday",
		"run the session tests in tests/session_test.go":       "run the session tests in tests/session_test.go",
		"add a token to src/auth/token_store2.py":              "add a token to src/auth/token_store2.py",
		"docker run -p 8080:80 image":                          "docker run -p 8080:80 image",
		"compass=northwest1":                                   "compass=northwest1",
		"pytest -k session --maxfail 1":                        "pytest -k session --maxfail 1",
		"git commit -m \"rotate token\" --no-edit":             "git commit -m \"rotate token\" --no-edit",
		"echo --token $TOKEN1234567":                           "echo --token $TOKEN1234567",
	} {
		if got := redact.String(in); got != want {
			t.Errorf("String(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestClipNeverLeavesHalfASecret(t *testing.T) {
	t.Parallel()
	v := values["github"]
	for n := range 80 {
		if got := redact.Clip("aé "+v+" tail", n); len(got) > n || strings.Contains(got, v[:8]) || !strings.HasPrefix("aé [redacted] tail", got) {
			t.Errorf("Clip to %d = %q", n, got)
		}
		if got := redact.Tail("aé "+v+" tail", n); len(got) > n || !strings.HasSuffix("aé [redacted] tail", got) {
			t.Errorf("Tail to %d = %q", n, got)
		}
	}
}

// Long texts are only looked at near the end that is kept; nothing of a secret may survive at either edge.
func TestLongTextsAreCutAtTheSamePlace(t *testing.T) {
	t.Parallel()
	const n = 300
	v := values["github"]
	for _, shift := range []int{0, 7, 39} {
		for _, text := range []string{
			strings.Repeat("a line of a log, all quiet\n", 9000), strings.Repeat("x", shift) + strings.Repeat(v+" ", 5000), strings.Repeat("x", shift) + strings.Repeat("-", 200<<10), strings.Repeat("x ", shift) + strings.Repeat(values["private"]+"\n", 2000),
			strings.Repeat("y", shift) + strings.Repeat("é", 200<<10), v + strings.Repeat(" quiet", 60000) + v, strings.Repeat("password=Abcdef"+strings.Repeat("9", 1000)+"\n", 400),
		} {
			whole := redact.String(text)
			head, tail := redact.Clip(text, n), redact.Tail(text, n)
			if len(head) > n || len(head) < n-1 || !strings.HasPrefix(whole, head) {
				t.Errorf("Clip of %.60q… = %q, want the beginning of %.400q", text, head, whole)
			}
			if len(tail) > n || len(tail) < n-1 || !strings.HasSuffix(whole, tail) {
				t.Errorf("Tail of %.60q… = %q, want the end of %.400q", text, tail, whole[max(0, len(whole)-400):])
			}
		}
	}
}

func TestWhatTheDetectorKnowsIsRemoved(t *testing.T) {
	t.Parallel()
	random := "q7Rt2Lx9Vb4Nc8Mz1Kp5Wd3Hs6Jf0Gy7Ta2Xe"
	for text, value := range map[string]string{
		"see https://hooks.slack" + ".com/services/T0AB1CD2E/B0AB1CD2EF/" + random[:24]: random[:24], "GOCSPX-" + random[:28] + " is it": random[:28], "hvs." + random: random, "sq0atp-" + random[:22]: random[:22], "0: \"apiKey\",\n\"" + random + "\"": random, "name: API_KEY\nvalue: " + random: random,
		"123456789:AA" + random[:33]: random[:33], "-----BEGIN OPENSSH PRIVATE " + "KEY-----\\n" + random + "\\n-----END OPENSSH PRIVATE KEY-----": random, "AccountKey=" + random + random + "0123456789==;": random, "AKIA" + "IOSFODNN7EXAMPLE": "IOSFODNN7EXAMPLE",
	} {
		got := redact.String(text)
		if !strings.Contains(got, redact.Mark) || strings.Contains(got, value) || strings.Contains(got, value[:8]) {
			t.Errorf("String(%q) = %q: the value is still there", text, got)
		}
	}
}

// Long runs of what stands between a name and its value cost no more than other text: this test would run for minutes.
func TestRuledLinesAreLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range [...]string{"=", "= ", "=         ", ":=", "=\"", "x=", "password=", ": "} {
		text := strings.Repeat(unit, 2_000_000/len(unit))
		if got := redact.String(text); got == "" {
			t.Errorf("%q: nothing is left", unit)
		}
	}
	if got := redact.String("password=" + strings.Repeat(" ", 100) + "q7Rt2Lx9Vb4Nc8Mz1Kp5Wd3"); !strings.Contains(got, redact.Mark) {
		t.Errorf("%q: a value behind many blanks stays", got)
	}
}

func FuzzString(f *testing.F) {
	for _, v := range values {
		f.Add(v)
		f.Add("password=" + v)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := redact.String(s)
		if twice := redact.String(once); twice != once {
			t.Errorf("String is not stable: %q, then %q", once, twice)
		}
	})
}
