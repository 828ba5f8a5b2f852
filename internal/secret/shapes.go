package secret

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/secret/documented"
)

// block looks for a private key at i, the place before BEGIN: PEM of every kind, PGP, SSH2, and PuTTY's files. The key may
// be quoted, indented, commented out, or on one line with escaped line breaks. A header without a key, as code that parses
// keys has it, is none; public keys and certificates are none.
func (f *finder) block(i int) {
	s := f.s
	head, body := i, 0
	if strings.HasPrefix(s[i:], "PuTTY-User-Key-File-") {
		at := strings.Index(s[i:min(len(s), i+maxPuTTY)], "Private-Lines:")
		if at < 0 {
			return
		}
		body = i + at + len("Private-Lines:")
	} else {
		for head > 0 && s[head-1] == '-' {
			head--
		}
		line := s[i:min(len(s), i+maxHeader)]
		at := strings.Index(line, "BEGIN ")
		kind := strings.Index(line, "PRIVATE KEY")
		if at < 0 || at > 3 || kind < 0 || strings.IndexByte(line[:kind], '\n') >= 0 {
			return
		}
		close := strings.Index(line[kind:], "---")
		if close < 0 || close > len("PRIVATE KEY BLOCK ") {
			return
		}
		body = i + kind + close
		for body < len(s) && s[body] == '-' {
			body++
		}
	}
	end, ok := keyBody(s, body)
	if ok {
		f.add(idPrivateKey, head, end)
	}
	f.skip = max(f.skip, end)
}

// Limits of a private key's parts in bytes. The longest header in use has 37; a PuTTY file's public half stays below 8 KB.
const maxHeader, maxPuTTY = 80, 1 << 13

// keyBody reads the key behind a header: runs of base64 between line breaks and quotes. ok says that there is one.
func keyBody(s string, from int) (end int, ok bool) {
	const (
		minRun  = 16      // a run of fewer is a word; the shortest line in use, of a DER key, is longer
		maxKey  = 1 << 16 // a 16,384-bit RSA key has 13 KB
		maxIdle = 200     // bytes without a run, such as the headers of an encrypted key
	)
	var first [64]byte // the key's beginning, for the documented ones
	n, good, last := 0, 0, from
	stop := min(len(s), from+maxKey)
	i := from
	for i < stop && i-last < maxIdle {
		if strings.HasPrefix(s[i:], "---") {
			if end := footer(s, i); end > 0 {
				i, last = end, end
			}
			break
		}
		end := run(s, i, base64)
		if end == i {
			if c := s[i]; c == '\\' && i+1 < stop { // an escaped line break
				i++
			} else if c == '<' || c == '$' || c == '{' || c >= 0x7f {
				break // a variable or a placeholder
			}
			i++
			continue
		}
		if r := s[i:end]; len(r) >= minRun && distinct(r) > 5 && !spoken(r[:min(len(r), maxHeader)]) && !containsAny(r[:min(len(r), maxHeader)], fillers[:]) {
			good += len(r)
			n += copy(first[n:], r)
			last = end
		} else if good > 0 && len(r) < minRun {
			last = end // the last line, or a comment's mark
		} else if good == 0 && len(r) > 1 && strings.Trim(r, "/+=") != "" {
			if end = headerLine(s, i, stop); end == 0 {
				break // code or prose
			}
			last = end
		}
		i = end
	}
	elided := strings.Contains(s[from:last], "...") || strings.HasPrefix(s[last:], "...")
	return last, good > 0 && !(elided && good < maxExcerpt) && !documented.Example(string(first[:n]))
}

// headerLine is the end of a line "Name: value" at i, such as encrypted and PGP keys begin with, 0 if there is none.
func headerLine(s string, i, stop int) int {
	name := run(s, i, token)
	if name == stop || name >= len(s) || s[name] != ':' {
		return 0
	}
	line := s[i:min(stop, i+2*maxHeader)]
	for _, end := range [...]string{"\n", `\n`} {
		if at := strings.Index(line, end); at >= 0 {
			return i + at
		}
	}
	return 0
}

