// Package guard says what speaks against a tool call before it runs: destructive commands, secrets, and grabs at devflow
// itself. It puts together what the packages below it know: guard/destructive, guard/protect, guard/push, guard/write,
// guard/code, internal/secret. It owns no table; guard/approval keeps what was refused, and what a person allowed once.
//
// It reads a command the way a shell would and never runs anything. What cannot be read is asked about; what is known to
// be dangerous is refused; everything else passes without a word. No wall clock decides. It is a speed bump for an honest
// agent and not a sandbox: a program that is started can do what it likes. Whether a push may go out is not decided here
// but by judge/gate.
package guard
