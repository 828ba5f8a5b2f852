// Package loop holds script tests of the governance loop: the built devflow programs, fed with payloads of exactly the shape
// that Claude Code sends, in throw-away homes and repositories.
//
// One script in testdata/script is one behaviour or one numbered case. exNN are the acceptance examples of the governance rules,
// cNN to kNN the cases that users of comparable tools complained about, and the other scripts play the loop itself. README.md and
// docs/*.md are tested here too: every line of a block that is tagged sh must work.
//
// The package owns no table and has no code that ships. It does not start the Claude Code client: that is package e2e.
//
// Cases without a script: F7 asks what happens when a daemon is gone, and devflow has none (all other scripts run without
// one). C9, C11 and C15 belong to a judge that asks a model, E7 to plugins.
package loop
