package push_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/guard/push"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/google/go-cmp/cmp"
)

type aliases map[string]string

func (a aliases) Alias(_ shell.Dir, name string) string { return a[strings.ToLower(name)] }

// find does what the guard does: parse, expand, find.
func find(t *testing.T, command string) []push.Push {
	t.Helper()
	s, err := shell.Parse(command)
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	return push.Find(&s, gitcmd.All(s.Commands, aliases{
		"p": "push", "pf": "push --force", "ship": "!git push origin HEAD:main", "pub": "!f() { git push -u origin \"$1\"; }; f",
		"nested": "p --tags", "q": "-c push.default=current push", "st": "status", "lol": "log --grep push", "loop": "pool", "pool": "loop",
		"push": "status", "all": "!git add . && git commit -m x && git push",
	}))
}

// brief is one push in one line: tool, folder, remote, refspecs, options.
func brief(p push.Push) string {
	b := []string{p.Tool}
	if p.Dir.Path != "" {
		b = append(b, "in:"+p.Dir.Path)
	}
	if p.Dir.Unknown {
		b = append(b, "in:?")
	}
	if p.GitDir != "" {
		b = append(b, "gitdir:"+p.GitDir)
	}
	if p.Remote.Text != "" {
		b = append(b, p.Remote.Text)
	}
	for _, r := range p.Refspecs {
		b = append(b, r.Text)
	}
	for _, f := range []struct {
		on   bool
		name string
	}{
		{p.Force, "force"}, {p.Lease, "lease"}, {p.All, "all"}, {p.Mirror, "mirror"}, {p.Tags, "tags"}, {p.FollowTags, "follow-tags"},
		{p.Delete, "delete"}, {p.Prune, "prune"}, {p.DryRun, "dry-run"}, {p.NoVerify, "no-verify"}, {p.SetUpstream, "set-upstream"},
		{p.Atomic, "atomic"}, {p.Unreadable, "unreadable"}, {p.Elsewhere, "elsewhere"}, {p.Before.Commits, "commits"},
		{p.Before.Branch != "", "on:" + p.Before.Branch}, {p.Before.Unknown, "unknown"}, {p.Before.Config, "config"},
	} {
		if f.on {
			b = append(b, "<"+f.name+">")
		}
	}
	for _, m := range p.Before.Made {
		b = append(b, "made:"+m.Ref+"="+m.From)
	}
	return strings.Join(b, " ")
}

func briefs(list []push.Push) []string {
	var out []string
	for _, p := range list {
		out = append(out, brief(p))
	}
	return out
}

func check(t *testing.T, tests []struct{ command, want string }) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			var want []string
			if tt.want != "" {
				want = strings.Split(tt.want, " | ")
			}
			if diff := cmp.Diff(want, briefs(find(t, tt.command))); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.command, diff)
			}
		})
	}
}

