// Package control speaks the dialogue of a Claude Code process that was started with stream-json on both sides: prompts go in,
// events come out, and both sides ask the other one questions (control requests: hooks, MCP messages, interrupts).
//
// It owns no table, no file and no process: it is handed two streams. Whatever comes from the client is foreign: lines that are no
// JSON are counted and skipped, lines of any length cost bounded memory, questions that nobody knows get an error, answers to
// questions that nobody asked are dropped. It decides nothing about tools; the handler of its owner does.
//
// The protocol is that of 2.1.197 and 2.1.332 as recorded from the real client.
package control
