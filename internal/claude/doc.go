// Package claude reads and writes every format that Claude Code defines: the JSON that a hook gets on stdin, the JSON that
// it may print, the session transcript, and the settings file.
//
// It owns no table and no file. It knows nothing about devflow: it never decides, it only says what the client said and
// spells what we answer in a shape that the client honours. Every fact about the format was measured with Claude Code
// 2.1.197; fields that version does not have are kept, not dropped.
//
// Nothing here panics on foreign bytes, and nothing uses memory that grows faster than its input.
package claude