func TestSpellingsOfGitPush(t *testing.T) {
	t.Parallel()
	check(t, []struct{ command, want string }{
		{"git push", "git push"},
		{"cd app && git push", "git push in:app"},
		{"git -C /x push", "git push in:/x"},
		{"git -C a -C b push", "git push in:a/b"},
		{`git -C "" -C /x push`, "git push in:/x"},
		{`git -C "$d" push`, "git push in:?"},
		{"FOO=1 git push", "git push"},
		{"/usr/bin/git push", "git push"},
		{"git.exe push", "git push"},
		{"GIT push", "git push"},
		{"sh -c 'git push'", "git push"},
		{`bash -c "bash -c 'git push origin main'"`, "git push origin main"},
		{"(git push)", "git push"},
		{"{ git push; }", "git push"},
		{"! git push", "git push"},
		{"git --no-pager push", "git push"},
		{"git -P -c a.b=c push", "git push"},
		{"git --git-dir=/x/.git --work-tree /x push", "git push gitdir:/x/.git"},
		{"git --git-dir /x/.git push", "git push gitdir:/x/.git"},
		{"GIT_DIR=/x/.git git push", "git push gitdir:/x/.git"},
		{"export GIT_DIR=/x/.git; git push", "git push gitdir:/x/.git"},
		{"git push;echo done", "git push"},
		{"echo $(git push)", "git push"},
		{"echo `git push`", "git push"},
		{"x=$(git push 2>&1)", "git push"},
		{"ls && git push origin main | tail -3", "git push origin main"},
		{"git push&", "git push"},
		{"if true; then git push; fi", "git push"},
		{"for r in a b; do git push origin $r; done", "git push origin a | git push origin b"},
		{"f() { git push; }; f", "git push"},
		{"sudo -u me git push", "git push"},
		{"env A=1 git push", "git push"},
		{"command git push", "git push"},
		{"time git push", "git push"},
		{"nohup git push &", "git push"},
		{"timeout 60 git push", "git push"},
		{"exec git push", "git push"},
		{"eval 'git push'", "git push"},
		{"git \\\npush", "git push"},
		{"git 'push'", "git push"},
		{`g""it p\ush`, "git push"},
		{"git-push origin main", "git push origin main"},
		{"/usr/lib/git-core/git-push", "git push"},
		{"hub push", "git push"},
		{"ps aux; git push --force", "git push <force>"},
		{"git push && git push --tags", "git push | git push <tags>"},
		{"bash <<'E'\ngit push\nE", "git push"},
		{"true || git push", "git push"},
		{"while ! git push; do sleep 1; done", "git push"},
		{"case x in x) git push;; esac", "git push"},
		{"find . -maxdepth 1 -exec git push \\;", "git push"},
		{"git push > /dev/null 2>&1", "git push"},
	})
}

func TestOptionsOfGitPush(t *testing.T) {
	t.Parallel()
	check(t, []struct{ command, want string }{
		{"git push origin HEAD:main", "git push origin HEAD:main"},
		{"git push origin feat/x:main", "git push origin feat/x:main"},
		{"git push -f", "git push <force>"},
		{"git push origin +feat/x", "git push origin +feat/x"},
		{"git -C . push origin main", "git push origin main"},
		{"git push origin main -f", "git push origin main <force>"},
		{"git push -uf origin x", "git push origin x <force> <set-upstream>"},
		{"git push --force-with-lease=x:abc origin x", "git push origin x <lease>"},
		{"git push --force-w origin x", "git push origin x <lease>"},
		{"git push --force --no-force origin x", "git push origin x"},
		{"git push --mir", "git push <mirror>"},
		{"git push --all", "git push <all>"},
		{"git push --branches origin", "git push origin <all>"},
		{"git push --tags", "git push <tags>"},
		{"git push --follow-tags", "git push <follow-tags>"},
		{"git push --prune origin 'refs/heads/*'", "git push origin refs/heads/* <prune>"},
		{"git push -d origin x", "git push origin x <delete>"},
		{"git push origin --delete x y", "git push origin x y <delete>"},
		{"git push origin :x", "git push origin :x"},
		{"git push origin tag v1", "git push origin refs/tags/v1"},
		{"git push -o ci.skip origin x", "git push origin x"},
		{"git push -oci.skip origin x", "git push origin x"},
		{"git push -o -n origin x", "git push origin x"},
		{"git push --push-option --dry-run origin x", "git push origin x"},
		{"git push --repo=up", "git push up"},
		{"git push --repo up x", "git push x"},
		{"git push --receive-pack x origin y", "git push origin y"},
		{"git push --recurse-submodules check origin y", "git push origin y"},
		{"git push --signed origin y", "git push origin y"},
		{"git push --no-verify", "git push <no-verify>"},
		{"git push --no-verif", "git push <no-verify>"},
		{"git push -- origin -n", "git push origin -n"},
		{"git push https://example.test/x.git HEAD", "git push https://example.test/x.git HEAD"},
		{"git push origin {a,b}", "git push origin a b"},
		{"git push origin refs/heads/*:refs/heads/*", "git push origin refs/heads/*:refs/heads/*"},
		{"git push --atomic origin a b", "git push origin a b <atomic>"},
		{"git push -u origin $(git branch --show-current)", "git push origin $(git branch --show-current) <set-upstream>"},
		{`git push origin "HEAD:$(git rev-parse --abbrev-ref HEAD)"`, "git push origin HEAD:$(git rev-parse --abbrev-ref HEAD)"},
		{"b=$(git branch --show-current); git push origin \"$b\"", "git push origin $(git branch --show-current)"},
		{"b=$(git branch --show-current) && git push origin HEAD:${b}", "git push origin HEAD:$(git branch --show-current)"},
		{"git push origin $X", "git push origin $X <unreadable>"},
		{"git push $REMOTE main", "git push $REMOTE main <unreadable>"},
		{"git push $OPTS", "git push $OPTS <unreadable>"},
		{"git push origin $(cat refs)", "git push origin $(cat refs) <unreadable>"},
		{"git push origin {1..3}", "git push origin 1 2 3"},
		{"git push origin $((1+2))", "git push origin $((1+2)) <unreadable>"},
	})
}

