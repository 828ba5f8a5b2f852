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
	if i < f.nameEnd || !piece(s[i:]) {
		return
	}
	end := i
	for end < len(s) && end-i < maxName && nameByte(s[end]) {
		end++
	}
	f.nameEnd = end
	from, quote, ok := valueAfter(s, end)
	if !ok {
		return
	}
	start := back(s, i, maxName, nameByte)
	if start >= 2 && s[start-2:start] == "$(" && end < len(s) && s[end] == ')' {
		return // $(pwd): what a command says
	}
	var buf [2 * maxName]byte
	name := strings.TrimRight(string(lowered(buf[:0], s[start:end])), ".-_")
	if !announces(name) {
		return
	}
	to := valueEnd(s, from, maxNamed+1, quote)
	if to-from > maxProbe { // a long value is looked at once, not once for each name in it
		f.nameEnd = to
	}
	if to-from > maxNamed || !literal(s, from, to, quote) {
		return
	}
	if id := f.judge(name, s[from:to]); id != "" {
		f.add(id, from, to)
	}
}

// piece reports whether s begins with a piece of a telling name, in one case.
func piece(s string) bool {
	for _, p := range pieces {
		if s[0]|0x20 == p[0] && s[1]|0x20 == p[1] {
			for i := 1; i < len(p); i++ {
				if i >= len(s) || s[i]|0x20 != p[i] {
					return false
				}
			}
			return true
		}
	}
	return false
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
func valueAfter(s string, i int) (from int, quote byte, ok bool) {
	const maxFillers = 4
	stop := min(len(s), i+maxGap)
	assigned, skipped, start := false, 0, i
	var sign byte
	for i < stop {
		switch c := s[i]; c {
		case '"', '\'', '`':
			quote = c
			i++
			continue
		case '=', ':', ',', '(', '>', '|', '?':
			assigned, quote, sign = true, 0, c
			i++
			continue
		case '&':
			if s[i-1] != ' ' && s[i-1] != ':' { // a type such as &str, not the next parameter
				return 0, 0, false
			}
			i++
			continue
		case ' ', '\t', '\\', '[', '{', '*', '!', ')', ']':
			if c != '\\' {
				quote = 0
			}
			i++
			continue
		case '\n', '\r':
			if !assigned && !continued(strings.TrimLeft(s[i:stop], " \t\r\n")) {
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
		end := valueEnd(s, i, minNamed, quote)
		if end-i >= minNamed && i > start {
			return i, quote, quote != 0 || sign != ',' && sign != '('
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

// continued reports whether the line below a name says its value: Kubernetes' env lists, Terraform's variables.
func continued(next string) bool {
	return strings.HasPrefix(next, "value") || strings.HasPrefix(next, "default") || strings.HasPrefix(next, "type") || strings.HasPrefix(next, "sensitive")
}

// valueEnd is the end of a value, at most limit bytes on, which its closing quote ends or, without one, a blank or a sign.
func valueEnd(s string, i, limit int, quote byte) int {
	stop := min(len(s), i+limit)
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
		if to+1 < len(s) && s[to] == ']' && strings.IndexByte("{+*?", s[to+1]) >= 0 { // a class of a regular expression
			return false
		}
		if strings.ContainsAny(v, "([{") || strings.Contains(strings.TrimRight(v, "="), "=") || chain(v) {
			return false
		}
		return true
	}
	if to < len(s) && s[to] == '\\' {
		to++
	}
	if to == len(s) || s[to] == '\n' || s[to] == '\r' { // cut off, or goes on below
		return true
	}
	next := strings.TrimLeft(s[to+1:min(len(s), to+8)], " ")
	return s[to] == quote && !strings.HasPrefix(next, ":") && !strings.HasPrefix(next, "=>") // neither a sentence nor the next name
}

// chain reports whether a value is names joined by dots: config.auth.token.
func chain(v string) bool {
	dots := 0
	for i := range len(v) {
		if v[i] == '.' {
			if dots++; i+1 == len(v) || !letter(v[i+1]) && v[i+1] != '_' {
				return false
			}
		} else if !inSet(v[i], word) {
			return false
		}
	}
	return dots > 0 && letter(v[0])
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
	if strings.HasPrefix(name, "pwd") || strings.HasSuffix(name, "pwd") {
		return true
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

var telling = [...]string{"password", "passwd", "passphrase", "secret", "token", "credential", "authorization", "apikey", "api_key", "api-key", "api.key", "access_key", "accesskey", "access-key",
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

var harmless = [...]string{"public", "publishable", "tokeniz", "tokenis", "page_token", "pagetoken", "page-token", "next_token", "nexttoken", "continuationtoken", "startingtoken", "starting_token", "starting-token", "forwardtoken", "backwardtoken", "continuation_token", "cursor", "passwordless",
	"idempotency", "csrftoken", "csrf-token", "csrf_token", "xsrf", "authenticity_token", "cancellationtoken", "encrypted", "sealed", "secretary", "keyboard", "key_id", "keyid", "sitekey", "site_key"}
