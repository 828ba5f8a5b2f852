package secret_test

import (
	b64 "encoding/base64"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/secret"
)

// symbols are bytes that password generators add.
const symbols = alnums + "!#%^*-_+.~@"

func TestGeneratedValuesBehindTellingNames(t *testing.T) {
	t.Parallel()
	values := []string{made(21, 32, alnums), made(22, 40, urlsafe), made(23, 44, base64s), made(24, 24, alnums), made(25, 36, lowers+digits), made(26, 64, alnums), made(27, 43, base64s) + "=", made(28, 128, urlsafe)}
	for _, frame := range []string{
		"password = \"%\"", "DB_PASSWORD=%", "export API_KEY=%\n", "export API_KEY='%'; run", "secret: %\n", "secret: '%'\n", "{\"clientSecret\":\"%\"}", "{\"client_secret\" : \"%\", \"x\": 1}", "token := \"%\"", "const token = `%`", "let apiKey: string = '%';", "const apiKey string = \"%\"", "const API_KEY: &str = \"%\";",
		"api_key: str = \"%\"", "api_key: str = Field(default=\"%\")", "password: Optional[str] = \"%\"", "val apiKey: String = \"%\"", "private static final String AUTH_TOKEN = \"%\";", "string connectionPassword = \"%\";", "os.Setenv(\"API_TOKEN\", \"%\")", "os.getenv(\"API_TOKEN\", \"%\")", "process.env.API_KEY || '%'",
		"process.env.API_KEY ?? \"%\"", "${API_KEY:-%}", "api.setAccessToken(\"%\")", "viper.SetDefault(\"auth.token\", \"%\")", "--token %", "--api-key=%", "curl -H 'Authorization: Bearer %'", "curl -H \"X-Api-Key: %\"", "'Authorization': 'Bearer %'", "headers.Authorization = `Token %`", "ENV SECRET_KEY %\n", "ENV SECRET_KEY=%\n",
		"ARG NPM_TOKEN=%\n", "      - API_SECRET=%\n", "  - name: API_KEY\n    value: \"%\"\n", "  - name: API_KEY\n    value: %\n", "variable \"api_key\" {\n  default = \"%\"\n}", "<add key=\"ApiKey\" value=\"%\" />", "<password>%</password>", "<string name=\"api_key\">%</string>", "<key>ApiSecret</key>\n<string>%</string>",
		"machine x login y password %\n", "https://x.test/?api_key=%&x=1", "{\\\"token\\\": \\\"%\\\"}", "// password: %", "# SECRET_KEY=%", "signing_key = \"%\"", "encryption-key: %", "'jwt_secret' => '%',", "define('AUTH_KEY', '%');", "master.key=%", "spring.datasource.password=%", "password => \"%\"", "{:secret_key_base \"%\"}",
		"config :app, secret_key_base: \"%\"", "secret_key_base: %", "services.AddKey(apiKey: \"%\")", "$env:API_TOKEN = \"%\"", "set API_TOKEN=%\r\n", "setx API_TOKEN \"%\"", "a.apiKey=\"%\",b", "{token:\"%\",b:1}", "apiToken=\"%\"", "PASSWORD: %", "pwd=%;", "DB_PASS='%'", "  password = \"%\" # prod", "token = os.environ.get(\"TOKEN\") or \"%\"", "_authToken=%",
	} {
		for _, v := range values {
			text := strings.Replace(frame, "%", v, 1)
			got := secret.Find(text)
			if len(got) != 1 || text[got[0].Start:got[0].End] != v || got[0].Rule != "generated-value" || got[0].High {
				t.Errorf("Find(%q) = %+v %q", text, got, rules(text))
			}
		}
	}
	for seed := uint64(100); seed < 130; seed++ { // symbols need quotes
		v := "x" + made(seed, 31, symbols)
		if text := "password = \"" + v + "\""; len(rules(text)) != 1 && !strings.Contains(v, "${") {
			t.Errorf("Find(%q) = %q", text, rules(text))
		}
	}
	enc := func(s string) string { return b64.StdEncoding.EncodeToString([]byte(s)) }
	for text, want := range map[string]string{
		"kind: Secret\ndata:\n  password: " + enc(made(31, 30, alnums)):     "generated-value",
		"kind: Secret\ndata:\n  token: " + enc("ghp_"+made(31, 36, alnums)): "github-token",
		"Authorization: Basic " + enc("admin:"+made(31, 24, alnums)):        "generated-value",
	} {
		if got := secret.Find(text); len(got) != 1 || got[0].Rule != want {
			t.Errorf("Find(%q) = %+v, want %s", text, got, want)
		}
	}
}

