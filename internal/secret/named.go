package secret

import "strings"

// Bounds of the rule for generated values, in bytes: governance asks for at least 24 with at least 4.0 bits per byte. Longer
// than maxNamed is data, not a key; the longest session tokens have 1,500.
const minNamed, maxNamed, minEntropy = 24, 2048, 4.0

// Bounds of a name and of what may stand between it and its value, in bytes.
const maxName, maxGap = 64, 96

// named looks at the name around the piece at i, and at the value that it is given.
func (f *finder) named(i int) {
	s := f.s
	if i < f.nameEnd || !piece(s, i) {
		return
	}
	end := i
	for end < len(s) && end-i < maxName && nameByte(s[end]) {
		end++
	}
	f.nameEnd = end
	from, to, ok := valueAfter(s, end)
	if !ok {
		return
	}
	start := back(s, i, maxName, nameByte)
	var buf [2 * maxName]byte
	name := strings.TrimRight(string(lowered(buf[:0], s[start:end])), ".-_")
	if !announces(name) {
		return
	}
	v := s[from:to]
	if id := f.judge(name, v); id != "" {
		f.add(id, from, to)
	}
}

// piece looks at the fourth byte, to be sooner done with words such as create and passive.
func piece(s string, i int) bool {
	c := byte(0)
	if i+3 < len(s) {
		c = s[i+3] | 0x20
	}
	switch s[i] | 0x20 {
	case 'p':
		return s[i+1]|0x20 == 'w' || c == 's'
	case 's':
		return c == 'r'
	case 't':
		return c == 'e'
	case 'c':
		return c == 'd'
	case 'a':
		return c == 'h'
	}
	return true
}

func nameByte(c byte) bool { return inSet(c, dotted) }

func lowered(to []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		to = append(to, c)
	}
	return to
}

// valueAfter finds the value that a name ending at i is given, over signs of assignment, quotes, brackets, and the words of a
// type, a default or a scheme (apiKey: string = "…", Authorization: Bearer …, name: API_KEY, value: …).
func valueAfter(s string, i int) (from, to int, ok bool) {
	const maxFillers = 4
	stop := min(len(s), i+maxGap)
	assigned, skipped := false, 0
	var quote byte
	for i < stop {
		switch c := s[i]; c {
		case '"', '\'', '`':
			quote = c
			i++
			continue
		case '=', ':', ',', '(', '>', '|', '?':
			assigned, quote = true, 0
			i++
			continue
		case ' ', '\t', '\\', '[', '{', '&', '*', '!', ')', ']':
			if c != '\\' {
				quote = 0
			}
			i++
			continue
		case '\n', '\r':
			if !assigned && !strings.HasPrefix(strings.TrimLeft(s[i:stop], " \t\r\n"), "value") {
				return 0, 0, false
			}
			quote = 0
			i++
			continue
		case '-':
			if assigned && s[i-1] == ':' { // ${NAME:-value}
				i++
				continue
			}
		case '<':
			quote = 0
			i++
			if i < stop && s[i] == '/' {
				i++
			}
			continue
		}
		end := valueEnd(s, i, quote)
		if end-i >= minNamed {
			return i, end, end-i <= maxNamed && literal(s, i, end, quote)
		}
		word := i
		for word < end && nameByte(s[word]) {
			word++
		}
		if word == i || skipped == maxFillers || !filler(s[i:word]) {
			return 0, 0, false
		}
		skipped++
		i = word
	}
	return 0, 0, false
}

// valueEnd is the end of a value, which its closing quote ends or, without one, a blank or a sign.
func valueEnd(s string, i int, quote byte) int {
	stop := min(len(s), i+maxNamed+1)
	for ; i < stop; i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || c == '\\' || c == '"' || c == '`' || c == '<' || c == '>' {
			return i
		}
		if quote == 0 && (c == ',' || c == ';' || c == ')' || c == ']' || c == '}' || c == '\'' || c == '|' || c == '&') || quote == '\'' && c == '\'' {
			return i
		}
	}
	return i
}

// literal reports whether the value is one, not an expression.
func literal(s string, from, to int, quote byte) bool {
	v := s[from:to]
	if quote == 0 {
		if to < len(s) && (s[to] == '\'' || s[to] == '"' || s[to] == '`') || strings.ContainsAny(v, "([{") {
			return false
		}
	} else if to < len(s) && s[to] != quote && s[to] != '\\' {
		return false // a sentence
	}
	return true
}

// filler reports whether a word may stand between a name and its value.
func filler(w string) bool {
	switch w {
	case "string", "String", "str", "static", "const", "value", "Value", "values", "default", "Default", "Optional", "Field", "SecretStr", "SecretString", "Bearer", "bearer", "BEARER",
		"Basic", "basic", "Token", "token", "is", "b", "r", "f", "u", "key", "Key", "new", "Buffer.from", "final", "text", "any", "None", "null", "undefined", "readonly", "name", "set",
		"default_value", "defaultValue", "fallback", "const.char", "char", "byte", "sensitive", "true", "apikey", "ApiKey", "or", "os.environ.get", "os.getenv", "literal", "type":
		return true
	}
	return false
}

// announces reports whether a name in lower case is one that a secret is given to.
func announces(name string) bool {
	if notSecret(name) {
		return false
	}
	for _, w := range telling {
		if strings.Contains(name, w) {
			return true
		}
	}
	rest, ok := strings.CutSuffix(name, "key")
	if ok {
		rest = strings.TrimRight(rest, "_-.")
		for _, w := range keyKinds {
			if strings.HasSuffix(rest, w) {
				return true
			}
		}
		return false
	}
	rest, ok = strings.CutSuffix(name, "pass")
	return ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "_-."))
}

var telling = [...]string{"password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "authorization", "apikey", "api_key", "api-key", "api.key", "access_key", "accesskey", "access-key",
	"private_key", "privatekey", "private-key"}

var keyKinds = [...]string{"auth", "signing", "sign", "encryption", "encrypt", "crypto", "cipher", "aes", "hmac", "master", "account", "shared", "service", "app", "application", "license", "deploy", "admin",
	"jwt", "session", "root", "storage", "subscription", "consumer", "client", "webhook", "integration", "server", "write", "project", "user", "hash"}

// notSecret reports whether a name with a telling word means something that may be seen: where a secret is kept, what it is
// called, how long it lives, its hash, a page's cursor.
func notSecret(name string) bool {
	for _, end := range ends {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	for _, w := range harmless {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

var ends = [...]string{"url", "uri", "path", "file", "name", "id", "ids", "type", "endpoint", "host", "arn", "header", "prefix", "suffix", "regex", "regexp", "pattern", "field", "label", "hint", "placeholder",
	"message", "error", "ref", "len", "length", "ttl", "expiry", "expires", "count", "limit", "env", "var", "address", "hash", "digest", "checksum", "sha", "sha256", "version", "class", "schema", "title", "text",
	"description", "policy", "format", "fingerprint", "algorithm", "alg", "audience", "issuer", "scope", "symbol", "mint", "dir", "location", "manager", "provider", "service", "command", "cmd", "script", "source", "tokens", "selector", "icon", "color"}

var harmless = [...]string{"public", "publishable", "tokeniz", "tokenis", "page_token", "pagetoken", "page-token", "next_token", "nexttoken", "continuationtoken", "continuation_token", "cursor", "passwordless",
	"idempotency", "cancellationtoken", "encrypted", "sealed", "secretary", "keyboard", "key_id", "keyid", "sitekey", "site_key"}
