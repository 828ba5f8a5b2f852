package look_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/testkit/gitrepo"
	"github.com/devflow-suite/devflow/judge/look"
)

// However many words are asked for, the answers are the same.
func TestManyWords(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write("src/a.go", "package a\n\nfunc Alpha() {}\nfunc Beta() { Alpha() }\n")
	r.Write("src/b.py", "Alpha = 1\n")
	r.Write("bin.dat", "Alpha\x00")
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
	words := []string{"Alpha", "Beta", "Nowhere"}
	few := look.Trees(ctx, repo, objs, tree, tree, nil).Now.Grep(words, 10)
	for i := range 1000 {
		words = append(words, fmt.Sprintf("Filler%d", i))
	}
	many := look.Trees(ctx, repo, objs, tree, tree, nil).Now.Grep(words, 10)
	if len(few["Alpha"]) != 3 || len(few["Nowhere"]) != 0 {
		t.Errorf("%v", few)
	}
	if fmt.Sprint(few) != fmt.Sprint(many) {
		t.Errorf("few words %v, many %v", few, many)
	}
	if limited := look.Trees(ctx, repo, objs, tree, tree, nil).Now.Grep([]string{"Alpha"}, 1); len(limited["Alpha"]) != 1 {
		t.Errorf("%v", limited)
	}
}

// What was not searched is not "nowhere".
func TestPartOfAProject(t *testing.T) {
	t.Parallel()
	r := gitrepo.New(t, t.TempDir(), "main")
	r.Write("big.txt", strings.Repeat("word here\n", 80_000))
	r.Write("a.txt", "Alpha\n")
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
	words := []string{"Alpha", "Nowhere"}
	for i := range 1000 {
		words = append(words, fmt.Sprintf("Filler%d", i))
	}
	got := look.Trees(ctx, repo, objs, tree, tree, nil).Now.Grep(words, 10)
	if len(got["Alpha"]) != 1 || got["Alpha"][0].Path != "a.txt" || len(got["Nowhere"]) != 1 || got["Nowhere"][0].Path != look.Somewhere {
		t.Errorf("%v %v", got["Alpha"], got["Nowhere"])
	}
}
