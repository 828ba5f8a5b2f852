// Package diff reads a patch that git printed into added and removed lines per file.
//
// It stands on go-gitdiff and adds what a judge needs: line numbers, bytes of any encoding, and a broken piece that does
// not take the other files with it. It owns no table, starts no process, and does not make or apply patches.
package diff

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Status tells what happened to a file.
type Status byte

// The statuses, with the letters of git.
const (
	Added    Status = 'A'
	Deleted  Status = 'D'
	Modified Status = 'M'
	Renamed  Status = 'R' // with or without changes in its lines
	Copied   Status = 'C'
)

// File is one file of a patch. Names are slash paths in raw bytes, without a/ and b/.
type File struct {
	Old, New   string // empty when the file did not, or does not, exist
	Status     Status
	Binary     bool   // git gave no lines
	ModeOnly   bool   // neither lines nor a name changed
	Unreadable string // why this piece could not be read; then only New and Old are set, as far as they are known
	Added      []Line // in the order of the file
	Removed    []Line
}

// Path is the present name, or the former one of a deleted file.
func (f *File) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// Line is one line of a file.
type Line struct {
	N    int    // from 1, in the new file for an added line, in the old file for a removed one
	Hunk int    // from 0: lines of the same hunk are near each other
	Text string // raw bytes without the line end; a CR stays
}

// fileMark begins the piece of one file. No line of content can look like it: those begin with a blank, + or -.
const fileMark = "diff --git "

// Parse reads what `git diff-tree -p` printed. A piece that cannot be read becomes a File with Unreadable set; the error
// is for a text that is no patch at all. Safe for any bytes.
func Parse(patch []byte) ([]File, error) {
	var files []File
	for len(patch) > 0 {
		piece := patch
		if end := bytes.Index(patch[1:], []byte("\n"+fileMark)); end >= 0 {
			piece = patch[:end+2]
		}
		patch = patch[len(piece):]
		if !bytes.HasPrefix(piece, []byte(fileMark)) {
			if len(bytes.TrimSpace(piece)) == 0 {
				continue
			}
			return files, fmt.Errorf("parse patch: text before the first file: %.80q", piece)
		}
		files = append(files, parseFile(piece))
	}
	return files, nil
}

func parseFile(piece []byte) File {
	parsed, _, err := gitdiff.Parse(bytes.NewReader(piece))
	if err != nil || len(parsed) != 1 {
		return unreadable(piece, parsed, err)
	}
	g := parsed[0]
	f := File{Old: g.OldName, New: g.NewName, Status: status(g), Binary: g.IsBinary}
	f.ModeOnly = f.Status == Modified && !f.Binary && len(g.TextFragments) == 0
	for i, hunk := range g.TextFragments {
		oldN, newN := int(hunk.OldPosition), int(hunk.NewPosition)
		for _, l := range hunk.Lines {
			text := strings.TrimSuffix(l.Line, "\n")
			switch l.Op {
			case gitdiff.OpAdd:
				f.Added = append(f.Added, Line{newN, i, text})
				newN++
			case gitdiff.OpDelete:
				f.Removed = append(f.Removed, Line{oldN, i, text})
				oldN++
			default:
				oldN++
				newN++
			}
		}
	}
	return f
}

// unreadable keeps the names: a file that nobody could look at must still be named.
func unreadable(piece []byte, parsed []*gitdiff.File, err error) File {
	f := File{Status: Modified, Unreadable: "no single file in this piece of the patch"}
	if err != nil {
		f.Unreadable = err.Error()
	}
	if len(parsed) > 0 {
		f.Old, f.New, f.Status = parsed[0].OldName, parsed[0].NewName, status(parsed[0])
		return f
	}
	line, _, _ := bytes.Cut(piece, []byte{'\n'})
	names := strings.TrimPrefix(string(line), fileMark)
	if _, after, ok := strings.Cut(names, " b/"); ok {
		f.New = after
	} else {
		f.New = names
	}
	return f
}

func status(g *gitdiff.File) Status {
	switch {
	case g.IsNew:
		return Added
	case g.IsDelete:
		return Deleted
	case g.IsRename:
		return Renamed
	case g.IsCopy:
		return Copied
	}
	return Modified
}