// maxExcerpt is the most base64 that documentation shows of a key before it goes on with dots.
const maxExcerpt = 200

// footer is the end of an END line at i, 0 if there is none.
func footer(s string, i int) int {
	line := s[i:min(len(s), i+maxHeader)]
	at := strings.Index(line, "END ")
	if at < 0 {
		return 0
	}
	kind := strings.Index(line, "KEY")
	if kind < at {
		return 0
	}
	i += kind + len("KEY")
	i += len(s[i:]) - len(strings.TrimPrefix(s[i:], " BLOCK"))
	for i < len(s) && (s[i] == '-' || s[i] == ' ' && i+1 < len(s) && s[i+1] == '-') {
		i++
	}
	return i
}

// dots looks for what is told by its inner parts: a JSON web token, a webhook's address.
func (f *finder) dots(i int) {
	switch s := f.s[i:]; {
	case strings.HasPrefix(s, "eyJ"):
		f.webToken(i)
	case strings.HasPrefix(s, "hooks.slack.com/"):
		f.hook(idSlackHook, i, len("hooks.slack.com/"), 3)
	case strings.HasPrefix(s, "webhooks/"):
		if strings.HasSuffix(f.s[:i], "discord.com/api/") || strings.HasSuffix(f.s[:i], "discordapp.com/api/") {
			f.hook(idHook, i, len("webhooks/"), 1)
		}
	}
}

// webToken looks for header.payload.signature at i. Unsigned ones are no credentials.
func (f *finder) webToken(i int) {
	const minPart, minSignature = 10, 16
	s := f.s
	if i > 0 && (inSet(s[i-1], token) && !escaped(s, i) || s[i-1] == '.') {
		return
	}
	one := run(s, i, token)
	if one-i < minPart || one+3 >= len(s) || s[one] != '.' || s[one+1:one+3] != "ey" {
		f.skip = max(f.skip, one)
		return
	}
	two := run(s, one+1, token)
	if two-one < minPart || two >= len(s) || s[two] != '.' {
		return
	}
	end := run(s, two+1, token)
	f.skip = max(f.skip, end)
	if end-two <= minSignature || placeholder(s[two+1:end]) || containsAny(s[two+1:end], signatures[:]) || public(s[one+1:two]) {
		return
	}
	f.add(idJWT, i, end)
}

var signatures = [...]string{"signature", "invalid", "tampered"}

// publicClaims are the base64 forms of claims that say that a token is meant to be seen: the user of the introduction at
// jwt.io, of RFC 7519 and of PyJWT, the issuer of Supabase's local demo, and the role "anon" of its browser keys in its three alignments.
var publicClaims = [...]string{
	"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l", "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODA", "eyJpc3MiOiJzdXBhYmFzZS1kZW1v", "eyJzb21lIjoicGF5bG9hZCJ9",
	"InJvbGUiOiJhbm9u", "Jyb2xlIjoiYW5vbi", "cm9sZSI6ImFub24i",
}

func public(payload string) bool {
	for _, c := range publicClaims {
		if strings.Contains(payload, c) {
			return true
		}
	}
	return false
}

// hook looks for a webhook's secret path, whose last part behind the given number of slashes is random.
func (f *finder) hook(id string, i, from, slashes int) {
	const minSecret = 20
	s := f.s
	part := i + from
	for range slashes {
		end := run(s, part, token)
		if end == part || end >= len(s) || s[end] != '/' {
			return
		}
		part = end + 1
	}
	end := run(s, part, token)
	if end-part < minSecret || placeholder(s[part:end]) || documented.Example(s[part:end]) {
		return
	}
	f.add(id, i, end)
	f.skip = end
}

