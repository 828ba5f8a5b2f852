package secret_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/secret"
)

// rules lists what Find reports, as rule and value.
func rules(text string) []string {
	var list []string
	for _, m := range secret.Find(text) {
		list = append(list, m.Rule+" "+text[m.Start:m.End])
	}
	return list
}

// pem is a private key of n lines under a header.
func pem(kind string, n int, headers string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "-----\n" + headers)
	for i := range n {
		b.WriteString(made(uint64(i+len(kind)), 64, base64s) + "\n")
	}
	b.WriteString(made(99, 30, base64s) + "==\n-----END " + kind + "-----")
	return b.String()
}

func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	plain := pem("PRIVATE "+"KEY", 12, "")
	lines := strings.Split(plain, "\n")
	keys := []string{
		plain, pem("RSA PRIVATE KEY", 25, ""), pem("EC PRIVATE KEY", 2, ""), pem("DSA PRIVATE KEY", 8, ""), pem("OPENSSH PRIVATE KEY", 6, ""), pem("OPENSSH PRIVATE KEY", 400, ""), pem("ENCRYPTED PRIVATE KEY", 9, ""), pem("ANY PRIVATE KEY", 3, ""),
		pem("RSA PRIVATE KEY", 9, "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,"+made(3, 32, "0123456789ABCDEF")+"\n\n"), pem("PGP PRIVATE KEY BLOCK", 20, "Version: GnuPG v2.0.22 (GNU/Linux)\nComment: https://gnupg.test\n\n"), pem("PGP PRIVATE KEY BLOCK", 20, "\n"),
	}
	for _, k := range keys {
		frames := []string{k, "a\n" + k + "\nb", strings.ReplaceAll(k, "\n", "\r\n"), `{"private_key": "` + strings.ReplaceAll(k, "\n", `\n`) + `\n", "id": 1}`, `{\"k\": \"` + strings.ReplaceAll(k, "\n", `\\n`) + `\"}`, "key: |\n    " + strings.ReplaceAll(k, "\n", "\n    ") + "\nnext: 1",
			"# " + strings.ReplaceAll(k, "\n", "\n# "), "// " + strings.ReplaceAll(k, "\n", "\n// "), "> " + strings.ReplaceAll(k, "\n", "\n> "), " * " + strings.ReplaceAll(k, "\n", "\n * "), "K = '''" + k + "'''", "const k = `" + k + "`", `"` + strings.ReplaceAll(k, "\n", "\\n\" +\n  \"") + `"`, "['" + strings.ReplaceAll(k, "\n", "',\n'") + "'].join()",
			"KEY=\"" + strings.ReplaceAll(k, "\n", `\n`) + "\"", "cat > id <<'E'\n" + k + "\nE", "-" + k}
		for _, text := range frames {
			got := secret.Find(text)
			if len(got) != 1 || got[0].Rule != "private-key" || !got[0].High {
				t.Errorf("Find(%.120q) = %+v", text, got)
				continue
			}
			value := text[got[0].Start:got[0].End]
			if rest := text[got[0].End:]; !strings.HasPrefix(value, "-----BEGIN ") && !strings.HasPrefix(value, "------BEGIN ") || !strings.HasSuffix(value, "-----") || strings.Contains(rest, made(99, 30, base64s)) {
				t.Errorf("Find(%.120q) covers %.40q to %.60q", text, value, value[max(0, len(value)-60):])
			}
		}
	}
	for _, text := range []string{
		strings.Join(lines[:4], "\n"),                                // an unfinished one
		lines[0] + "\n" + lines[1][:20] + "\n" + lines[len(lines)-1], // a short one
		"---- BEGIN SSH2 ENCRYPTED PRIVATE " + "KEY ----\nComment: \"a\"\n" + lines[1] + "\n" + lines[2] + "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
		"PuTTY-User-" + "Key-File-3: ssh-ed25519\nEncryption: none\nComment: a\nPublic-Lines: 2\n" + lines[1] + "\n" + lines[2] + "\nPrivate-Lines: 1\n" + lines[3][:48] + "\nPrivate-MAC: " + made(1, 64, hexes),
	} {
		if got := secret.Find(text); len(got) != 1 || got[0].Rule != "private-key" || text[got[0].Start] != '-' && text[got[0].Start] != 'P' {
			t.Errorf("Find(%.120q) = %+v", text, got)
		}
	}
	for _, text := range []string{
		lines[0], lines[0] + "\n", lines[0] + "\n" + lines[len(lines)-1], lines[0] + "\n...\n" + lines[len(lines)-1], lines[0] + "\n<your key>\n" + lines[len(lines)-1], lines[0] + "\nYOUR_PRIVATE_KEY_HERE\n" + lines[len(lines)-1],
		lines[0] + "\n" + strings.Repeat("x", 64) + "\n" + lines[len(lines)-1], lines[0] + "\n${KEY}\n" + lines[len(lines)-1], lines[0] + `\n...\n` + lines[len(lines)-1], lines[0] + "\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC...\n" + lines[len(lines)-1],
		`if strings.Contains(s, "` + lines[0] + `") { return errors.New("a private key in internationalization_settings_2024") }`, `grep -r "` + lines[0] + `" src/components/Authentication2FA/`, "`" + lines[0] + "` begins every key; see https://example.com/docs/KeyFormats2024Overview",
		strings.ReplaceAll(plain, "PRIVATE", "PUBLIC"), strings.ReplaceAll(plain, "PRIVATE KEY", "CERTIFICATE"), strings.ReplaceAll(plain, "PRIVATE KEY", "CERTIFICATE REQUEST"), strings.ReplaceAll(plain, "PRIVATE KEY", "DH PARAMETERS"), strings.ReplaceAll(plain, "PRIVATE KEY", "PGP SIGNATURE"),
		"ssh-rsa AAAA" + "B3NzaC1yc2EAAAADAQABAAABgQC" + made(5, 300, base64s) + " me@host", "---\nBEGIN PRIVATE KEY\n---", lines[0] + "\n{{ .Values.tls.key | nindent 4 }}\n" + lines[len(lines)-1],
		lines[0] + "\\nMIIEvwIBADANBgkqhkiG9w0BAQEFAASC" + "BKkwggSlAgEAAoIBAQC7VJTUt9Us8cKj\\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\\n" + lines[len(lines)-1],
	} {
		if got := rules(text); got != nil {
			t.Errorf("Find(%q) = %q, want nothing", text, got)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	strong := made(4, 20, alnums)
	for text, want := range map[string]string{
		"postgres://app:" + strong + "@db.prod.acme.io:5432/x":             "database-url-password " + strong,
		"DATABASE_URL=\"postgresql://app:pa55" + "w0rd9x@10.1.2.3/x\"":     "database-url-password pa55w0rd9x",
		"mongodb+srv://admin:Super" + "Secretive@cluster0.ab1.mongodb.net": "database-url-password SuperSecretive",
		"mysql://admin:S3cr3t" + "P4ss99@db.example.com/prod":              "database-url-password S3cr3tP4ss99",
		"postgres://app:S3cureP4" + "ssw0rd@prod-db.acme.internal/x":       "database-url-password S3cureP4ssw0rd",
		"mysql://app:x7" + "Kq2mZ9@db.prod.svc.cluster.local/x":            "database-url-password x7Kq2mZ9",
		"redis://:" + strong + "@cache.acme.io:6379/0":                     "database-url-password " + strong,
		"amqps://u:" + strong + "@mq.acme.io/%2f":                          "database-url-password " + strong,
		"postgres://app:" + strong + "@localhost/x":                        "database-url-password " + strong,
		"https://deploy:" + strong + "@git.acme.io/x.git":                  "url-password " + strong,
		"git clone https://me:hun" + "ter2x9@git.acme.io/x.git":            "url-password hunter2x9",
		"ftp://acme:Tr0ub" + "4dor%263@ftp.acme.io/":                       "url-password Tr0ub4dor%263",
		"url: postgres+asyncpg://app:p@ss" + strong + "@db.acme.io/x":      "database-url-password p@ss" + strong,
		"jdbc:postgresql://app:" + strong + "@db.acme.io/x":                "database-url-password " + strong,
		"https://oauth2:glpat-" + strong + "@gitlab.com/a/b.git":           "gitlab-token glpat-" + strong,
	} {
		if got := rules(text); len(got) != 1 || got[0] != want {
			t.Errorf("Find(%q) = %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"postgres://postgres:postgres@localhost:5432/app", "postgres://user:password@localhost/db", "postgresql://user:pass@host:5432/db", "mysql://root:root@127.0.0.1/x", "mysql://root:secret@db/x", "mongodb://root:example@mongo:27017", "redis://:redis@redis:6379",
		"redis://localhost:6379", "postgres://app:apppass123@postgres:5432/app", "postgres://app:dev_password_1@localhost/app", "postgresql://myuser:mypassword123@localhost:5432/mydb", "amqp://guest:guest@rabbitmq:5672/", "postgres://${USER}:${PASS}@${HOST}/db", "postgres://$USER:$PASS@db.acme.io/x",
		"postgres://<user>:<password>@<host>/<db>", "postgres://{user}:{password}@{host}/{db}", "mysql://%s:%s@tcp(%s)/%s", "postgres://user:***@db.acme.io/x", "postgres://user:xxxxxxxx@db.acme.io/x", "postgres://USER:YOUR_PASSWORD@db.acme.io/x", "https://user:password@example.com/", "https://user:p4ssw0rd@example.com/",
		"https://username:password@registry.acme.io", "https://x-access-token:${{ secrets.TOKEN }}@github.com/a/b", "https://$TOKEN:x-oauth-basic@github.com/a", "https://example.test:8080/path", "https://a.test:8080/@scope/pkg@1.2.3", "http://[::1]:8080/a@b", "git@github.com:a/b.git", "ssh://git@github.com:22/a.git",
		"https://cdn.test/npm/vue@3.4.1/dist/a:b.js", "see http://a.test:80, or write to me@b.test", "https://github.com/a/b/blob/main/x.go#L1:c@d", "postgres://#{user}:#{pass}@h.acme.io/x", "postgresql://scott:tiger@localhost/test", "http://user:pass@proxy.acme.io:3128", "postgres://postgres:mysecretpassword@db.acme.io/x",
		"sqlite:///data/app.db", "postgres://app:apppass123@host.docker.internal/app", "postgres://postgres:postgres@db.default.svc.cluster.local/app", "amqp://user:password1@mq.acme.example", "http://localhost:3000", "mongodb://localhost:27017/test", "https://api.test/v1/users/{id}:activate@v2", "postgres://user:@host/db", "://:@", "http://a:b@c",
	} {
		if got := rules(text); got != nil {
			t.Errorf("Find(%q) = %q, want nothing", text, got)
		}
	}
}

func TestWebTokensAndHooks(t *testing.T) {
	t.Parallel()
	head, payload, sign := "eyJ"+"hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJ"+made(1, 60, alnums), made(2, 43, urlsafe[:62])
	for text, want := range map[string]string{
		"azure AccountKey=" + made(6, 86, base64s) + "==;EndpointSuffix=core.windows.net":                "azure-key " + made(6, 86, base64s) + "==",
		"Endpoint=sb://x.test/;SharedAccessKey=" + made(6, 43, base64s) + "=":                            "azure-key " + made(6, 43, base64s) + "=",
		"mailgun: key-" + made(7, 32, hexes):                                                             "mailgun-key key-" + made(7, 32, hexes),
		"curl -u 'api:key-" + made(7, 32, hexes) + "'":                                                   "mailgun-key key-" + made(7, 32, hexes),
		"DD_API_KEY=" + made(7, 32, hexes):                                                               "datadog-key " + made(7, 32, hexes),
		"datadog_app_key: \"" + made(7, 40, hexes) + "\"":                                                "datadog-key " + made(7, 40, hexes),
		"TWILIO_AUTH_TOKEN=" + made(7, 32, hexes):                                                        "twilio-auth-token " + made(7, 32, hexes),
		"https://discord.com/api/web" + "hooks/" + made(8, 19, digits) + "/" + made(9, 68, urlsafe[:62]): "discord-webhook webhooks/" + made(8, 19, digits) + "/" + made(9, 68, urlsafe[:62]),
		"https://api.telegram.org/bot123456789:AA" + made(3, 33, alnums) + "/getMe":                      "telegram-bot-token 123456789:AA" + made(3, 33, alnums),
		"aws_secret_access_key = " + made(11, 40, base64s):                                               "aws-secret-access-key " + made(11, 40, base64s),
		"\"SecretAccessKey\": \"" + made(11, 40, base64s) + "\"":                                         "aws-secret-access-key " + made(11, 40, base64s),
		"AWS_SECRET=" + made(11, 40, base64s):                                                            "aws-secret-access-key " + made(11, 40, base64s),
		"aws configure set aws_secret_access_key " + made(11, 40, base64s):                               "aws-secret-access-key " + made(11, 40, base64s),
		"Cookie: s=" + head + "." + payload + "." + sign + "; Path=/":                                    "json-web-token " + head + "." + payload + "." + sign,
	} {
		if got := rules(text); len(got) != 1 || got[0] != want {
			t.Errorf("Find(%q) = %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		head + "." + payload, head + "." + payload + ".", head + "." + payload + ".signature", head + "." + payload + ".invalid-signature-here", head + "." + payload + ".xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "eyJhbGciOiJIUzI1NiJ9...",
		head + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ." + "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", head + ".eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9." + sign,
		"hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/YOUR/WEBHOOK/URL", "https://discord.com/api/webhooks/123/abc", "cache key-" + made(7, 32, hexes), "api_key: " + made(7, 32, hexes),
		"AccountKey=" + "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6" + "IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;", "ts 12:AA 1700000000:AAAA", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
	} {
		if got := rules(text); got != nil {
			t.Errorf("Find(%q) = %q, want nothing", text, got)
		}
	}
}
