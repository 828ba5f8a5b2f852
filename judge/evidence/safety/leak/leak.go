// Package leak finds credentials that a change writes into code and settings.
//
// Formats and generated values are the matter of internal/secret; this package adds passwords that people think up, and
// says where a credential may stand: tests, fixtures, examples and documents show made-up ones. It owns no table and
// quotes no value.
package leak

import (
	"path"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/secret"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// Rules lists the rules of the package.
func Rules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "secret-hardcoded", Axis: verdict.Security, Class: verdict.Hard,
			What: "a credential is written into code", Why: "whoever reads the repository, now or later, has it", Find: find(true),
		},
		{
			ID: "secret-config", Axis: verdict.Security, Class: verdict.Hard,
			What: "a credential is written into a settings file that is committed", Why: "whoever reads the repository, now or later, has it", Find: find(false),
		},
	}
}

func find(code bool) func(*change.Change, func(rule.Finding)) {
	return func(c *change.Change, report func(rule.Finding)) {
		var gone strings.Builder
		for _, f := range c.Files {
			if (f.Lang != "") != code || f.After == nil || len(f.Added) == 0 || f.IsTest() || f.Kind == layout.Generated || sample(f.Path) {
				continue
			}
			src := f.After.Src
			told := map[int]bool{}
			tell := func(line int, what string, soft bool) {
				if told[line] {
					return
				}
				told[line] = true
				out := rule.Finding{Path: f.Path, Line: line, Text: what, Evidence: redact.String(strings.TrimSpace(f.After.Lines(line, line))), Fix: "revoke it, and read it from the environment or a vault"}
				if soft {
					out.Class = verdict.Soft
				}
				report(out)
			}
			if gone.Len() == 0 {
				removed(c, &gone)
			}
			for _, m := range secret.Find(src) {
				if !f.Touched(m.Line, m.Line) || strings.Contains(gone.String(), src[m.Start:m.End]) || f.Before != nil && strings.Contains(f.Before.Src, src[m.Start:m.End]) || inTest(f, m.Line) {
					continue
				}
				if f.Kind == layout.Doc && !m.High {
					continue
				}
				tell(m.Line, "a credential is written down: "+name(m.Rule), f.Kind == layout.Doc)
			}
			if f.Kind == layout.Doc {
				continue
			}
			for _, l := range f.Added {
				v := Password(l.Text, f.Lang)
				if v == "" && code && strings.Contains(l.Text, "return") {
					v = Returned(within(f, l.N), l.Text)
				}
				if v != "" && !told[l.N] && !strings.Contains(gone.String(), v) && !inTest(f, l.N) {
					tell(l.N, "a password is written down", false)
				}
			}
		}
	}
}

// removed collects the lines that the change takes away; what stood there was no secret any more.
func removed(c *change.Change, b *strings.Builder) {
	b.WriteByte('\n')
	for _, f := range c.Files {
		for _, l := range f.Removed {
			b.WriteString(l.Text)
			b.WriteByte('\n')
		}
	}
}

func name(id string) string {
	for _, r := range secret.Names() {
		if r.ID == id {
			return r.What
		}
	}
	return id
}

// within is the name of the function that holds a line, "" for none.
func within(f *change.File, line int) string {
	out, size := "", 0
	for _, fn := range f.After.Funcs() {
		if line >= fn.Line && line <= fn.End && (out == "" || fn.End-fn.Line < size) {
			out, size = fn.Name, fn.End-fn.Line
		}
	}
	return out
}

// inTest reports whether a line of a Rust file belongs to its tests.
func inTest(f *change.File, line int) bool {
	if f.Lang != source.Rust {
		return false
	}
	i := strings.Index(f.After.Src, "#[cfg(test)]")
	return i >= 0 && line >= f.After.LineOf(i)
}

// sample reports files that show made-up values.
func sample(p string) bool {
	low := strings.ToLower(p)
	for _, part := range strings.Split(low, "/") {
		switch part {
		case "examples", "example", "samples", "sample", "fixtures", "fixture", "testdata", "demo", "demos", "mocks", "__fixtures__", "e2e", "docs", "stubs":
			return true
		}
	}
	base := path.Base(low)
	for _, w := range [...]string{"example", "sample", "template", "dist", "tmpl"} {
		for _, part := range strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
			if part == w {
				return true
			}
		}
	}
	return false
}

// kind is what a name tells that a value is.
type kind int

// Kinds of names.
const (
	noName kind = iota
	passwordName
	keyName
)

// Password gives the value of a line that assigns a password that a person thought up, or a long mixed value that a name
// calls a secret; "" when it does not.
func Password(line string, lang source.Lang) string {
	trimmed := strings.TrimSpace(line)
	if strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "*") || len(line) > 400 {
		return ""
	}
	at, kind := telling(line)
	if kind == noName {
		return ""
	}
	if v := value(line[at:], lang); v != "" {
		if kind.holds(v) {
			return v
		}
		return ""
	}
	if lang != "" && environment(strings.ToLower(line)) {
		if v := fallback(line[at:]); kind.holds(v) {
			return v
		}
	}
	return ""
}

