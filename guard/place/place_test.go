package place_test

import (
	"os"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

func world() place.World {
	return place.World{Home: "/home/dev", Project: "/home/dev/proj", Cwd: "/home/dev/proj", Temp: "/var/folders/a/b/T"}
}

// words reads one command line and gives its arguments.
func words(tb testing.TB, text string) (shell.Dir, shell.Word) {
	tb.Helper()
	s, err := shell.Parse("x " + text)
	if err != nil {
		tb.Fatal(err)
	}
	c := s.Commands[len(s.Commands)-1]
	if len(c.Words) < 2 {
		tb.Fatalf("%q has no argument", text)
	}
	return c.Dir, c.Words[1]
}

func TestZones(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone  place.Zone
		paths string
	}{
		{place.Root, "/ // /. /.. /* /.* /tmp/.. /proc/self/root"},
		{place.System, "/etc /usr/bin /Users /bin/* /var/lib/x /etc/hosts /opt /srv /mnt /run/user/1000 /usr/local/bin/x /[e]tc"},
		{place.Home, "~ ~/ $HOME ${HOME} /home/dev .. ../ ~/* /home /home/* /root /home/other ~root ~other ~/.. $PWD/.. /home/d?v"},
		{place.HomeTop, "~/x ~/.bashrc ~/.config ~/.config/x ~/Documents ~/Documents/* ../other ../.profile"},
		{place.Keys, "~/.ssh ~/.ssh/id_rsa ../.ssh/x $HOME/.aws/credentials ~/.kube/config /etc/shadow /etc/ssh/x ~/.netrc /home/other/.ssh /root/.ssh/x ~/a/b/server.pem /opt/x/id_ed25519 /home/*/.ssh ~/.ss?"},
		{place.Device, "/dev/sda /dev/nvme0n1p1 /dev/disk2 /dev/mapper/x /dev/mem /dev/sd* /dev/../dev/sdb"},
		{place.ProjectRoot, ". ./ $PWD ~/proj /home/dev/proj/ * ./* $PWD/* src/.. $(pwd) .* ~/p*"},
		{place.GitDir, ".git .git/config ./.git/ ~/proj/.git/objects sub/.git ~/x/y/.git .gi?"},
		{place.Project, "src ./src/a.go a.txt src/* .gitignore .github/workflows builds distx src/targets"},
		{place.Build, "node_modules ./dist packages/a/dist/x build/* target .venv coverage/x __pycache__ a.egg-info cmake-build-debug ~/.cache/pip /var/lib/apt/lists/* ~/.npm/_cacache"},
		{place.TempTop, "/tmp /tmp/ /tmp/* /var/tmp $TMPDIR /dev/shm"},
		{place.Temp, "/tmp/x /tmp/x/* /tmp/x* $TMPDIR/x ${TMPDIR:-/tmp}/x $(mktemp) /var/tmp/a /private/tmp/x /dev/shm/x"},
		{place.Outside, "/data/x /opt/a/b ~/code/x/y /dev/null /dev/stdout /srv/www /mnt/x/y /dev/tty /usr/local/share/x"},
		{place.Unknown, "$X $X/y `cmd` ~-/x"},
	} {
		for _, p := range strings.Fields(tt.paths) {
			d, x := words(t, p)
			if got := world().Resolve(d, x); got.Zone != tt.zone {
				t.Errorf("Resolve(%s) = zone %d at %q, want %d", p, got.Zone, got.Path, tt.zone)
			}
		}
	}
}

func TestUnsetPrefixes(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{
		"$X/*": true, "\"$X\"/": true, "/$X": true, "$X/": true, "~/$X": true, "./$X": true, "$X/etc": true, "$A$B/*": true,
		"$X": false, "/tmp/$X": false, "build/$X": false, "$HOME/x": false, "src": false,
	} {
		d, x := words(t, p)
		if got := world().Resolve(d, x).Unset; got != want {
			t.Errorf("Resolve(%s).Unset = %v, want %v", p, got, want)
		}
	}
}

