package weak

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func findCrypto(c *change.Change, report func(rule.Finding)) {
	each(c, func(f *change.File, line int, text string) {
		if f.Lang == "" || !maybeCrypto(text) {
			return
		}
		from, to := tokens(f.After, line)
		for i := from; i < to; i++ {
			what, soft := crypto(f.After, i)
			if what == "" {
				continue
			}
			out := rule.Finding{Path: f.Path, Line: line, Text: what, Evidence: strings.TrimSpace(text), Fix: "use what is made for it: a password hash, an authenticated cipher, the system's source of randomness"}
			if fn := around(f.After, line); fn != nil {
				out.Unit, out.Text = fn.Name, fn.Name+": "+what
			}
			if soft {
				out.Class = verdict.Soft
			}
			report(out)
			return
		}
	})
}

// maybeCrypto is a cheap look before a line is read.
func maybeCrypto(text string) bool {
	low := strings.ToLower(text)
	for _, w := range [...]string{"md5", "sha1", "sha-1", "md4", "des", "rc4", "arc4", "rc2", "ecb", "rand", "cipher", "uniqid", "pbkdf2", "gensalt", "bcrypt", "blowfish", "generate", "modulus", "key_size", "initialize", "none", "verify_signature", "crc32", "adler32", "idea", "choice", "shuffle", "fnv", "hasher"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

func crypto(f *units.File, i int) (what string, soft bool) {
	name := f.Text(i)
	if f.Kind(i) == source.String {
		if (f.Lang == source.JS || f.Lang == source.TS) && strings.HasPrefix(f.Text(i), "`") && strings.Contains(strings.ReplaceAll(f.Text(i), " ", ""), "Math.random()") && strings.Contains(f.Text(i), "${") {
			return secretly(f, i, "predictable numbers make ", false)
		}
		return stringCrypto(f, i)
	}
	if f.Kind(i) != source.Name {
		return "", false
	}
	if w := cipher(f, i, name); w != "" {
		return w, false
	}
	if w := parameters(f, i, name); w != "" {
		return w, false
	}
	switch {
	case name == "DefaultHasher" && f.Lang == source.Rust && f.Is(i+1, "::"):
		return secretly(f, i, "the hasher of maps is no hash for secrets, and here it protects ", true)
	case brokenHash(f, i, name):
		return secretly(f, i, name+" is broken and too fast, and here it protects ", true)
	case predictable(f, i, name):
		return secretly(f, i, "predictable numbers make ", false)
	}
	return "", false
}

// secretly completes a finding when the code around token i deals with a secret.
func secretly(f *units.File, i int, text string, hash bool) (what string, soft bool) {
	from, to := statement(f, i)
	line := f.TokenLine(i)
	fn := around(f, line)
	all := strings.ToLower(f.Span(from, to))
	if strings.Contains(all, "hmac") || strings.Contains(all, "usedforsecurity=false") || strings.Contains(all, "usedforsecurity = false") {
		return "", false
	}
	if fn != nil {
		low := strings.ToLower(fn.Name + " " + fn.Class)
		for _, w := range [...]string{"digest", "websocket", "handshake", "gravatar", "etag", "checksum", "ntlm", "totp", "hotp", "cachekey", "cache_key", "fingerprint", "jitter", "backoff", "hmac", "shuffle"} {
			if strings.Contains(low, w) {
				return "", false
			}
		}
	}
	for k := from; k < to; k++ {
		if f.Kind(k) == source.Name {
			if s := Sensitive(f.Text(k)); s != "" {
				return text + s, false
			}
		}
	}
	if fn == nil {
		return "", false
	}
	if s := Sensitive(fn.Name); s != "" {
		return text + s, false
	}
	if hash && fn.End-fn.Line <= 14 && fn.From > fn.At {
		for k := fn.At; k < fn.From; k++ {
			if f.Kind(k) == source.Name {
				if s := Sensitive(f.Text(k)); s != "" {
					return text + s, false
				}
			}
		}
		for k := fn.From; k < fn.To && k < len(f.Tokens); k++ { // .update(password)
			if (f.Is(k, "update") || f.Is(k, "write") || f.Is(k, "Write") || f.Is(k, "digest") || f.Is(k, "WriteString") || f.Is(k, "convert")) && f.Is(k+1, "(") {
				for n := k + 2; n < f.Close(k+1); n++ {
					if s := Sensitive(f.Text(n)); s != "" && f.Kind(n) == source.Name {
						return text + s, false
					}
				}
			}
		}
	}
	if !hash && fn.End-fn.Line <= 14 {
		for k := fn.From; k < fn.To && k < len(f.Tokens); k++ {
			if f.Kind(k) == source.Name && (f.Is(k+1, "=") || f.Is(k+1, ":=")) {
				if s := Sensitive(f.Text(k)); s != "" {
					return text + s, true
				}
			}
		}
	}
	return "", false
}

// statement is the range of tokens of the statement around token i, found by lines and brackets.
func statement(f *units.File, i int) (from, to int) {
	line := f.TokenLine(i)
	from, to = tokens(f, line)
	depth := 0
	for k := from; k > 0 && from-k < 60; k-- { // a line inside brackets: go on up
		switch f.Text(k - 1) {
		case ")", "]":
			depth++
		case "(", "[":
			if depth == 0 {
				from, _ = tokens(f, f.TokenLine(k-1))
			} else {
				depth--
			}
		case "{", "}", ";":
			return from, end(f, to)
		}
	}
	return from, end(f, to)
}

// end goes on over lines that begin with a dot.
func end(f *units.File, to int) int {
	for n := 0; n < 4 && to < len(f.Tokens) && f.Is(to, "."); n++ {
		_, to = tokens(f, f.TokenLine(to))
	}
	return to
}

// Sensitive names what is kept secret when the words of an identifier say so, "" otherwise.
func Sensitive(name string) string {
	words := split(name)
	for i, w := range words {
		switch w {
		case "password", "passwd", "pwd", "passphrase", "passcode", "passwords":
			return "a password"
		case "token", "tokens":
			if i+1 < len(words) && (words[i+1] == "izer" || words[i+1] == "type" || words[i+1] == "kind" || words[i+1] == "count" || words[i+1] == "bucket") {
				continue
			}
			return "a token"
		case "secret", "secrets", "credential", "credentials", "apikey", "otp", "csrf", "xsrf", "nonce", "salt", "jwt":
			return "a secret (" + name + ")"
		case "session", "sessionid", "sid":
			return "a session"
		case "key":
			if i > 0 {
				switch words[i-1] {
				case "api", "secret", "private", "signing", "encryption", "access", "auth", "session", "master", "crypto", "aes":
					return "a secret (" + name + ")"
				}
			}
		case "code":
			if i > 0 {
				switch words[i-1] {
				case "verification", "reset", "auth", "invite", "confirmation", "recovery", "login":
					return "a secret (" + name + ")"
				}
			}
		}
	}
	return ""
}

// split cuts an identifier into its words in lower case.
func split(name string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(name[start:end]))
		}
		start = end
	}
	runes := []rune(name)
	pos := 0
	for i, r := range runes {
		switch {
		case r == '_' || r == '$' || r == '-':
			cut(pos)
			start = pos + 1
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(pos)
		}
		pos += len(string(r))
	}
	cut(len(name))
	return out
}

