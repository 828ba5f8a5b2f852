// Package hooks is the harness of the seven hook executables: Main reads one JSON document from stdin, hands it to a
// handler, and answers with exactly one JSON object or nothing, always with exit status 0. It owns no table; it owns the
// log file <root>/logs/hooks.jsonl. It knows no domain: what a hook does is in the main packages below this folder.
//
// # Fail directions
//
// Every hook says in its Hook value what happens on its own failure. Open (Closed is nil): the session goes on, one line
// in the log tells why, and the fact goes to the spool. Closed: Closed makes the answer, used for input that cannot be
// read, an error, a panic and the deadline.
//
// # Why exit status 0 always
//
// For Claude Code status 2 blocks, and a Go panic or a runtime error exits with 2. Main therefore holds the one recover
// of the program, and the registered command ends in "|| exit 0" for crashes that nothing can recover.
package hooks
