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

// configs are texts that git reads; what it makes of them is asked of git itself.
var configs = [...]string{
	"[a]\nb = c\n",
	"[a]\n\tb=c ; comment\n d = e # comment\n",
	"[a \"Sub.x\"]\n B-c = \"d ; e\" f\n",
	"[A.Old]\nx = 1\n",
	"[a]\nb\nc = \n",
	"[a]\nb = one \\\n  two\n",
	"[a]\nb = \"q\\\"q\\\\ \\t|\\n|\"\n",
	"[a] b = same line\n[c]d=e\n",
	"; c\n# c\n\n[a]\n  b = x   y  \t \n",
	"[a \"s\\\"q\\\\\"]\nb = c\n",
	"\ufeff[a]\r\nb = c\r\n",
	"[a]\nb = c",
	"[a]\nb = \"open ; \" # end\n",
	"[alias]\n l = log --format='%h %s' --graph\n s = \"!f() { echo \\\"$1\\\"; }; f\"\n",
}

func TestParseConfigIsWhatGitReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := gitrepo.New(t, dir, "main")
	for i, text := range configs {
		path := filepath.Join(dir, "c")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for entry := range strings.SplitSeq(r.Git("config", "--file", path, "--list", "-z"), "\x00") {
			if entry == "" {
				continue
			}
			key, value, ok := strings.Cut(entry, "\n")
			if !ok {
				value = "true"
			}
			want = append(want, key+"="+value)
		}
		gitcmd.ParseConfig(text, func(key, value string) { got = append(got, key+"="+value) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d %q (-want +got):\n%s", i, text, diff)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, text := range configs {
		f.Add(text)
	}
	for _, text := range []string{"[", "[a", "[a \"", "[a \"b", "[a]\nb=\"", "[a]\nb=\\", "=", "[a]\n=b", "[a]\n-b", "[a \"b\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		gitcmd.ParseConfig(text, func(key, value string) { n += len(value) })
		if n > 4*len(text)+4 {
			t.Errorf("%d bytes of values out of %d", n, len(text))
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"git x", "git -C a -c b x 'y z'", "git -c alias.x='!git x' x", "git -c alias.x=x x", "git -c alias.x='\"' x", "GIT_CONFIG_KEY_0=a git x", "git rebase -x 'git x' -x", "git submodule foreach", "git bisect run", "git for-each-repo --config"} {
		f.Add(s, "!git x \"$@\"")
	}
	f.Fuzz(func(t *testing.T, line, alias string) {
		s, _ := shell.Parse(line)
		for i := range s.Commands {
			for _, c := range gitcmd.Expand(&s.Commands[i], aliases{"x": alias, "y": alias}) {
				if len(c.Words) > 0 && len(c.Args) != len(c.Words)-1 {
					t.Errorf("%q: %d words, %d arguments", line, len(c.Words), len(c.Args))
				}
			}
		}
	})
}
