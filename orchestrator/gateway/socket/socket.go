// Package socket makes the unix socket that a gateway listens on: mode 0600 from the first moment, never in the place of something
// else, with a bound on connections.
package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Errors of [Listen] that a caller can do something about.
var (
	ErrPath   = errors.New("path of the socket is too long")
	ErrServed = errors.New("somebody serves the socket already")
)

// MaxPath is the length of the longest path: sockaddr_un holds 108 bytes with the final zero.
const MaxPath = 107

// Listener accepts connections up to its bound.
type Listener struct {
	net.Listener
	path string
	file fs.FileInfo
	room chan struct{}
	over chan struct{}
	once sync.Once
}

// Listen makes the socket. One that nobody serves any more is replaced. With room for no more connections than most, further ones
// wait to be accepted.
func Listen(path string, most int) (*Listener, error) {
	if len(path) > MaxPath {
		return nil, fmt.Errorf("%w: %d bytes, %d are possible: %s", ErrPath, len(path), MaxPath, path)
	}
	if err := clear(path); err != nil {
		return nil, err
	}
	// A mode that a socket has before it is bound becomes, on Linux, the mode of its file. Elsewhere the next lines close it.
	c := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) })
	}}
	l, err := c.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // Close looks first whose it is
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(path))
	}
	file, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Listener{Listener: l, path: path, file: file, room: make(chan struct{}, most), over: make(chan struct{})}, nil
}

// clear removes a socket that nobody serves. Anything else is left alone.
func clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is in the way: it is not a socket", filepath.Base(path))
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = c.Close()
		return fmt.Errorf("%w: %s", ErrServed, path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}

// Close stops accepting and removes the file if it is still this listener's. It may be called twice.
func (l *Listener) Close() error {
	var err error
	l.once.Do(func() {
		close(l.over)
		err = l.Listener.Close()
		if now, e := os.Lstat(l.path); e == nil && os.SameFile(now, l.file) {
			err = errors.Join(err, os.Remove(l.path))
		}
	})
	return err
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.over:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &conn{Conn: c, room: l.room}, nil
}

// conn gives its place back when it is closed.
type conn struct {
	net.Conn
	room chan struct{}
	once sync.Once
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.once.Do(func() { <-c.room })
	return c.Conn.Close()
}
