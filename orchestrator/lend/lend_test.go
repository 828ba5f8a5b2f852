package lend_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/lend"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" { // this binary is the launcher of its own sandboxes
		os.Exit(sandbox.Launch(os.Args[2:]))
	}
	os.Exit(m.Run())
}

const ignore = "node_modules\n.venv\nvenv\nenv\nvendor\ndeps\n.bundle\nshared\ncustom\n"

// project is the person's, with a repository.
type project struct {
	t    *testing.T
	repo gitrepo.Repo
}

func newProject(t *testing.T) project {
	t.Helper()
	p := project{t, gitrepo.New(t, filepath.Join(t.TempDir(), "proj"), "main")}
	p.repo.Write(".gitignore", ignore)
	p.repo.Write("api/main.js", "base\n")
	p.repo.Write("ui/main.js", "base\n")
	p.repo.Commit("base")
	return p
}

func (p project) examine(dir string) trees.Project {
	p.t.Helper()
	e, err := trees.Examine(p.t.Context(), p.repo.Path(dir))
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

func (p project) link(target, at string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.repo.Path(at)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Symlink(target, p.repo.Path(at)); err != nil {
		p.t.Fatal(err)
	}
}

// lent are the places in a tree where something of the person's is shown.
func lent(top string, l lend.Loan) []string {
	var list []string
	for _, b := range l.ReadOnly {
		if rel, err := filepath.Rel(top, b.To); err == nil && b.To != "" && filepath.IsLocal(rel) {
			list = append(list, filepath.ToSlash(rel))
		}
	}
	return list
}

func TestWhatIsLent(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, tt := range map[string]struct {
		make  func(p project)
		dir   string // of the project
		named []string
		want  []string
		note  string
	}{
		"nothing there": {},
		"known names at the root and in modules": {
			make: func(p project) {
				for _, f := range []string{"node_modules/x/i.js", "api/node_modules/x/i.js", "ui/.venv/pyvenv.cfg", "other/node_modules/x.js", "api/sub/node_modules/x.js"} {
					p.repo.Write(f, "x")
				}
			},
			want: []string{"api/node_modules", "node_modules", "ui/.venv"},
		},
		"a project below the top gets what lies above": {
			make: func(p project) { p.repo.Write("node_modules/x", ""); p.repo.Write("api/vendor/x", "") },
			dir:  "api", want: []string{"api/vendor", "node_modules"},
		},
		"tracked": {make: func(p project) {
			p.repo.Write("node_modules/x", "")
			p.repo.Git("add", "-f", "node_modules/x")
			p.repo.Git("commit", "-q", "-m", "vendored")
		}},
		"not ignored": {make: func(p project) { p.repo.Write("bower_components/x", "") }},
		"env without an interpreter, deps without mix": {make: func(p project) { p.repo.Write("env/x", ""); p.repo.Write("deps/x", "") }},
		"env and deps": {
			make: func(p project) {
				p.repo.Write("env/pyvenv.cfg", "")
				p.repo.Write("api/deps/x", "")
				p.repo.Write("api/mix.exs", "")
			},
			want: []string{"api/deps", "env"},
		},
		"named":                    {make: func(p project) { p.repo.Write("custom/x", "") }, named: []string{"custom/"}, want: []string{"custom"}},
		"named and known":          {make: func(p project) { p.repo.Write("node_modules/x", "") }, named: []string{"node_modules"}, want: []string{"node_modules"}},
		"named inside of another":  {make: func(p project) { p.repo.Write("vendor/node_modules/x", "") }, named: []string{"vendor/node_modules"}, want: []string{"vendor"}},
		"named and missing":        {named: []string{"custom"}, note: "custom is not lent to workers: there is no such folder"},
		"named and tracked":        {named: []string{"api"}, note: "git does not ignore it"},
		"named and leading out":    {named: []string{"../x"}, note: "no such folder"},
		"named: the repository":    {named: []string{".git"}, note: "git does not ignore it"},
		"a file":                   {make: func(p project) { p.repo.Write("vendor", "") }, note: "it is no folder"},
		"a link to the root":       {make: func(p project) { p.link("/", "node_modules") }, note: "leads out"},
		"a link to /etc":           {make: func(p project) { p.link("/etc", "node_modules") }, note: "leads out"},
		"a link to another folder": {make: func(p project) { p.link(outside, "api/node_modules") }, note: "api/node_modules is not lent to workers: it is a symbolic link that leads out"},
		"a link to the project":    {make: func(p project) { p.link(".", "node_modules") }, note: "leads out"},
		"a link above the project": {make: func(p project) { p.link("..", "node_modules") }, note: "leads out"},
		"a link to nowhere":        {make: func(p project) { p.link("gone", "node_modules") }, note: "nowhere"},
		"a link to itself":         {make: func(p project) { p.link("node_modules", "node_modules") }, note: "nowhere"},
		"a link to the repository": {make: func(p project) { p.link(".git", "node_modules") }, note: "does not ignore"},
		"a link to sources":        {make: func(p project) { p.link("api", "node_modules") }, note: "does not ignore"},
		"a link to an ignored one": {make: func(p project) { p.repo.Write("shared/x", ""); p.link("../shared", "api/node_modules") }, want: []string{"api/node_modules"}},
		"behind a link":            {make: func(p project) { p.repo.Write("shared/custom/x", ""); p.link("shared", "deps") }, named: []string{"deps/custom"}, note: "no such folder"},
		"a password of pip": {
			make: func(p project) {
				p.repo.Write(".venv/pyvenv.cfg", "")
				p.repo.Write(".venv/pip.conf", "[global]\nindex-url = https://u:p@host/simple\n")
			},
			note: ".venv/pip.conf may hold a password",
		},
		"a password of bundler": {
			make: func(p project) {
				p.repo.Write(".bundle/config", "---\nBUNDLE_PATH: \"vendor\"\nBUNDLE_GEMS__EXAMPLE__COM: \"u:p\"\n")
				p.repo.Write("vendor/x", "")
			},
			want: []string{"vendor"}, note: ".bundle/config may hold a password",
		},
		"an interpreter that is not seen": {
			make: func(p project) {
				p.repo.Write(".venv/pyvenv.cfg", "")
				p.link(filepath.Join(outside, "bin", "python3"), ".venv/bin/python")
				script(t, filepath.Join(outside, "bin", "python3"), "")
			},
			want: []string{".venv"}, note: "add --expose " + outside,
		},
		"a config of bundler": {make: func(p project) {
			p.repo.Write(".bundle/config", "BUNDLE_PATH: \"vendor\"\nBUNDLE_BUILD__PG: \"--x\"\n")
		}, want: []string{".bundle"}},
		"a pipe for a pip.conf":     {make: func(p project) { p.repo.Write(".venv/pyvenv.cfg", ""); p.link("/dev/zero", ".venv/pip.conf") }, note: "may hold a password"},
		"names that mean a pattern": {make: func(p project) { p.repo.Write("custom/*[a]: x/y", "") }, named: []string{"custom/*[a]: x"}, want: []string{"custom/*[a]: x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			if tt.make != nil {
				tt.make(p)
			}
			top := t.TempDir()
			modules := []string{"api", "ui"}
			if tt.dir != "" {
				modules = nil
			}
			s := lend.New(lend.Options{Project: p.examine(tt.dir), Modules: modules, Paths: tt.named, Kind: sandbox.Bwrap})
			root := filepath.Join(top, tt.dir)
			for round := range 2 {
				l, err := s.Show(t.Context(), root, "")
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, lent(top, l)); d != "" {
					t.Errorf("round %d (-want +got):\n%s", round, d)
				}
				if l.Made != (round == 0 && tt.want != nil) {
					t.Errorf("round %d: made = %v", round, l.Made)
				}
			}
			if notes := s.Notes(); tt.note == "" && notes != nil || tt.note != "" && (len(notes) != 1 || !strings.Contains(notes[0], tt.note)) {
				t.Errorf("notes %q, want one with %q", notes, tt.note)
			}
		})
	}
}

