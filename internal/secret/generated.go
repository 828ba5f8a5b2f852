package secret

import (
	b64 "encoding/base64"
	"strings"

	"github.com/devflow-suite/devflow/internal/secret/documented"
)

// judge names the rule that a value behind a telling name falls under, "" for none.
func (f *finder) judge(name, v string) string {
	if reference(v) {
		return ""
	}
	plain := hexOnly(v)
	switch {
	case plain && (len(v) == 32 || len(v) == 40) && vendor(name, "datadog", "dd_") && !placeholder(v):
		return idDatadog
	case plain && len(v) == 32 && strings.Contains(name, "twilio") && strings.Contains(name, "auth") && !placeholder(v):
		return idTwilioAuth
	case plain:
		return "" // a hash, an object id, a UUID
	case !generated(v):
		return ""
	case len(v) == 40 && run(v, 0, base64) == 40 && (strings.Contains(name, "aws") || vendor(name, "secret_access_key", "secretaccesskey") || strings.HasSuffix(name, "secret_access_key")):
		return idAWSSecret
	}
	if text, ok := decoded(v); ok { // of a Kubernetes Secret or a Basic header
		if inner := Find(text); len(inner) > 0 {
			return inner[0].Rule
		}
		if i := strings.IndexByte(text, ':'); i >= 0 {
			text = text[i+1:]
		}
		if placeholder(text) || spoken(text) || reference(text) || hexOnly(text) {
			return ""
		}
	}
	return idNamed
}

func vendor(name string, beginnings ...string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(name, b) || strings.Contains(name, "."+b) {
			return true
		}
	}
	return false
}

// generated reports whether a value looks like the output of a generator: long, of high entropy, and not made of words.
func generated(v string) bool {
	return len(v) >= minNamed && entropy(v) >= minEntropy && !placeholder(v) && !spoken(v) && !alphabet(v) && !documented.Example(v) && !labelled(v)
}

// labelled reports whether a value says in its first word that it is made up for a test: mock-refresh-token-1f3, test_api_key_12ab.
func labelled(v string) bool {
	end := strings.IndexAny(v, "-_.:")
	if end < 0 {
		return false
	}
	switch strings.ToLower(v[:end]) {
	case "test", "tests", "testing", "mock", "mocked", "stub", "unittest", "e2e", "dev", "local", "demo", "fixture":
		return true
	}
	return false
}

// alphabet reports whether nearly every byte follows the one before it, as in the letters that a generator draws from.
func alphabet(v string) bool {
	breaks := 0
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1]+1 {
			breaks++
		}
	}
	return 8*breaks < len(v)
}

// reference reports whether a value says where a secret is, or is something else that a name with "token" may be given: a
// checksum, a public key, an image, an address, a path.
func reference(v string) bool {
	switch v[0] {
	case '$', '@', '%', '#', '{', '/', '~', '.', '<', '*', '(', '[':
		return !(v[0] == '/' && strings.Count(v, "/") < 3 || strings.IndexByte("$@%#*", v[0]) >= 0 && symbols(v) > 2 && !strings.ContainsAny(v[1:min(len(v), 3)], "{($2"))
	}
	for _, p := range elsewhere {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	return strings.Contains(v, "://") || strings.Contains(v, "${") || strings.Contains(v, "{{") || strings.Contains(v, "$(") || strings.Contains(v, "#{") || verb(v) || strings.Contains(v, "]{") || strings.Contains(v, "]+") || strings.Contains(v, "...") ||
		strings.HasPrefix(v, "Ag") && len(v) > 300 // a SealedSecret
}

// verb reports whether v holds a verb of printf that no letter follows.
func verb(v string) bool {
	i := strings.Index(v, "%s")
	return i >= 0 && (i+2 == len(v) || !inSet(v[i+2], alnum))
}

var elsewhere = [...]string{"arn:", "vault:", "op:", "ssm:", "secret:", "secrets/", "projects/", "file:", "env:", "env.", "process.env", "os.environ", "import.meta", "data:", "sha1-", "sha256-", "sha384-", "sha512-",
	"sha1:", "sha256:", "sha512:", "md5:", "h1:", "encrypted:", "ENC[", "0x", "0X", "ssh-", "AAAAB3", "AAAAC3", "AAAAE2", "pk_live_", "pk_test_", "pk.eyJ", "iVBORw0KGgo", "R0lGOD", "/9j/", "PHN2Zy", "UklGR",
	"urn:", "pbkdf2_", "scrypt:", "bcrypt", "{SSHA}", "{SHA}", "argon2", "awskms:", "gcpkms:", "azurekms:", "keyring:", "keychain:", "akv:", "gcp:", "aws:", "doppler:", "infisical:", "bws:", "ref+", "cache:"}

func symbols(v string) int {
	n := 0
	for i := range len(v) {
		if !inSet(v[i], dotted) && v[i] != '/' {
			n++
		}
	}
	return n
}

func hexOnly(v string) bool {
	for i := range len(v) {
		if c := v[i] | 0x20; !inSet(c, hex) && v[i] != '-' && v[i] != ':' {
			return false
		}
	}
	return true
}

// spoken reports whether a value is made of words: my-app-token-2024, getAccessTokenSilently, com.example.Key. Words are runs
// of four and more letters of one case (the first may be large) with a vowel; generated values change their kind of byte at
// every second step instead.
func spoken(v string) bool {
	inWords, changes := 0, 0
	for i := 0; i < len(v); {
		c := v[i]
		if !letter(c) {
			if i > 0 && digit(c) && letter(v[i-1]) || i+1 < len(v) && digit(c) && letter(v[i+1]) {
				changes++
			}
			i++
			continue
		}
		end := i + 1
		for end < len(v) && letter(v[end]) && (v[end] >= 'a') == (v[end-1] >= 'a' || end == i+1 && v[end] >= 'a') {
			end++
		}
		if w := v[i:end]; len(w) >= 4 && vowels(w) {
			inWords += len(w)
		}
		i = end
	}
	return 2*inWords >= len(v) && 8*changes < len(v) || pieced(v)
}

// pieced reports whether a value is a list of short words: Client-TLS12-NoSign-RSA_PKCS1_SHA1. Groups of one length, as
// licence keys have them, are none.
func pieced(v string) bool {
	const most, least = 12, 5
	n, longest, even := 0, 0, true
	first := -1
	for from := 0; from <= len(v); {
		end := from
		for end < len(v) && inSet(v[end], alnum) {
			end++
		}
		if end < len(v) && strings.IndexByte("-_./:", v[end]) < 0 {
			return false
		}
		size := end - from
		if first < 0 {
			first = size
		}
		even = even && size == first
		longest = max(longest, size)
		n++
		from = end + 1
	}
	return n >= least && longest < most && !even
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func vowels(w string) bool { return strings.ContainsAny(w, "aeiouyAEIOUY") }

// decoded is the text that a base64 value stands for, if it is text.
func decoded(v string) (string, bool) {
	if run(v, 0, base64) != len(v) || len(v)%4 != 0 {
		return "", false
	}
	raw, err := b64.StdEncoding.DecodeString(v)
	if err != nil {
		return "", false
	}
	text := strings.TrimRight(string(raw), "\n")
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return "", false
		}
	}
	return text, text != ""
}

// digits64 reports whether v is a decimal number in base64.
func digits64(v string) bool {
	raw, err := b64.RawURLEncoding.DecodeString(v)
	if err != nil {
		return false
	}
	for _, c := range raw {
		if !digit(c) {
			return false
		}
	}
	return len(raw) > 0
}
