package diff

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Fragment is one file of a patch with what the patch shows of it.
type Fragment struct {
	File
	Before, After []byte // the hunks at their lines, with blank lines for what is not shown; nil when that side does not exist
}

// ErrNoPatch is returned for a text in which no file is changed.
var ErrNoPatch = errors.New("no file in it")

// Fragments reads a patch that somebody hands in: with text before the first file or between files (a mail, `git show`), with counts in
// hunk headers that do not fit, and in the traditional form of `diff -u`. A piece that cannot be read becomes a
// Fragment with Unreadable set. The error is for a text that is no patch. Safe for any bytes.
func Fragments(patch []byte) ([]Fragment, error) {
	pieces := split(patch)
	if len(pieces) == 0 && len(bytes.TrimSpace(patch)) > 0 {
		return nil, fmt.Errorf("parse patch: %w: %.80q", ErrNoPatch, bytes.TrimSpace(patch))
	}
	var out []Fragment
	for _, piece := range pieces {
		piece = recount(piece)
		f := Fragment{File: parseFile(piece)}
		if !bytes.HasPrefix(piece, []byte(fileMark)) {
			f.unprefixed(piece)
		}
		if f.Unreadable == "" && !f.Binary {
			f.fill(piece)
		}
		out = append(out, f)
	}
	return out, nil
}

// unprefixed takes a/ and b/ off the names of a piece in the traditional form, where they are no part of the form but often
// there: when every name that is given has its own.
func (f *Fragment) unprefixed(piece []byte) {
	before, rest, _ := bytes.Cut(piece, []byte{'\n'})
	now, _, _ := bytes.Cut(rest, []byte{'\n'})
	named := func(line []byte, mark string) bool {
		return bytes.HasPrefix(line[min(4, len(line)):], []byte(mark)) || bytes.HasPrefix(line[min(4, len(line)):], []byte("/dev/null"))
	}
	if !named(before, "a/") || !named(now, "b/") {
		return
	}
	for _, name := range [...]*string{&f.Old, &f.New} {
		if strings.HasPrefix(*name, "a/") || strings.HasPrefix(*name, "b/") {
			*name = (*name)[len("a/"):]
		}
	}
}

// maxSpread bounds the lines between hunks that are written as blank lines: a line number of two billion is no reason to
// write two billion lines.
const maxSpread = 2_000_000

func (f *Fragment) fill(piece []byte) {
	parsed, _, err := gitdiff.Parse(bytes.NewReader(piece))
	if err != nil || len(parsed) != 1 {
		return
	}
	var old, now bytes.Buffer
	oldN, newN := int64(1), int64(1)
	for _, h := range parsed[0].TextFragments {
		if h.OldPosition-oldN > maxSpread || h.NewPosition-newN > maxSpread {
			f.Unreadable = "line numbers too large"
			return
		}
		for ; oldN < h.OldPosition; oldN++ {
			old.WriteByte('\n')
		}
		for ; newN < h.NewPosition; newN++ {
			now.WriteByte('\n')
		}
		for _, l := range h.Lines {
			if l.Op != gitdiff.OpAdd {
				old.WriteString(l.Line)
				oldN++
			}
			if l.Op != gitdiff.OpDelete {
				now.WriteString(l.Line)
				newN++
			}
		}
	}
	if f.Status != Added {
		f.Before = append([]byte{}, old.Bytes()...)
	}
	if f.Status != Deleted {
		f.After = append([]byte{}, now.Bytes()...)
	}
}

// split cuts a patch into the pieces of its files and drops what stands before the first.
func split(patch []byte) [][]byte {
	var pieces [][]byte
	start := -1
	git := bytes.HasPrefix(patch, []byte(fileMark)) || bytes.Contains(patch, []byte("\n"+fileMark))
	for at := 0; at < len(patch); {
		end := bytes.IndexByte(patch[at:], '\n') + at + 1
		if end == at {
			end = len(patch)
		}
		line := patch[at:end]
		begins := bytes.HasPrefix(line, []byte(fileMark))
		if !git && bytes.HasPrefix(line, []byte("--- ")) && bytes.HasPrefix(patch[end:], []byte("+++ ")) {
			begins = true
		}
		if begins {
			if start >= 0 {
				pieces = append(pieces, patch[start:at])
			}
			start = at
		}
		at = end
	}
	if start >= 0 {
		pieces = append(pieces, patch[start:])
	}
	return pieces
}

// recount writes the counts of hunk headers anew, and cuts off what follows the last hunk (the signature of a mail).
func recount(piece []byte) []byte {
	header := regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@`)
	lines := bytes.SplitAfter(piece, []byte{'\n'})
	var out bytes.Buffer
	for i := 0; i < len(lines); {
		m := header.FindSubmatch(lines[i])
		if m == nil {
			if out.Len() > 0 && bytes.Contains(out.Bytes(), []byte("\n@@ ")) { // text behind the last hunk
				break
			}
			out.Write(lines[i])
			i++
			continue
		}
		var body bytes.Buffer
		old, now, said := 0, 0, 1
		if len(m[2]) > 0 {
			said, _ = strconv.Atoi(string(m[2]))
		}
		j := i + 1
	hunk:
		for ; j < len(lines); j++ {
			l := lines[j]
			if bytes.Equal(bytes.TrimRight(l, "\r\n"), []byte("-- ")) && (old >= said || j+4 >= len(lines)) { // the signature of a mail
				break
			}
			switch {
			case len(l) == 0:
				break hunk
			case l[0] == '\n' && j+1 < len(lines) && len(lines[j+1]) > 0 && bytes.IndexByte([]byte(" +-\\\n@"), lines[j+1][0]) >= 0: // an editor took the blank of an empty line away
				body.WriteByte(' ')
				old, now = old+1, now+1
			case l[0] == ' ':
				old, now = old+1, now+1
			case l[0] == '+':
				now++
			case l[0] == '-':
				old++
			case l[0] == '\\':
			default:
				break hunk
			}
			body.Write(l)
		}
		oldAt, newAt := string(m[1]), string(m[3])
		rest := lines[i][len(m[0]):]
		out.WriteString("@@ -" + oldAt + "," + strconv.Itoa(old) + " +" + newAt + "," + strconv.Itoa(now) + " @@")
		out.Write(rest)
		out.Write(body.Bytes())
		i = j
	}
	return out.Bytes()
}