func TestDryRunsAreListedAsSuch(t *testing.T) {
	t.Parallel()
	check(t, []struct{ command, want string }{
		{"git push --dry-run", "git push <dry-run>"},
		{"git push -n", "git push <dry-run>"},
		{"git push -nf origin x", "git push origin x <force> <dry-run>"},
		{"git push origin x --dry", "git push origin x <dry-run>"},
		{"git push origin x -fn", "git push origin x <force> <dry-run>"},
		{"git push --dry-run --no-dry-run", "git push"},
		{"git push -n; git push", "git push <dry-run> | git push"},
		{"git subtree push --prefix=a origin b", "git subtree push origin b"},
	})
}

func TestNotAPush(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"git push-dry", "echo git push", `echo "git push"`, "git log --grep push", "git stash push", "git stash push -m push", "git config push.default",
		"git config --global push.default current", "git help push", "git push --help", "git push -h", "git --help push", "git --version push",
		"git commit -m 'git push'", "git commit -m push", "git branch push", "git checkout push", "git switch -c push", "git tag push",
		"git grep push", "rg 'git push --force' docs", "man git-push", "which git-push", "npm run push", "docker push x/y", "podman push x", "cargo publish",
		"cat > notes.md <<'E'\ngit push --force\nE", "git commit -F - <<'E'\nwe git push now\nE", "git remote -v", "git remote get-url --push origin",
		"git remote set-url --push origin x", "git pull", "git fetch origin", "git subtree split --prefix=a", "git subtree pull -P a origin push", "git svn rebase",
		"pushd git", "helm push x", "gh pr view 1", "gh pr list", "gh pr create --fill", "gh pr merge --help", "gh pr merge --disable-auto 3", "gh pr checks", "gh repo view", "gh repo sync --help",
		"gh api repos/o/r/pulls/1", "gh api repos/o/r/pulls/1/merge", "gh api repos/o/r/git/refs", "gh api repos/o/r/contents/x", "gh api repos/o/r/issues -f title=x",
		"gh api -X POST repos/o/r/issues/1/comments -f body='merge'", "gh api graphql -f query='query { viewer { login } }'", "gh issue create --title 'gh pr merge'",
		"glab mr list", "glab mr view 1", "jj git fetch", "jj log", "sl status", "sl pr list", "curl https://api.github.com/repos/o/r/pulls/1", "curl -X POST https://example.test/merge",
		"$DOCKER push image", "\"$cmd\" push image:tag", "git \"$@\"", "git $x", "git st", "git lol", "git loop", "eval \"echo git push\"", "printf 'git push\\n'",
		"gh repo create x --private", "git lfs push origin main", "git remote show origin push", "git worktree add push", "git request-pull a b", "git show HEAD:push", "python3 push.py", "./git-push.sh --help",
		"git submodule foreach 'git status'", "git rebase -i main", "git bisect run make test", "git ls-remote origin", "sed -i 's/git push/x/' f", "ls # git push", "git flow feature start x", "arc diff",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			if got := briefs(find(t, command)); got != nil {
				t.Errorf("%q is taken for %q", command, got)
			}
		})
	}
}

