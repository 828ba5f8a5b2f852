package gitx_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
)

func TestListGrepAndSizes(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write("a.go", "package a\n\nfunc Run() {}\nfunc Runner() {}\n")
	r.Write("sub folder/ü.py", "run_all(Run, x)\n")
	r.Write("bin.dat", "Run\x00\x01")
	r.Commit("one")
	repo, err := gitx.Find(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, objs := context.Background(), t.TempDir()
	tree, err := repo.Tree(ctx, objs, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	list, err := repo.List(ctx, objs, tree)
	if err != nil {
		t.Fatal(err)
	}
	var paths, oids []string
	for _, e := range list {
		paths, oids = append(paths, e.Path), append(oids, e.OID)
	}
	if !slices.Equal(paths, []string{"a.go", "bin.dat", "sub folder/ü.py"}) || list[1].Size != 5 {
		t.Errorf("%+v", list)
	}
	sizes, err := repo.Sizes(ctx, objs, append(oids, strings.Repeat("0", 40), strings.Repeat("a", 40)))
	if err != nil || len(sizes) != 3 || sizes[list[1].OID] != 5 {
		t.Errorf("%v %v", sizes, err)
	}
	for _, tt := range []struct {
		words []string
		want  []string
	}{
		{[]string{"Run"}, []string{"a.go:3", "sub folder/ü.py:1"}},
		{[]string{"Runner", "run_all"}, []string{"a.go:4", "sub folder/ü.py:1"}},
		{[]string{"Run()", "x)"}, []string{"a.go:3", "sub folder/ü.py:1"}},
		{[]string{"Nowhere"}, nil},
		{[]string{"", "a\nb"}, nil},
		{[]string{"R.n"}, nil},
		{[]string{"-e", "--help"}, nil},
	} {
		lines, err := repo.Grep(ctx, objs, tree, tt.words)
		if err != nil {
			t.Errorf("%q: %v", tt.words, err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, l.Path+":"+string(rune('0'+l.N)))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.words, got, tt.want)
		}
	}
}