// Returned gives the value of a line that returns a credential, in a function whose name tells that it gives one; "" when
// it does not.
func Returned(fn, line string) string {
	t := strings.TrimSpace(line)
	rest, ok := strings.CutPrefix(t, "return")
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if rest == "" || strings.IndexByte("\"'`", rest[0]) < 0 {
		return ""
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 || strings.Trim(rest[end+2:], "; ") != "" {
		return ""
	}
	if _, kind := telling(fn); kind != noName && kind.holds(rest[1:1+end]) {
		return rest[1 : 1+end]
	}
	return ""
}

func (k kind) holds(v string) bool {
	return k == passwordName && thoughtUp(v) || k == keyName && generated(v)
}

// fallback reads the value that is taken where the environment gives none: `… || "x"`, `… ?? "x"`, `get("NAME", "x")`.
func fallback(rest string) string {
	for _, mark := range [...]string{"||", "??", " or ", ",", "|_|", "?:", "defaultValue:", "default="} {
		i := strings.LastIndex(rest, mark)
		if i < 0 {
			continue
		}
		v := strings.TrimLeft(rest[i+len(mark):], " \t")
		v = strings.TrimPrefix(v, "String::from(")
		if v == "" || strings.IndexByte("\"'`", v[0]) < 0 {
			continue
		}
		if end := strings.IndexByte(v[1:], v[0]); end > 0 {
			return v[1 : 1+end]
		}
	}
	return ""
}

// telling finds a name that tells of a credential: the offset behind its telling part.
func telling(line string) (at int, kind kind) {
	low := strings.ToLower(line)
	for _, w := range [...]string{"password", "passwd", "pwd", "passphrase", "passwort"} {
		if i := strings.Index(low, w); i >= 0 {
			at, kind = i+len(w), passwordName
			break
		}
	}
	if kind == noName {
		for _, w := range [...]string{"secret", "token", "api_key", "apikey", "api-key", "private_key", "privatekey", "signing_key", "signingkey", "encryption_key", "encryptionkey", "access_key", "accesskey", "auth_key", "master_key"} {
			if i := strings.Index(low, w); i >= 0 {
				at, kind = i+len(w), keyName
				break
			}
		}
	}
	if kind == noName {
		return 0, noName
	}
	for _, w := range [...]string{"fake", "dummy", "mock", "test", "example", "sample", "regex", "pattern", "hash", "label", "placeholder", "message", "error", "env", "url", "prompt", "header", "public", "sha", "digest", "checksum", "commit", "cache", "prefix", "sitekey", "begin", "tokenizer"} {
		if w == "env" && environment(low) {
			continue
		}
		if strings.Contains(low[:min(at+16, len(low))], w) {
			return 0, noName
		}
	}
	return at, kind
}

// environment reports whether a line, in lower case, reads the environment: its value is what stands behind that.
func environment(low string) bool {
	for _, w := range [...]string{"process.env", "environ", "getenv", "env::var", "system.getenv", "fromenvironment", "getproperty", "lookupenv"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// value reads what is assigned behind a name.
func value(rest string, lang source.Lang) string {
	for rest != "" && (rest[0] == '_' || rest[0] == '"' || rest[0] == '\'' || rest[0] == ']' || unicode.IsLetter(rune(rest[0])) || unicode.IsDigit(rune(rest[0]))) { // the rest of the name
		rest = rest[1:]
	}
	rest = strings.TrimLeft(rest, " \t")
	if strings.HasPrefix(rest, ":") && lang != "" { // name: Type = "…"
		if i := strings.IndexByte(rest, '='); i > 0 && i < 30 && !strings.ContainsAny(rest[:i], "\"'") {
			rest = rest[i:]
		}
	}
	v := strings.TrimLeft(rest, ":=> \t")
	if v == rest || strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "=>") && lang != source.Ruby && lang != source.PHP {
		return ""
	}
	if v == "" {
		return ""
	}
	if strings.IndexByte("\"'`", v[0]) >= 0 {
		end := strings.IndexByte(v[1:], v[0])
		if end < 0 {
			return ""
		}
		return v[1 : 1+end]
	}
	if lang != "" {
		return ""
	}
	if i := strings.IndexAny(v, " \t#,;"); i > 0 {
		v = v[:i]
	}
	return v
}

// generated reports whether a value looks like one that a program made up: long, letters and digits mixed, no words.
func generated(v string) bool {
	if len(v) < 20 || len(v) > 200 {
		return false
	}
	letters, digits, turns := 0, 0, 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		case c == '+' || c == '/' || c == '=' || c == '-' || c == '_':
			continue
		default:
			return false
		}
		if i > 0 && (v[i] <= '9') != (v[i-1] <= '9') {
			turns++
		}
	}
	low := strings.ToLower(v)
	for _, w := range [...]string{"example", "changeme", "your", "xxxx", "dummy", "fake", "sample", "placeholder", "123456789", "abcdef", "0000", "secret", "token"} {
		if strings.Contains(low, w) {
			return false
		}
	}
	return letters >= 3 && digits >= 2 && turns >= 4
}

// thoughtUp reports whether a value looks like a password that a person uses.
func thoughtUp(v string) bool {
	if len(v) < 8 || len(v) > 64 || strings.ContainsAny(v, " \t<>{}()[]\\/=,;|") || strings.Contains(v, "${") || strings.HasPrefix(v, "$") || strings.HasPrefix(v, "%") {
		return false
	}
	letters, digits, marks := 0, 0, 0
	for _, r := range v {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune("!@#$%^&*?+~", r):
			marks++
		}
	}
	low := strings.ToLower(v)
	for _, w := range [...]string{"change", "your", "xxx", "dummy", "test", "fake", "sample", "example", "placeholder", "todo", "replace", "redacted", "****", "....", "foobar", "passw0rd_here", "hunter2"} {
		if strings.Contains(low, w) {
			return false
		}
	}
	return letters >= 3 && (digits >= 2 || digits >= 1 && marks >= 1)
}
