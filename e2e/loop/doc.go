// Package loop holds script tests of the governance loop: the built devflow programs, fed with payloads of exactly the shape
// that Claude Code sends, in throw-away homes and repositories.
//
// One script in testdata/script is one behaviour. Those whose names begin with a letter and a number are numbered cases: exNN
// what was promised for the loop from the beginning, cNN (tests that are missing), eNN (settings files), fNN (what a hook is to the
// client), gNN (turns that do not end), iNN (transcripts and cost), jNN (the database) and kNN (compaction) what users of
// comparable tools complained about. The numbers have gaps. The other scripts play the loop itself. Every line of README.md and
// docs/*.md in a block that is tagged sh is run here too.
//
// The package owns no table and has no code that ships. It does not start the Claude Code client: that is package e2e.
//
// Cases that have no script: f07 asks what happens when the daemon of a tool is gone, and devflow has none; c09, c11 and c15 belong
// to a judge that asks a model, e07 to plugins.
package loop
