package report

import (
	"os"
	"path/filepath"
)

// SpoolState is what hooks could not store in time.
type SpoolState struct {
	Bytes int64 `json:"bytes"` // waiting to be stored
	Files int   `json:"files"`
	Bad   int   `json:"bad_files"` // set aside because they could not be read or applied
}

// spoolState looks at the spool's folders; the names of its files are documented in internal/store. A folder that is not
// there holds nothing.
func spoolState(dirs []string) SpoolState {
	var s SpoolState
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			switch filepath.Ext(e.Name()) {
			case ".bad":
				s.Bad++
			case ".spool", ".drain":
				if info, err := e.Info(); err == nil && info.Size() > 0 {
					s.Files++
					s.Bytes += info.Size()
				}
			}
		}
	}
	return s
}