// An activated environment is on PATH, and so visible already; a tool inside a module's folder that a tree lacks is, too.
func TestModulesStandWhereThePersonsAre(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.repo.Write("api/.venv/pyvenv.cfg", "")
	p.repo.Write("api/.venv/bin/tool", "")
	p.repo.Write("ui/bin/tool", "")
	top := t.TempDir()
	for _, m := range []string{"api", "ui"} {
		if err := os.Mkdir(filepath.Join(top, m), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := lend.New(lend.Options{
		Project: p.examine(""), Modules: []string{"api", "ui", "gone", "."}, Kind: sandbox.Bwrap,
		Visible: []sandbox.Bind{{From: p.repo.Path("api/.venv/bin")}, {From: p.repo.Path("ui/bin")}},
	})
	l, err := s.Show(t.Context(), top, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []sandbox.Bind{
		{From: p.repo.Path("api/.venv"), To: filepath.Join(top, "api/.venv")}, {From: p.repo.Path("api/.venv")}, {From: filepath.Join(top, "api"), To: p.repo.Path("api")},
	}
	if d := cmp.Diff(want, l.ReadOnly); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestWhatStandsInATreeStays(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for _, f := range []string{"node_modules/x", "api/node_modules/x", "ui/node_modules/x", "vendor/x", "api/vendor/x", ".venv/x"} {
		p.repo.Write(f, "")
	}
	elsewhere := t.TempDir()
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		top := t.TempDir()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.MkdirAll(filepath.Join(top, "node_modules", "own"), 0o755))   // a worker's own
		must(os.Symlink(elsewhere, filepath.Join(top, "api")))                // a folder on the way
		must(os.Mkdir(filepath.Join(top, "ui"), 0o755))                       //
		must(os.Symlink(elsewhere, filepath.Join(top, "ui", "node_modules"))) // a link to somewhere
		must(os.WriteFile(filepath.Join(top, ".venv"), nil, 0o600))           // a file
		s := lend.New(lend.Options{Project: p.examine(""), Modules: []string{"api", "ui"}, Kind: kind})
		l, err := s.Show(t.Context(), top, "")
		must(err)
		want := []sandbox.Bind{{From: p.repo.Path("vendor")}}
		if kind == sandbox.Bwrap {
			want = []sandbox.Bind{{From: p.repo.Path("vendor"), To: filepath.Join(top, "vendor")}, {From: p.repo.Path("vendor")}}
		}
		if d := cmp.Diff(want, l.ReadOnly); d != "" {
			t.Errorf("%s (-want +got):\n%s", kind, d)
		}
		if got := len(s.Notes()); got != 5 {
			t.Errorf("%s: %d notes, want 5: %q", kind, got, s.Notes())
		}
		if list, err := os.ReadDir(elsewhere); err != nil || len(list) > 0 {
			t.Errorf("%s: something was made behind a link: %v, %v", kind, list, err)
		}
		if to, err := os.Readlink(filepath.Join(top, "ui", "node_modules")); err != nil || to != elsewhere {
			t.Errorf("%s: a link is gone: %q, %v", kind, to, err)
		}
	}
}

func TestALinkStandsOnlyWhereGitIgnoresIt(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.repo.Write(".gitignore", "node_modules/\nvendor\n")
	p.repo.Commit("folders only")
	p.repo.Write("node_modules/x", "")
	p.repo.Write("vendor/x", "")
	r := p.region(t, sandbox.Landlock)
	if d := cmp.Diff([]sandbox.Bind{{From: p.repo.Path("vendor")}}, r.loan.ReadOnly); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if notes := r.shelf.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "node_modules") || !strings.Contains(notes[0], "without a slash") {
		t.Errorf("notes %q", notes)
	}
	if _, err := os.Lstat(filepath.Join(r.tree.Root, "node_modules")); err == nil {
		t.Error("a link stands where git would see it")
	}
	// A worker makes git see the other one.
	ignored := filepath.Join(r.tree.Root, "vendor")
	if _, err := os.Lstat(ignored); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.tree.Root, ".gitignore"), []byte("none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.shelf.Tidy(t.Context(), r.tree.Dir)
	if got, err := r.trees.Outside(t.Context(), "api"); err != nil || !slices.Equal(got, []string{".gitignore"}) {
		t.Errorf("outside: %q, %v", got, err)
	}
}
