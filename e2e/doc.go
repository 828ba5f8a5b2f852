// Package e2e holds the end-to-end tests: the built devflow programs in sessions of the real Claude Code client, both pinned
// versions, against a scripted endpoint (internal/testkit/mockapi), headless and in a real terminal (tmux).
//
// It owns the hook payload fixtures under internal/claude/testdata/hooks and the transcript beside them, which its tests compare
// with what the clients send and rewrite with -update. It has no code that ships.
package e2e