// Honest text: a false block of it costs more than a missed exotic key.
var honest = [...]string{
	// The output of a command.
	`export PATH="$(pwd)/tools/builder-2.19.6/bin:$PATH"`,
	// Prose.
	"Please review the password policy: update it", "The token: something else", "Password must be at least twelve characters and contain a digit.", "password: required, minimum length is twenty-four characters", "Reset your password at https://example.com/reset-password?step=2",
	"We rotate every API key, secret and token quarterly; see SECURITY.md#credentials-rotation-2024.", "the secret of AbstractSingletonProxyFactoryBean2000Implementation", "# Passwords\n\nNever commit a password. Use a password manager instead, e.g. 1Password or Bitwarden.", "feat(auth): add refresh-token rotation and password-reset-flow-v2",
	"Token-based authentication (JWT/OAuth2/OpenID-Connect-1.0-compliant) is supported.", "| `password` | string | The user's password (8-64 characters) |", "TODO: secret_scanning_push_protection_custom_pattern_2024", "Das Passwort: bitte ändern, mindestens zwölf Zeichen", "パスワード password: 設定してください12345678901234567890",
	// Documentation keys.
	"AKIA" + "IOSFODNN7EXAMPLE", "AWS_ACCESS_KEY_ID=AKIA" + "I44QH8DHBEXAMPLE", "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY", "secretKey: je7MtGbClwBF/2Zp9Utk/" + "h3yCo8nvbEXAMPLEKEY", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "sk_" + "test_4eC39HqLyjWDarjtT1zdp7dc",
	"sk_" + "test_BQokikJOvBiI2HlWgH4olfQ2", "xoxb-" + "17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy", "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr", "MTk4NjIyNDgzNDcxOTI1MjQ4." + "Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs", "110201543:AAH" + "dqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
	"mailgun key-" + "3ax6xnjp29jd6fds4gc373sgvjxteol0", "AIza" + "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe", "card 4242 4242 4242 4242, 4242424242424242", "tok_visa pm_card_visa pi_3MtwBwLkdIwHu7ix28a3tqPa", "pk_" + "test_TYooMQauvdEDq54NiTphI7jx", "Authorization: Basic QWxhZGRpbjpvcGVu" + "IHNlc2FtZQ==", "Authorization: Bearer mF_9.B5f-4.1JqM",
	// Placeholders.
	"AKIAXXXXXXXXXXXXXXXX", "AKIA0000000000000000", "AKIA1234567890123456", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "ghp_your_token_here", "sk-your-key-here", "sk-...", "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-ant-api03-your-key-goes-here-please", "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"glpat-xxxxxxxxxxxxxxxxxxxx", "xoxb-your-bot-token", "xoxb-not-a-real-token-this-will-not-work", "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx", "npm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "SG.xxxxxxxxxxxxxxxxxxxxxx.yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
	"API_KEY=<your-api-key-goes-here-1234567890>", "API_KEY=your-super-secret-api-key-1234567890", "SECRET_KEY=change-me-in-production-please-2024", "password: 'REPLACE_ME_WITH_A_REAL_PASSWORD_123'", "JWT_SECRET=this-is-a-very-long-secret-for-development-only-123", "token: \"********************************\"", "SECRET=dummy-secret-for-tests-0123456789abcdef",
	"SECRET_KEY = 'django-insecure-" + "x7k2p9m4q8w3e6r1t5y0u$i&o^a!s@d#f%g(h)j'", "AGE-SECRET-KEY-1XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "dapi00000000000000000000000000000000", "TELEGRAM_TOKEN=123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "password=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "token=abcdefghijklmnopqrstuvwxyz", "ghp_${TOKEN}", "sk-test-1234",
	// Split on purpose, as careful tests do.
	`k := "ghp_" + "` + made(1, 36, alnums) + `"`, `"AKIA" + "` + made(1, 16, base32s) + `"`,
	// References.
	"password: ${DB_PASSWORD_FOR_PRODUCTION_2024}", "token = process.env.GITHUB_PERSONAL_ACCESS_TOKEN_V2", "api_key = os.environ[\"OPENAI_API_KEY_PRODUCTION_2\"]", "token: ${{ secrets.DEPLOY_TOKEN_PRODUCTION_2024 }}", "password: {{ .Values.database.password2 | quote }}", "PASSWORD=$(vault kv get -field=password secret/app2)", "token: vault:secret/data/app#token2_production_x9",
	"password: op://Production/Database7xQ2/password9zK", "secret: projects/455826092000/secrets/SlackSigningSecret/versions/3", "password: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf", "apiKey: !Ref ProductionApiKey2ParameterFromSsm", "token = config.services.openai2.credentials.apiKey3", "token = getAuthenticationTokenForUser2(user, Options3)",
	"const token = await this.authService2.generateAccessToken(userId3)", "password = password", "password=password, token=token, api_key=api_key", "self.token = token_provider_factory2.create_token3_for(user)", "`json:\"access_token,omitempty\" yaml:\"accessTokenOrCredential2\"`", "apiKey: import.meta.env.VITE_FIREBASE_API_KEY_V2", "secretName: my-app-tls-cert-prod-2024-eu-west-1",
	"secretKeyRef:\n  name: app-credentials-2024-prod\n  key: database-password-primary-1", "password: enc:v1:$argon2", "token: ENC[AES256_GCM,data:" + made(3, 40, base64s) + ",iv:" + made(4, 44, base64s) + ",tag:x,type:str]", "API_KEY=\"encrypted:" + made(5, 120, base64s) + "\"", "encryptedData:\n  password: Ag" + made(6, 600, base64s),
	"password_hash: \"$2b$12$" + made(7, 53, alnums) + "\"", "passwordHash = '$argon2id$v=19$m=65536,t=3,p=4$" + made(8, 22, base64s) + "$" + made(9, 43, base64s) + "'", "token_url = \"https://login.microsoftonline.com/common/oauth2/v2.0/token\"", "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount2/token", "key_file = \"./certs/server-2024.production.private.pem\"",
	// Types, names, translations.
	"token: string", "password: str = Field(..., min_length=12, max_length=128)", "password: SecretStr = Field(default=None, description='x')", "type Credentials = { accessToken: string; refreshTokenExpiresAt2: number }", "\"password\": \"Passwort\", \"passwordRepeat\": \"Passwort wiederholen\"", "\"forgot_password\": \"Passwort vergessen? Hier zurücksetzen\"", "passwordPlaceholder: 'Enter-your-password-123-here'",
	"const TOKEN_TYPE_URN = 'urn:ietf:params:oauth:token-type:id_token2'", "SECRET_NAME=my-team/production/database/credentials-v2", "tokenizer_class: PreTrainedTokenizerFast2ForSequenceClassification", "max_tokens: 150000", "secret_type: \"github_personal_access_token_v2_classic\"", "apiKeyHeader = \"X-Custom-Api-Key-Header-Name-V2\"", "csrf_token_field: 'authenticity_token_field_v2_1'",
	"\"Client-TLS12-NoSign-RSA_PKCS1_MD5_SHA1\": \"PASS\",\n\"Server-TLS13-NoSign-RSA_PKCS1_MD5_SHA1\": \"PASS\"", "<label for=\"password\">Password</label><input id=\"password\" autocomplete=\"current-password\">", "var tokenAddress = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'", "keyframes = 'slideInFromLeft2sEaseOutBounce3x'", "React key: `row-${index}-${item.id}`",
	"securitySchemes:\n  bearerAuth:\n    type: http\n    scheme: bearer\n    bearerFormat: JWT", "x-api-key:\n  schema:\n    type: string\n    example: a1b2", "token: 1234567890", "access_token: abc123", "primary_key = 'CustomerOrderLineItemId2'", "public_key = \"" + made(11, 44, base64s) + "\"", "publishableKey: '" + made(12, 40, alnums) + "'",
	"regexp.MustCompile(`AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`)", "const tokenChars = \"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\"", "secret = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEF'", "csrf-token=" + made(28, 86, base64s) + "==", "LLM_SECRET_NAME = \"NEXUS-GPT4-API-KEY-FOR-TESTS-9\"",
	"withCredentials([usernamePassword(credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac', passwordVariable: 'PASSWORD')])", "doc.Security.KeySize = PdfEncryptionKeySize.Key128Bit;", "access_token_url='https://github.com/login/oauth/access_token',", "#RUN --mount=type=secret,id=jfrog_secret JFROG_SECRET=$(cat /run/secrets/jfrog_secret2_for_build)",
	// Checksums, ids, data.
	"\"integrity\": \"sha512-" + made(13, 86, base64s) + "==\"", "github.com/zalando/go-keyring v0.2.3 h1:" + made(14, 43, base64s) + "=", "\"js-tokens@^3.0.0 || ^4.0.0\":\n  version \"4.0.0\"\n  resolved \"https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#19203fb59991df98e3a287050d4647cdeaf32499\"\n  integrity sha512-" + made(15, 86, base64s) + "==",
	"/jsonwebtoken@9.0.2:\n    resolution: {integrity: sha512-" + made(16, 86, base64s) + "==}", "name = \"secrecy\"\nversion = \"0.8.0\"\nchecksum = \"" + made(17, 64, hexes) + "\"", "image: app@sha256:" + made(18, 64, hexes), "token: " + made(19, 40, hexes), "api_key = '" + made(20, 32, hexes) + "'", "secret_id: 550e8400-e29b-41d4-a716-446655440000", "commit " + made(21, 40, hexes),
	"key: 5d41402abc4b2a76b9719d911017c592", "token = \"550E8400-E29B-41D4-A716-446655440000\"", "secret: sha256:" + made(22, 64, hexes), "<svg><path d=\"M12.5 3.2C7.1,4.8 2.9-8.3z\"/></svg>", "src=\"data:image/png;base64,iVBORw0KGgo" + made(23, 400, base64s) + "\"", "background: url(data:font/woff2;base64," + made(24, 400, base64s) + ")", "<script integrity=\"sha384-" + made(25, 64, base64s) + "\">",
	"\"password\": \"\", \"token\": null", "PASSWORD=", "token:", "password=\"\"", "--password-stdin", "docker login -u x --password-stdin", "nextPageToken: '" + made(26, 60, alnums) + "'", "recaptcha_site_key = '6L" + made(27, 38, alnums) + "'",
}

func TestHonestTextIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range honest {
		for _, frame := range []string{"%", "  %\n", "// %", "\r\n%\r\n", "x\n%\ny"} {
			in := strings.Replace(frame, "%", text, 1)
			if got := rules(in); got != nil {
				t.Errorf("Find(%q) = %q, want nothing", in, got)
				break
			}
		}
	}
}

// Values that say themselves that they are made up for a test.
func TestLabelledValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`apiKey: "test_api_key_1234567890abcdef"`:                  0,
		`refreshToken = "mock-refresh-token-abcdef123456-9Zx81Qw"`: 0,
		`token: "dev.8f3kQ29dkLpZ71xWvB4nTgR5"`:                    0,
		`token: "prod-8f3kQ29dkLpZ71xWvB4nTgR5sQ"`:                 1,
		`api_key = "8f3kQ29dkLpZ71xWvB4nTgR5sQtest-x"`:             1,
	} {
		if got := len(secret.Find(text)); got != want {
			t.Errorf("Find(%q): %d matches, want %d", text, got, want)
		}
	}
}
