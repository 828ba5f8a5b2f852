package work

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Stand reports whether folders (slash paths below root) are there as real folders, with no symbolic link on the way to them.
func Stand(root string, folders []string) bool {
	for _, folder := range folders {
		if !Exists(filepath.Join(root, filepath.FromSlash(folder))) {
			return false
		}
	}
	return Crooked(root, folders) == ""
}

// Crooked gives the first of the folders, or of those above them, that is there and is no folder.
func Crooked(root string, folders []string) string {
	for _, folder := range folders {
		at := ""
		for part := range strings.SplitSeq(folder, "/") {
			at = path.Join(at, part)
			info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(at)))
			if err != nil {
				break // not there, nor what is below it
			}
			if !info.IsDir() {
				return at
			}
		}
	}
	return ""
}
