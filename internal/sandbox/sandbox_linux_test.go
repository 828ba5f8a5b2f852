package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/google/go-cmp/cmp"
)

const path = "PATH=/usr/bin:/bin"

// each runs a test in both backends that confine.
func each(t *testing.T, test func(t *testing.T, s sandbox.Sandbox)) {
	t.Helper()
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, find(t, kind))
		})
	}
}

func run(t *testing.T, s sandbox.Sandbox, p sandbox.Policy, argv ...string) proc.Result {
	t.Helper()
	c, err := s.Wrap(p, argv)
	if err != nil {
		t.Fatalf("Wrap(%q): %v", argv, err)
	}
	res, err := proc.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Argv, err)
	}
	return res
}

// tree makes folders (names ending in /) and files, and gives the real path of their folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(at, 0o755)
		} else {
			err = os.WriteFile(at, []byte("text of "+name+"\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func binds(dir string, names ...string) []sandbox.Bind {
	var all []sandbox.Bind
	for _, name := range names {
		all = append(all, sandbox.Bind{From: filepath.Join(dir, name)})
	}
	return all
}

func TestStatusStreamsAndEnvironmentPass(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path, "A=one two\nthree", "TOKEN=very-secret"}}
		tests := []struct {
			name, script, out string
			exit              int
		}{
			{"status", "exit 7", "", 7},
			{"signal", "kill -9 $$", "", 128 + 9},
			{"environment", `printf %s "$A$DEVFLOW_CHILD$HOME"`, "one two\nthree1", 0},
			{"working folder", "pwd", filepath.Join(dir, "w") + "\n", 0},
			{"standard input", "cat", "fed", 0},
			{"the null device", "echo x >/dev/null && cat /dev/null", "", 0},
			{"the output device", "echo x >/dev/stdout", "x\n", 0},
			{"a pipe", "echo x | tr x y", "y\n", 0},
			{"own process folder", `test -d /proc/self && test -r /proc/self/status && echo yes`, "yes\n", 0},
			{"certificates are readable", `test -d /etc/ssl/certs -o -d /etc/pki && echo yes`, "yes\n", 0},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				c, err := s.Wrap(p, []string{"sh", "-c", tt.script})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(strings.Join(c.Argv, " "), "very-secret") {
					t.Errorf("the environment is on the command line: %q", c.Argv)
				}
				c.Stdin = []byte("fed")
				res, err := proc.Run(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]any{tt.out, tt.exit}, []any{string(res.Stdout), res.Exit}); diff != "" {
					t.Errorf("%q (-want +got):\n%s%s", tt.script, diff, res.Stderr)
				}
			})
		}
	})
}

func TestNestedPlaces(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) { nestedPlaces(t, s) })
}

