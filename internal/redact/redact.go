// Package redact removes secret values from text before it is logged, stored or shown. It owns no table and decides
// nothing: whether a write with a secret is refused is the guard's matter. It removes all that package secret finds and,
// since a blank too many harms nobody, also what only might be a secret: documented examples, short passwords, cookies.
package redact

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/secret"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// prefixes are documented beginnings of credentials (vendors' public formats) with the least length of what follows.
var prefixes = [...]struct {
	head string
	min  int
}{
	{"sk-ant-", 16}, {"sk-proj-", 16}, {"sk-", 20}, {"sk_live_", 16}, {"sk_test_", 16}, {"rk_live_", 16},
	{"ghp_", 30}, {"gho_", 30}, {"ghu_", 30}, {"ghs_", 30}, {"ghr_", 30}, {"github_pat_", 22}, {"glpat-", 16},
	{"xoxb-", 16}, {"xoxp-", 16}, {"xoxa-", 16}, {"xoxr-", 16}, {"xoxs-", 16}, {"xapp-", 16},
	{"AKIA", 16}, {"ASIA", 16}, {"AIza", 30}, {"ya29.", 20}, {"npm_", 30}, {"pypi-", 30}, {"hf_", 30},
	{"dop_v1_", 30}, {"SG.", 30}, {"eyJ", 40}, {"dvf_", 16}, {"AGE-SECRET-KEY-", 20},
}

// secretNames are words that, as (part of) a name before = or :, announce a secret value.
var secretNames = [...]string{
	"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key", "api-key", "access_key", "access-key", "private_key",
	"private-key", "credential", "authorization", "session", "cookie",
}

// passSuffix ends names such as DB_PASS; within a longer word it means nothing (compass, bypass).
const passSuffix = "pass"

// flags are options of well-known programs whose value is a secret, written apart (-p VALUE) or together (-pVALUE).
var flags = [...]struct {
	program, option string
	after           byte // the secret begins behind this byte of the value, 0: it is the whole value
	glued           bool
}{
	{"curl", "-u", ':', false}, {"curl", "--user", ':', false}, {"wget", "--password", 0, false}, {"sshpass", "-p", 0, true}, {"mysql", "-p", 0, true},
	{"mysqldump", "-p", 0, true}, {"mysqladmin", "-p", 0, true}, {"mariadb", "-p", 0, true}, {"docker", "-p", 0, false}, {"podman", "-p", 0, false}, {"redis-cli", "-a", 0, false},
	{"openssl", "-passin", 0, false}, {"openssl", "-passout", 0, false}, {"openssl", "-k", 0, false}, {"htpasswd", "-b", 0, false}, {"mongo", "-p", 0, false}, {"mongosh", "-p", 0, false},
	{"ldapsearch", "-w", 0, false}, {"smbclient", "-U", '%', false}, {"rclone", "--password", 0, false},
}

// minBare is the least length of a value that is taken for a secret without = or : before it.
const minBare = 12

// maxBlank is how far behind = or : a value is looked for before its name is.
const maxBlank = 64

// minAssigned is the least length of an assigned value that is taken for a secret: shorter ones are words of prose.
const minAssigned = 8