// middle looks for what is recognised from a place inside it.
func (f *finder) middle(i int) {
	s := f.s
	switch at := s[i:]; {
	case strings.HasPrefix(at, ":AA"): // Telegram: 8 to 10 digits, :AA and 33 more
		from := back(s, i, 10, func(c byte) bool { return c >= '0' && c <= '9' })
		end := run(s, i+1, token)
		if n := end - i - 1; i-from >= 8 && n >= 34 && n <= 36 && !placeholder(s[i+1:end]) && !documented.Example(s[from:end]) && (starts(s, from) || strings.HasSuffix(s[:from], "bot")) {
			f.add(idTelegram, from, end)
			f.skip = end
		}
	case strings.HasPrefix(at, "-us"): // Mailchimp: 32 digits of hex, -us and a number
		from := back(s, i, 32, func(c byte) bool { return inSet(c, hex) })
		end := i + 3
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		for s[end-1] == '.' {
			end--
		}
		if n := end - i - 3; i-from == 32 && n >= 1 && n <= 2 && !placeholder(s[from:i]) && starts(s, from) && (end == len(s) || !inSet(s[end], word)) {
			f.add(idMailchimp, from, end)
			f.skip = end
		}
	case strings.HasPrefix(at, "ey-"): // Mailgun: key- and 32 more, near its name
		from := i - 1
		if from < 0 || s[from] != 'k' {
			return
		}
		end := run(s, i+3, alnum)
		const near = 120
		if end-i-3 == 32 && !placeholder(s[i+3:end]) && !documented.Example(s[from:end]) && mailgun(s[max(0, from-near):min(len(s), end+near)]) {
			f.add(idMailgun, from, end)
			f.skip = end
		}
	case strings.HasPrefix(at[1:], "Q~"): // Azure: three bytes, a digit, Q~ and 31 to 34 more
		set := func(c byte) bool { return inSet(c, dotted) || c == '~' }
		from := back(s, i, 4, set)
		if i-from == 4 && escaped(s, i-3) {
			from++
		}
		end := i + 3
		for end < len(s) && end-i < 40 && set(s[end]) {
			end++
		}
		for s[end-1] == '.' {
			end--
		}
		if n := end - i - 3; i-from == 3 && n >= 31 && n <= 34 && !placeholder(s[from:end]) {
			f.add(idAzureApp, from, end)
			f.skip = end
		}
	}
}

var mailgunNames = [...]string{"mailgun", "api:key-"}

func mailgun(s string) bool { return containsAny(s, mailgunNames[:]) }

// back is the start of the run of at most limit bytes before i.
func back(s string, i, limit int, is func(byte) bool) int {
	from := i
	for from > 0 && i-from < limit && is(s[from-1]) {
		from--
	}
	return from
}

// starts reports whether a value may begin at i: not within a word.
func starts(s string, i int) bool { return i == 0 || !inSet(s[i-1], word) || escaped(s, i) }

// escaped reports whether the letter before i belongs to an escape such as \n.
func escaped(s string, i int) bool {
	return i > 1 && s[i-2] == '\\' && (s[i-1] == 'n' || s[i-1] == 't' || s[i-1] == 'r')
}

// discord looks for a bot's token at i: the user's id in base64, six or seven bytes, and at least 27, between dots.
func (f *finder) discord(i int) {
	s := f.s
	dot := runTo(s, i, 29, token)
	if n := dot - i; n < 23 || n > 28 || dot == len(s) || s[dot] != '.' || !starts(s, i) {
		return
	}
	mid := runTo(s, dot+1, 8, token)
	if n := mid - dot - 1; n < 5 || n > 7 || mid == len(s) || s[mid] != '.' {
		return
	}
	end := runTo(s, mid+1, 46, token)
	if n := end - mid - 1; n < 27 || n > 45 || placeholder(s[mid+1:end]) || documented.Example(s[i:end]) || !digits64(s[i:dot]) {
		return
	}
	f.add(idDiscord, i, end)
	f.skip = end
}