func TestFolderOfTheCommand(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]place.Zone{
		"cd / && x *":                         place.Root,
		"cd ~ && x *":                         place.Home,
		"cd .. && x *":                        place.Home,
		"cd src && x *":                       place.Project,
		"cd build && x *":                     place.Build,
		"cd \"$X\" && x *":                    place.Unknown,
		"cd \"$X\" && x dist":                 place.Build,
		"cd /tmp/a && x *":                    place.Temp,
		"cd src && x ../":                     place.ProjectRoot,
		"cd ~/.ssh && x id_rsa":               place.Keys,
		"cd \"$HOME\" && x *":                 place.Home,
		"cd \"$(mktemp -d)\" && x y":          place.Temp,
		"cd $(mktemp -d) && cd sub && x y":    place.Temp,
		"cd \"$(mktemp -d)\" && cd .. && x *": place.TempTop,
		"cd \"$TMPDIR/a\" && x y":             place.Temp,
		"cd \"$(cat d)\" && x y":              place.Unknown,
		"(cd /etc); x src":                    place.Project,
		"cd /tmp && cd - && x src":            place.Project,
		"cd /etc; cd /tmp; cd -; x src":       place.System,
		"cd - && x src":                       place.Unknown,
	} {
		s, err := shell.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		c := s.Commands[len(s.Commands)-1]
		if got := world().Resolve(c.Dir, c.Words[1]); got.Zone != want {
			t.Errorf("%s: zone %d at %q, want %d", src, got.Zone, got.Path, want)
		}
	}
}

// A machine whose home folder is itself a temporary one.
func TestHomeInsideTemp(t *testing.T) {
	t.Parallel()
	w := place.World{Home: "/tmp/t1/home", Project: "/tmp/t1/home/proj", Cwd: "/tmp/t1/home/proj", Temp: "/tmp"}
	for p, want := range map[string]place.Zone{
		"/tmp": place.Home, "/tmp/t1": place.Home, "/tmp/t2": place.Temp, "~/x": place.HomeTop, "src": place.Project, ".": place.ProjectRoot, "~/.ssh": place.Keys, "dist": place.Build,
	} {
		d, x := words(t, p)
		if got := w.Resolve(d, x); got.Zone != want {
			t.Errorf("Resolve(%s) = zone %d, want %d", p, got.Zone, want)
		}
	}
}

func TestDisk(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write(".gitignore", "*.log\n/generated/\n")
	r.Write("src/a.go", "package a\n")
	r.Write("build/keep.txt", "tracked\n")
	r.Commit("one")
	r.Write("generated/x.go", "x\n")
	r.Write("dist/x.js", "x\n")
	r.Write("a.log", "x\n")
	d := place.NewDisk(r.Dir, r.Path(".git"), r.Path(".git"))
	w := place.World{Home: "/home/dev", Project: r.Dir, Cwd: r.Dir, Disk: d}
	for p, want := range map[string]place.Zone{
		"src": place.Project, "generated": place.Build, "generated/x.go": place.Build, "a.log": place.Build, "dist": place.Build, "build": place.Project, "build/keep.txt": place.Project,
		"build/other": place.Build, "node_modules": place.Build, "generated/*": place.Build, "src/*": place.Project, "unknown": place.Project,
	} {
		dir, x := words(t, p)
		if got := w.Resolve(dir, x); got.Zone != want {
			t.Errorf("Resolve(%s) = zone %d, want %d", p, got.Zone, want)
		}
	}
	r.Git("update-index", "--refresh")
	if err := os.WriteFile(r.Path("src/a.go"), []byte("package changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if !d.Changed("src/a.go") || !d.Changed("src") || !d.Changed(".") {
		t.Error("a changed file counts as unchanged")
	}
	if d.Changed("no-such-file") {
		t.Error("a file that git does not track counts as changed")
	}
}

// Where git's files cannot be read, everything counts as tracked and changed.
func TestBrokenIndexIsTheCarefulSide(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write(".git/index", "DIRC broken")
	d := place.NewDisk(r.Dir, r.Path(".git"), r.Path(".git"))
	if !d.Tracked("dist") || !d.Changed("dist") {
		t.Error("a broken index lets pass")
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"/", "~", "$HOME/x", "${X:-/}", "$(pwd)/../..", "`a`", "/[", "{a,b}", "~+", "/proc/1/root/etc", "$((1))", "${", "$(", "<(x)"} {
		f.Add(s, true, true)
	}
	f.Fuzz(func(t *testing.T, text string, dynamic, glob bool) {
		got := world().Resolve(shell.Dir{}, shell.Word{Text: text, Dynamic: dynamic, Glob: glob})
		if got.Path != "" && got.Path[0] != '/' {
			t.Errorf("Resolve(%q).Path = %q", text, got.Path)
		}
	})
}
