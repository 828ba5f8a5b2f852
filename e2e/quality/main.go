// Command quality runs the deterministic judge over a corpus of labelled diffs and says how well it tells them apart.
//
// The corpus is a folder of *-natural.jsonl.xz, *-planted.jsonl.xz and *-decoy.jsonl.xz; docs/judge-quality.md tells how it
// is made and what the figures mean. Nothing is checked out: trees are made in a private object folder.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}
