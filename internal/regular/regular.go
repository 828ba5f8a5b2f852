// Package regular opens files of which only regular ones are wanted: a pipe or a device in the place of a file is an error
// at once, where an ordinary open would wait for a writer that never comes. It owns no file and follows symbolic links.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is returned, wrapped, for a pipe, device, socket or folder.
var ErrNotRegular = errors.New("not a regular file")

// flags keep the open from waiting; for a regular file O_NONBLOCK means nothing.
const flags = os.O_RDONLY | syscall.O_NONBLOCK

// Open opens a file for reading. The caller closes it.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	return check(f, path)
}

// OpenIn opens a file below root for reading; links may not lead out of it. The caller closes it.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	return check(f, name)
}

func check(f *os.File, name string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read gives the content of a file of at most limit bytes; a larger one is an error, so that nobody takes a part for the
// whole.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, limit)
}

// ReadIn is Read below root.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(f, limit)
}

func all(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("read %s: larger than %d bytes", f.Name(), limit)
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if int64(len(data)) > limit {
			return nil, fmt.Errorf("read %s: larger than %d bytes", f.Name(), limit)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