func TestAliasesAndWhatGitStarts(t *testing.T) {
	t.Parallel()
	check(t, []struct{ command, want string }{
		{"git p", "git push"},
		{"git P origin x", "git push origin x"},
		{"git pf origin x", "git push origin x <force>"},
		{"git -C d p", "git push in:d"},
		{"git ship", "git push origin HEAD:main"},
		{"git -C d ship", "git push in:d origin HEAD:main"},
		{"git --git-dir=/x/.git ship", "git push gitdir:/x/.git origin HEAD:main"},
		{"git pub feat/x", "git push origin feat/x <set-upstream>"},
		{"git nested", "git push <tags>"},
		{"git q", "git push"},
		{"git all", "git push <commits>"},
		{"git push", "git push"},
		{"git -c alias.z='push origin main' z", "git push origin main"},
		{"git -c alias.z='!git push' z x", "git push x"},
		{"git -c 'alias.z=!sh -c \"git push origin $1\" -' z x", "git push origin x"},
		{"git config alias.z push && git z origin main", "git push origin main"},
		{"git config --global alias.z '!git push -f'; git z", "git push <force>"},
		{"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0=push git z", "git push"},
		{"git rebase -x 'git push' main", "git push <unknown>"},
		{"git rebase --exec='git push' main", "git push <unknown>"},
		{"git submodule foreach 'git push origin main'", "git push in:? origin main"},
		{"git submodule foreach --recursive git push", "git push in:?"},
		{"git bisect run git push", "git push <unknown>"},
		{"git for-each-repo --config=maintenance.repo push origin main", "git push in:? origin main"},
		{"git -c core.pager='git push' log", "git push"},
		{"GIT_EDITOR='git push; true' git commit", "git push <commits>"},
		{"git filter-branch --tree-filter 'git push' HEAD", "git push <unknown>"},
	})
}

