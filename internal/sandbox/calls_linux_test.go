package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"golang.org/x/sys/unix"
)

// probe tries things inside, given as pairs, and says which worked.
func probe(t *testing.T, s sandbox.Sandbox, p sandbox.Policy, tries ...string) []bool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.ReadOnly = append(p.ReadOnly, sandbox.Bind{From: exe})
	res := run(t, s, p, append([]string{exe, "sandbox", "probe"}, tries...)...)
	var ok []bool
	for line := range strings.Lines(string(res.Stdout)) {
		var row struct {
			OK     bool
			Name   string
			Detail string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		ok = append(ok, row.OK)
	}
	if len(ok) != len(tries)/2 || res.Exit != 0 {
		t.Fatalf("%d answers to %q, exit %d: %s", len(ok), tries, res.Exit, res.Stderr)
	}
	return ok
}

func TestSystemCalls(t *testing.T) {
	t.Parallel()
	type try struct {
		name            string
		args            []any
		bwrap, landlock bool // without the network
	}
	tests := []try{
		{"Unix stream socket", []any{unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0}, true, true},
		{"Unix packet socket", []any{unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC, 0}, true, true},
		{"Unix datagram socket", []any{unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC, 0}, true, false},
		{"Unix raw socket", []any{unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_RAW, 0}, true, false},
		{"Internet socket", []any{unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0}, true, false},
		{"Internet 6 socket", []any{unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_DGRAM, 0}, true, false},
		{"Internet socket with high bits", []any{unix.SYS_SOCKET, 1<<32 | unix.AF_INET, unix.SOCK_STREAM, 0}, true, false},
		{"Unix datagram socket with high bits", []any{unix.SYS_SOCKET, unix.AF_UNIX, 1<<32 | unix.SOCK_DGRAM, 0}, true, false},
		{"multipath socket", []any{unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, true, false},
		{"routing socket", []any{unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, 0}, true, false},
		{"socket to the host of a virtual machine", []any{unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0}, false, false},
		{"cipher socket", []any{unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0}, false, false},
		{"io_uring", []any{unix.SYS_IO_URING_SETUP, 8, 0}, false, false},
		{"kernel keyring", []any{unix.SYS_KEYCTL, 0, 0xfffffffd, 0}, false, false},
		{"new user namespace", []any{unix.SYS_UNSHARE, unix.CLONE_NEWUSER}, false, false},
		{"set of another's limits", []any{unix.SYS_PRLIMIT64, 1, 0, 0, 0}, true, false},
		{"own limits", []any{unix.SYS_PRLIMIT64, 0, 0, 0, 0}, true, true},
		{"System V memory", []any{unix.SYS_SHMGET, 0, 4096, 0o1600}, true, false},
		{"call that is not known", []any{463}, false, false},
		{"own process number", []any{unix.SYS_GETPID}, true, true},
	}
	var args []string
	for _, tt := range tests {
		args = append(args, "call", strings.Trim(strings.ReplaceAll(fmt.Sprint(tt.args), " ", ","), "[]"))
	}
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/")
		got := probe(t, s, sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path}}, args...)
		for i, tt := range tests {
			want := tt.bwrap
			if s.Kind() == sandbox.Landlock {
				want = tt.landlock
			}
			if got[i] != want {
				t.Errorf("%s: allowed %t, want %t", tt.name, got[i], want)
			}
		}
	})
}

func TestNetworkWhenAllowed(t *testing.T) {
	t.Parallel()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	abstract, err := net.Listen("unix", fmt.Sprintf("@devflow-test-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	t.Run("backends", func(t *testing.T) {
		each(t, func(t *testing.T, s sandbox.Sandbox) {
			dir := shortDir(t)
			outside := filepath.Join(dir, "o")
			l, err := net.Listen("unix", outside)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			work := filepath.Join(dir, "w")
			if err := os.Mkdir(work, 0o755); err != nil {
				t.Fatal(err)
			}
			p := sandbox.Policy{Dir: work, ReadWrite: []sandbox.Bind{{From: work}}, Env: []string{path}, Network: true}
			got := probe(t, s, p, "connect-tcp", tcp.Addr().String(), "connect-unix", outside, "connect-unix", abstract.Addr().String(), "call", fmt.Sprintf("%d,%d,1,0", unix.SYS_SOCKET, unix.AF_VSOCK))
			for i, want := range []bool{true, false, false, false} {
				if got[i] != want {
					t.Errorf("row %d: allowed %t, want %t", i, got[i], want)
				}
			}
		})
	})
}

