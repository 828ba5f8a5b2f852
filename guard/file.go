package guard

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive"
	"github.com/devflow-suite/devflow/guard/protect"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/source/layout"
)

// Edit replaces a text of a file.
type Edit struct {
	Old, New string
	All      bool
}

// File is what a writing tool is about to do to one file.
type File struct {
	Path    string // absolute
	Content string // of Write: the whole file; of NotebookEdit the new cell
	Whole   bool   // Content is the whole file
	Edits   []Edit
}

// maxOld bounds the file that is read to see what was in it before, in bytes.
const maxOld = 4 << 20

// Check says what speaks against writing a file, the heaviest first. The file is read only where its name, or a secret, makes
// that necessary.
func (f File) Check(s Scene) []verdict.Finding {
	var found []verdict.Finding
	if protect.Watches(s.Places, f.Path) {
		before, _ := regular.Read(f.Path, maxOld)
		found = protect.File(s.Places, f.Path, before, f.after(before))
	}
	found = append(found, s.lifted(f.outside(s))...)
	return tidy(append(found, f.secrets(s)...))
}

// outside says of a file that is not among those of the project what a redirection into it would say: devices, keys, the
// system, git's own files.
func (f File) outside(s Scene) []verdict.Finding {
	if p := s.World.Project; p != "" && strings.HasPrefix(f.Path, p+"/") && !strings.Contains(f.Path, "/.git/") {
		return nil
	}
	op := ">>"
	if f.Whole {
		op = ">"
		if _, err := regular.Read(f.Path, maxOld); err != nil && !strings.HasPrefix(f.Path, "/dev/") {
			op = ">>" // there is nothing to lose
		}
	}
	return destructive.Redirects(&shell.Script{Redirs: []shell.Redirect{{Op: op, Target: shell.Word{Text: f.Path, Quoted: true}}}}, s.World)
}

// after is the file as it will be.
func (f File) after(before []byte) []byte {
	if f.Whole {
		return []byte(f.Content)
	}
	text := string(before)
	for _, e := range f.Edits {
		n := 1
		if e.All {
			n = -1
		}
		text = strings.Replace(text, e.Old, e.New, n)
	}
	return []byte(text)
}

// secrets looks at what is new: a value that the file, or the replaced text, held before is no news.
func (f File) secrets(s Scene) []verdict.Finding {
	var found []verdict.Finding
	var old string
	loaded := false
	rel := strings.TrimPrefix(f.Path, s.World.Project+"/")
	pieces := layout.Classify(rel) != layout.Test
	look := func(text, replaced string) {
		for _, m := range find(text, pieces) {
			value := m.value
			if strings.Contains(replaced, value) {
				continue
			}
			if !loaded {
				loaded = true
				data, _ := regular.Read(f.Path, maxOld) // what cannot be read held nothing
				old = string(data)
			}
			if strings.Contains(old, value) {
				continue
			}
			found = append(found, secretFinding(m, fmt.Sprintf("line %d of %s", m.Line, filepath.Base(f.Path))))
		}
	}
	look(f.Content, "")
	for _, e := range f.Edits {
		look(e.New, e.Old)
	}
	return found
}
