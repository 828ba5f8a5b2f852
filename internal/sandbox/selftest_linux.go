package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox/filter"
	"github.com/devflow-suite/devflow/internal/sandbox/probe"
)

// Limits that the self-test sets and tries to pass.
const (
	testProcs    = 64
	testSpawn    = 128
	testMemory   = 256 << 20
	testUse      = 512 << 20
	daemonLeaves = 5 * time.Second        // until a daemon that lives on counts as left
	daemonStays  = 100 * time.Millisecond // the same where nothing ends it
)

// row is one try with what it should come to: never unless the backend lacks the protection.
type row struct {
	name string
	try  [2]string // of package probe
	want bool
}

// SelfTest tries the rows of the probe table with real processes, in a folder of its own that it removes. The error
// says that the test itself did not work. It takes about a second.
func SelfTest(ctx context.Context, s Sandbox) ([]Probe, error) {
	if s.b == nil {
		return nil, fmt.Errorf("test confinement: %w: no backend was chosen", ErrUnavailable)
	}
	t, err := newStage()
	if err != nil {
		return nil, fmt.Errorf("test confinement: %w", err)
	}
	defer t.close()
	rows := t.rows(s.b)
	tries := make([]string, 0, 2*len(rows))
	for _, r := range rows {
		tries = append(tries, r.try[0], r.try[1])
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	seen, err := s.b.inside(ctx, t.policy(), tries...)
	if err == nil && len(seen) != len(rows) {
		err = fmt.Errorf("%d of %d probes came back", len(seen), len(rows))
	}
	if err != nil {
		return nil, fmt.Errorf("test confinement: %w", err)
	}
	out := make([]Probe, 0, len(rows)+2)
	for i, r := range rows {
		p := Probe{Name: r.name, Allowed: seen[i].OK, Want: r.want, Detail: seen[i].Detail}
		if s.b.kind == None {
			p.Want = p.Allowed // it promises nothing
		}
		out = append(out, p)
	}
	for _, kill := range [...]bool{false, true} {
		p, err := t.daemon(ctx, s, kill)
		if err != nil {
			return nil, fmt.Errorf("test confinement: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// stage is the outside that the probes try to reach.
type stage struct {
	dir, work, outside string
	listeners          []net.Listener
	packets            []net.PacketConn
	tcp, udp, abstract string
	echo               sync.WaitGroup
}

// echo sends everything back until it is closed.
func echo(c net.PacketConn) {
	buf := make([]byte, 16)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		_, _ = c.WriteTo(buf[:n], from)
	}
}

func newStage() (t *stage, err error) {
	t = &stage{}
	if t.dir, err = os.MkdirTemp("", "devflock-test-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if t.dir, err = filepath.EvalSymlinks(t.dir); err != nil {
		return nil, err
	}
	t.work, t.outside = filepath.Join(t.dir, "work"), filepath.Join(t.dir, "outside")
	for _, dir := range [...]string{t.work, t.outside, filepath.Join(t.dir, "read"), filepath.Join(t.dir, "read", "hidden")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	for _, file := range [...]string{"outside/secret", "outside/victim", "work/own", "work/moved", "read/plain", "read/hidden/secret"} {
		if err := os.WriteFile(filepath.Join(t.dir, file), []byte("secret\n"), 0o644); err != nil {
			return nil, err
		}
	}
	return t, t.listen()
}

func (t *stage) listen() error {
	for _, l := range [...][2]string{{"tcp", "127.0.0.1:0"}, {"unix", filepath.Join(t.outside, "s")}, {"unix", filepath.Join(t.dir, "gate")}, {"unix", "@" + filepath.Base(t.dir)}} {
		listener, err := net.Listen(l[0], l[1])
		if err != nil {
			return err
		}
		t.listeners = append(t.listeners, listener)
	}
	for _, l := range [...][2]string{{"udp", "127.0.0.1:0"}, {"unixgram", filepath.Join(t.outside, "d")}} {
		packets, err := net.ListenPacket(l[0], l[1])
		if err != nil {
			return err
		}
		t.packets = append(t.packets, packets)
	}
	t.tcp, t.udp = t.listeners[0].Addr().String(), t.packets[0].LocalAddr().String()
	t.abstract = t.listeners[3].Addr().String()
	t.echo.Go(func() { echo(t.packets[0]) })
	return nil
}

func (t *stage) close() {
	for _, l := range t.listeners {
		_ = l.Close()
	}
	for _, p := range t.packets {
		_ = p.Close()
	}
	t.echo.Wait()
	_ = os.RemoveAll(t.dir)
}

func (t *stage) policy() Policy {
	return Policy{
		Dir: t.work, Env: []string{"PATH=/usr/bin:/bin", "GIVEN=1"}, Procs: testProcs, Memory: testMemory,
		ReadWrite: []Bind{{From: t.work}, {From: filepath.Join(t.dir, "gate")}},
		ReadOnly:  []Bind{{From: filepath.Join(t.dir, "read")}},
		Hide:      []string{filepath.Join(t.dir, "read", "hidden")},
	}
}

func (t *stage) rows(b *backend) []row {
	in := func(name string) string { return filepath.Join(t.work, name) }
	out := func(name string) string { return filepath.Join(t.outside, name) }
	two := func(a, b string) string { return a + "\x1f" + b }
	us := two(fmt.Sprint(os.Getpid()), fmt.Sprint(probe.Ticks(os.Getpid())))
	open := b.kind == Landlock && !b.broker
	signals := b.kind == Landlock && b.abi < filter.ABIScopes
	sockets := open && b.abi < filter.ABISockets
	return []row{
		{"write in the work folder", [2]string{"write", in("new")}, true},
		{"change mode in the work folder", [2]string{"chmod", in("own")}, true},
		{"change times in the work folder", [2]string{"utime", in("own")}, true},
		{"read what is listed read-only", [2]string{"read", filepath.Join(t.dir, "read", "plain")}, true},
		{"reach the listed Unix socket", [2]string{"connect-unix", filepath.Join(t.dir, "gate")}, true},
		{"write to what is read-only", [2]string{"write", filepath.Join(t.dir, "read", "plain")}, false},
		{"read what is hidden", [2]string{"read", filepath.Join(t.dir, "read", "hidden", "secret")}, false},
		{"write outside", [2]string{"write", out("new")}, false},
		{"write over a file outside", [2]string{"write", out("victim")}, false},
		{"write outside by a symbolic link", [2]string{"symlink-write", two(out("victim"), in("link"))}, false},
		{"write outside by a hard link", [2]string{"link-write", two(out("victim"), in("hard"))}, false},
		{"write outside by /proc/self/root", [2]string{"write", "/proc/self/root" + out("victim")}, false},
		{"write outside by /proc/1/root", [2]string{"write", "/proc/1/root" + out("victim")}, false},
		{"move a file out", [2]string{"rename", two(in("moved"), out("moved"))}, false},
		{"move a file in", [2]string{"rename", two(out("victim"), in("taken"))}, false},
		{"remove a file outside", [2]string{"remove", out("victim")}, false},
		{"make a folder outside", [2]string{"mkdir", out("folder")}, false},
		{"truncate a file outside", [2]string{"truncate", out("victim")}, false},
		{"change mode outside", [2]string{"chmod", out("victim")}, open},
		{"change owner outside", [2]string{"chown", out("victim")}, open},
		{"change times outside", [2]string{"utime", out("victim")}, open},
		{"change attributes outside", [2]string{"xattr", out("victim")}, false},
		{"read a secret outside", [2]string{"read", out("secret")}, false},
		{"list a folder outside", [2]string{"list", t.outside}, false},
		{"read the password hashes", [2]string{"read", "/etc/shadow"}, false},
		{"change the kernel's settings", [2]string{"open", "/proc/sys/kernel/core_pattern"}, false},
		{"see more of the environment than given", [2]string{"env", "PATH,GIVEN"}, false},
		{"read the environment of a process outside", [2]string{"peek", us}, false},
		{"signal a process outside", [2]string{"signal", us}, signals},
		{"change the limits of a process outside", [2]string{"limit", us}, false},
		{"see processes outside", [2]string{"see", us}, b.kind == Landlock},
		{"TCP on loopback", [2]string{"connect-tcp", t.tcp}, false},
		{"UDP on loopback", [2]string{"ask-udp", t.udp}, false},
		{"abstract Unix socket", [2]string{"connect-unix", t.abstract}, open && signals},
		{"Unix socket outside by path", [2]string{"connect-unix", out("s")}, sockets},
		{"Unix datagram outside by path", [2]string{"send-unix", out("d")}, false},
		{"mount", [2]string{"mount", t.work}, false},
		{"new user namespace", [2]string{"namespace", ""}, b.kind == Bwrap && len(b.flags) > 0 && b.flags[len(b.flags)-1] != "--disable-userns"},
		{fmt.Sprintf("%d processes over a limit of %d", testSpawn, testProcs), [2]string{"spawn", fmt.Sprint(testSpawn)}, !b.procs},
		{fmt.Sprintf("%d MiB of memory over a limit of %d", testUse>>20, testMemory>>20), [2]string{"memory", fmt.Sprint(testUse)}, !b.memory},
	}
}

// daemon leaves a process behind that has left group and session. It holds a connection to us, which ends with it.
func (t *stage) daemon(ctx context.Context, s Sandbox, kill bool) (Probe, error) {
	p := Probe{Name: "daemon left when the command ends", Want: s.b.kind == None}
	gate := filepath.Join(t.dir, "ends")
	if kill {
		p.Name, gate = "daemon left when the launcher is killed", filepath.Join(t.dir, "killed")
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: gate, Net: "unix"})
	if err != nil {
		return p, err
	}
	defer listener.Close()
	exe, err := s.b.self()
	if err != nil {
		return p, err
	}
	argv := append(append([]string{exe}, s.b.launcher[1:]...), "probe", "daemon", gate)
	if kill {
		argv = append(argv, "wait", "")
	}
	policy := t.policy()
	policy.ReadWrite = append(policy.ReadWrite, Bind{From: gate})
	policy.ReadOnly = append(policy.ReadOnly, Bind{From: exe})
	c, err := s.Wrap(policy, argv)
	if err != nil {
		return p, err
	}
	child, err := proc.Start(ctx, c)
	if err != nil {
		return p, err
	}
	defer child.Stop()
	go func() { _, _ = io.Copy(io.Discard, child.Stdout()) }()
	_ = listener.SetDeadline(time.Now().Add(trialTime))
	held, err := listener.Accept()
	if err != nil {
		child.Stop()
		return p, fmt.Errorf("wait for the daemon: %w: %s", err, child.Stderr())
	}
	defer held.Close()
	_ = held.SetReadDeadline(time.Now().Add(trialTime))
	if _, err := held.Read(make([]byte, 1)); err != nil { // it says that it is there
		return p, fmt.Errorf("hear of the daemon: %w", err)
	}
	if kill {
		_ = unix.Kill(child.PID(), unix.SIGKILL)
	}
	patience := daemonLeaves
	if s.b.kind == None {
		patience = daemonStays
	}
	_ = held.SetReadDeadline(time.Now().Add(patience))
	_, err = held.Read(make([]byte, 1))
	p.Allowed = errors.Is(err, os.ErrDeadlineExceeded)
	p.Detail = "it ended"
	if p.Allowed {
		p.Detail = "it lives on"
	}
	return p, nil
}

func listenUnix(path string) (net.Listener, error) {
	if strings.ContainsRune(path, 0) {
		return nil, unix.EINVAL
	}
	return net.Listen("unix", path)
}
