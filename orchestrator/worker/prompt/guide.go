package prompt

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/llm/fence"
)

// File is one of the project's instruction files.
type File struct {
	Path string // relative to the project's root, slash-separated
	Text string
}

// Guide makes one text of the instruction files that concern a region: those in the project's root, in its folders and above and
// below them, the root's first. The client itself would read them; a worker's does not, because it reads nothing of the person's.
// The result is bounded, and no file can take all of it.
func Guide(files []File, folders []string) string {
	var concern []File
	for _, f := range files {
		if strings.TrimSpace(f.Text) != "" && concerns(path.Dir(path.Clean(f.Path)), folders) {
			concern = append(concern, f)
		}
	}
	if len(concern) == 0 {
		return ""
	}
	slices.SortStableFunc(concern, func(a, b File) int {
		if d := strings.Count(a.Path, "/") - strings.Count(b.Path, "/"); d != 0 {
			return d
		}
		return strings.Compare(a.Path, b.Path)
	})
	share := max(maxGuide/len(concern)-100, 400)
	var b strings.Builder
	for _, f := range concern {
		text, _ := fence.Middle(strings.TrimSpace(strings.ToValidUTF8(f.Text, "?")), share)
		part := "From " + line(f.Path) + ":\n" + text + "\n\n"
		if b.Len()+len(part) > maxGuide {
			b.WriteString("(more instruction files are in the project: read them where you work)\n")
			break
		}
		b.WriteString(part)
	}
	return strings.TrimSpace(b.String())
}

// concerns reports whether what stands in dir is about one of the folders.
func concerns(dir string, folders []string) bool {
	if dir == "." {
		return true
	}
	return slices.ContainsFunc(folders, func(f string) bool {
		f = path.Clean(f)
		return f == dir || strings.HasPrefix(f, dir+"/") || strings.HasPrefix(dir, f+"/")
	})
}
