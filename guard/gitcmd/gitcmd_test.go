package gitcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/google/go-cmp/cmp"
)

func one(t *testing.T, command string) *shell.Command {
	t.Helper()
	s, err := shell.Parse(command)
	if err != nil || len(s.Commands) == 0 {
		t.Fatalf("%q: %d commands, %v", command, len(s.Commands), err)
	}
	return &s.Commands[0]
}

func texts(words []shell.Word) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.Text)
	}
	return out
}

func TestParse(t *testing.T) {
	t.Parallel()
	type want struct {
		Sub, Dir, GitDir, WorkTree, Namespace string
		Args, Config                          []string
		Help, Unreadable, Unknown, Bare       bool
	}
	for command, want := range map[string]want{
		"git status -s":                            {Sub: "status", Args: []string{"-s"}},
		"git":                                      {},
		"git -C a -C ../b status":                  {Sub: "status", Dir: "b"},
		"git -C /x -C '' reset --hard":             {Sub: "reset", Dir: "/x", Args: []string{"--hard"}},
		"git -C $d status":                         {Sub: "status", Unknown: true},
		"git -c a.b=c -c d.e status":               {Sub: "status", Config: []string{"a.b=c", "d.e"}},
		"git --config-env=a.b=V status":            {Sub: "status", Config: []string{"a.b=$V"}},
		"V=1 git --config-env a.b=V status":        {Sub: "status", Config: []string{"a.b=$V"}},
		"git --git-dir=x --work-tree y status":     {Sub: "status", GitDir: "x", WorkTree: "y"},
		"GIT_DIR=x GIT_WORK_TREE=y git status":     {Sub: "status", GitDir: "x", WorkTree: "y"},
		"GIT_DIR=x git --git-dir=z status":         {Sub: "status", GitDir: "z"},
		"GIT_CONFIG_PARAMETERS=\"'a.b=c'\" git st": {Sub: "st", Config: []string{"a.b=c"}},
		"git --bare --namespace=n push":            {Sub: "push", Bare: true, Namespace: "n"},
		"git --no-pager -p -P --no-replace-objects --literal-pathspecs log": {Sub: "log"},
		"git --help push":        {Sub: "push", Help: true},
		"git push --help":        {Sub: "push", Help: true, Args: []string{"--help"}},
		"git log -h x":           {Sub: "log", Args: []string{"-h", "x"}},
		"git --exec-path":        {Help: true},
		"git --exec-path=/x log": {Sub: "log"},
		"git $x y":               {Unreadable: true, Args: []string{"y"}},
		"git $x":                 {Unreadable: true},
		"git-push a":             {Sub: "push", Args: []string{"a"}},
		"git-lfs push":           {Sub: "none"},
		"legit push":             {Sub: "none"},
		"/opt/Git.EXE status":    {Sub: "status"},
		"git -C":                 {},
		"git -":                  {Sub: "-"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			g, ok := gitcmd.Parse(one(t, command))
			if !ok {
				g.Sub = "none"
			}
			got := g
			if diff := cmp.Diff(want.Sub+"|"+want.Dir+"|"+want.GitDir+"|"+want.WorkTree+"|"+want.Namespace, got.Sub+"|"+got.Dir.Path+"|"+got.GitDir+"|"+got.WorkTree+"|"+got.Namespace); diff != "" {
				t.Error(diff)
			}
			if want.Help != got.Help || want.Unreadable != got.Unreadable || want.Unknown != got.Dir.Unknown || want.Bare != got.Bare {
				t.Errorf("flags %+v", got)
			}
			if diff := cmp.Diff(strings.Join(want.Args, " "), strings.Join(texts(got.Args), " ")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(strings.Join(want.Config, " "), strings.Join(got.Config, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	g, _ := gitcmd.Parse(one(t, "git -c Core.HooksPath=a -c core.hookspath=b -c remote.X.url=u -c a.flag log"))
	for key, want := range map[string]string{"core.hooksPath": "b", "remote.X.URL": "u", "remote.x.url": "", "a.flag": "true", "none": ""} {
		if got, ok := g.Value(key); got != want || ok != (want != "") {
			t.Errorf("%s = %q, %t", key, got, ok)
		}
	}
}

type aliases map[string]string

func (a aliases) Alias(_ shell.Dir, name string) string { return a[name] }

// expand gives the commands as lines: folder, assignments, words.
func expand(c *shell.Command, a gitcmd.Aliases) []string {
	var out []string
	for _, x := range gitcmd.Expand(c, a) {
		line := strings.Join(append(append([]string{}, x.Assign...), texts(x.Words)...), " ")
		if x.Dir.Path != "" {
			line = x.Dir.Path + ": " + line
		}
		if x.Dir.Unknown {
			line = "?" + line
		}
		if x.Opaque {
			line += " (opaque)"
		}
		if len(x.Words) > 0 && strings.Join(x.Args, "\x00") != strings.Join(texts(x.Words[1:]), "\x00") {
			line += " (args differ)"
		}
		out = append(out, line)
	}
	return out
}

func TestExpand(t *testing.T) {
	t.Parallel()
	a := aliases{
		"co": "checkout", "wipe": "reset --hard", "undo": "!git reset --hard", "nuke": "!rm -rf \"$1\" && git clean -fdx", "quoted": `commit -m "a b" 'c d' e\ f`,
		"rb": "rebase", "each": "submodule foreach", "bi": "bisect",
		"x": "y", "y": "x", "status": "reset --hard", "submodule": "status", "deep": "-c a.b=c wipe", "bad": "log '", "cd": "!cd sub && make", "fn": "!f() { git checkout \"$@\"; }; f", "shbad": "!echo '",
	}
	for command, want := range map[string][]string{
		"ls":                           {"ls"},
		"git status":                   {"git status"},
		"git submodule":                {"git submodule"},
		"git co -f x":                  {"git checkout -f x"},
		"git -C d co x":                {"git -C d checkout x"},
		"git wipe HEAD~1":              {"git reset --hard HEAD~1"},
		"git undo":                     {"git reset --hard"},
		"git undo HEAD~2":              {"git reset --hard HEAD~2"},
		"git -C d undo":                {"d: git reset --hard"},
		"git -c k.v=1 undo":            {"git -c k.v=1 reset --hard"},
		"git --git-dir=/x/.git undo":   {"git --git-dir=/x/.git reset --hard"},
		"git nuke build":               {"rm -rf build", "git clean -fdx build"},
		"git quoted":                   {"git commit -m a b c d e f"},
		"git x":                        {"git x (opaque)"},
		"git deep":                     {"git -c a.b=c reset --hard"},
		"git bad":                      {"git bad (opaque)"},
		"git cd":                       {"cd sub", "sub: make"},
		"git fn -f .":                  {"git checkout -f .", "f -f ."},
		"git none x":                   {"git none x"},
		"A=1 git undo":                 {"A=1 git reset --hard"},
		"git -c alias.z=wipe z":        {"git -c alias.z=wipe reset --hard"},
		"git -c alias.Z='!rm -rf /' z": {"rm -rf /"},
		"git submodule update --init":  {"git submodule update --init"},
		"git bisect start":             {"git bisect start"},
		"git for-each-repo --config=a.b reset --hard":      {"git for-each-repo --config=a.b reset --hard", "?git reset --hard"},
		"git -c core.pager='rm -rf /' log":                 {"git -c core.pager=rm -rf / log", "rm -rf /"},
		"git -c core.pager='less -R' log":                  {"git -c core.pager=less -R log", "less -R"},
		"git -c core.pager=cat log":                        {"git -c core.pager=cat log"},
		"git -c core.editor=true commit":                   {"git -c core.editor=true commit"},
		"GIT_SEQUENCE_EDITOR='sed -i s/a/b/' git rebase m": {"GIT_SEQUENCE_EDITOR=sed -i s/a/b/ git rebase m", "sed -i s/a/b/"},
		"GIT_SSH_COMMAND='ssh -i k' git fetch":             {"GIT_SSH_COMMAND=ssh -i k git fetch", "ssh -i k"},
		"git ls-remote --upload-pack='rm -rf /' .":         {"git ls-remote --upload-pack=rm -rf / .", "rm -rf /"},
		"git clone -u 'rm -rf /' x":                        {"git clone -u rm -rf / x", "rm -rf /"},
		"git clone 'ext::rm -rf% /'":                       {"git clone ext::rm -rf% /", "rm -rf /"},
		"git grep -O'rm -rf' x":                            {"git grep -Orm -rf x", "rm -rf"},
		"git rb -x 'rm -rf /' m":                           {"git rebase -x rm -rf / m", "rm -rf /"},
		"git rb -x make -x 'git wipe' m":                   {"git rebase -x make -x git wipe m", "make", "git reset --hard"},
		"git rb --exec=make m":                             {"git rebase --exec=make m", "make"},
		"git rb -xmake m":                                  {"git rebase -xmake m", "make"},
		"git each 'git reset --hard'":                      {"git submodule foreach git reset --hard", "?git reset --hard"},
		"git each --recursive git clean -fdx":              {"git submodule foreach --recursive git clean -fdx", "?git clean -fdx"},
		"git bi run sh -c 'rm -rf /'":                      {"git bisect run sh -c rm -rf /", "rm -rf /"},
		"git bi start":                                     {"git bisect start"},
		"git rebase -x make m":                             {"git rebase -x make m"}, // package shell lists make itself
		"git commit -m 'rebase -x rm'":                     {"git commit -m rebase -x rm"},
		"git log --format='ext: x'":                        {"git log --format=ext: x"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, expand(one(t, command), a)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", command, diff)
			}
		})
	}
	c := one(t, "git shbad")
	if got := gitcmd.Expand(c, a); !got[0].Opaque {
		t.Errorf("a broken line is not opaque: %v", got)
	}
}

func TestExpandIsBounded(t *testing.T) {
	t.Parallel()
	a := aliases{"a": "!git b; git b; git b; git b", "b": "!git c; git c; git c; git c", "c": "!git d; git d; git d; git d", "d": "!git e; git e; git e; git e", "e": "!git f; git f; git f; git f", "f": "!git a"}
	if n := len(gitcmd.Expand(one(t, "git a"), a)); n > 1000 {
		t.Errorf("%d commands", n)
	}
	deep := "git push"
	for range 40 {
		deep = "git rebase -x '" + strings.ReplaceAll(deep, "'", `'\''`) + "'"
		if len(deep) > 1<<20 {
			break
		}
	}
	gitcmd.Expand(one(t, deep), nil)
	long := &shell.Command{Name: "git", Words: []shell.Word{{Text: "git"}, {Text: "rebase"}}}
	for range 20000 {
		long.Words = append(long.Words, shell.Word{Text: "-x"}, shell.Word{Text: "git gc"})
	}
	if n := len(gitcmd.Expand(long, nil)); n > 1000 {
		t.Errorf("%d commands", n)
	}
}

func TestFiles(t *testing.T) {
	home := filepath.Join(t.TempDir(), "höme")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	os.Unsetenv("GIT_CONFIG_GLOBAL")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".config/git/config"), "[alias]\n x = xdg\n both = xdg\n")
	write(filepath.Join(home, ".gitconfig"), "[alias]\n both = home\n h = \"!echo \\\"a b\\\"\" ; c\n[include]\n path = ~/more\n[includeIf \"gitdir:/nowhere/\"]\n path = cond\n")
	write(filepath.Join(home, "more"), "[alias] more = included\n[include]\npath = more\n")
	write(filepath.Join(home, "cond"), "[alias]\ncond = conditional\n")
	r := gitrepo.New(t, filepath.Join(home, "my repo"), "main")
	r.Git("config", "alias.Local", "!git push \"$@\" # x")
	r.Git("config", "alias.both", "repo")
	r.Git("config", "alias.multi.command", "sub")
	r.Commit("one")
	r.Git("config", "extensions.worktreeConfig", "true")
	r.Git("worktree", "add", "-q", "../linked", "-b", "l")
	r.Git("-C", "../linked", "config", "--worktree", "alias.wt", "linked only")
	bare := filepath.Join(home, "bare.git")
	r.Git("init", "-q", "--bare", bare)
	r.Git("-C", bare, "config", "alias.inbare", "yes")

	f := gitcmd.ReadAliases(home, home)
	for _, tt := range []struct{ dir, name, want string }{
		{"", "x", "xdg"}, {"", "both", "home"}, {"", "h", `!echo "a b"`}, {"", "more", "included"}, {"", "cond", "conditional"},
		{"my repo", "both", "repo"}, {"my repo", "LOCAL", `!git push "$@" # x`}, {"my repo", "x", "xdg"}, {"my repo", "none", ""},
		{"my repo/.git", "local", `!git push "$@" # x`}, {"my repo", "multi", "sub"},
		{"linked", "wt", "linked only"}, {"linked", "local", `!git push "$@" # x`}, {"my repo", "wt", ""},
		{"bare.git", "inbare", "yes"}, {"~/bare.git", "inbare", "yes"}, {bare, "inbare", "yes"}, {"nowhere", "x", "xdg"},
	} {
		if got := f.Alias(shell.Dir{Path: tt.dir}, tt.name); got != tt.want {
			t.Errorf("%s in %q = %q, want %q", tt.name, tt.dir, got, tt.want)
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "more"))
	if got := gitcmd.ReadAliases(home, home).Alias(shell.Dir{}, "x"); got != "" {
		t.Errorf("GIT_CONFIG_GLOBAL does not replace the user's files: %q", got)
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	s, err := shell.Parse("git config alias.a push; git config --global alias.b '!rm -rf /'; git config set alias.c log; git config alias.d $X; git config --get alias.e; git config user.name alias.f")
	if err != nil {
		t.Fatal(err)
	}
	a := gitcmd.Declared(s.Commands, aliases{"z": "rest"})
	for name, want := range map[string]string{"a": "push", "A": "push", "b": "!rm -rf /", "c": "log", "d": "!$X", "e": "", "f": "", "z": "rest"} {
		if got := a.Alias(shell.Dir{}, name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := gitcmd.Declared(nil, nil); got != nil {
		t.Errorf("got %v", got)
	}
}
