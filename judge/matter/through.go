package matter

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/tdd"
)

// through finds a test of this task that reaches an untested file through its caller: for Go any test of the package,
// elsewhere the changed test of a changed file that names this one. It makes a doubt of what else would block.
func (c *Case) through(rel string) (test string, ok bool) {
	lang := tdd.LanguageOf(rel)
	for i := range c.Files {
		f := &c.Files[i]
		if f.Path == rel || f.Lang != lang || f.After == nil {
			continue
		}
		switch {
		case lang == source.Go && f.Kind == tdd.Test && path.Dir(f.Path) == path.Dir(rel) && tdd.HasAssertion(f.Lang, f.After):
			return f.Path, true
		case lang != source.Go && f.Kind == tdd.Impl && names(string(f.After), layout.Stem(rel)):
			found, has, err := c.tests().Find(f.Path)
			if err == nil && has && !found.Stub && c.file(found.Path) != nil {
				return found.Path, true
			}
		}
	}
	return "", false
}

// names reports whether a text holds a word.
func names(text, word string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), word)
}
