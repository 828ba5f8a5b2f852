package instinct

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/store"
)

// RulesFile is where promoted instincts are written, relative to the project. Claude Code reads it as a rule of the project.
const RulesFile = ".claude/rules/devflow-learned.md"

// Threshold is the confidence from which on PromoteAll promotes.
const Threshold = 0.85

// maxRules bounds the rules file that is changed, in bytes.
const maxRules = 1 << 20

const rulesHead = "# Learned in this project\n\nPromoted with `devflow learn`. Edit as you like; a line that ends in a devflow mark is taken out again by `devflow learn --dismiss`.\n\n"

// Promote lets an instinct be shown to sessions and writes it into the project's rules file, once. It is a person's
// decision: nothing but a command at a person's terminal may call it.
func Promote(db *store.DB, root, id string, now int64) (Instinct, error) {
	return decide(db, root, id, func(tx *store.Tx, in *Instinct) error { return promote(tx, root, in, now) })
}

// PromoteAll promotes what waits with a confidence of at least threshold, and returns it.
func PromoteAll(db *store.DB, root string, threshold float64, now int64) ([]Instinct, error) {
	var done []Instinct
	err := db.Update(func(tx *store.Tx) error {
		done = nil
		waiting, err := List(tx, root, Pending)
		if err != nil {
			return err
		}
		for _, in := range waiting {
			if in.Confidence < threshold {
				continue
			}
			if err := promote(tx, root, &in, now); err != nil {
				return fmt.Errorf("promote instinct %s: %w", in.ID, err)
			}
			done = append(done, in)
		}
		return nil
	})
	return done, err
}

// Dismiss keeps an instinct from ever being shown, or captured again. The line of one that was promoted is taken out of the
// rules file unless a person has changed it.
func Dismiss(db *store.DB, root, id string, now int64) (Instinct, error) {
	return decide(db, root, id, func(tx *store.Tx, in *Instinct) error {
		if in.Status == Promoted {
			if err := edit(root, func(lines []string) []string {
				return slices.DeleteFunc(lines, func(l string) bool { return l == entry(*in) })
			}); err != nil {
				return err
			}
		}
		return set(tx, root, in, Dismissed, "", now)
	})
}

func decide(db *store.DB, root, id string, fn func(tx *store.Tx, in *Instinct) error) (Instinct, error) {
	var in Instinct
	err := db.Update(func(tx *store.Tx) (err error) {
		if in, err = find(tx, root, id); err != nil {
			return err
		}
		return fn(tx, &in)
	})
	return in, err
}

// promote writes the file first: when the transaction fails, the line is there, and the next try finds it.
func promote(tx *store.Tx, root string, in *Instinct, now int64) error {
	err := edit(root, func(lines []string) []string {
		if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, mark(*in)) }) {
			return lines
		}
		if n := len(lines); n > 0 && lines[n-1] == "" { // the end of the last line
			lines = lines[:n-1]
		}
		return append(lines, entry(*in), "")
	})
	if err != nil {
		return err
	}
	return set(tx, root, in, Promoted, RulesFile, now)
}

func set(tx *store.Tx, root string, in *Instinct, status, to string, now int64) error {
	if in.Status == status {
		return nil
	}
	if _, err := tx.Exec("UPDATE instincts SET status=?,promoted_to=nullif(?,''),decided_ms=? WHERE project=? AND content_sha=?", status, to, now, Key(root), in.SHA); err != nil {
		return fmt.Errorf("decide about instinct %s: %w", in.ID, err)
	}
	in.Status, in.PromotedTo, in.DecidedMS = status, to, now
	return nil
}

func mark(in Instinct) string { return "<!-- devflow:" + in.ID + " -->" }

func entry(in Instinct) string { return "- " + in.Content + " " + mark(in) }

// edit changes the lines of the rules file and puts the new one in the place of the old one at once. Nothing outside of the
// project is touched, whatever links there are in it; a file that is no regular one is left alone.
func edit(project string, change func(lines []string) []string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", RulesFile, err)
		}
	}()
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	mode, old := fs.FileMode(0o644), ""
	info, err := root.Lstat(RulesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return regular.ErrNotRegular
	default:
		data, err := regular.ReadIn(root, RulesFile, maxRules)
		if err != nil {
			return err
		}
		mode, old = info.Mode().Perm(), string(data)
	}
	lines := strings.Split(old, "\n")
	if old == "" {
		lines = strings.Split(rulesHead, "\n")
	}
	text := strings.Join(change(slices.Clone(lines)), "\n")
	if text == strings.Join(lines, "\n") { // nothing to add, or nothing to take out
		return nil
	}
	if err := root.MkdirAll(path.Dir(RulesFile), 0o755); err != nil {
		return err
	}
	return replace(root, RulesFile, text, mode)
}

// replace is atomicfile's way within a root.
func replace(root *os.Root, name, text string, mode fs.FileMode) (err error) {
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+nonce()+".tmp")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	dir, err := root.Open(path.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Bounds of what a session is told.
const (
	maxInjected      = 5
	maxInjectedBytes = 600
)

// Injection is what a new session is told about a project: the promoted instincts of the highest confidence that fit, ""
// without any.
func Injection(tx *store.Tx, root string) (string, error) {
	list, err := List(tx, root, Promoted)
	if err != nil {
		return "", err
	}
	text := "[devflow:learned] Confirmed by a person for this project:"
	head, told := len(text), 0
	for _, in := range list {
		if line := "\n- " + in.Content; told < maxInjected && len(text)+len(line) <= maxInjectedBytes {
			text += line
			told++
		}
	}
	if len(text) == head {
		return "", nil
	}
	return text, nil
}
