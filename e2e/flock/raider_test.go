package flock_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"time"

	"golang.org/x/sys/unix"
)

// raiderName is this test binary in the part of a program that a worker starts to get out: it tries what no shell can.
const raiderName = "raider"

// raider puts the program where workers can read it.
func (s *stage) raider() string {
	s.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	path := filepath.Join(s.gates, raiderName)
	if out, err := exec.Command("cp", exe, path).CombinedOutput(); err != nil {
		s.Fatalf("copy test binary: %v: %s", err, out)
	}
	return path
}

// raid tries one thing and says whether the way was open.
func raid(args []string) int {
	name, what := args[0], args[1]
	if err := attempt(what, args[2:]); err != nil {
		fmt.Printf("%s=shut %v\n", name, err)
		return 0
	}
	fmt.Printf("%s=open\n", name)
	return 0
}

func attempt(what string, args []string) error {
	dial := func(network string) error {
		c, err := net.DialTimeout(network, args[0], 5*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write([]byte("from inside"))
		return err
	}
	switch what {
	case "tcp", "udp", "unix":
		return dial(what)
	case "datagram":
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		to, err := net.ResolveUDPAddr("udp", args[0])
		if err == nil {
			_, err = c.WriteTo([]byte("from inside"), to)
		}
		return err
	case "listen":
		_, err := net.Listen("tcp", "127.0.0.1:0")
		return err
	case "dns":
		r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, args[0]) // the person's name server
		}}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, err := r.LookupHost(ctx, "key.example.com")
		return err
	case "read":
		_, err := os.ReadFile(args[0])
		return err
	case "write":
		f, err := os.OpenFile(args[0], os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	case "link":
		return os.Link(args[0], args[1])
	case "rename":
		return os.Rename(args[0], args[1])
	case "truncate":
		return os.Truncate(args[0], 0)
	case "utime":
		return os.Chtimes(args[0], time.Unix(1, 0), time.Unix(1, 0))
	case "chmod":
		return os.Chmod(args[0], 0o777)
	case "xattr":
		return unix.Setxattr(args[0], "user.raider", []byte("x"), 0)
	case "trace":
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return unix.PtraceAttach(pid)
	}
	return fmt.Errorf("what is %s?", what)
}
