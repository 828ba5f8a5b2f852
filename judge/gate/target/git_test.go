package target_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/target"
)

// pushed is what git itself says that it would do: remote ref → deleted.
func (w *world) pushed(t *testing.T, args []string) map[string]bool {
	t.Helper()
	argv := append([]string{"git"}, args...)
	at := slices.Index(argv, "push")
	argv = slices.Insert(argv, at+1, "--porcelain", "--dry-run")
	out, _ := try(t, w.Dir, argv...)
	refs := map[string]bool{}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		from, to, _ := strings.Cut(fields[1], ":")
		refs[to] = from == ""
	}
	return refs
}

// has is what a remote really has.
func (w *world) has(t *testing.T, url string) map[string]string {
	t.Helper()
	refs := map[string]string{}
	for line := range strings.Lines(git(t, w.Dir, "ls-remote", "--refs", url)) {
		oid, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		refs[ref] = oid
	}
	return refs
}

// TestResolveIsWhatGitWouldPush compares with `git push --dry-run --porcelain` on bare remotes, for each way to say what goes
// where. What git leaves out because the remote has it may be listed all the same.
func TestResolveIsWhatGitWouldPush(t *testing.T) {
	t.Parallel()
	var total, refused int
	for _, format := range []string{"sha1", "sha256"} {
		w := newWorld(t, format)
		remotes := map[string]map[string]string{}
		for _, name := range []string{"origin", "fork"} {
			remotes[name] = w.has(t, name)
			remotes[filepath.Join(w.base, name+".git")] = remotes[name]
		}
		for i, c := range combinations(&w) {
			if format == "sha256" && i%5 != 0 {
				continue
			}
			w.Git("checkout", "-q", c.head)
			args := append(append(slices.Clone(c.config), "push"), c.args...)
			want := w.pushed(t, args)
			got, err := w.resolve(t, "git "+quoted(args))
			total++
			if errors.Is(err, target.ErrRefused) {
				refused++
			}
			name := format + " on " + c.head + ": git " + strings.Join(args, " ")
			if err != nil && (!errors.Is(err, target.ErrRefused) || len(want) > 0) {
				t.Errorf("%s: %v, git pushes %v", name, err, want)
				continue
			}
			if len(want) == 0 { // git refuses, or there is nothing: an answer does no harm
				continue
			}
			seen := map[string]bool{}
			for _, u := range got {
				seen[u.RemoteRef] = true
				deleted, ok := want[u.RemoteRef]
				switch {
				case ok && deleted != u.Delete:
					t.Errorf("%s: %s is deleted: %t", name, u.RemoteRef, u.Delete)
				case !ok && (u.Delete || remotes[u.Remote][u.RemoteRef] != u.LocalOID):
					t.Errorf("%s: git does not push %s", name, brief(u))
				}
			}
			for ref := range want {
				if !seen[ref] {
					t.Errorf("%s: git pushes %s, got %v", name, ref, briefs(got))
				}
			}
		}
	}
	t.Logf("%d combinations, %d refused", total, refused)
	if total < 300 || refused > total/2 {
		t.Errorf("%d combinations, %d refused: too few to mean anything", total, refused)
	}
}

type combination struct {
	head   string
	config []string
	args   []string
}