// Attributes are changed inside and never outside, by every call and every way to name a file, also while the path
// changes under the hand of who decides.
func TestAttributes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "in/file", "ou/file", "ro/file")
		inside, outside, read := filepath.Join(dir, "in/file"), filepath.Join(dir, "ou/file"), filepath.Join(dir, "ro/file")
		if err := os.Symlink(outside, filepath.Join(dir, "in/link")); err != nil {
			t.Fatal(err)
		}
		p := sandbox.Policy{Dir: filepath.Join(dir, "in"), ReadWrite: binds(dir, "in"), ReadOnly: binds(dir, "ro"), Env: []string{path}}
		before := []fs.FileInfo{stat(t, outside), stat(t, read)}
		var tries []string
		for _, name := range []string{"chmod", "chown", "lchown", "utime"} {
			for _, at := range []string{outside, read, filepath.Join(dir, "in/../ou/file"), "/proc/self/root" + outside, "/proc/self/cwd/../ou/file", "../ou/file"} {
				tries = append(tries, name, at)
			}
		}
		for _, name := range []string{"chmod", "chown", "utime"} {
			tries = append(tries, name, filepath.Join(dir, "in/link"))
		}
		tries = append(tries, "fchmod", read, "chattr", read, "xattr", read, "chmod", "/usr/bin/env", "utime", "/", "chmod", "")
		for i, ok := range probe(t, s, p, tries...) {
			if ok {
				t.Errorf("%s %s worked", tries[2*i], tries[2*i+1])
			}
		}
		good := []string{"chmod", inside, "chmod", "file", "chmod", "./../in/file", "fchmod", inside, "chown", inside, "lchown", filepath.Join(dir, "in/link"), "utime", inside, "chmod", "/proc/self/cwd/file"}
		for i, ok := range probe(t, s, p, good...) {
			if !ok && (good[2*i+1] != "/proc/self/cwd/file" || s.Kind() == sandbox.Bwrap) { // through a magic link: refused
				t.Errorf("%s %s did not work", good[2*i], good[2*i+1])
			}
		}
		if info := stat(t, inside); info.Mode().Perm() != 0o640 || info.ModTime().Unix() != 1e9 {
			t.Errorf("inside: mode %v, time %v", info.Mode(), info.ModTime())
		}
		for i, ok := range probe(t, s, p, "race-memory", inside+"\x1f"+outside, "race-link", inside+"\x1f"+outside) {
			if !ok {
				t.Errorf("race %d: no call came through", i)
			}
		}
		for i, at := range []string{outside, read} {
			if now := stat(t, at); now.Mode() != before[i].Mode() || !now.ModTime().Equal(before[i].ModTime()) {
				t.Errorf("%s was changed: %v %v", at, now.Mode(), now.ModTime())
			}
		}
	})
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// The tools that workers use go on working: they change modes, owners and times, and make locks and links.
func TestOrdinaryToolsWork(t *testing.T) {
	t.Parallel()
	scripts := []struct{ name, script string }{
		{"git", `git init -q r && cd r && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -q -m m && git mv f g && git status --short`},
		{"copy with attributes", `mkdir a && echo x > a/f && cp -a a b && touch -r a/f b/f && chmod -R u+w b && test ! b/f -nt a/f -a ! b/f -ot a/f`},
		{"archive", `mkdir a && echo x > a/f && ln -s f a/l && tar cf a.tar a && mkdir x && tar xf a.tar -C x && test -L x/a/l`},
		{"install", `echo x > f && install -m 755 f g && test -x g`},
		{"links", `echo x > f && ln f g && ln -s f h && mv h i && rm -r f g i`},
		{"edit in place", `echo x > f && sed -i s/x/y/ f && grep y f`},
		{"a program of one's own", `printf '#!/bin/sh\necho ran' > p && chmod +x p && ./p`},
		{"locks", `flock lock true`},
	}
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		for _, tt := range scripts {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				dir := tree(t, "w/", "home/")
				p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w", "home"), Env: []string{path, "HOME=" + filepath.Join(dir, "home")}}
				if res := run(t, s, p, "sh", "-ec", tt.script); res.Exit != 0 {
					t.Errorf("exit %d: %s%s", res.Exit, res.Stdout, res.Stderr)
				}
			})
		}
	})
}

// The whole must hold for an ordinary user, too: with other rules for /proc, owners and control groups.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		return // the other tests have shown it
	}
	dir := shortDir(t)
	exe := filepath.Join(dir, "test")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	if err := os.WriteFile(exe, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run", "SelfTest|Nothing|Attributes|Nested|SystemCalls|Tools")
	cmd.Dir, cmd.Env = home, []string{path, "HOME=" + home, "TMPDIR=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as an ordinary user: %v\n%s", err, out)
	}
}

func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	policy := sandbox.Policy{Dir: dir, ReadWrite: []sandbox.Bind{{From: dir}}, Env: []string{path}}
	limited := policy
	limited.Procs, limited.Memory = 500, 1<<30
	for _, bb := range []struct {
		name string
		kind sandbox.Kind
		p    sandbox.Policy
	}{{"none", sandbox.None, policy}, {"bwrap", sandbox.Bwrap, policy}, {"bwrap-limits", sandbox.Bwrap, limited}, {"landlock", sandbox.Landlock, policy}, {"landlock-limits", sandbox.Landlock, limited}} {
		b.Run(bb.name, func(b *testing.B) {
			s := find(b, bb.kind)
			for b.Loop() {
				c, err := s.Wrap(bb.p, []string{"true"})
				if err != nil {
					b.Fatal(err)
				}
				if res, err := proc.Run(b.Context(), c); err != nil || res.Exit != 0 {
					b.Fatalf("exit %d, %v: %s", res.Exit, err, res.Stderr)
				}
			}
		})
	}
	b.Run("bwrap-alone", func(b *testing.B) { // without the launcher, which filters system calls
		s, err := sandbox.Find(b.Context(), sandbox.Bwrap, nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			c, err := s.Wrap(policy, []string{"true"})
			if err != nil {
				b.Fatal(err)
			}
			if res, err := proc.Run(b.Context(), c); err != nil || res.Exit != 0 {
				b.Fatalf("exit %d, %v: %s", res.Exit, err, res.Stderr)
			}
		}
	})
}
