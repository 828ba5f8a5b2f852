package trees_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// round does one task in a region "m" of the project, lands and finishes it, and compares the person's repository with what it was.
func (b *bench) round(t *testing.T, root string) trees.Tree {
	t.Helper()
	before := shoot(t, root)
	tree := b.region("m", "m")
	b.begin("m")
	write(t, filepath.Join(tree.Dir, "m", "made.txt"), "made\n")
	if out := b.outside("m"); len(out) > 0 {
		t.Errorf("outside = %q", out)
	}
	b.land(b.commit("m", "made"))
	b.begin("m")
	if out := b.outside("m"); len(out) > 0 {
		t.Errorf("outside at the new tip = %q", out)
	}
	dir, done, err := b.tr.Checkout(t.Context(), b.tip())
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "m/made.txt")); got != "made\n" {
		t.Errorf("made.txt = %q", got)
	}
	if err := errors.Join(done(), done()); err != nil {
		t.Error(err)
	}
	if branch, err := b.tr.Finish(t.Context()); err != nil || branch != trees.Final {
		t.Errorf("finish = %q, %v", branch, err)
	}
	before.same(t, root)
	return tree
}

func noted(t *testing.T, p trees.Project, word string) {
	t.Helper()
	if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, word) }) {
		t.Errorf("notes = %q, want one with %q", p.Notes, word)
	}
}

func based(t *testing.T) gitrepo.Repo {
	t.Helper()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "repo"), "main")
	r.Write("m/x", "x\n")
	r.Write("other/y", "y\n")
	r.Commit("base")
	return r
}

func TestDetachedHeadStays(t *testing.T) {
	t.Parallel()
	r := based(t)
	r.Git("checkout", "-q", "--detach")
	b := open(t, r, r.Dir)
	if b.p.Branch != "" {
		t.Errorf("branch = %q", b.p.Branch)
	}
	noted(t, b.p, "detached")
	b.round(t, r.Dir)
}

func TestAnEmptyRepositoryStaysBeforeItsFirstCommit(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "repo"), "trunk")
	r.Write("idea.txt", "not committed\n")
	b := open(t, r, r.Dir)
	if b.p.Head != "" || b.p.Branch != "trunk" || !slices.Equal(b.p.Dirty, []string{"idea.txt"}) {
		t.Errorf("project = %+v", b.p)
	}
	noted(t, b.p, "no commit yet")
	base := b.tr.Base()
	b.reopen()
	if b.tr.Base() != base {
		t.Errorf("base = %s, then %s", base, b.tr.Base())
	}
	b.round(t, r.Dir)
	r.Git("fsck", "--strict")
}

func TestASubfolderIsTheProject(t *testing.T) {
	t.Parallel()
	r := based(t)
	r.Write("apps/web/m/x", "x\n")
	r.Commit("web")
	b := open(t, r, r.Path("apps/web"))
	if b.p.Prefix != "apps/web" || b.p.Top != b.repo.Dir && filepath.Base(b.p.Top) != "repo" {
		t.Errorf("project = %+v", b.p)
	}
	tree := b.round(t, r.Dir)
	if want := filepath.Join(tree.Root, "apps/web"); tree.Dir != want {
		t.Errorf("dir = %s, want %s", tree.Dir, want)
	}
	if got := r.Git("diff", "--name-status", "main", trees.Final); got != "A\tapps/web/m/made.txt" {
		t.Errorf("changes = %q", got)
	}
	write(t, filepath.Join(tree.Root, "m/z"), "z\n")
	if got := b.outside("m"); !slices.Equal(got, []string{"m/z"}) {
		t.Errorf("outside = %q: the top's own m is not the project's", got)
	}
}

func TestALinkedWorkTreeIsTheProject(t *testing.T) {
	t.Parallel()
	r := based(t)
	linked := filepath.Join(t.TempDir(), "linked")
	r.Git("worktree", "add", "-q", "-b", "side", linked)
	before := shoot(t, r.Dir)
	entry := shoot(t, r.Path(".git/worktrees/linked"))
	b := open(t, r, linked)
	if b.p.Branch != "side" {
		t.Errorf("branch = %q", b.p.Branch)
	}
	b.round(t, linked)
	if err := b.tr.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	before.same(t, r.Dir)
	entry.same(t, r.Path(".git/worktrees/linked"))
}