func nestedPlaces(t *testing.T, s sandbox.Sandbox) {
	t.Helper()
	dir := tree(t, "ro/file", "ro/rw/file", "ro/hid/file", "ro/hid/seen/file", "ro/secret", "other/file")
	base := sandbox.Policy{
		Dir: filepath.Join(dir, "ro"), Env: []string{path},
		ReadWrite: binds(dir, "ro/rw", "ro/hid/seen"), ReadOnly: binds(dir, "ro"),
		Hide: []string{filepath.Join(dir, "ro/hid"), filepath.Join(dir, "ro/secret"), filepath.Join(dir, "other"), filepath.Join(dir, "ro/none")},
	}
	inner := sandbox.Policy{
		Dir: filepath.Join(dir, "ro"), Env: []string{path}, ReadWrite: binds(dir, "ro"), ReadOnly: binds(dir, "ro/rw"), Hide: []string{filepath.Join(dir, "ro/hid")},
	}
	can := func(p sandbox.Policy, script string) bool {
		return run(t, s, p, "sh", "-c", "("+script+") 2>/dev/null").Exit == 0
	}
	type try struct {
		name, script string
		want         bool
	}
	for _, tt := range []try{
		{"read read-only", "cat file", true},
		{"write read-only", "echo x > new", false},
		{"write nested", "echo x > rw/new", true},
		{"move inside nested", "echo x > rw/a && mkdir rw/d && mv rw/a rw/d/b", true},
		{"move out of nested", "echo x > rw/m && mv rw/m .", false},
		{"read hidden file", "grep text secret", false},
		{"read in hidden folder", "cat hid/file", false},
		{"read listed below hidden", "cat hid/seen/file", true},
		{"write listed below hidden", "echo x > hid/seen/new", true},
		{"read what is not listed", "cat ../other/file", false},
		{"move the nested place", "mv rw moved", false},
	} {
		if got := can(base, tt.script); got != tt.want {
			t.Errorf("%s: allowed %t, want %t", tt.name, got, tt.want)
		}
	}
	if s.Kind() == sandbox.Landlock {
		if _, err := s.Wrap(inner, []string{"true"}); err == nil || !strings.Contains(err.Error(), "landlock cannot protect") {
			t.Errorf("read-only inside writable: error %v, want a refusal", err)
		}
		return
	}
	for _, tt := range []try{
		{"write", "echo x > new", true}, {"read inside", "cat rw/file", true}, {"write inside", "echo x > rw/new", false},
		{"read hidden", "cat hid/file", false}, {"move the protected place", "mv rw moved", false}, {"remove it", "rm -rf rw", false},
	} {
		if got := can(inner, tt.script); got != tt.want {
			t.Errorf("read-only inside writable: %s: allowed %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestOddPaths(t *testing.T) {
	t.Parallel()
	names := []string{"with space", `quote"'`, "new\nline", "-leading", "$(touch x)", "ünïcödé", "bad\xff\xfebytes", "back\\slash", "*", strings.Repeat("l", 200)}
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		for _, name := range names {
			dir := tree(t, name+"/", "out/file")
			work := filepath.Join(dir, name)
			p := sandbox.Policy{Dir: work, ReadWrite: []sandbox.Bind{{From: work}}, Env: []string{path}}
			res := run(t, s, p, "sh", "-c", `printf %s "$1" > "$2/f" && cat "$2/f"; cat "$3" 2>/dev/null`, "sh", name, work, filepath.Join(dir, "out/file"))
			if string(res.Stdout) != name || res.Exit == 0 {
				t.Errorf("folder %q: stdout %q exit %d: %s", name, res.Stdout, res.Exit, res.Stderr)
			}
		}
	})
}

func TestNamesBySymbolicLinksWork(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "real/deep/work/file", "real/secret")
		for link, target := range map[string]string{"abs": filepath.Join(dir, "real"), "rel": "real/deep", "chain": "abs/deep"} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"abs/deep/work", "rel/work", "chain/work"} {
			work := filepath.Join(dir, name)
			p := sandbox.Policy{Dir: work, ReadWrite: []sandbox.Bind{{From: work}}, Env: []string{path}}
			res := run(t, s, p, "sh", "-c", `cat "$1/file" && echo x > "$1/new" && cat "$1/../../secret" "$2" 2>/dev/null`, "sh", work, filepath.Join(dir, "real/secret"))
			if string(res.Stdout) != "text of real/deep/work/file\n" || res.Exit == 0 {
				t.Errorf("%s: stdout %q exit %d: %s", name, res.Stdout, res.Exit, res.Stderr)
			}
		}
	})
}

func TestWrapRefuses(t *testing.T) {
	t.Parallel()
	dir := tree(t, "w/", "ro/", "ro/file", "secret/")
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "w/link")); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	good := sandbox.Policy{Dir: at("w"), ReadWrite: binds(dir, "w")}
	tests := []struct {
		name   string
		change func(*sandbox.Policy)
		want   []string
	}{
		{"missing sources, all of them", func(p *sandbox.Policy) { p.ReadOnly = binds(dir, "none", "no\nthing", "w") }, []string{`none": no such file or directory`, `no\nthing": no such file or directory`}},
		{"relative source", func(p *sandbox.Policy) { p.ReadOnly = []sandbox.Bind{{From: "w"}} }, []string{`"w" is not an absolute path`}},
		{"no source", func(p *sandbox.Policy) { p.ReadOnly = []sandbox.Bind{{}} }, []string{`"" is not an absolute path`}},
		{"NUL in a path", func(p *sandbox.Policy) { p.Hide = []string{"/a\x00b"} }, []string{"not an absolute path"}},
		{"missing working folder", func(p *sandbox.Policy) { p.Dir = at("none") }, []string{"working folder", "no such file"}},
		{"working folder is a file", func(p *sandbox.Policy) { p.Dir = at("ro/file") }, []string{"is not a folder"}},
		{"working folder not visible", func(p *sandbox.Policy) { p.Dir = at("secret") }, []string{"is in no visible place"}},
		{"working folder hidden", func(p *sandbox.Policy) { p.Hide = []string{at("w")} }, []string{"w"}},
		{"a link that a command can have made", func(p *sandbox.Policy) { p.ReadWrite = binds(dir, "w", "w/link") }, []string{"is a symbolic link in the writable"}},
		{"the same by the temporary folder", func(p *sandbox.Policy) { p.Tmp = at("w/link/tmp") }, []string{"is a symbolic link in the writable"}},
	}
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		for _, tt := range tests {
			p := good
			tt.change(&p)
			_, err := s.Wrap(p, []string{"true"})
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v, want one sentence", tt.name, err)
				continue
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %q, want %q in it", tt.name, err, want)
				}
			}
		}
		if _, err := s.Wrap(good, nil); err == nil {
			t.Error("an empty command was wrapped")
		}
		_, err := os.Lstat(at("secret/tmp"))
		if err == nil {
			t.Error("a temporary folder was made outside")
		}
	})
}

func TestTemporaryFolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path}, Tmp: filepath.Join(dir, "made/tmp")}
		res := run(t, s, p, "sh", "-c", `echo x > "$TMPDIR/f" && echo "$TMPDIR"`)
		if want := p.Tmp + "\n"; string(res.Stdout) != want {
			t.Errorf("TMPDIR %q, want %q: %s", res.Stdout, want, res.Stderr)
		}
		p.Tmp = ""
		res = run(t, s, p, "sh", "-c", `d=$(mktemp -d) && echo x > "$d/f" && echo "$d"`)
		made := strings.TrimSpace(string(res.Stdout))
		if made == "" || res.Exit != 0 {
			t.Fatalf("no temporary folder: %s", res.Stderr)
		}
		if _, err := os.Lstat(made); err == nil {
			t.Errorf("%s stays behind", made)
		}
	})
}

func TestEnvironmentThatActsOnTheLauncherIsForTheCommandAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path, "LD_PRELOAD=" + filepath.Join(dir, "w/evil.so"), "GODEBUG=x=1"}}
		c, err := s.Wrap(p, []string{"sh", "-c", `echo "$LD_PRELOAD $GODEBUG"`})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{path}, c.Env); diff != "" {
			t.Errorf("environment of the launcher (-want +got):\n%s", diff)
		}
		res, err := proc.Run(t.Context(), c)
		if want := fmt.Sprintf("%s/w/evil.so x=1\n", dir); err != nil || string(res.Stdout) != want {
			t.Errorf("command sees %q, want %q (%v)", res.Stdout, want, err)
		}
	})
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sandbox.Sandbox) {
		dir := tree(t, "w/", "bin/tool")
		p := sandbox.Policy{Dir: filepath.Join(dir, "w"), ReadWrite: binds(dir, "w"), Env: []string{path}}
		for _, name := range []string{"devflow-no-such-program", filepath.Join(dir, "bin/tool")} {
			if res := run(t, s, p, name); res.Exit == 0 || !strings.Contains(string(res.Stderr), name) {
				t.Errorf("%s: exit %d, stderr %q", name, res.Exit, res.Stderr)
			}
		}
	})
}

func TestBwrapShowsAThingAtAnotherPlace(t *testing.T) {
	t.Parallel()
	dir := tree(t, "repo/config", "repo/other", "copy/clean", "rw/")
	at := func(name string) string { return filepath.Join(dir, name) }
	p := sandbox.Policy{
		Dir: at("repo"), Env: []string{path}, ReadWrite: binds(dir, "rw"),
		ReadOnly: append(binds(dir, "repo"), sandbox.Bind{From: at("copy/clean"), To: at("repo/config")}, sandbox.Bind{From: at("copy"), To: "/opt/elsewhere"}),
	}
	s := find(t, sandbox.Bwrap)
	res := run(t, s, p, "sh", "-c", "cat config other /opt/elsewhere/clean")
	if want := "text of copy/clean\ntext of repo/other\ntext of copy/clean\n"; string(res.Stdout) != want {
		t.Errorf("got %q, want %q: %s", res.Stdout, want, res.Stderr)
	}
	if _, err := find(t, sandbox.Landlock).Wrap(p, []string{"true"}); err == nil || !strings.Contains(err.Error(), "landlock cannot show") {
		t.Errorf("landlock: error %v, want a refusal", err)
	}
	p.ReadOnly = append(binds(dir, "repo"), sandbox.Bind{From: at("copy/clean"), To: at("repo/none")})
	if _, err := s.Wrap(p, []string{"true"}); err == nil || !strings.Contains(err.Error(), "read-only and has nothing there") {
		t.Errorf("no place for it: error %v", err)
	}
}
