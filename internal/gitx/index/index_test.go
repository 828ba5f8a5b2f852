package index_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/gitx/index"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

// repo makes a repository with a few files in folders with like names.
func repo(t *testing.T, format string) gitrepo.Repo {
	t.Helper()
	outer := gitrepo.New(t, t.TempDir(), "main")
	outer.Git("init", "-q", "-b", "main", "--object-format="+format, "r")
	r := gitrepo.New(t, outer.Path("r"), "main")
	for _, f := range []string{"a", "a-b/x", "a.b/x", "b/c/d/e.txt", "b/c.txt", "b0", "ü/ö.txt", "very/" + strings.Repeat("long/", 60) + "x"} {
		r.Write(f, f)
	}
	r.Commit("one")
	return r
}

func paths(x *index.Index) []string {
	var list []string
	for _, e := range x.Entries {
		list = append(list, e.Path)
	}
	return list
}

func TestReadAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for name, prepare := range map[string]func(r gitrepo.Repo){
			"version 2": func(r gitrepo.Repo) { r.Git("update-index", "--index-version", "2") },
			"version 3": func(r gitrepo.Repo) { r.Write("later", "x"); r.Git("add", "-N", "later") },
			"version 4": func(r gitrepo.Repo) { r.Git("update-index", "--index-version", "4") },
			"split": func(r gitrepo.Repo) {
				r.Git("update-index", "--split-index")
				r.Write("new", "x")
				r.Write("a", "changed")
				r.Git("add", "-A")
			},
			"version 4 split": func(r gitrepo.Repo) {
				r.Git("update-index", "--index-version", "4")
				r.Git("update-index", "--split-index")
				r.Write("b/new", "x")
				r.Git("add", "-A")
			},
			"untracked cache": func(r gitrepo.Repo) { r.Git("update-index", "--force-untracked-cache"); r.Git("status") },
		} {
			t.Run(format+" "+name, func(t *testing.T) {
				t.Parallel()
				r := repo(t, format)
				prepare(r)
				x, err := index.Read(r.Path(".git"), format == "sha256")
				if err != nil {
					t.Fatal(err)
				}
				want := strings.Split(r.Git("ls-files", "-z"), "\x00")
				want = want[:len(want)-1]
				slices.Sort(want)
				if diff := cmp.Diff(want, paths(x)); diff != "" {
					t.Errorf("tracked files (-git +ours):\n%s", diff)
				}
				for _, e := range x.Entries {
					info, err := os.Lstat(r.Path(e.Path))
					if err != nil || e.Path != "later" && !(strings.HasSuffix(name, "split") && e.Path == "a") && (uint32(info.Size()) != e.Size || !info.ModTime().Equal(e.MTime)) {
						t.Errorf("%s: size %d at %v, file %v (%v)", e.Path, e.Size, e.MTime, info, err)
					}
				}
			})
		}
	}
}

func TestSparseIndex(t *testing.T) {
	t.Parallel()
	r := repo(t, "sha1")
	r.Git("sparse-checkout", "init", "--cone", "--sparse-index")
	x, err := index.Read(r.Path(".git"), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"a", "b", "b/c", "b/c/d/e.txt", "very"} {
		if len(x.Below(p)) == 0 {
			t.Errorf("%s counts as not tracked", p)
		}
	}
	if len(x.Below("zzz")) > 0 {
		t.Error("zzz counts as tracked")
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	r := repo(t, "sha1")
	x, err := index.Read(r.Path(".git"), false)
	if err != nil {
		t.Fatal(err)
	}
	for rel, want := range map[string]int{"a": 1, "a-b": 1, "a.b": 1, "b": 2, "b/": 2, "b/c": 1, "b/c.txt": 1, "b0": 1, ".": 8, "": 8, "none": 0, "b/c/d/e": 0, "ü": 1} {
		if got := len(x.Below(rel)); got != want {
			t.Errorf("Below(%q) has %d entries, want %d", rel, got, want)
		}
	}
}

func TestNoIndexIsNoTrackedFile(t *testing.T) {
	t.Parallel()
	x, err := index.Read(t.TempDir(), false)
	if err != nil || len(x.Entries) != 0 {
		t.Errorf("Read of nothing = %v, %v", x, err)
	}
}

func TestParseRefusesWhatIsNoIndex(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "DIRC", "DIRX" + strings.Repeat("\x00", 100), "DIRC\x00\x00\x00\x09" + strings.Repeat("\x00", 40), "DIRC\x00\x00\x00\x02\xff\xff\xff\xff" + strings.Repeat("\x00", 40)} {
		if _, err := index.Parse([]byte(s), false); !errors.Is(err, index.ErrFormat) {
			t.Errorf("Parse(%q): %v, want ErrFormat", s, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"+strings.Repeat("\x00", 20)), false)
	one := "DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x01", 60) + "\x00\x05" + "\x00" + "a/b.c\x00" + "link\x00\x00\x00\x14" + strings.Repeat("\x02", 20) + strings.Repeat("\x00", 20)
	f.Add([]byte(one), false)
	f.Add([]byte(one), true)
	f.Fuzz(func(t *testing.T, data []byte, sha256 bool) {
		x, err := index.Parse(data, sha256)
		if err != nil {
			return
		}
		x.Below("a")
		x.Below("a/b")
	})
}
