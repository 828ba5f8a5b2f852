// Package telemetry remembers what happened in a session: its tasks, the facts of every hook event, open signals, spec phases and the
// 54 derived columns of a task.
//
// It is the one writer of the tables tasks, task_executions, phases, signals, hook_runs, edits, tool_log, subagents and kv (keys
// "spool:*" excepted). Table judge_runs is only read. It opens no database, starts no process and reads no file: callers bring a
// transaction of internal/store and facts that are already redacted. Beside it: spec (what prompts and markers say), breaker (verdicts and
// halts), journal (what a task left behind), usage (tokens), report (tables for people); ledger and pack are texts that it keeps in kv.
//
// Everything that takes a *store.Tx belongs in one db.Update. Nothing here is safe for concurrent use of one Tx. A Task is a copy of
// its row as of its transaction: load it again after calling a function that names a task by session and number.
//
// Times are unix milliseconds. Work tokens are input + cache writes + output of unique messages; cache reads are re-reads of the same
// text and never part of them.
package telemetry