// brokenHash reports whether token i begins a broken hash.
func brokenHash(f *units.File, i int, name string) bool {
	called := f.Is(i+1, "(") || f.Is(i+1, ".") || f.Is(i+1, "::")
	switch name {
	case "md5", "sha1", "md4", "Md5", "Sha1", "MD5", "SHA1", "md5_hex", "md5Hex", "sha1Hex", "sha1_hex", "md5sum", "crc32", "adler32", "Insecure", "CC_MD5", "CC_SHA1", "MD5CryptoServiceProvider", "SHA1Managed", "shaHex",
		"hashMD5", "sha1sum", "MD5Hash":
		return called && !inImport(f, i) || (f.Is(i-1, ",") || f.Is(i-1, "(")) && f.Lang == source.Python && f.Is(i-2, "hashlib")
	}
	return false
}

// predictable reports whether token i draws a number that others can foresee.
func predictable(f *units.File, i int, name string) bool {
	if inImport(f, i) {
		return false
	}
	dot := f.Is(i+1, ".")
	call := f.Is(i+1, "(")
	switch f.Lang {
	case source.Python:
		return name == "random" && dot && !f.Is(i-1, ".") && !f.Is(i+2, "SystemRandom") && f.Is(i+3, "(") && !f.Is(i+2, "seed") ||
			call && (name == "randint" || name == "randrange" || name == "choices") && strings.Contains(f.Src, "from random import") ||
			(name == "uuid1") && call || name == "random" && f.Is(i-1, ".") && (f.Is(i-2, "np") || f.Is(i-2, "numpy")) && dot
	case source.JS, source.TS:
		return name == "Math" && dot && f.Is(i+2, "random")
	case source.Go:
		return name == "rand" && dot && strings.Contains(f.Src, `"math/rand`) && !strings.Contains(f.Src, `"crypto/rand"`) && !f.Is(i+2, "Seed")
	case source.Java, source.Kotlin, source.Scala, source.CSharp:
		switch name {
		case "Math":
			return dot && f.Is(i+2, "random")
		case "Random", "SplittableRandom":
			return call && (f.Is(i-1, "new") || f.Is(i-1, ".") || f.Lang != source.Java) || f.Lang == source.Kotlin && dot || name == "Random" && dot && f.Is(i+2, "Shared")
		case "ThreadLocalRandom", "RandomStringUtils":
			return dot && !f.Is(i+2, "secure") && !f.Is(i+2, "secureStrong")
		}
		low := strings.ToLower(name)
		return (low == "random" || low == "rnd" || low == "rng" || low == "rand") && dot && strings.HasPrefix(strings.ToLower(f.Text(i+2)), "next") &&
			(strings.Contains(f.Src, "new Random(") || strings.Contains(f.Src, "Random()")) && !strings.Contains(f.Src, "SecureRandom") && !strings.Contains(f.Src, "RandomNumberGenerator")
	case source.Dart:
		return name == "Random" && call
	case source.Rust:
		return name == "SmallRng" || name == "fastrand" || name == "oorandom" || name == "seed_from_u64" && call || name == "Pcg32" || name == "XorShiftRng"
	case source.PHP:
		return call && (name == "rand" || name == "mt_rand" || name == "uniqid" || name == "lcg_value" || name == "str_shuffle" || name == "array_rand")
	case source.Ruby:
		return name == "rand" && (call || !f.Is(i-1, "def")) && !f.Is(i-2, "SecureRandom") || name == "Random" && dot
	case source.C, source.CPP:
		return (name == "rand" || name == "random") && call || name == "mt19937"
	}
	return false
}

