package review_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/instinct"
	"github.com/devflow-suite/devflow/judge/instinct/review"
)

// seeded is a store with three instincts of a project, whose hashes begin with a, b and c.
func seeded(t *testing.T) (*store.DB, string) {
	t.Helper()
	root := t.TempDir()
	db, err := store.Open(filepath.Join(t.TempDir(), "devflow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	err = db.Update(func(tx *store.Tx) error {
		for i, content := range []string{"Migrations are append-only and numbered.", "Handlers return errors and never panic.", "The cache is shared between tests."} {
			if _, err := tx.Exec("INSERT INTO instincts(project,content_sha,root,category,content,source,confidence,status,captured_ms) VALUES(?,?,?,'pattern',?,'model',?,'pending',1)",
				instinct.Key(root), strings.Repeat(string(rune('a'+i)), 64), root, content, 0.9-float64(i)*0.2); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, root
}

func run(t *testing.T, db *store.DB, r review.Request, answers string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := review.Run(db, r, strings.NewReader(answers), &out, time.UnixMilli(5))
	return out.String(), err
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		request review.Request
		answers string
		want    string // states of a, b and c
		says    string
	}{
		{"list", review.Request{}, "", "pending pending pending", "aaaaaaaa  pending    0.90  pattern     Migrations are append-only and numbered.\n"},
		{"promote", review.Request{Promote: "b"}, "", "pending promoted pending", "bbbbbbbb  promoted"},
		{"dismiss", review.Request{Dismiss: "cccccccc"}, "", "pending pending dismissed", "cccccccc  dismissed"},
		{"the sure ones", review.Request{All: true}, "", "promoted pending pending", "aaaaaaaa  promoted"},
		{"one by one", review.Request{Interactive: true, Terminal: true}, "what\np\nD\nl\n", "promoted dismissed pending", "3 of 3  pattern, confidence 0.50, from a model\n  The cache"},
		{"quit", review.Request{Interactive: true, Terminal: true}, "p\nq\np\n", "promoted pending pending", "2 of 3"},
		{"end of input", review.Request{Interactive: true, Terminal: true}, "p\n", "promoted pending pending", "2 of 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db, root := seeded(t)
			tt.request.Root = root
			out, err := run(t, db, tt.request, tt.answers)
			if err != nil || !strings.Contains(out, tt.says) {
				t.Errorf("printed %q, %v, want %q", out, err, tt.says)
			}
			states := map[string]string{}
			if err := db.View(func(tx *store.Tx) error {
				list, err := instinct.List(tx, root, "")
				for _, in := range list {
					states[in.ID[:1]] = in.Status
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if got := states["a"] + " " + states["b"] + " " + states["c"]; got != tt.want {
				t.Errorf("states %s, want %s", got, tt.want)
			}
			_, err = os.Stat(filepath.Join(root, instinct.RulesFile))
			if promoted := strings.Contains(tt.want, "promoted"); promoted != (err == nil) {
				t.Errorf("rules file: %v, promoted: %v", err, promoted)
			}
		})
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	db, root := seeded(t)
	for _, tt := range []struct {
		request review.Request
		want    error
	}{
		{review.Request{Promote: "a", Agent: true}, review.ErrAgent},
		{review.Request{Dismiss: "a", Agent: true}, review.ErrAgent},
		{review.Request{All: true, Agent: true}, review.ErrAgent},
		{review.Request{Interactive: true, Terminal: true, Agent: true}, review.ErrAgent},
		{review.Request{Interactive: true}, review.ErrTerminal},
		{review.Request{Promote: "a", Dismiss: "b"}, review.ErrActions},
		{review.Request{All: true, Interactive: true, Terminal: true}, review.ErrActions},
		{review.Request{Promote: "d"}, instinct.ErrUnknown},
	} {
		tt.request.Root = root
		if _, err := run(t, db, tt.request, "p\np\np\n"); !errors.Is(err, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.request, err, tt.want)
		}
	}
	out, err := run(t, db, review.Request{Root: root, Agent: true, JSON: true}, "")
	var list []instinct.Instinct
	if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list) != 3 || list[0].Status != instinct.Pending {
		t.Errorf("an agent may look: %s, %v", out, err)
	}
	if out, err := run(t, db, review.Request{Root: t.TempDir(), JSON: true}, ""); err != nil || out != "[]\n" {
		t.Errorf("another project: %q, %v", out, err)
	}
}
