package instinct_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/judge/instinct"
)

// learned is a world with two instincts that wait, the surer one first.
func learned(t *testing.T) (*world, []instinct.Instinct) {
	t.Helper()
	w := newWorld(t)
	w.edited()
	w.says("x")
	w.capture(`{"lessons":[{"content":"Handlers return errors and never panic.","category":"pattern","confidence":0.5},{"content":"Migrations are append-only and numbered.","category":"convention","confidence":0.9}]}`)
	list := w.list(instinct.Pending)
	if len(list) != 2 || list[0].Confidence != 0.9 {
		t.Fatalf("waiting: %+v", list)
	}
	return w, list
}

func (w *world) rules() string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, instinct.RulesFile))
	if err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	return string(data)
}

func (w *world) injection() string {
	w.Helper()
	var text string
	if err := w.db.View(func(tx *store.Tx) (err error) { text, err = instinct.Injection(tx, w.root); return err }); err != nil {
		w.Fatal(err)
	}
	return text
}

func TestPromotionWritesOneLineOnce(t *testing.T) {
	t.Parallel()
	w, list := learned(t)
	if w.injection() != "" {
		t.Errorf("what nobody has looked at is shown: %s", w.injection())
	}
	for range 2 {
		in, err := instinct.Promote(w.db, w.root, list[0].ID, 5)
		if err != nil || in.Status != instinct.Promoted || in.PromotedTo != instinct.RulesFile || in.DecidedMS != 5 {
			t.Fatalf("promoted %+v, %v", in, err)
		}
	}
	if _, err := instinct.Promote(w.db, w.root, strings.ToUpper(list[1].ID), 6); err != nil {
		t.Fatal(err)
	}
	got := w.rules()
	for _, in := range list {
		if strings.Count(got, "- "+in.Content+" <!-- devflow:"+in.ID+" -->\n") != 1 {
			t.Errorf("%s is not once in:\n%s", in.ID, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.root, ".claude/rules/.*")); len(left) > 0 || strings.Contains(got, "\n\n-") && strings.Count(got, "\n\n") > 2 {
		t.Errorf("left behind %v, file:\n%s", left, got)
	}
	if want := "[devflow:learned] Confirmed by a person for this project:\n- Migrations are append-only and numbered.\n- Handlers return errors and never panic."; w.injection() != want {
		t.Errorf("injection %q, want %q", w.injection(), want)
	}
}

func TestPersonsTextInTheRulesFileStays(t *testing.T) {
	t.Parallel()
	w, list := learned(t)
	file := filepath.Join(w.root, instinct.RulesFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# Mine\n- keep this"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range list {
		if _, err := instinct.Promote(w.db, w.root, in.ID, 5); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := instinct.Dismiss(w.db, w.root, list[0].ID, 6); err != nil {
		t.Fatal(err)
	}
	want := "# Mine\n- keep this\n- " + list[1].Content + " <!-- devflow:" + list[1].ID + " -->\n"
	if w.rules() != want {
		t.Errorf("file:\n%s\nwant:\n%s", w.rules(), want)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if strings.Contains(w.injection(), list[0].Content) {
		t.Errorf("dismissed, but shown: %s", w.injection())
	}
}

func TestPromoteAllTakesOnlyTheSureOnes(t *testing.T) {
	t.Parallel()
	w, list := learned(t)
	done, err := instinct.PromoteAll(w.db, w.root, instinct.Threshold, 5)
	if err != nil || len(done) != 1 || done[0].ID != list[0].ID || len(w.list(instinct.Pending)) != 1 {
		t.Errorf("promoted %+v, %v", done, err)
	}
}

func TestNothingOutsideOfTheProjectIsWritten(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".claude", ".claude/rules", ".claude/rules/devflow-learned.md"} {
		t.Run(link, func(t *testing.T) {
			t.Parallel()
			w, list := learned(t)
			outside := filepath.Join(filepath.Dir(w.root), "outside")
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(w.root, link)), 0o755), os.Mkdir(outside, 0o755), os.Symlink(outside, filepath.Join(w.root, link))); err != nil {
				t.Fatal(err)
			}
			if _, err := instinct.Promote(w.db, w.root, list[0].ID, 5); err == nil {
				t.Errorf("promoted through a link")
			}
			if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
				t.Errorf("written outside: %v, %v", entries, err)
			}
			if len(w.list(instinct.Promoted)) > 0 {
				t.Errorf("the store says promoted")
			}
		})
	}
}

func TestFolderInThePlaceOfTheRulesFile(t *testing.T) {
	t.Parallel()
	w, list := learned(t)
	if err := os.MkdirAll(filepath.Join(w.root, instinct.RulesFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := instinct.Promote(w.db, w.root, list[0].ID, 5); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("got %v, want ErrNotRegular", err)
	}
}

func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	w, list := learned(t)
	for _, id := range []string{"", "zzzz", "%", "ffffffffffffffff"} {
		if _, err := instinct.Promote(w.db, w.root, id, 5); !errors.Is(err, instinct.ErrUnknown) {
			t.Errorf("Promote(%q) = %v, want ErrUnknown", id, err)
		}
	}
	if _, err := instinct.Promote(w.db, filepath.Dir(w.root), list[0].ID, 5); !errors.Is(err, instinct.ErrUnknown) {
		t.Errorf("an instinct of another project: %v, want ErrUnknown", err)
	}
}

func TestPromotionsAtOnceLoseNoLine(t *testing.T) {
	t.Parallel()
	w, list := learned(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := instinct.Promote(w.db, w.root, list[i%2].ID, 5); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, in := range list {
		if strings.Count(w.rules(), in.ID) != 1 {
			t.Errorf("%s is not once in:\n%s", in.ID, w.rules())
		}
	}
}

func TestInjectionIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.update(func(tx *store.Tx) error {
		for i, word := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta") {
			content := word + " " + strings.Repeat(word+"x ", 8)
			if i%2 == 0 {
				content += strings.Repeat("y", 140)
			}
			if _, err := tx.Exec("INSERT INTO instincts(project,content_sha,root,category,content,confidence,status,captured_ms) VALUES(?,?,?,'pattern',?,0.5,'promoted',?)",
				instinct.Key(w.root), "a"+word, w.root, content, i); err != nil {
				return err
			}
		}
		return nil
	})
	if got := w.injection(); len(got) > 600 || strings.Count(got, "\n- ") > 5 || strings.Count(got, "\n- ") < 3 {
		t.Errorf("%d bytes, %d items:\n%s", len(got), strings.Count(got, "\n- "), got)
	}
}
