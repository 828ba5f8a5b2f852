// Package index reads git's list of tracked files, .git/index, without git: versions 2 to 4, SHA-1 and SHA-256, split and
// sparse (Documentation/gitformat-index of git 2.47). It owns no file, writes nothing and knows no repository.
package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/regular"
)

// ErrFormat is returned, wrapped, for bytes that are no index.
var ErrFormat = errors.New("not an index")

// maxSize bounds what is read of an index file, in bytes: about a million tracked files.
const maxSize = 128 << 20

// Entry is one tracked file, or a folder of a sparse index (its Path then ends in a slash).
type Entry struct {
	Path  string // slash path from the top of the work tree
	Size  uint32 // bytes, modulo 2^32
	MTime time.Time
	Mode  uint32
}

// Index is the list of tracked files in git's order. It does not change and may be shared by goroutines.
type Index struct {
	Entries   []Entry
	WrittenAt time.Time // modification time of the file; zero if it was not read from one
	base      string    // name of the shared index, "" for none
}

// Read reads the index of a work tree whose git folder is gitDir. A work tree without an index has no tracked file.
// sha256 says which object names the repository has.
func Read(gitDir string, sha256 bool) (*Index, error) {
	file := filepath.Join(gitDir, "index")
	x, err := read(file, sha256)
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{}, nil
	}
	if err != nil || x.base == "" {
		return x, err
	}
	shared, err := read(filepath.Join(gitDir, "sharedindex."+x.base), sha256)
	if err != nil {
		return nil, err
	}
	// Entries of the shared index that were replaced have an empty name in the split one and keep their old size and time here;
	// those that were deleted are counted all the same. Taking a file for tracked and changed is the careful side.
	x.Entries = slices.DeleteFunc(append(x.Entries, shared.Entries...), func(e Entry) bool { return e.Path == "" })
	slices.SortStableFunc(x.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	x.Entries = slices.CompactFunc(x.Entries, func(a, b Entry) bool { return a.Path == b.Path })
	return x, nil
}

func read(file string, sha256 bool) (*Index, error) {
	data, err := regular.Read(file, maxSize)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	x, err := Parse(data, sha256)
	if err != nil {
		return nil, fmt.Errorf("read index %s: %w", file, err)
	}
	if info, err := os.Stat(file); err == nil {
		x.WrittenAt = info.ModTime()
	}
	return x, nil
}

// Lengths of the fixed parts, in bytes.
const (
	header    = 12 // "DIRC", version, number of entries
	statBytes = 40 // ctime, mtime, dev, ino, mode, uid, gid, size
)

// Parse reads the bytes of an index file. The error wraps ErrFormat. A split index comes back with its own entries only.
func Parse(data []byte, sha256 bool) (*Index, error) {
	oid := 20
	if sha256 {
		oid = 32
	}
	if len(data) < header+oid || string(data[:4]) != "DIRC" {
		return nil, fmt.Errorf("parse index: %w", ErrFormat)
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("parse index: %w: version %d", ErrFormat, version)
	}
	if uint64(count)*uint64(statBytes+oid+3) > uint64(len(data)) {
		return nil, fmt.Errorf("parse index: %w: %d entries in %d bytes", ErrFormat, count, len(data))
	}
	p := parser{rest: data[header : len(data)-oid], oid: oid, version: version}
	x := &Index{Entries: make([]Entry, 0, count)}
	for range count {
		e, ok := p.entry()
		if !ok {
			return nil, fmt.Errorf("parse index: %w: entry %d is cut off", ErrFormat, len(x.Entries))
		}
		x.Entries = append(x.Entries, e)
	}
	x.base = p.link()
	return x, nil
}

type parser struct {
	rest    []byte
	oid     int
	version uint32
	last    string
	names   int // bytes of names so far; prefix compression could blow them up
}

// Flags of an entry.
const extended = 0x4000

func (p *parser) entry() (Entry, bool) {
	fixed := statBytes + p.oid + 2
	if len(p.rest) < fixed+1 {
		return Entry{}, false
	}
	e := Entry{
		MTime: time.Unix(int64(binary.BigEndian.Uint32(p.rest[8:])), int64(binary.BigEndian.Uint32(p.rest[12:]))),
		Mode:  binary.BigEndian.Uint32(p.rest[24:]),
		Size:  binary.BigEndian.Uint32(p.rest[36:]),
	}
	flags := binary.BigEndian.Uint16(p.rest[fixed-2:])
	n := fixed
	if flags&extended != 0 && p.version >= 3 {
		n += 2
	}
	if len(p.rest) < n {
		return Entry{}, false
	}
	keep := 0
	if p.version == 4 {
		strip, used := varint(p.rest[n:])
		if used == 0 || strip > len(p.last) {
			return Entry{}, false
		}
		n += used
		keep = len(p.last) - strip
	}
	end := bytes.IndexByte(p.rest[n:], 0)
	if end < 0 {
		return Entry{}, false
	}
	e.Path = p.last[:keep] + string(p.rest[n:n+end])
	if p.names += len(e.Path); p.names > maxSize {
		return Entry{}, false
	}
	n += end + 1
	if p.version < 4 { // padded with NULs to a multiple of eight
		n = (n + 7) &^ 7
	}
	if n > len(p.rest) {
		return Entry{}, false
	}
	p.rest, p.last = p.rest[n:], e.Path
	return e, true
}

// varint reads git's offset encoding and returns the number of bytes used, 0 if there is none.
func varint(b []byte) (value, used int) {
	for i, c := range b[:min(len(b), 5)] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// link finds the extension that names the shared index.
func (p *parser) link() string {
	for len(p.rest) >= 8 {
		name, size := string(p.rest[:4]), int(binary.BigEndian.Uint32(p.rest[4:]))
		p.rest = p.rest[8:]
		if size < 0 || size > len(p.rest) {
			return ""
		}
		if name == "link" && size >= p.oid {
			if id := p.rest[:p.oid]; !bytes.Equal(id, make([]byte, p.oid)) {
				return hex.EncodeToString(id)
			}
		}
		p.rest = p.rest[size:]
	}
	return ""
}

// Below gives the tracked files at rel or below it ("." is everything), in git's order. The slice belongs to the index.
func (x *Index) Below(rel string) []Entry {
	rel = strings.Trim(rel, "/")
	if rel == "." || rel == "" {
		return x.Entries
	}
	dir := rel + "/"
	from, _ := slices.BinarySearchFunc(x.Entries, rel, func(e Entry, want string) int { return strings.Compare(e.Path, want) })
	if from < len(x.Entries) && x.Entries[from].Path == rel {
		to := from
		for to < len(x.Entries) && x.Entries[to].Path == rel {
			to++
		}
		return x.Entries[from:to]
	}
	from, _ = slices.BinarySearchFunc(x.Entries, dir, func(e Entry, want string) int { return strings.Compare(e.Path, want) })
	to := from
	for to < len(x.Entries) && strings.HasPrefix(x.Entries[to].Path, dir) {
		to++
	}
	if from == to && from > 0 { // a folder of a sparse index that holds rel
		if before := x.Entries[from-1]; strings.HasSuffix(before.Path, "/") && strings.HasPrefix(dir, before.Path) {
			return x.Entries[from-1 : from]
		}
	}
	return x.Entries[from:to]
}
