// Package instinct keeps what the work on a project has taught: short sentences that a later session should know.
//
// It owns table instincts, and the lines in <project>/.claude/rules/devflow-learned.md that carry its marks. They are
// captured at the boundary of a task ([Capture]), from what a model finds in the last replies and from the few facts
// that are certain without one, and wait there until a person promotes or dismisses them; nothing unseen by a person is
// ever shown to a session. A project is its resolved root: two projects of one name do not mix.
//
// Text is redacted, one line, and at most [MaxContent] bytes. What was dismissed does not come back, and neither does what
// says nearly the same.
package instinct

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/internal/store"
)

// The states of an instinct.
const (
	Pending   = "pending"
	Promoted  = "promoted"
	Dismissed = "dismissed"
)

// Where an instinct comes from.
const (
	FromModel = "model"
	FromFact  = "fact"
)

// Bounds of one instinct.
const (
	MaxContent    = 240 // bytes
	minContent    = 12  // bytes; less says nothing
	MinConfidence = 0.3
	MaxConfidence = 0.9
)

// maxPending is how many may wait for a person in one project: nobody reviews more.
const maxPending = 100

// Categories lists what an instinct may be.
func Categories() []string { return []string{"pattern", "preference", "convention", "pitfall"} }

// Errors of choosing one.
var (
	ErrUnknown   = errors.New("no such instinct in this project")
	ErrAmbiguous = errors.New("more than one instinct begins like this")
)

// Instinct is one row of table instincts.
type Instinct struct {
	ID         string  `json:"id"` // the first eight digits of SHA
	SHA        string  `json:"-"`
	Root       string  `json:"project_root"`
	Session    string  `json:"session_id"`
	Seq        int64   `json:"task"`
	Category   string  `json:"category"`
	Content    string  `json:"content"`
	Source     string  `json:"source"`
	Confidence float64 `json:"confidence"`
	Status     string  `json:"status"`
	PromotedTo string  `json:"promoted_to,omitempty"` // slash path relative to the project
	CapturedMS int64   `json:"captured_ms"`
	DecidedMS  int64   `json:"decided_ms,omitempty"`
}

// idLength is how much of a content hash names it.
const idLength = 8

// Key names a project by its resolved root, so that two folders of one name are two projects.
func Key(root string) string {
	root = resolved(root)
	sum := sha256.Sum256([]byte(root + "\x00" + filepath.Base(root)))
	return hex.EncodeToString(sum[:8])
}

// resolved is the root without links, as far as it exists.
func resolved(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return filepath.Clean(root)
}

// shaOf names a content within a project, whatever its case and punctuation.
func shaOf(project, content string) string {
	sum := sha256.Sum256([]byte(project + "\x00" + strings.Join(tokens(content), " ")))
	return hex.EncodeToString(sum[:])
}

// List gives what was learned about a project: what waits first, then by confidence, then the newest first. status "" means all.
func List(tx *store.Tx, root, status string) ([]Instinct, error) {
	list, err := rows(tx, "project=?1 AND (?2='' OR status=?2) ORDER BY status<>'pending',confidence DESC,captured_ms DESC,content_sha", Key(root), status)
	if err != nil {
		return nil, fmt.Errorf("list instincts of %s: %w", root, err)
	}
	return list, nil
}

func rows(tx *store.Tx, where string, args ...any) ([]Instinct, error) {
	var list []Instinct
	err := tx.Query("SELECT content_sha,root,session_id,seq,category,content,source,confidence,status,promoted_to,captured_ms,decided_ms FROM instincts WHERE "+where, args, func(r *store.Row) error {
		in := Instinct{
			SHA: r.Text(0), Root: r.Text(1), Session: r.Text(2), Seq: r.Int(3), Category: r.Text(4), Content: r.Text(5), Source: r.Text(6),
			Confidence: r.Float(7), Status: r.Text(8), PromotedTo: r.Text(9), CapturedMS: r.Int(10), DecidedMS: r.Int(11),
		}
		in.ID = in.SHA[:min(idLength, len(in.SHA))]
		list = append(list, in)
		return nil
	})
	return list, err
}

// find is the instinct of a project whose hash begins with id.
func find(tx *store.Tx, root, id string) (Instinct, error) {
	id = strings.ToLower(id)
	if id == "" || strings.Trim(id, "0123456789abcdef") != "" {
		return Instinct{}, fmt.Errorf("find instinct %q: %w", id, ErrUnknown)
	}
	list, err := rows(tx, "project=?1 AND content_sha>=?2 AND content_sha<?2||'g' LIMIT 2", Key(root), id)
	switch {
	case err != nil:
		return Instinct{}, fmt.Errorf("find instinct %q: %w", id, err)
	case len(list) == 0:
		return Instinct{}, fmt.Errorf("find instinct %q: %w", id, ErrUnknown)
	case len(list) > 1:
		return Instinct{}, fmt.Errorf("find instinct %q: %w", id, ErrAmbiguous)
	}
	return list[0], nil
}

// add stores what is neither known, nor nearly known, nor out of bounds, and tells whether it did.
func add(tx *store.Tx, in Instinct, known []Instinct) (bool, error) {
	in.Content = clean(in.Content)
	if len(in.Content) < minContent || !slices.Contains(Categories(), in.Category) || in.Confidence < MinConfidence || in.Confidence > MaxConfidence {
		return false, nil
	}
	for _, k := range known {
		if Similar(k.Content, in.Content) {
			return false, nil
		}
	}
	project := Key(in.Root)
	n, err := tx.Exec("INSERT OR IGNORE INTO instincts(project,content_sha,root,session_id,seq,category,content,source,confidence,status,captured_ms) VALUES(?,?,?,?,?,?,?,?,?,'pending',?)",
		project, shaOf(project, in.Content), resolved(in.Root), in.Session, in.Seq, in.Category, in.Content, in.Source, in.Confidence, in.CapturedMS)
	if err != nil {
		return false, fmt.Errorf("store instinct of %s: %w", in.Root, err)
	}
	return n == 1, nil
}

// clean makes one short line of a text that nothing secret is in: it is shown in terminals and may end up in a rules file.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\uFFFD', unicode.Is(unicode.Cf, r): // no direction marks, no invisible letters
			return -1
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.NewReplacer("<!--", "", "-->", "", "```", "`").Replace(text)
	return strings.TrimSpace(redact.Clip(strings.Join(strings.Fields(text), " "), MaxContent))
}

// nearly is from which share of common words on two contents say the same.
const nearly = 0.8

// Similar tells whether two contents say nearly the same: at least four fifths of all their words are common.
func Similar(a, b string) bool {
	left, right := tokens(a), tokens(b)
	slices.Sort(left)
	slices.Sort(right)
	left, right = slices.Compact(left), slices.Compact(right)
	common := 0
	for _, w := range left {
		if _, ok := slices.BinarySearch(right, w); ok {
			common++
		}
	}
	all := len(left) + len(right) - common
	return all == 0 || float64(common) >= nearly*float64(all)
}

// tokens are the words of a text in lower case.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
