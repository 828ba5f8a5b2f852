// Package loop holds script tests of the governance loop: the built devflow programs, fed with payloads of exactly the shape
// that Claude Code sends, in throw-away homes and repositories.
//
// One script in testdata/script is one behaviour. Those whose names begin with a letter and a number are numbered cases: exNN
// what was promised for the loop from the beginning, cNN (tests that are missing), eNN (settings files), fNN (what a hook is to the
// client), gNN (turns that do not end), iNN (transcripts and cost), jNN (the database) and kNN (compaction) what users of
// comparable tools complained about; so do aNN (roads around the guard) and bNN (honest work that was blocked). The numbers have gaps.
// Those that are one command line are rows of testdata/cases.tsv. The scripts guard_* and push_* play the
// guard and the push gate, the others the loop itself. Every line of README.md and docs/*.md in a block that is tagged sh is run here too.
//
// The package owns no table and has no code that ships. It does not start the Claude Code client: that is package e2e.
//
// Cases that have no script: f07 asks what happens when the daemon of a tool is gone, and devflow has none; c09 and c11 belong
// to a judge that asks a model, e07 to plugins, a27 to work in regions. A test suite that hangs is left to the gate's own packages:
// its budget is minutes.
package loop
