package target_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/gate/target"
	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sha1") // on main
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"git push", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git push origin HEAD:main", []string{"HEAD:refs/heads/main protected"}},
		{"git push origin feat/b:main", []string{"refs/heads/feat/b:refs/heads/main protected"}},
		{"git push -f", []string{"refs/heads/main:refs/heads/main force protected"}},
		{"git push origin +feat/a", []string{"refs/heads/feat/a:refs/heads/feat/a force"}},
		{"git push --force-with-lease origin feat/a", []string{"refs/heads/feat/a:refs/heads/feat/a lease"}},
		{"git push -u origin feat/b", []string{"refs/heads/feat/b:refs/heads/feat/b new"}},
		{"git push origin tracked", []string{"refs/heads/tracked:refs/heads/tracked same"}},
		{"git push origin :gone", []string{":refs/heads/gone delete"}},
		{"git push origin --delete main", []string{":refs/heads/main delete protected"}},
		{"git push --delete origin v1", []string{":refs/tags/v1 delete tag"}},
		{"git push origin v2", []string{"refs/tags/v2:refs/tags/v2 tag new"}},
		{"git push origin heads/main", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git push --mirror fork", []string{":refs/heads/trunk force delete"}}, // and more, see below
		{"git push https://example.test/x.git main", []string{"refs/heads/main:refs/heads/main new protected"}},
		{"git push https://example.test/x.git HEAD:heads/main", []string{"HEAD:refs/heads/main new protected"}},
		{"git push git@example.test:x.git :main", []string{":refs/heads/main delete protected"}},
		{"git push origin $(git branch --show-current)", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git push origin HEAD:$(git rev-parse --abbrev-ref HEAD)", []string{"HEAD:refs/heads/main protected"}},
		{"b=`git symbolic-ref --short HEAD`; git push origin \"$b\"", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git push origin $(git rev-parse HEAD):refs/heads/x", []string{"HEAD:refs/heads/x new"}},
		{"git push origin {feat/a,feat/b}", []string{"refs/heads/feat/a:refs/heads/feat/a", "refs/heads/feat/b:refs/heads/feat/b new"}},
		{"git subtree push --prefix=lib origin sub", []string{"HEAD:refs/heads/sub new prefix=lib"}},
		{"git subtree push -P lib origin +feat/b:main", []string{"feat/b:refs/heads/main force protected prefix=lib"}},
		{"git send-pack origin main", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git send-pack origin", []string{"refs/heads/main:refs/heads/main protected"}}, // and more

		{"git add . && git commit -m x && git push", []string{"refs/heads/main:refs/heads/main pending protected"}},
		{"git commit -m x && git push origin feat/a", []string{"refs/heads/feat/a:refs/heads/feat/a"}},
		{"git commit -m x && git push origin HEAD:refs/heads/y", []string{"HEAD:refs/heads/y new pending"}},
		{"git checkout -b feat/new && git push -u origin feat/new", []string{"refs/heads/feat/new:refs/heads/feat/new new"}},
		{"git checkout -b feat/new && git commit -am x && git push -u origin HEAD", []string{"refs/heads/feat/new:refs/heads/feat/new new pending"}},
		{"git switch -c feat/new feat/a && git push origin feat/new", []string{"refs/heads/feat/new:refs/heads/feat/new new"}},
		{"git checkout feat/a && git push", []string{"refs/heads/feat/a:refs/heads/feat/a"}},
		{"git checkout feat/a && git merge main && git push", []string{"refs/heads/feat/a:refs/heads/feat/a pending"}},
		{"git checkout gone && git push", []string{"refs/heads/gone:refs/heads/gone same"}},
		{"git checkout a.txt && git push", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git checkout - && git push origin HEAD:x", []string{"HEAD:refs/heads/x new pending"}},
		{"git tag v8 && git push origin v8", []string{"refs/tags/v8:refs/tags/v8 tag new"}},
		{"git branch z feat/a && git push origin z", []string{"refs/heads/z:refs/heads/z new"}},
		{"git checkout -b up origin/feat/a && git -c push.default=upstream push", []string{"refs/heads/up:refs/heads/feat/a same"}},
		{"git config push.default nothing; git push origin main", []string{"refs/heads/main:refs/heads/main protected"}},
		{"git remote add up https://example.test/u.git && git push up main", []string{"refs/heads/main:refs/heads/main new protected"}},
	} {
		t.Run(tt.line, func(t *testing.T) {
			got, err := w.resolve(t, tt.line)
			if err != nil {
				t.Fatal(err)
			}
			have := map[string]bool{}
			for _, b := range briefs(got) {
				have[strings.Replace(b, "HEAD:refs/heads/feat/new", "refs/heads/feat/new:refs/heads/feat/new", 1)] = true
			}
			for _, want := range tt.want {
				if !have[want] {
					t.Errorf("%s: want %q in %q", tt.line, tt.want, briefs(got))
				}
			}
			if len(got) != len(tt.want) && !strings.Contains(tt.line, "--mirror") && !strings.HasSuffix(tt.line, "send-pack origin") {
				t.Errorf("%s: want %q, got %q", tt.line, tt.want, briefs(got))
			}
		})
	}
}

func TestResolveSaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sha256")
	w.Git("config", "url.ssh://git@example.test/.insteadOf", "ex:")
	w.Git("config", "url.https://example.test/.pushInsteadOf", "exp:")
	w.Git("remote", "add", "a", "ex:a.git")
	w.Git("remote", "add", "b", "exp:b.git")
	w.Git("remote", "add", "c", "ex:c.git")
	w.Git("remote", "set-url", "--push", "c", "/p1")
	w.Git("remote", "set-url", "--push", "--add", "c", "/p2")
	for line, want := range map[string]string{
		"git push a main":                  "ssh://git@example.test/a.git",
		"git push b main":                  "https://example.test/b.git",
		"git push c main":                  "/p1 /p2",
		"git push ex:x main":               "ssh://git@example.test/x",
		"git push":                         filepath.Join(w.base, "origin.git"),
		"git push . main:x":                ".",
		"git -c remote.pushDefault=b push": "https://example.test/b.git",
		"git -c branch.main.pushRemote=a -c remote.pushDefault=b push": "ssh://git@example.test/a.git",
	} {
		got, err := w.resolve(t, line)
		if err != nil || len(got) != 1 || got[0].URL != want {
			t.Errorf("%s: %+v, %v, want %s", line, got, err, want)
		}
	}
	got, err := w.resolve(t, "git push origin main")
	want := []target.Update{{
		Remote: "origin", URL: filepath.Join(w.base, "origin.git"), Local: "refs/heads/main", LocalOID: w.Git("rev-parse", "main"),
		RemoteRef: "refs/heads/main", RemoteOID: w.Git("rev-parse", "origin/main"), Protected: true,
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(got[0].LocalOID) != 64 {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestResolveErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sha1")
	for line, want := range map[string]error{
		"git push origin $X":               target.ErrUnreadable,
		"git push $R main":                 target.ErrUnreadable,
		"ssh host git push":                target.ErrUnreadable,
		"gh pr merge 1":                    target.ErrKind,
		"jj git push":                      target.ErrKind,
		"git push origin nothing":          target.ErrRefused,
		"git push origin dup":              target.ErrRefused,
		"git -c push.default=nothing push": target.ErrRefused,
		"git checkout feat/b && git push":  target.ErrRefused,
		"git push origin a:":               target.ErrRefused,
	} {
		list := parsed(t, line)
		if len(list) != 1 {
			t.Errorf("%s: %d pushes", line, len(list))
			continue
		}
		if got, err := target.Resolve(t.Context(), w.repo, list[0], nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v, want %v", line, briefs(got), err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := target.Resolve(ctx, w.repo, push.Push{}, nil); !errors.Is(err, cause) {
		t.Errorf("ended context: %v", err)
	}
	if _, err := target.Resolve(t.Context(), gitx.Repo{Root: w.base, GitDir: w.base, CommonDir: w.base}, push.Push{}, nil); err == nil {
		t.Error("no repository: no error")
	}
}

func TestResolveWithoutACommitOrRemote(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "new")
	r := gitrepo.New(t, base, "feat/x")
	w := world{Repo: r, base: base}
	w.find(t)
	if got, err := w.resolve(t, "git push origin HEAD"); !errors.Is(err, target.ErrRefused) {
		t.Errorf("no commit: %v, %v", briefs(got), err)
	}
	got, err := w.resolve(t, "git add -A && git commit -m one && git remote add origin https://example.test/x && git push -u origin feat/x")
	if diff := cmp.Diff([]string{"refs/heads/feat/x:refs/heads/feat/x new pending"}, briefs(got)); diff != "" || err != nil {
		t.Errorf("first commit: %v %s", err, diff)
	}
	if base, tip, err := target.Range(t.Context(), w.repo, got[0]); base != gitx.EmptyTree("") || tip != "" || err != nil {
		t.Errorf("range %q %q %v", base, tip, err)
	}
	r.Write("a", "1")
	one := r.Commit("one")
	got, err = w.resolve(t, "git push https://example.test/x HEAD:main")
	if len(got) != 1 || got[0].LocalOID != one || !got[0].New || err != nil {
		t.Errorf("%v %v", briefs(got), err)
	}
	if base, tip, err := target.Range(t.Context(), w.repo, got[0]); base != gitx.EmptyTree(one) || tip != one || err != nil {
		t.Errorf("range %q %q %v", base, tip, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sha1")
	w.Git("worktree", "add", "-q", "../linked wörk", "feat/b")
	w.Write("sub/x", "1")
	linked := filepath.Join(w.base, "linked wörk")
	for _, tt := range []struct{ cwd, line, root string }{
		{w.Dir, "git push", w.Dir},
		{w.Dir, "cd sub && git push", w.Dir},
		{w.Path("sub"), "git push", w.Dir},
		{w.base, "git -C own push", w.Dir},
		{w.base, "git -C ~/own push", w.Dir},
		{"/", "git -C '" + w.Dir + "' push", w.Dir},
		{linked, "git push", linked},
		{w.Dir, "git -C '../linked wörk' push", linked},
		{w.base, "git --git-dir=own/.git push", w.Dir},
		{w.base, "GIT_DIR=own/.git git push", w.Dir},
		{w.base, "git --git-dir=origin.git push", filepath.Join(w.base, "origin.git")},
		{w.base, "git -C origin.git push", filepath.Join(w.base, "origin.git")},
		{w.base, "git -C origin.git/refs push", filepath.Join(w.base, "origin.git")},
		{w.Dir, "git -C .git push", w.Path(".git")},
		{w.base, "git push", ""},
		{w.base, "git -C none push", ""},
		{w.base, "git --git-dir=fork push", ""},
		{w.Dir, "git -C $X push", ""},
		{w.Dir, "GIT_DIR=$X git push", ""},
		{w.Dir, "ssh host git push", ""},
		{"relative", "git push", ""},
	} {
		repo, err := target.Find(tt.cwd, w.base, parsed(t, tt.line)[0])
		want := tt.root
		if want != "" {
			want, _ = filepath.EvalSymlinks(want)
		}
		if repo.Root != want || (err == nil) != (want != "") {
			t.Errorf("%s in %s: %q, %v, want %q", tt.line, tt.cwd, repo.Root, err, want)
		}
		if err == nil {
			if _, err := target.Resolve(t.Context(), repo, parsed(t, "git push origin HEAD:refs/heads/x")[0], nil); err != nil {
				t.Errorf("%s in %s: %v", tt.line, tt.cwd, err)
			}
		}
	}
	repo, err := target.Find(linked, "", parsed(t, "git push")[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := target.Resolve(t.Context(), repo, parsed(t, "git push origin HEAD")[0], nil)
	if diff := cmp.Diff([]string{"HEAD:refs/heads/feat/b new"}, briefs(got)); diff != "" || err != nil {
		t.Errorf("linked work tree: %v %s", err, diff)
	}
}