// String returns s with every recognised secret replaced by Mark. Text without a secret comes back unchanged. It is
// linear in len(s) and safe for concurrent use.
func String(s string) string {
	s = options(keyBlocks(found(s)))
	var b strings.Builder
	last := 0
	for i := 0; i < len(s); {
		end := 0
		if i == 0 || !wordByte(s[i-1]) {
			end = credential(s, i)
		}
		if end == 0 {
			if s[i] == '=' || s[i] == ':' {
				if from, to := assigned(s, i); to > from {
					b.WriteString(s[last:from])
					b.WriteString(Mark)
					i, last = to, to
					continue
				}
			}
			i++
			continue
		}
		b.WriteString(s[last:i])
		b.WriteString(Mark)
		i, last = end, end
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// found replaces what package secret finds.
func found(s string) string {
	list := secret.Find(s)
	if len(list) == 0 {
		return s
	}
	var b strings.Builder
	last := 0
	for _, m := range list {
		b.WriteString(s[last:m.Start])
		b.WriteString(Mark)
		last = m.End
	}
	b.WriteString(s[last:])
	return b.String()
}

// margin is how many bytes of a cut text are looked at beyond what is kept: no secret is longer (secret's private keys).
const margin = 1 << 16

// Clip redacts s and cuts it to at most n bytes at a character boundary. The cut comes after the redaction, so no half of
// a secret can survive it. Of a long text no more than the beginning is looked at.
func Clip(s string, n int) string {
	if len(s) > n+2*margin {
		if head := String(s[:n+2*margin]); len(head) >= n+margin {
			return cut(head, n)
		}
	}
	return cut(String(s), n)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// Tail is Clip for the end of s.
func Tail(s string, n int) string {
	if len(s) > n+2*margin {
		if end := String(s[len(s)-n-2*margin:]); len(end) >= n+margin {
			return cutTail(end, n)
		}
	}
	return cutTail(String(s), n)
}

func cutTail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && s[i]&0xC0 == 0x80 {
		i++
	}
	return s[i:]
}

// credential returns the end of the credential that starts at i, 0 if none does.
func credential(s string, i int) int {
	switch s[i] {
	case 's', 'r', 'g', 'x', 'A', 'y', 'n', 'p', 'h', 'd', 'S', 'e':
	default:
		return 0
	}
	for j := range prefixes {
		p := &prefixes[j]
		if p.head[0] != s[i] || !strings.HasPrefix(s[i:], p.head) {
			continue
		}
		end := i + len(p.head)
		for end < len(s) && tokenByte(s[end]) {
			end++
		}
		if end-i-len(p.head) >= p.min && mixed(s[i+len(p.head):end]) {
			return end
		}
	}
	return 0
}

// assigned looks at the = or : at i behind a secret name, and returns the extent of the value. A password in a URL
// (scheme://user:password@host) counts too.
func assigned(s string, i int) (from, to int) {
	if strings.HasPrefix(s[i:], "://") {
		return urlPassword(s, i+3)
	}
	from = i + 1
	for from < len(s) && (s[from] == ' ' || s[from] == '=' || s[from] == '"' || s[from] == '\'') {
		from++
		if from == i+maxBlank && !secretName(s[:i]) {
			return 0, 0 // a ruled line: each of its signs would look to its end
		}
	}
	for _, scheme := range [...]string{"Bearer ", "bearer ", "Basic ", "basic ", "token "} {
		if strings.HasPrefix(s[from:], scheme) {
			from += len(scheme)
			break
		}
	}
	to = from
	for to < len(s) && to-from < minAssigned && valueByte(s[to]) {
		to++
	}
	if to-from < minAssigned || strings.HasPrefix(s[from:], Mark) || !secretName(s[:i]) {
		return 0, 0
	}
	for to < len(s) && valueByte(s[to]) {
		to++
	}
	if !mixed(s[from:to]) {
		return 0, 0
	}
	return from, to
}

func urlPassword(s string, i int) (from, to int) {
	colon := 0
	for j := i; j < len(s) && valueByte(s[j]) && s[j] != '/'; j++ {
		switch {
		case s[j] == ':' && colon == 0:
			colon = j + 1
		case s[j] == '@' && colon > 0 && j > colon:
			if s[colon:j] == Mark {
				return 0, 0
			}
			return colon, j
		case s[j] == '@' && colon == 0 && j-i >= minBare && mixed(s[i:j]): // a token in the place of the user's name
			if s[i:j] == Mark {
				return 0, 0
			}
			return i, j
		}
	}
	return 0, 0
}

// secretName reports whether the text ends in a name that announces a secret, optional quotes and blanks included.
func secretName(head string) bool {
	const longest = 48
	if len(head) > longest {
		head = head[len(head)-longest:]
	}
	head = strings.TrimRight(head, " \"'")
	j := len(head)
	for j > 0 && (wordByte(head[j-1]) || head[j-1] == '-' || head[j-1] == '.') {
		j--
	}
	name := strings.ToLower(head[j:])
	return announces(name)
}

// announces reports whether a name, in lower case, is one that a secret follows.
func announces(name string) bool {
	for _, w := range secretNames {
		if strings.Contains(name, w) {
			return true
		}
	}
	rest, ok := strings.CutSuffix(name, passSuffix)
	return ok && (rest == "" || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, "."))
}

// keyBlocks replaces PEM private keys as a whole; an unfinished block is replaced to the end of the text.
func keyBlocks(s string) string {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	for from := 0; ; {
		i := strings.Index(s[from:], begin)
		if i < 0 {
			return s
		}
		i += from
		head, _, ok := strings.Cut(s[i+len(begin):], dashes)
		if !ok || len(head) > 64 || !strings.Contains(head, "PRIVATE KEY") {
			from = i + len(begin)
			continue
		}
		stop := len(s)
		if j := strings.Index(s[i:], end); j >= 0 {
			tail := i + j + len(end)
			if k := strings.Index(s[tail:], dashes); k >= 0 {
				stop = tail + k + len(dashes)
			}
		}
		s = s[:i] + Mark + s[stop:]
		from = i + len(Mark)
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func tokenByte(c byte) bool {
	return wordByte(c) || c == '-' || c == '.' || c == '/' || c == '+' || c == '='
}

func valueByte(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', ',', ';', ')', ']', '}', '<', '>':
		return false
	}
	return c > ' ' && c != 0x7f
}

// mixed reports whether a value has at least two kinds of characters, as generated values do and words of prose do not.
func mixed(v string) bool {
	var lower, upper, digit, other int
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digit = 1
		case c >= 'a' && c <= 'z':
			lower = 1
		case c >= 'A' && c <= 'Z':
			upper = 1
		default:
			other = 1
		}
	}
	return lower+upper+digit+other >= 2
}