// cipher names a broken cipher that token i sets up.
func cipher(f *units.File, i int, name string) string {
	dot := f.Is(i+1, ".") || f.Is(i+1, "::")
	next := f.Text(i + 2)
	if inImport(f, i) {
		return ""
	}
	switch name {
	case "DES", "DES3", "ARC4", "ARC2", "Blowfish", "RC4":
		if dot && (next == "new" || next == "encrypt" || next == "Create" || next == "decrypt") || name == "RC4" && f.Is(i+1, "(") && f.Is(i-1, "new") {
			return name + " is a broken cipher"
		}
	case "des", "rc4":
		if dot && (strings.HasPrefix(next, "New")) {
			return name + "." + next + " is a broken cipher"
		}
	case "MODE_ECB", "CipherMode", "ECB", "AESMode", "ecb", "kCCOptionECBMode", "ECBBlockCipher", "kCCAlgorithmDES":
		switch {
		case name == "MODE_ECB", name == "kCCOptionECBMode", name == "kCCAlgorithmDES", name == "ECBBlockCipher" && f.Is(i+1, "("):
			return name + " shows the patterns of what it encrypts"
		case name == "ECB" && (f.Is(i-1, ".") || f.Is(i-1, "::")) && (f.Is(i-2, "modes") || f.Is(i-2, "mode") || f.Is(i-2, "CipherMode")), name == "ecb" && f.Is(i-1, ".") && f.Is(i-2, "AESMode"), name == "ecb" && f.Is(i+1, "::") && strings.HasPrefix(next, "Enc"):
			return "ECB shows the patterns of what it encrypts"
		}
	case "TripleDES", "IDEA", "SEED", "CAST5":
		if f.Is(i-1, ".") && f.Is(i-2, "algorithms") || dot && next == "Create" {
			return name + " is a broken cipher"
		}
	case "DESCryptoServiceProvider", "RC2CryptoServiceProvider", "TripleDESCryptoServiceProvider", "DESEngine", "RC4Engine":
		if f.Is(i+1, "(") {
			return name + " is a broken cipher"
		}
	case "des_cbc", "des_ede3_cbc", "aes_128_ecb", "aes_256_ecb", "bf_cbc":
		if f.Lang == source.Rust && f.Is(i+1, "(") && f.Is(i-1, "::") {
			return name + " is a broken cipher"
		}
	case "createCipher", "createDecipher":
		if f.Is(i+1, "(") && (f.Is(i-1, ".") || strings.Contains(f.Src, "crypto")) {
			return name + " derives its key without a salt"
		}
	}
	return ""
}

