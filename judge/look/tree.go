package look

import (
	"context"
	"path"
	"sort"
	"strings"

	"github.com/devflow-suite/devflow/internal/changeset"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/change"
)

// tree answers questions about a tree object. What git cannot answer is not there. It belongs to one goroutine.
type tree struct {
	ctx     context.Context
	repo    gitx.Repo
	objs    string
	oid     string
	listed  bool
	entries []gitx.Entry
	paths   []string
	byPath  map[string]int
	dirs    map[string]bool
	blobs   map[string][]byte
	found   map[string][]change.Place // word → places
}

func (t *tree) list() {
	if t.listed {
		return
	}
	t.listed, t.byPath, t.dirs, t.blobs = true, map[string]int{}, map[string]bool{}, map[string][]byte{}
	t.entries, _ = t.repo.List(t.ctx, t.objs, t.oid)
	for i, e := range t.entries {
		t.paths = append(t.paths, e.Path)
		t.byPath[e.Path] = i
		for d := path.Dir(e.Path); d != "." && d != "/" && !t.dirs[d]; d = path.Dir(d) {
			t.dirs[d] = true
		}
	}
	sort.Strings(t.paths)
}

// Paths implements change.Tree.
func (t *tree) Paths() []string { t.list(); return t.paths }

// Has implements change.Tree.
func (t *tree) Has(p string) bool {
	t.list()
	p = strings.TrimSuffix(p, "/")
	_, ok := t.byPath[p]
	return ok || t.dirs[p]
}

// Bounds of what is read along with a file: rules ask for whole folders, and a process costs more than some texts.
const (
	ahead = 2 << 20  // bytes of all of them
	small = 64 << 10 // bytes of one
)

// near is how far the files of a folder are looked for in the list of all.
const near = 50

// top is the outermost folder of a path, "" at the top.
func top(p string) string {
	dir, _, ok := strings.Cut(p, "/")
	if !ok {
		return ""
	}
	return dir
}

// Read implements change.Tree.
func (t *tree) Read(p string) ([]byte, bool) {
	t.list()
	i, ok := t.byPath[p]
	if !ok {
		return nil, false
	}
	e := t.entries[i]
	if e.Mode == "120000" || e.Size < 0 || e.Size > change.MaxRead {
		return nil, false
	}
	if text, ok := t.blobs[e.OID]; ok {
		return text, text != nil
	}
	oids, size := []string{e.OID}, e.Size
	asked := map[string]bool{e.OID: true}
	with := func(n gitx.Entry) {
		if _, have := t.blobs[n.OID]; !have && !asked[n.OID] && n.Size >= 0 && n.Size <= small && size+n.Size <= ahead && n.Mode != "120000" {
			oids, asked[n.OID] = append(oids, n.OID), true
			size += n.Size
		}
	}
	for j := max(i-near, 0); j < min(i+near, len(t.entries)); j++ { // its folder first, then all of its kind
		if n := t.entries[j]; path.Dir(n.Path) == path.Dir(p) && path.Ext(n.Path) == path.Ext(p) {
			with(n)
		}
	}
	test := layout.Classify(p) == layout.Test
	for _, n := range t.entries {
		if path.Ext(n.Path) == path.Ext(p) && (top(n.Path) == top(p) || test && layout.Classify(n.Path) == layout.Test) {
			with(n)
		}
	}
	got, _ := t.repo.Blobs(t.ctx, t.objs, oids)
	for _, oid := range oids {
		text := got[oid]
		if changeset.IsBinary(text) {
			text = nil
		}
		t.blobs[oid] = text
	}
	text := t.blobs[e.OID]
	return text, text != nil
}

// binaryName knows the endings of files that hold no text.
func binaryName(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".icns", ".bmp", ".tiff", ".pdf", ".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".jar", ".war", ".class",
		".so", ".a", ".o", ".dylib", ".dll", ".exe", ".wasm", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".mov", ".avi", ".webm", ".ogg", ".wav", ".flac",
		".sqlite", ".db", ".bin", ".dat", ".pyc", ".pyo", ".keystore", ".jks", ".p12":
		return true
	}
	return false
}