func TestSha256(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", "-b", "main", "--object-format=sha256", dir).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	r := gitrepo.New(t, dir, "main")
	r.Write("m/x", "x\n")
	r.Commit("base")
	b := open(t, r, dir)
	if b.p.Format != "sha256" || len(b.tr.Base()) != 64 {
		t.Errorf("format %q, base %q", b.p.Format, b.tr.Base())
	}
	b.round(t, dir)
}

func TestShallowAndPartialClonesFetchNothing(t *testing.T) {
	t.Parallel()
	far := based(t)
	far.Write("big/data", strings.Repeat("data\n", 1000))
	far.Commit("second")
	far.Git("config", "uploadpack.allowFilter", "true")
	url := "file://" + far.Dir
	clone := func(args ...string) gitrepo.Repo {
		dir := filepath.Join(t.TempDir(), "clone")
		if out, err := exec.Command("git", append(append([]string{"clone", "-q"}, args...), url, dir)...).CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
		return gitrepo.New(t, dir, "main")
	}
	shallow := clone("--depth=1")
	b := open(t, shallow, shallow.Dir)
	noted(t, b.p, "shallow")
	b.round(t, shallow.Dir)

	partial := clone("--filter=blob:none", "--sparse")
	if exists(partial.Path("big/data")) {
		t.Fatal("the clone is not sparse")
	}
	if err := os.Rename(far.Dir, far.Dir+"-gone"); err != nil { // nothing to fetch from
		t.Fatal(err)
	}
	partial.Git("sparse-checkout", "list")
	b = open(t, partial, partial.Dir)
	noted(t, b.p, "partial")
	noted(t, b.p, "sparse")
	tree := b.round(t, partial.Dir)
	if got := partial.Git("diff", "--name-status", "main", trees.Final); got != "A\tm/made.txt" {
		t.Errorf("changes = %q: what is missing here must not be deleted", got)
	}
	write(t, filepath.Join(tree.Dir, "m/x"), "a new one\n")
	if got := b.outside("m"); len(got) != 1 || !strings.Contains(got[0], "partial clone") {
		t.Errorf("outside = %q", got)
	}
}

func TestASparseWorkTreeBecomesCompleteTrees(t *testing.T) {
	t.Parallel()
	r := based(t)
	r.Git("sparse-checkout", "set", "other")
	b := open(t, r, r.Dir)
	noted(t, b.p, "sparse")
	if len(b.p.Dirty) > 0 {
		t.Errorf("dirty = %q", b.p.Dirty)
	}
	tree := b.round(t, r.Dir)
	if !exists(filepath.Join(tree.Dir, "m/x")) {
		t.Error("m/x is missing")
	}
}

func TestAMergeInProgressAndADirtyTreeStay(t *testing.T) {
	t.Parallel()
	r := based(t)
	r.Git("checkout", "-q", "-b", "side")
	r.Write("m/x", "side\n")
	r.Commit("side")
	r.Git("checkout", "-q", "main")
	r.Write("m/x", "main\n")
	r.Commit("main")
	if out, err := exec.Command("git", "-C", r.Dir, "-c", "user.name=a", "-c", "user.email=a@b", "merge", "side").CombinedOutput(); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	r.Write("new name\n.txt", "dirty\n")
	r.Git("stash", "list")
	b := open(t, r, r.Dir)
	noted(t, b.p, "merge is in progress")
	if !slices.Equal(b.p.Dirty, []string{"m/x", "new name\n.txt"}) {
		t.Errorf("dirty = %q", b.p.Dirty)
	}
	b.round(t, r.Dir)
}

func TestSubmodulesAreEmptyAndNotForWorkers(t *testing.T) {
	t.Parallel()
	lib := based(t)
	r := based(t)
	if out, err := exec.Command("git", "-C", r.Dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.Dir, "m/lib").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	r.Commit("with a submodule")
	b := open(t, r, r.Dir)
	noted(t, b.p, "Submodules")
	tree := b.round(t, r.Dir)
	lost := filepath.Join(tree.Dir, "m/lib/lost")
	write(t, lost, "worker\n")
	if got := b.outside("m"); len(got) != 1 || !strings.HasPrefix(got[0], "m/lib (a submodule") {
		t.Errorf("outside = %q", got)
	}
	ref, err := b.tr.Discard(t.Context(), "m", "t1-1")
	if err != nil || ref == "" {
		t.Fatalf("discard = %q, %v", ref, err)
	}
	if got := r.Git("show", ref+":m/lib.files/lost"); got != "worker" {
		t.Errorf("saved = %q", got)
	}
	if got := b.outside("m"); len(got) > 0 || exists(lost) {
		t.Errorf("outside after discard = %q", got)
	}
	write(t, filepath.Join(tree.Dir, ".gitmodules"), "[submodule \"x\"]\n")
	if got := b.outside("m"); !slices.Equal(got, []string{".gitmodules"}) {
		t.Errorf("outside = %q", got)
	}
	if out, err := exec.Command("git", "clone", "-q", lib.Dir, filepath.Join(tree.Dir, "m/lib/clone")).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	if got := b.outside("m"); len(got) != 3 {
		t.Errorf("outside = %q", got)
	}
}

