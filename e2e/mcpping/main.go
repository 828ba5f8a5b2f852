// Command mcpping is a very small MCP server with two tools: ping echoes its arguments, ask puts a question to the user and gives
// back the answer. The end-to-end tests register it to see the hook payloads of MCP tools. It speaks JSON-RPC, one message a line,
// on stdin and stdout.
package main

import "os"

func main() { os.Exit(run(os.Stdin, os.Stdout)) }
