package protect

import (
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/internal/shell"
)

// sqlite judges database programs: reading passes.
func (k *check) sqlite(name string) {
	ours, pipes := false, false
	for _, w := range k.c.Words[1:] {
		t := w
		t.Text = strings.TrimPrefix(t.Text, "file:")
		t.Text, _, _ = strings.Cut(t.Text, "?")
		if !strings.ContainsAny(t.Text, " \n;") && t.Text != "" && t.Text[0] != '-' && k.e.Kind(k.e.Target(k.c.Dir, t)) == sight.Database {
			ours = true
		}
	}
	source := words2text(k.c.Words[1:]) + "\n" + k.stdin()
	if !ours && !k.mentionsDB(source) || change.ReadsOnly(source) {
		return
	}
	switch k.c.Stdin.Kind {
	case shell.FeedFile, shell.FeedPipe:
		pipes = true
	}
	for _, r := range k.c.Redirs {
		pipes = pipes || r.Op == "<"
	}
	if verb := change.SQL(source); verb != "" {
		k.deny(RuleDatabase, "its statements say "+verb)
	} else if pipes || strings.Contains(source, ".read") || strings.Contains(source, "-init") {
		k.ask(RuleDatabase, "what "+name+" would be told cannot be read")
	}
}

// mentionsDB reports whether a text names the database.
func (k *check) mentionsDB(text string) bool {
	if strings.Contains(text, "devflow.db") || strings.Contains(text, "DEVFLOW_DB") {
		return true
	}
	return k.e.Places.DB != "" && (strings.Contains(text, k.e.Places.DB) || len(filepath.Base(k.e.Places.DB)) > 6 && strings.Contains(text, filepath.Base(k.e.Places.DB)))
}