func TestOtherRoads(t *testing.T) {
	t.Parallel()
	check(t, []struct{ command, want string }{
		{"gh pr merge 12 --squash", "gh pr merge"},
		{"gh pr merge", "gh pr merge"},
		{"gh pr -R o/r merge 5", "gh pr merge"},
		{"gh -R o/r pr merge --auto 5", "gh pr merge"},
		{"cd x && gh pr merge 5 && echo ok", "gh pr merge in:x"},
		{"GH_TOKEN=x gh pr merge", "gh pr merge"},
		{"gh repo sync", "gh repo sync"},
		{"gh repo sync o/r -b main --force", "gh repo sync o/r main <force>"},
		{"gh repo create x --source=. --push", "gh repo create --push"},
		{"gh api -X PUT repos/o/r/pulls/1/merge", "gh api"},
		{"gh api --method=put /repos/o/r/pulls/1/merge", "gh api"},
		{"gh api -XPUT repos/{owner}/{repo}/pulls/$N/merge", "gh api"},
		{"gh api repos/o/r/merges -f base=main -f head=x", "gh api"},
		{"gh api repos/o/r/git/refs -f ref=refs/heads/x -f sha=1", "gh api"},
		{"gh api -X DELETE repos/o/r/git/refs/heads/x", "gh api"},
		{"gh api -X PATCH repos/o/r/git/refs/heads/main -f sha=x -F force=true", "gh api"},
		{"gh api -X PUT repos/o/r/contents/README.md -f content=x", "gh api"},
		{"gh api graphql -f query='mutation { mergePullRequest(input: {}) { clientMutationId } }'", "gh api"},
		{"gh api repos/o/r/merge-upstream -f branch=main", "gh api"},
		{"glab mr merge 5", "glab mr merge"},
		{"glab mr accept 5", "glab mr merge"},
		{"glab api -X PUT projects/1/merge_requests/2/merge", "glab api"},
		{"tea pr merge 3", "tea pr merge"},
		{"az repos pr update --id 1 --status completed", "az repos pr"},
		{"hub pr merge 1", "git pr"},
		{"git subtree push --prefix=dist origin gh-pages", "git subtree push origin gh-pages"},
		{"git subtree -P dist push origin gh-pages", "git subtree push origin gh-pages"},
		{"git send-pack origin main", "git send-pack origin main"},
		{"git send-pack --all host:x.git", "git send-pack host:x.git <all>"},
		{"git send-pack --force ../x.git +main", "git send-pack ../x.git +main <force>"},
		{"git send-pack ../x.git", "git send-pack ../x.git :"},
		{"git svn dcommit", "git svn"},
		{"git svn dcommit -n", "git svn <dry-run>"},
		{"git p4 submit", "git p4"},
		{"git review", "git review"},
		{"git flow feature publish x", "git flow"},
		{"jj git push", "jj git push"},
		{"jj git push --dry-run", "jj git push <dry-run>"},
		{"jj -R ../x git push -b main --remote up", "jj git push in:../x up main"},
		{"sl push --to main", "sl push main"},
		{"sl pr submit", "sl pr"},
		{"curl -X PUT https://api.github.com/repos/o/r/pulls/1/merge", "curl"},
		{"curl -sXPUT -H 'A: b' https://gh.example.test/api/v3/repos/o/r/pulls/1/merge", "curl"},
		{"curl --request=PUT \"$HOST/api/v4/projects/1/merge_requests/2/merge\"", "curl"},
		{"curl -d '{}' https://api.github.com/repos/o/r/merges", "curl"},
		{"curl -d '{\"query\":\"mutation{mergePullRequest}\"}' https://api.github.com/graphql", "curl"},
		{"wget --method=PUT https://api.github.com/repos/o/r/pulls/1/merge", "wget"},
		{"curl --data-binary @p https://example.test/x.git/git-receive-pack", "curl <unreadable>"},
		{"$GIT push", "git push <unreadable>"},
		{"\"$(which git)\" push origin main", "git push origin main <unreadable>"},
		{"$cmd push --force origin main", "git push origin main <force> <unreadable>"},
		{"$x push origin main", "git push origin main <unreadable>"},
		{"git $x --force origin main", "git push <unreadable>"},
		{"git $OPTS push origin main", "git push <unreadable>"},
		{"git ls-files | xargs git push origin", "git push origin <unreadable>"},
		{"git remote | xargs -I{} git push {} main", "git push {} main <unreadable>"},
		{"git push origin HEAD^{}:refs/heads/x", "git push origin HEAD^{}:refs/heads/x"},
		{"echo 'git push' | bash", "git push"},
		{"g=git; $g push", "git push"},
		{"trap 'git push' EXIT", "git push"},
		{"echo main | xargs git push origin", "git push origin main"},
		{"ssh host 'cd x && git push origin main'", "git push in:? origin main <elsewhere>"},
		{"docker run --rm -v $PWD:/w img git push", "git push in:? <elsewhere>"},
		{"sudo --frobnicate git push", "git push"},
	})
}