func TestAProjectThatIsASubmodule(t *testing.T) {
	t.Parallel()
	lib, super := based(t), based(t)
	if out, err := exec.Command("git", "-C", super.Dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.Dir, "lib").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	super.Commit("with a submodule")
	b := open(t, gitrepo.New(t, super.Path("lib"), "main"), super.Path("lib"))
	config := read(t, super.Path(".git/modules/lib/config"))
	b.round(t, super.Path("lib"))
	if got := read(t, super.Path(".git/modules/lib/config")); got != config {
		t.Errorf("config = %q", got)
	}
	hollow := filepath.Join(t.TempDir(), "hollow")
	if out, err := exec.Command("git", "clone", "-q", super.Dir, hollow).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	_, err := trees.Examine(t.Context(), filepath.Join(hollow, "lib"))
	refused(t, err, "submodule lib", "submodule update --init")
}

func TestFiltersOfThePersonDoNotRun(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "repo"), "main")
	ran := filepath.Join(t.TempDir(), "ran")
	r.Write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n*.key filter=crypt\n")
	r.Write("m/a.bin", "version https://git-lfs.github.com/spec/v1\n")
	r.Write("m/a.key", "sealed\n")
	r.Commit("base")
	for _, name := range []string{"lfs", "crypt"} {
		for _, kind := range []string{"clean", "smudge", "process"} {
			r.Git("config", "filter."+name+"."+kind, "touch "+ran+"; exit 1")
		}
		r.Git("config", "filter."+name+".required", "true")
	}
	r.Git("config", "core.fsmonitor", "touch "+ran)
	r.Git("config", "commit.gpgSign", "true")
	r.Git("config", "gpg.program", "false")
	r.Git("config", "core.editor", "touch "+ran)
	r.Git("config", "merge.lfs.driver", "touch "+ran)
	for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change", "commit-msg", "post-merge", "pre-auto-gc", "post-rewrite"} {
		r.Write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+ran+"\nexit 1\n")
		if err := os.Chmod(r.Path(".git/hooks/"+hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, r, r.Dir)
	noted(t, b.p, "Git LFS")
	noted(t, b.p, "crypt")
	tree := b.round(t, r.Dir)
	write(t, filepath.Join(tree.Dir, "m/b.bin"), "raw\n")
	if got := b.outside("m"); len(got) > 0 {
		t.Errorf("outside = %q", got)
	}
	write(t, filepath.Join(tree.Dir, "m/b.key"), "in the clear\n")
	if got := b.outside("m"); len(got) != 1 || !strings.Contains(got[0], `m/b.key (the filter "crypt"`) {
		t.Errorf("outside = %q", got)
	}
	if _, err := b.tr.Discard(t.Context(), "m", "x"); err != nil {
		t.Fatal(err)
	}
	if err := b.tr.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exists(ran) {
		t.Error("a program of the person ran")
	}
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, filepath.Join(t.TempDir(), "re po"), "main")
	r.Write("m/x", "x\n")
	r.Write("-dash/y", "y\n")
	r.Write(":(glob)z", "z\n")
	r.Commit("base")
	b := open(t, r, r.Dir)
	tree := b.region("m", "m", "-dash", "new one/deep")
	b.begin("m")
	names := []string{"m/line\nend", "m/-rf", "m/\xff\xfe", "m/ sp ace ", "m/*.txt", "m/:(top)q", "m/\"quoted\"", "m/é", "-dash/--", "new one/deep/ä"}
	for _, n := range names {
		write(t, filepath.Join(tree.Dir, n), n)
	}
	if err := os.Chmod(filepath.Join(tree.Dir, "m/-rf"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := b.outside("m"); len(got) > 0 {
		t.Fatalf("outside = %q", got)
	}
	b.land(b.commit("m", "-odd\nsubject"))
	want := append([]string{"m/x", "-dash/y", ":(glob)z"}, names...)
	slices.Sort(want)
	got := strings.Split(strings.TrimSuffix(r.Git("ls-tree", "-r", "-z", "--name-only", b.tip()), "\x00"), "\x00")
	if !slices.Equal(got, want) {
		t.Errorf("files = %q, want %q", got, want)
	}
	if mode := r.Git("ls-tree", b.tip(), "m/-rf"); !strings.HasPrefix(mode, "100755") {
		t.Errorf("mode = %q", mode)
	}
	other := b.region("o", "o")
	b.begin("o")
	if got := read(t, filepath.Join(other.Dir, "m/\xff\xfe")); got != "m/\xff\xfe" {
		t.Errorf("content = %q", got)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, email, want string }{
		{"", "", "devflock <devflock@localhost>"},
		{"Jane Doe", "jane@example.com", "Jane Doe <jane@example.com>"},
		{"Jane", "", "devflock <devflock@localhost>"},
		{" . ", "x@y", "devflock <devflock@localhost>"},
		{"O'Neil \n<b>", "o@n", "O'Neil b <o@n>"},
	} {
		r := based(t)
		r.Git("config", "user.useConfigOnly", "true")
		if c.name != "" {
			r.Git("config", "user.name", c.name)
		}
		if c.email != "" {
			r.Git("config", "user.email", c.email)
		}
		b := open(t, r, r.Dir)
		b.round(t, r.Dir)
		for _, f := range []string{"%an <%ae>", "%cn <%ce>"} {
			if got := r.Git("log", "-1", "--format="+f, trees.Final); got != c.want {
				t.Errorf("%q %q: %s = %q, want %q", c.name, c.email, f, got, c.want)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	base := t.TempDir()
	_, err := trees.Examine(ctx, filepath.Join(base, "none"))
	refused(t, err, "no folder")
	write(t, filepath.Join(base, "file"), "")
	_, err = trees.Examine(ctx, filepath.Join(base, "file"))
	refused(t, err, "not a folder")
	_, err = trees.Examine(ctx, base)
	refused(t, err, "in no git repository")
	if !errors.Is(err, trees.ErrNoRepo) {
		t.Errorf("err = %v, want ErrNoRepo", err)
	}
	bare := filepath.Join(base, "bare.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", bare).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	_, err = trees.Examine(ctx, bare)
	refused(t, err, "bare repository")
	r := based(t)
	_, err = trees.Examine(ctx, r.Path(".git"))
	refused(t, err, "inside a .git folder")
	r.Write(".gitignore", "gen/\n")
	r.Write("gen/x", "x\n")
	_, err = trees.Examine(ctx, r.Path("gen"))
	refused(t, err, "ignores gen", "init")
	r.Git("branch", "devflock")
	p, err := trees.Examine(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trees.Open(ctx, trees.Options{Run: "r1", Project: p, Dir: filepath.Join(base, "t")})
	refused(t, err, "branch named devflock", "git branch -m")
	r.Git("branch", "-D", "devflock")
	_, err = trees.Open(ctx, trees.Options{Run: "r1", Project: p, Dir: r.Path("m/trees")})
	refused(t, err, "inside the repository")
	_, err = trees.Open(ctx, trees.Options{Run: "r1", Project: p, Base: "nowhere", Dir: filepath.Join(base, "t")})
	refused(t, err, `no commit "nowhere"`)
	for _, run := range []string{"", "integration", "a/b", "..", "-x", "a b", "x.lock"} {
		if _, err := trees.Open(ctx, trees.Options{Run: run, Project: p, Dir: filepath.Join(base, "t")}); err == nil {
			t.Errorf("run %q was accepted", run)
		}
	}
}

func TestARepositoryOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	r := based(t)
	said := drivenBy(t, "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec GIT \"$@\"\n", r.Dir)
	if !strings.Contains(said, "dubious ownership") {
		t.Errorf("said %q", said)
	}
	for _, path := range []string{r.Dir, r.Path(".git")} {
		if err := os.Lchown(path, 4242, 4242); err != nil {
			return // only root can give a folder away
		}
	}
	_, err := trees.Examine(t.Context(), r.Dir)
	refused(t, err, "another user", "safe.directory")
}

// drivenBy drives a run in a process that has this script for git, and gives what it says.
func drivenBy(t *testing.T, script, repo string, env ...string) string {
	t.Helper()
	bin, tools := t.TempDir(), ""
	if script != "" {
		tools = ":" + os.Getenv("PATH")
		git, err := exec.LookPath("git")
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(bin, "git"), regexp.MustCompile(`\bGIT `).ReplaceAllString(script, git+" "))
		if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "TREES_CHILD=drive", "PATH="+bin+tools, "TREES_REPO="+repo, "TREES_DIR="+filepath.Join(t.TempDir(), "t"), "TREES_STEPS="+os.DevNull)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("accepted: %s", out)
	}
	return string(out)
}

func TestModuleFoldersThatCannotBe(t *testing.T) {
	t.Parallel()
	b := files(t, map[string]string{"file": "f\n", "Docs/a": "a\n", "real/x": "x\n", ".gitignore": "gen/\n"})
	if err := os.Symlink("real", b.repo.Path("link")); err != nil {
		t.Fatal(err)
	}
	b.repo.Commit("link")
	b.p.Head = b.repo.Git("rev-parse", "HEAD")
	b.tr, _ = trees.Open(t.Context(), trees.Options{Run: "r2", Project: b.p, Dir: b.dir + "2"})
	for i, c := range []struct {
		name  string
		paths []string
		words string
	}{
		{"ok", []string{"file"}, "is a file"},
		{"ok", []string{"file/sub"}, "is a file"},
		{"ok", []string{"link"}, "symbolic link"},
		{"ok", []string{"link/deep"}, "symbolic link"},
		{"ok", []string{"docs"}, "letter case"},
		{"ok", []string{"docs/x"}, "letter case"},
		{"ok", []string{"gen"}, "ignores"},
		{"ok", []string{"a", "A"}, "are one"},
		{"ok", []string{"a", "a/b"}, "inside"},
		{"ok", []string{"caf\u00e9", "cafe\u0301"}, "are one"},
		{"ok", []string{"."}, "cannot be a region's folder"},
		{"ok", []string{"../x"}, "cannot be a region's folder"},
		{"ok", []string{"a//b"}, "cannot be a region's folder"},
		{"ok", []string{"/abs"}, "cannot be a region's folder"},
		{"ok", []string{`a\b`}, "cannot be a region's folder"},
		{"ok", []string{"x/.GIT"}, "cannot be a region's folder"},
		{"ok", nil, "no folder"},
		{"integration", []string{"i"}, "name of a region"},
		{"a/b", []string{"i"}, "name of a region"},
		{"-x", []string{"i"}, "name of a region"},
		{"A", []string{"i"}, "name of a region"},
		{"a b", []string{"i"}, "name of a region"},
		{"", []string{"i"}, "name of a region"},
		{strings.Repeat("x", 42), []string{"i"}, "name of a region"},
	} {
		_, err := b.tr.Region(t.Context(), c.name, c.paths)
		if err == nil {
			t.Errorf("case %d: %q %q was accepted", i, c.name, c.paths)
			continue
		}
		refused(t, err, c.words)
	}
	b.region("one", "real")
	_, err := b.tr.Region(t.Context(), "two", []string{"real/x"})
	refused(t, err, "region one")
}

func TestInitKeepsSecretsOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := trees.Init(t.Context(), dir)
	if err != nil || p.Head != "" {
		t.Fatalf("empty folder: %+v, %v", p, err)
	}
	full := t.TempDir()
	for _, name := range []string{"main.go", ".env", ".env.example", "node_modules/a/b.js", "sub/__pycache__/x.pyc"} {
		write(t, filepath.Join(full, name), name)
	}
	if p, err = trees.Init(t.Context(), full); err != nil || p.Head == "" || len(p.Dirty) > 0 {
		t.Fatalf("full folder: %+v, %v", p, err)
	}
	if entries, err := os.ReadDir(filepath.Join(full, ".git/hooks")); err == nil {
		t.Errorf("hooks of a template: %v", entries)
	}
	r := gitrepo.New(t, full, "main")
	if got := r.Git("ls-files"); got != ".env.example\nmain.go" {
		t.Errorf("files = %q", got)
	}
	again, err := trees.Init(t.Context(), full)
	if err != nil || again.Head != p.Head {
		t.Errorf("again = %+v, %v", again, err)
	}
	outer := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", filepath.Join(outer, "inner")).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	_, err = trees.Init(t.Context(), outer)
	refused(t, err, "holds others", "inner")
}

func TestOldOrMissingGitIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct{ version, want string }{
		{"git version 2.37.9", "2.38"}, {"git version 1.9", "2.38"}, {"git?", "2.38"}, {"", "no git program"},
	} {
		script := "#!/bin/sh\necho '" + c.version + "'\n"
		if c.version == "" {
			script = ""
		}
		if said := drivenBy(t, script, dir); !strings.Contains(said, c.want) {
			t.Errorf("%q: said %q", c.version, said)
		}
	}
}
