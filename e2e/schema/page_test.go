package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheCommittedPageIsTheSchema(t *testing.T) {
	t.Chdir("../..")
	var page bytes.Buffer
	if err := run(&page); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("docs/schema.md is stale, run: make schema (-committed +made):\n%s", diff)
	}
}