func TestWhatTheLineDoesBefore(t *testing.T) {
	t.Parallel()
	check(t, []struct{ command, want string }{
		{"git add . && git commit -m x && git push", "git push <commits>"},
		{"git checkout -b feat/x && git push -u origin feat/x", "git push origin feat/x <set-upstream> <on:feat/x> made:refs/heads/feat/x="},
		{"git switch -c feat/x main && git push -u origin HEAD", "git push origin HEAD <set-upstream> <on:feat/x> made:refs/heads/feat/x=main"},
		{"git checkout main && git merge feat && git push", "git push <on:main> <unknown>"},
		{"git checkout - && git push", "git push <unknown>"},
		{"git checkout -- a.go && git push", "git push"},
		{"git checkout main -- a.go && git push", "git push"},
		{"git checkout $b && git push", "git push <unknown>"},
		{"git tag v1 && git push origin v1", "git push origin v1 made:refs/tags/v1="},
		{"git tag -a v1 -m 'x y' && git push --tags", "git push <tags> made:refs/tags/v1="},
		{"git tag -d v1 && git push", "git push"},
		{"git branch x && git push origin x", "git push origin x made:refs/heads/x="},
		{"git branch -m new && git push origin new", "git push origin new <on:new> made:refs/heads/new="},
		{"git branch -u origin/x && git push", "git push <config>"},
		{"git pull --rebase && git push", "git push"},
		{"git pull origin main && git push", "git push"},
		{"git pull . feat/x && git push", "git push <unknown>"},
		{"git fetch && git rebase origin/main && git push --force-with-lease", "git push <lease>"},
		{"git merge origin/main && git push", "git push"},
		{"git merge && git push", "git push"},
		{"git merge @{u} && git push", "git push"},
		{"git merge feat/x && git push -u origin HEAD", "git push origin HEAD <set-upstream> <unknown>"},
		{"git rebase feat/x && git push", "git push <unknown>"},
		{"git rebase --continue && git push", "git push <commits>"},
		{"git rebase -i HEAD~3 && git push", "git push <unknown>"},
		{"git rebase --onto a b && git push", "git push <unknown>"},
		{"git cherry-pick abc && git push", "git push <unknown>"},
		{"git revert HEAD && git push", "git push <unknown>"},
		{"git am x.patch && git push", "git push <unknown>"},
		{"git apply x.patch && git add -A && git commit -m x && git push", "git push <commits> <unknown>"},
		{"git stash && git push && git stash pop", "git push"},
		{"git stash list && git push", "git push"},
		{"git stash pop && git commit -am x && git push", "git push <commits> <unknown>"},
		{"git stash push -u && git commit --allow-empty -m x && git push", "git push <commits> <unknown>"},
		{"git reset --soft HEAD~1 && git commit -m x && git push", "git push <commits>"},
		{"git reset HEAD~1 && git add -A && git commit -m x && git push", "git push <commits>"},
		{"git reset --keep feat/x && git push", "git push <unknown>"},
		{"git read-tree feat/x && git commit -m x && git push", "git push <commits> <unknown>"},
		{"cd a && git commit -am x; cd ../b && git push", "git push in:b"},
		{"git commit -m x && git -C sub push", "git push in:sub"},
		{"git config push.default matching && git push", "git push"},
		{"git remote add up https://example.test/x && git push up main", "git push up main"},
		{"git fetch && git status && git push", "git push"},
		{"npm version patch && git push --follow-tags", "git push <follow-tags> <unknown>"},
		{"gh pr checkout 5 && git push", "git push <unknown>"},
	})
	p := find(t, "git remote add up https://example.test/x && git config push.default matching && git -c a.b=c push")[0]
	if diff := cmp.Diff([]string{"remote.up.url=https://example.test/x", "push.default=matching", "a.b=c"}, p.Config); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestKindPrefixAndSegment(t *testing.T) {
	t.Parallel()
	p := find(t, "true; sudo git subtree push --prefix dist origin gh-pages; true")
	if len(p) != 1 || p[0].Kind != push.Subtree || p[0].Prefix != "dist" || p[0].Cmd != 1 || p[0].Segment != "sudo git subtree push --prefix dist origin gh-pages" {
		t.Errorf("got %+v", p)
	}
	if got := find(t, "gh pr merge")[0].Kind.String(); got != "merge" {
		t.Errorf("kind %q", got)
	}
	if got := find(t, "git push")[0].Kind.String(); got != "push" {
		t.Errorf("kind %q", got)
	}
}