// stringCrypto knows algorithms that are named in strings.
func stringCrypto(f *units.File, i int) (what string, soft bool) {
	s := f.Unquote(i)
	low := strings.ToLower(s)
	callee := ""
	for k := i - 1; k >= 0 && k > i-12; k-- {
		if f.Is(k, "(") && f.Close(k) > i {
			callee = f.Text(k - 1)
			break
		}
	}
	switch callee {
	case "createCipheriv", "createDecipheriv", "openssl_encrypt", "openssl_decrypt", "createCipher":
		if strings.HasPrefix(low, "des") || strings.HasPrefix(low, "rc4") || strings.HasPrefix(low, "rc2") || strings.HasPrefix(low, "bf") || strings.Contains(low, "-ecb") {
			return s + " is a broken cipher", false
		}
	case "getInstance", "SecretKeySpec", "GetInstance":
		on := f.Norm(max(i-6, 0), i)
		switch {
		case strings.Contains(on, "Cipher") && (strings.HasPrefix(low, "des") || strings.HasPrefix(low, "rc4") || strings.HasPrefix(low, "arcfour") || strings.HasPrefix(low, "rc2") || strings.HasPrefix(low, "blowfish") || strings.Contains(low, "/ecb/") || low == "aes"):
			return s + " is a broken cipher", false
		case (strings.Contains(on, "KeyGenerator") || callee == "SecretKeySpec" || strings.Contains(on, "SecretKeyFactory")) && (low == "des" || low == "desede" || low == "rc4" || low == "arcfour"):
			return s + " is a broken cipher", false
		case strings.Contains(on, "MessageDigest") && (low == "md5" || low == "sha-1" || low == "sha1" || low == "md2" || low == "sha"):
			return secretly(f, i, s+" is broken and too fast, and here it protects ", true)
		case strings.Contains(on, "SecureRandom"):
		}
	case "createHash", "new", "hash", "Hash":
		if low == "md5" || low == "sha1" || low == "md4" || low == "sha-1" || low == "crc32b" {
			return secretly(f, i, s+" is broken and too fast, and here it protects ", true)
		}
	}
	if low == "none" && (f.Is(i-1, "[") || f.Is(i-1, ":") || f.Is(i-1, "=")) {
		line := strings.ToLower(f.Lines(f.TokenLine(i), f.TokenLine(i)))
		if strings.Contains(line, "algorithm") && (strings.Contains(line, "jwt") || strings.Contains(line, "algorithms")) {
			return "tokens without a signature are accepted (algorithm none)", false
		}
	}
	if s == "verify_signature" && f.Is(i+1, ":") && f.Is(i+2, "False") {
		return "the signature of a token is not checked", true
	}
	return "", false
}

// parameters knows rounds and sizes that are too small.
func parameters(f *units.File, i int, name string) string {
	if !f.Is(i+1, "(") {
		if name == "modulusLength" && f.Is(i+1, ":") && small(f, i+2, 1024) {
			return "a key of " + f.Text(i+2) + " bits is too short"
		}
		return ""
	}
	args := f.Args(i + 1)
	switch name {
	case "pbkdf2_hmac", "pbkdf2", "pbkdf2Sync", "PBKDF2", "PBEKeySpec", "PBKDF2HMAC", "Rfc2898DeriveBytes", "hash_pbkdf2":
		for _, a := range args {
			k := a[1] - 1
			if (a[1]-a[0] == 1 || f.Is(a[1]-2, "=") && !f.Is(a[0], "dklen") && !f.Is(a[0], "length") && !f.Is(a[0], "keylen")) && small(f, k, 999) && !power(f, k) {
				return name + " with " + f.Text(k) + " rounds is too fast"
			}
		}
	case "gensalt", "genSaltSync", "genSalt":
		if len(args) > 0 && small(f, args[0][1]-1, 7) {
			return name + " with " + f.Text(args[0][1]-1) + " rounds is too fast"
		}
	case "hashSync", "GenerateFromPassword":
		if len(args) > 1 && (small(f, args[1][1]-1, 7) || f.Is(args[1][1]-1, "MinCost")) {
			return name + " with so few rounds is too fast"
		}
	case "GenerateKey", "generate", "generate_private_key", "initialize", "generateKeyPair":
		if !strings.Contains(strings.ToLower(f.Norm(max(i-6, 0), i+1)), "rsa") && !strings.Contains(f.Src, "KeyPairGenerator") && name != "generate_private_key" {
			return ""
		}
		for _, a := range args {
			if k := a[1] - 1; small(f, k, 1024) && len(f.Text(k)) >= 3 {
				return "a key of " + f.Text(k) + " bits is too short"
			}
		}
	}
	return ""
}

func small(f *units.File, k, limit int) bool {
	if f.Kind(k) != source.Number {
		return false
	}
	n, err := strconv.Atoi(strings.Trim(f.Text(k), "_uUlL"))
	return err == nil && n > 0 && n <= limit
}

// power reports whether a number is the size of a key rather than a count of rounds.
func power(f *units.File, k int) bool {
	switch f.Text(k) {
	case "16", "20", "24", "32", "48", "64", "128", "192", "256", "384", "512":
		return true
	}
	return false
}
