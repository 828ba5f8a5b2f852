// Command demo shows devflow at work: it installs the built programs into a throw-away home, drives the real Claude Code client with
// a scripted model through a session in which an agent hides behind a test without assertions and then empties one that was there, and
// tells what devflow does about it. It needs no key and no network, and leaves nothing behind unless -keep is given.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
