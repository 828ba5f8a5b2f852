package socket_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/gateway/socket"
)

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := socket.Listen(path, 2)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v %v", info, err)
	}
	accepted, over := make(chan net.Conn), make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				over <- err
				return
			}
			accepted <- c
		}
	}()
	for range 3 {
		c, err := net.Dial("unix", path) // the kernel lets more in
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Error("a third connection was accepted")
	default:
	}
	_, _ = first.Close(), first.Close() // twice is once
	third := <-accepted
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-over; !errors.Is(err, net.ErrClosed) {
		t.Errorf("at the end: %v", err)
	}
	_, _ = second.Close(), third.Close()
}

func TestASocketOfSomebodyElseStays(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := socket.Listen(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Listen(path, 1); !errors.Is(err, socket.ErrServed) {
		t.Errorf("a second listener: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other, err := socket.Listen(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the other one's file: %v", err)
	}
	if err := os.Symlink(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Listen(path+"2", 1); err == nil {
		t.Error("a link was replaced")
	}
}
