package weak_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/safety/weak"
)

func found(path, text string) string {
	c := rulecase.Of(map[string][]byte{}, map[string][]byte{path: []byte(text)}, nil)
	var out []string
	for _, r := range weak.Rules() {
		for _, f := range rulecase.Findings(r, c) {
			out = append(out, r.ID+":"+strings.TrimPrefix(f, path+":"))
		}
	}
	return strings.Join(out, ", ")
}

func check(t *testing.T, tests []struct{ name, path, code, want string }) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := found(tt.path, tt.code); got != tt.want {
				t.Errorf("found %q, want %q in\n%s", got, tt.want, tt.code)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	check(t, []struct{ name, path, code, want string }{
		{"requests", "a.py", "def f(url):\n    return requests.get(url, verify=False)\n", "tls-disabled:2 hard"},
		{"session", "a.py", "def f(s):\n    session.verify = False\n", "tls-disabled:2 hard"},
		{"httpx", "a.py", "client = httpx.AsyncClient(\n    timeout=3,\n    verify=False,\n)\n", "tls-disabled:3 hard"},
		{"context", "a.py", "ctx = ssl.create_default_context()\nctx.check_hostname = False\nctx.verify_mode = ssl.CERT_NONE\n", "tls-disabled:2 hard, tls-disabled:3 hard"},
		{"unverified", "a.py", "ctx = ssl._create_unverified_context()\n", "tls-disabled:1 hard"},
		{"default context", "a.py", "ssl._create_default_https_context = ssl._create_unverified_context\n", "tls-disabled:1 hard"},
		{"environment", "a.py", "os.environ['PYTHONHTTPSVERIFY'] = '0'\n", "tls-disabled:1 hard"},
		{"a default", "a.py", "def f(url, verify=False):\n    return check(url, verify=verify)\n", ""},
		{"another verify", "a.py", "def f(x):\n    return parse(x, verify=False)\n", ""},
		{"on", "a.py", "def f(url):\n    return requests.get(url, verify=True)\n", ""},
		{"compared", "a.py", "if ctx.verify_mode == ssl.CERT_NONE:\n    raise ValueError('insecure')\n", ""},
		{"asked for", "a.py", "def f(verify):\n    if not verify:\n        ctx.check_hostname = False\n", "tls-disabled:3 soft"},
		{"in a comment", "a.py", "# never pass verify=False to requests.get\nx = 1\n", ""},
		{"go", "a.go", "package a\n\nvar c = &tls.Config{InsecureSkipVerify: true}\n", "tls-disabled:3 hard"},
		{"go assigned", "a.go", "package a\n\nfunc f() {\n\tc.InsecureSkipVerify = true\n}\n", "tls-disabled:4 hard"},
		{"go chosen", "a.go", "package a\n\nvar c = &tls.Config{InsecureSkipVerify: o.Insecure}\n", ""},
		{"go own check", "a.go", "package a\n\nvar c = &tls.Config{\n\tInsecureSkipVerify: true,\n\tVerifyConnection: check,\n}\n", ""},
		{"go hollow check", "a.go", "package a\n\nvar c = &tls.Config{\n\tInsecureSkipVerify: true,\n\tVerifyConnection: func(tls.ConnectionState) error { return nil },\n}\n", "tls-disabled:4 hard, tls-disabled:5 hard"},
		{"java verifier", "A.java", "class A {\n  HostnameVerifier v = new HostnameVerifier() {\n    public boolean verify(String h, SSLSession s) {\n      return true;\n    }\n  };\n}\n", "tls-disabled:2 hard, tls-disabled:3 hard"},
		{"urllib3", "a.py", "pool = urllib3.PoolManager(cert_reqs='CERT_NONE')\n", "tls-disabled:1 hard"},
		{"rust openssl", "a.rs", "fn f(b: &mut B) {\n    b.set_verify(SslVerifyMode::NONE);\n}\n", "tls-disabled:2 hard"},
		{"node", "a.js", "const a = new https.Agent({ rejectUnauthorized: false })\n", "tls-disabled:1 hard"},
		{"node environment", "a.ts", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'\n", "tls-disabled:1 hard"},
		{"node environment by name", "a.ts", "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'\n", "tls-disabled:1 hard"},
		{"node identity", "a.ts", "const o = { checkServerIdentity: () => undefined }\n", "tls-disabled:1 hard"},
		{"node chosen", "a.ts", "const o = { rejectUnauthorized: !insecure }\n", ""},
		{"java names", "A.java", "class A {\n  void f(HttpsURLConnection c) {\n    c.setHostnameVerifier((h, s) -> true);\n  }\n}\n", "tls-disabled:3 hard"},
		{"java trust", "A.java", "class A implements X509TrustManager {\n  public void checkServerTrusted(X509Certificate[] c, String a) {}\n}\n", "tls-disabled:2 hard"},
		{"java noop", "A.java", "class A {\n  Object f() {\n    return b.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);\n  }\n}\n", "tls-disabled:3 hard"},
		{"java checks", "A.java", "class A implements X509TrustManager {\n  public void checkServerTrusted(X509Certificate[] c, String a) {\n    inner.checkServerTrusted(c, a);\n  }\n}\n", ""},
		{"rust", "a.rs", "pub fn f() -> Client {\n    Client::builder().danger_accept_invalid_certs(true).build().unwrap()\n}\n", "tls-disabled:2 hard"},
		{"rust chosen", "a.rs", "pub fn f(o: bool) -> Client {\n    Client::builder().danger_accept_invalid_certs(o).build().unwrap()\n}\n", ""},
		{"dart", "a.dart", "HttpClient f() {\n  return HttpClient()..badCertificateCallback = (c, h, p) => true;\n}\n", "tls-disabled:2 hard"},
		{"dart block", "a.dart", "void f(HttpClient c) {\n  c.badCertificateCallback = (X509Certificate cert, String host, int port) {\n    return true;\n  };\n}\n", "tls-disabled:2 hard"},
		{"dart checks", "a.dart", "void f(HttpClient c) {\n  c.badCertificateCallback = (cert, h, p) => pins.contains(cert.sha1);\n}\n", ""},
		{"csharp", "a.cs", "class A {\n  void F() {\n    h.ServerCertificateCustomValidationCallback = (m, c, ch, e) => true;\n  }\n}\n", "tls-disabled:3 hard"},
		{"php", "a.php", "<?php\ncurl_setopt($c, CURLOPT_SSL_VERIFYPEER, false);\n", "tls-disabled:2 hard"},
		{"ruby", "a.rb", "http.verify_mode = OpenSSL::SSL::VERIFY_NONE\n", "tls-disabled:1 hard"},
		{"script", "scripts/get.sh", "curl -fsSLk https://x.org/a.tgz\n", "tls-disabled:1 hard"},
		{"script, local", "scripts/get.sh", "curl -k https://localhost:8443/health\ncurl -fsSL https://x.org\n", ""},
		{"npm", ".npmrc", "strict-ssl=false\n", "tls-disabled:1 hard"},
		{"image", "Dockerfile", "ENV NODE_TLS_REJECT_UNAUTHORIZED=0\n", "tls-disabled:1 hard"},
		{"a test", "tests/test_a.py", "requests.get(url, verify=False)\n", ""},
	})
}

func TestCryptography(t *testing.T) {
	t.Parallel()
	check(t, []struct{ name, path, code, want string }{
		{"md5 of a password", "a.py", "def f(password):\n    return hashlib.md5(password.encode()).hexdigest()\n", "weak-crypto:2 hard"},
		{"sha1 by name", "a.py", "def hash_password(p):\n    return hashlib.new('sha1', p).hexdigest()\n", "weak-crypto:2 hard"},
		{"random token", "a.py", "def make_token():\n    return ''.join(random.choice(ABC) for _ in range(32))\n", "weak-crypto:2 hard"},
		{"random local", "a.py", "def f():\n    session_id = random.randint(0, 2**32)\n    return session_id\n", "weak-crypto:2 hard"},
		{"ecb", "a.py", "c = AES.new(k, AES.MODE_ECB)\n", "weak-crypto:1 hard"},
		{"rounds", "a.py", "k = hashlib.pbkdf2_hmac('sha256', p, s, 100)\n", "weak-crypto:1 hard"},
		{"etag", "a.py", "def f(body):\n    return hashlib.md5(body).hexdigest()\n", ""},
		{"cache key", "a.py", "def f(url):\n    cache_key = hashlib.sha1(url.encode()).hexdigest()\n    return cache_key\n", ""},
		{"said not for security", "a.py", "def f(token):\n    return hashlib.md5(token, usedforsecurity=False).hexdigest()\n", ""},
		{"jitter", "a.py", "def f(delay):\n    return delay * random.uniform(0.5, 1.5)\n", ""},
		{"proper", "a.py", "def make_token():\n    return secrets.token_hex(16)\n", ""},
		{"go md5", "a.go", "package a\n\nfunc HashPassword(p string) string {\n\ts := md5.Sum([]byte(p))\n\treturn hex.EncodeToString(s[:])\n}\n", "weak-crypto:4 hard"},
		{"go random", "a.go", "package a\n\nimport \"math/rand\"\n\nfunc newToken() int {\n\treturn rand.Intn(1000)\n}\n", "weak-crypto:6 hard"},
		{"go proper", "a.go", "package a\n\nimport \"crypto/rand\"\n\nfunc newToken(b []byte) {\n\trand.Read(b)\n}\n", ""},
		{"go des", "a.go", "package a\n\nfunc f(k []byte) {\n\tb, err := des.NewCipher(k)\n}\n", "weak-crypto:4 hard"},
		{"node md5", "a.js", "function f (password) {\n  return crypto.createHash('md5').update(password).digest('hex')\n}\n", "weak-crypto:2 hard"},
		{"node random", "a.ts", "export function newSessionId(): string {\n  return Math.random().toString(36).slice(2)\n}\n", "weak-crypto:2 hard"},
		{"node cipher", "a.ts", "const c = crypto.createCipheriv('des-ede3', k, iv)\n", "weak-crypto:1 hard"},
		{"node colour", "a.ts", "export const colour = () => Math.floor(Math.random() * 255)\n", ""},
		{"java md5", "A.java", "class A {\n  byte[] f(String password) throws Exception {\n    return MessageDigest.getInstance(\"MD5\").digest(password.getBytes());\n  }\n}\n", "weak-crypto:3 hard"},
		{"java random", "A.java", "class A {\n  String resetToken() {\n    return Long.toString(new Random().nextLong());\n  }\n}\n", "weak-crypto:3 hard"},
		{"java cipher", "A.java", "class A {\n  Cipher f() throws Exception {\n    return Cipher.getInstance(\"AES/ECB/PKCS5Padding\");\n  }\n}\n", "weak-crypto:3 hard"},
		{"java proper", "A.java", "class A {\n  Cipher f() throws Exception {\n    return Cipher.getInstance(\"AES/GCM/NoPadding\");\n  }\n}\n", ""},
		{"rust md5", "a.rs", "pub fn hash_password(p: &str) -> String {\n    format!(\"{:x}\", md5::compute(p))\n}\n", "weak-crypto:2 hard"},
		{"dart md5", "a.dart", "String f(String password) {\n  return md5.convert(utf8.encode(password)).toString();\n}\n", "weak-crypto:2 hard"},
		{"dart random", "a.dart", "String newToken() {\n  return Random().nextInt(9999).toString();\n}\n", "weak-crypto:2 hard"},
		{"dart proper", "a.dart", "String newToken() {\n  return Random.secure().nextInt(9999).toString();\n}\n", ""},
		{"php", "a.php", "<?php\nfunction f($password) {\n  return md5($password);\n}\n", "weak-crypto:3 hard"},
	})
}
