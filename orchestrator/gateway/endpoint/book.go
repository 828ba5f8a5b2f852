package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/flock"
)

// Book is a file of endpoints and what was last read from it. Safe for concurrent use. The zero value is not usable.
type Book struct {
	path string

	mu      sync.Mutex
	all     map[string]Endpoint
	seen    stamp
	err     error // why the file as it is now is not in use; nil when it is
	changed chan struct{}
}

// stamp tells versions of the file apart without reading it.
type stamp struct {
	size  int64
	mtime time.Time
	inode uint64
}

// OpenBook reads the file. One that does not exist is an empty book; it is made by the first [Book.Set]. A file that others can
// read is closed to them.
func OpenBook(path string) (*Book, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open endpoints: %w", err)
	}
	b := &Book{path: path, all: map[string]Endpoint{}, changed: make(chan struct{})}
	all, seen, err := read(path)
	if err != nil {
		return nil, err
	}
	b.all, b.seen = all, seen
	return b, nil
}

// Path is the absolute path of the file.
func (b *Book) Path() string { return b.path }

// Endpoint gives the endpoint of a name.
func (b *Book) Endpoint(name string) (Endpoint, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.all[name]
	return e.clone(), ok
}

func (e Endpoint) clone() Endpoint {
	if e.Prices != nil {
		prices := *e.Prices
		e.Prices = &prices
	}
	return e
}

// Names are the names of all endpoints, sorted.
func (b *Book) Names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := make([]string, 0, len(b.all))
	for name := range b.all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Err says why the file as it stands is not in use (it does not parse, an endpoint in it is not usable, it is empty): what was
// read before it is still valid. It is nil when the file is in use.
func (b *Book) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Changed gives a channel that is closed at the next change of any endpoint. Ask for it before reading what is waited for.
func (b *Book) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// lockWait is how long a writer waits for another one.
const lockWait = 10 * time.Second

// Set puts an endpoint into the file, in the place of the one of that name, and into use. The file is replaced as a whole, after
// reading what other processes made of it, under a lock on the file beside it that ends in ".lock". Comments of a hand-written
// file are lost. A file that does not parse is left alone and told.
func (b *Book) Set(e Endpoint) error {
	if err := e.Validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err := flock.Lock(ctx, b.path+".lock")
	if err != nil {
		return fmt.Errorf("set endpoint %s: %w", e.Name, err)
	}
	defer unlock()
	all, _, err := read(b.path)
	if err != nil {
		return fmt.Errorf("set endpoint %s: %w", e.Name, err)
	}
	all[e.Name] = e.clone()
	text, err := encode(all)
	if err != nil {
		return fmt.Errorf("set endpoint %s: %w", e.Name, err)
	}
	if err := atomicfile.WriteFile(b.path, text, fileMode); err != nil {
		return err
	}
	b.Reload()
	return nil
}

// Reload reads the file again when it is another one than before, and reports whether that changed anything, be it an endpoint or
// what [Book.Err] says.
func (b *Book) Reload() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, err := look(b.path)
	if err == nil && now == b.seen && b.err == nil {
		return false
	}
	all, seen, err := read(b.path)
	if err == nil && len(all) == 0 && len(b.all) > 0 {
		err = fmt.Errorf("read endpoints %s: %w", b.path, ErrEmpty)
	}
	if err != nil {
		told := b.err != nil && b.err.Error() == err.Error()
		b.err = err
		return !told
	}
	again := b.err != nil
	b.seen, b.err = seen, nil
	if sameBook(b.all, all) {
		return again
	}
	b.all = all
	close(b.changed)
	b.changed = make(chan struct{})
	return true
}

// ErrEmpty says that the file lists no endpoint although it did before: most editors empty a file before they fill it again.
var ErrEmpty = errors.New("no endpoint is left in the file")

func sameBook(a, b map[string]Endpoint) bool {
	if len(a) != len(b) {
		return false
	}
	for name, e := range a {
		f, ok := b[name]
		if !ok || !e.Same(f) || e.Window != f.Window || e.Parallel != f.Parallel || (e.Prices == nil) != (f.Prices == nil) || e.Prices != nil && *e.Prices != *f.Prices {
			return false
		}
	}
	return true
}

const (
	fileMode fs.FileMode = 0o600
	// maxFile bounds the file in bytes: twelve workers need 3 KB.
	maxFile = 1 << 20
)

// look gives the stamp of the file; the zero stamp when there is none.
func look(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = st.Ino
	}
	return s
}

// read opens, checks and parses the file. Errors name it.
func read(path string) (all map[string]Endpoint, seen stamp, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read endpoints %s: %w", path, err)
		}
	}()
	// No link is followed and no pipe waited for: the file names keys, and who can put a link here could choose where they go.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Endpoint{}, stamp{}, nil
	}
	if err != nil {
		return nil, stamp{}, errors.Unwrap(err) // the path is named already
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, stamp{}, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, stamp{}, atomicfile.ErrNotRegular
	case info.Size() > maxFile:
		return nil, stamp{}, fmt.Errorf("%d bytes are too many", info.Size())
	}
	if info.Mode().Perm()&0o077 != 0 { // an editor that replaces files gave it its own mode
		if err := f.Chmod(fileMode); err != nil {
			return nil, stamp{}, fmt.Errorf("close it to others: %w", errors.Unwrap(err))
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, stamp{}, err
	}
	all, err = decode(text)
	return all, stampOf(info), err
}

// file is the shape of the file: a table for each endpoint, [endpoint.NAME].
type file struct {
	Endpoint map[string]Endpoint `toml:"endpoint"`
}

// decode parses a file. Its errors name lines and settings, never a value: it may be a key.
func decode(text []byte) (map[string]Endpoint, error) {
	var f file
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return nil, parseProblem(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		names := make([]string, len(unknown))
		for i, k := range unknown {
			names[i] = k.String()
		}
		return nil, fmt.Errorf("unknown settings: %s (each endpoint is a table [endpoint.NAME])", strings.Join(names, ", "))
	}
	all := map[string]Endpoint{}
	for name, e := range f.Endpoint {
		e.Name = name
		if err := e.Validate(); err != nil {
			return nil, err
		}
		all[name] = e
	}
	return all, nil
}

func parseProblem(err error) error {
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("line %d is not TOML", parse.Position.Line)
	}
	return errors.New("a setting has a value of the wrong kind")
}

const head = "# Endpoints of devflock. A running run takes edits of its own file at once, also for requests that wait. Mode 0600: it holds keys.\n" +
	"# [endpoint.NAME] url, key, auth (x-api-key, bearer, none), model, api (anthropic, openai), window, parallel,\n" +
	"# prices = { input, output, cache_read, cache_write } in USD per million tokens\n\n"

func encode(all map[string]Endpoint) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(head)
	enc := toml.NewEncoder(&out)
	enc.Indent = ""
	if err := enc.Encode(file{Endpoint: all}); err != nil {
		return nil, fmt.Errorf("encode endpoints: %w", err)
	}
	return out.Bytes(), nil
}