func combinations(w *world) []combination {
	var list []combination
	add := func(head string, config, args []string) { list = append(list, combination{head, config, args}) }
	set := func(kv ...string) []string {
		var c []string
		for _, x := range kv {
			c = append(c, "-c", x)
		}
		return c
	}
	for _, head := range []string{"main", "feat/a", "feat/b", "rel", "on-fork", "tracked", "v1"} {
		for _, mode := range []string{"nothing", "current", "upstream", "simple", "matching", "tracking"} {
			add(head, set("push.default="+mode), nil)
			add(head, set("push.default="+mode), []string{"fork"})
			add(head, set("push.default="+mode, "remote.pushDefault=fork"), nil)
		}
		add(head, nil, nil)
		add(head, nil, []string{"-u"})
		add(head, set("push.autoSetupRemote=true"), nil)
		add(head, set("branch.rel.pushRemote=fork", "branch.main.pushRemote=fork"), nil)
		add(head, set("remote.origin.push=refs/heads/*:refs/heads/w/*"), nil)
		add(head, set("remote.origin.push=HEAD"), nil)
		add(head, set("remote.origin.push=+refs/heads/main:refs/heads/other", "remote.origin.push=refs/tags/*"), nil)
		add(head, set("push.followTags=true"), []string{"origin", "main"})
		add(head, set("push.default=upstream"), []string{"origin", "rel"})
	}
	url := filepath.Join(w.base, "origin.git")
	refs := [][]string{
		{"origin", "main"}, {"origin", "HEAD"}, {"origin", "@"}, {"origin", "HEAD:main"}, {"origin", "HEAD:refs/heads/new"}, {"origin", "HEAD:new"},
		{"origin", "+main"}, {"origin", "+HEAD:main"}, {"origin", "feat/a:main"}, {"origin", "feat/b"}, {"origin", "main", "feat/a", "feat/b"},
		{"origin", "heads/main"}, {"origin", "refs/heads/main"}, {"origin", "refs/heads/main:main"}, {"origin", "main:heads/main"}, {"origin", "rel:feat/ü"},
		{"origin", "HEAD~1:main"}, {"origin", "HEAD~1:refs/heads/older"}, {"origin", "HEAD~1"}, {"origin", "main^{}:refs/heads/y"}, {"origin", "v2"}, {"origin", "tag", "v2"}, {"origin", "v2:refs/tags/v9"},
		{"origin", "v2:v9"}, {"origin", "v1"}, {"origin", "v3:refs/heads/from-tag"}, {"origin", "v3:from-tag"}, {"origin", "dup"}, {"origin", "refs/tags/dup"}, {"origin", "heads/dup"}, {"origin", "nothing"}, {"origin", "heads"},
		{"origin", "wip/x.y@z"}, {"origin", "wip/x.y@z:feat/ü"}, {"origin", ":gone"}, {"origin", "--delete", "gone"}, {"-d", "origin", "gone", "feat/ü"}, {"origin", ":refs/heads/gone"}, {"origin", ":refs/tags/v1"},
		{"origin", "--delete", "none"}, {"origin", ":"}, {"origin", "+:"}, {"--all"}, {"--all", "origin"}, {"--all", "fork"}, {"--all", "-f"}, {"--tags"}, {"--tags", "origin", "main"}, {"--follow-tags", "origin", "main", "feat/a"},
		{"--follow-tags", "origin", "v1:refs/heads/z"}, {"--mirror", "origin"}, {"--mirror", "fork"}, {"--prune", "origin", "refs/heads/*"}, {"--prune", "origin", "refs/heads/*:refs/heads/*"}, {"--prune", "--all", "origin"},
		{"--prune", "origin", "refs/heads/feat/*:refs/heads/feat/*"}, {"origin", "refs/heads/*:refs/heads/x/*"}, {"origin", "refs/heads/feat/*"}, {"origin", "refs/heads/f*:refs/heads/g*"}, {"origin", "refs/tags/*:refs/tags/*"},
		{"origin", "refs/heads/*", "^refs/heads/feat/*"}, {"origin", "refs/heads/*", "^refs/heads/main"}, {"origin", "refs/*:refs/backup/*"}, {"origin", "+refs/heads/*"}, {"origin", "refs/heads/*", "main:other"},
		{"fork", "main:trunk"}, {"fork", "main"}, {"fork"}, {"fork", "HEAD"}, {"fork", ":on-fork"}, {"fork", "on-fork", "-f"}, {"fork", ":"}, {url, "main"}, {url, "HEAD:refs/heads/main"}, {url, "feat/b"}, {url, "--all"}, {url, ":gone"},
		{"--repo=fork", "--all"}, {"--repo=fork"}, {"--repo", "fork", "origin", "main"}, {"--force-with-lease", "origin", "main"}, {"-f", "origin", "main"}, {"--atomic", "origin", "main", "feat/b"}, {".", "main:copy"}, {".", "feat/a:feat/b"},
		{"origin", "main:"}, {"origin", "a:b:c"}, {"origin", "refs/heads/*:x"}, {"origin", "main:refs/for/main"}, {"origin", "main:refs/pull/1/head"}, {"origin", "remotes/origin/main:refs/heads/q"}, {"origin", "origin/main:refs/heads/q"}, {"origin", "origin/feat/a:main"},
		{"origin", "origin"}, {"--", "origin", "main"}, {"origin", "main:main", "main:feat/a"}, {"--all", "--mirror"}, {"--tags", "--all"}, {"--delete", "origin"}, {"--delete", "origin", "a:b"},
	}
	for i, args := range refs {
		add("feat/a", nil, args)
		if i%2 == 0 {
			add("v1", nil, args) // detached
		} else {
			add("rel", set("remote.origin.push=refs/heads/rel:refs/heads/mapped"), args)
		}
	}
	add("main", set("remote.fork.mirror=true"), []string{"fork"})
	add("main", set("remote.fork.mirror=true"), []string{"fork", "main"})
	return list
}
