// Package approval keeps what the guard and the push gate have refused, and what a person allowed once. It owns table
// approvals. It decides nothing: who may type a code, and what a call is refused for, is known by its callers.
package approval

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// Life is how long a code may be typed after the refusal, and how long a granted call may wait to be made.
const Life = 10 * time.Minute

// Prefix is how the prompt of a person begins that allows a refused call; the code follows after one blank.
const Prefix = "devflow approve "

// Call is a tool call that a person may allow: the same call of the same session, in the same folder.
type Call struct {
	Session string
	Tool    string
	Cwd     string
	Input   string // of Bash the command line, of a writing tool its path and what it writes
}

// sum identifies a call. The hash is cryptographic, because a person allows one call and an agent must not find another
// with the same sum.
func (c Call) sum() []byte {
	h := sha256.New()
	for _, part := range [...]string{c.Tool, path.Clean(c.Cwd), normal(c.Input)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return h.Sum(nil)
}

// normal evens out blanks that mean nothing to a shell. A here-document is left as it is.
func normal(command string) string {
	command = strings.Trim(command, " \t\n")
	if strings.Contains(command, "<<") || strings.ContainsAny(command, "#`$\r") { // where blanks may be inside of something else
		return command
	}
	var b strings.Builder
	var quote byte
	for i := 0; i < len(command); i++ {
		ch := command[i]
		switch {
		case ch == '\\' && quote != '\'' && i+1 < len(command):
			b.WriteByte(ch)
			i++
			ch = command[i]
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '\'' || ch == '"':
			quote = ch
		case ch == '\t' || ch == ' ':
			if i > 0 && (command[i-1] == ' ' || command[i-1] == '\t') {
				continue
			}
			ch = ' '
		}
		b.WriteByte(ch)
	}
	return b.String()
}

// Refuse notes that a call was refused and gives the code by which a person may allow it once. The same call refused again
// for the same rules keeps its code while that is valid. file is what the call would have written, empty for none.
func Refuse(tx *store.Tx, c Call, rules []string, file string, now time.Time) (code string, err error) {
	sum, ids, ms := c.sum(), strings.Join(sorted(rules), " "), now.UnixMilli()
	var n int64
	found, err := tx.One("SELECT code FROM approvals WHERE session_id=? AND call=? AND rules=? AND granted_ms IS NULL AND code IS NOT NULL AND asked_ms>? AND asked_ms<=? ORDER BY n DESC LIMIT 1",
		[]any{c.Session, sum, ids, ms - Life.Milliseconds(), ms}, &code)
	if err != nil || found {
		return code, err
	}
	if _, err := tx.One("SELECT coalesce(max(n),0)+1 FROM approvals WHERE session_id=?", []any{c.Session}, &n); err != nil {
		return "", fmt.Errorf("number approval of %s: %w", c.Session, err)
	}
	if code, err = newCode(); err != nil {
		return "", err
	}
	var at any
	if file != "" {
		at = file
	}
	if _, err := tx.Exec("INSERT INTO approvals(session_id,n,code,call,rules,path,asked_ms) VALUES(?,?,?,?,?,?,?)", c.Session, n, code, sum, ids, at, ms); err != nil {
		return "", fmt.Errorf("note refusal in %s: %w", c.Session, err)
	}
	return code, nil
}

// Grant applies a prompt that a person typed. It reports whether the prompt is exactly Prefix and a code that waits; what is
// granted then is one call for the named rules.
func Grant(tx *store.Tx, session, prompt string, now time.Time) (rules string, ok bool, err error) {
	code, is := strings.CutPrefix(prompt, Prefix)
	if !is || len(code) != codeLength {
		return "", false, nil
	}
	ms := now.UnixMilli()
	var n int64
	ok, err = tx.One("SELECT n,rules FROM approvals WHERE session_id=? AND code=? AND granted_ms IS NULL AND asked_ms>? AND asked_ms<=? ORDER BY n DESC LIMIT 1",
		[]any{session, code, ms - Life.Milliseconds(), ms}, &n, &rules)
	if err != nil || !ok {
		return "", false, err
	}
	_, err = tx.Exec("UPDATE approvals SET granted_ms=?,code=NULL WHERE session_id=? AND n=?", ms, session, n)
	return rules, err == nil, err
}

// Use takes the approval of a call: the rules that a person lifted for it, nil when nobody did. It works once.
func Use(tx *store.Tx, c Call, now time.Time) ([]string, error) {
	var n int64
	var rules string
	ms := now.UnixMilli()
	found, err := tx.One("SELECT n,rules FROM approvals WHERE session_id=? AND call=? AND granted_ms>? AND granted_ms<=? AND used_ms IS NULL ORDER BY n DESC LIMIT 1",
		[]any{c.Session, c.sum(), ms - Life.Milliseconds(), ms}, &n, &rules)
	if err != nil || !found {
		return nil, err
	}
	if _, err := tx.Exec("UPDATE approvals SET used_ms=? WHERE session_id=? AND n=?", ms, c.Session, n); err != nil {
		return nil, fmt.Errorf("use approval of %s: %w", c.Session, err)
	}
	return strings.Fields(rules), nil
}

// Pending counts the codes of a session that may be typed now.
func Pending(tx *store.Tx, session string, now time.Time) (n int64, err error) {
	_, err = tx.One("SELECT count(*) FROM approvals WHERE session_id=? AND code IS NOT NULL AND granted_ms IS NULL AND asked_ms>?",
		[]any{session, now.UnixMilli() - Life.Milliseconds()}, &n)
	return n, err
}

// RefusedWrites lists the files whose writing was refused a moment ago and was not allowed since.
func RefusedWrites(tx *store.Tx, session string, now time.Time) (paths []string, err error) {
	err = tx.Query("SELECT DISTINCT path FROM approvals WHERE session_id=? AND path IS NOT NULL AND used_ms IS NULL AND asked_ms>?",
		[]any{session, now.UnixMilli() - Life.Milliseconds()}, func(r *store.Row) error {
			paths = append(paths, r.Text(0))
			return nil
		})
	return paths, err
}

// Wrote forgets that a file was refused: a later write of it by its own tool passed.
func Wrote(tx *store.Tx, session, file string) error {
	_, err := tx.Exec("UPDATE approvals SET path=NULL WHERE session_id=? AND path=?", session, file)
	return err
}

func sorted(rules []string) []string {
	out := slices.Clone(rules)
	slices.Sort(out)
	return slices.Compact(out)
}

// codeAlphabet has no letter or digit that looks like another; its 32 symbols make a random byte even.
const codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// codeLength is the number of symbols. Who guesses needs a person's keyboard and has ten minutes: 20 bits are enough.
const codeLength = 4

// newCode reads the kernel's generator itself: crypto/rand would cost every hook its start-up.
func newCode() (string, error) {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return "", fmt.Errorf("make code: %w", err)
	}
	defer f.Close()
	var b [codeLength]byte
	if n, err := f.Read(b[:]); err != nil || n < len(b) {
		return "", fmt.Errorf("make code: read %d random bytes: %w", n, err)
	}
	for i := range b {
		b[i] = codeAlphabet[b[i]%32]
	}
	return string(b[:]), nil
}
