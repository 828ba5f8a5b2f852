// Command recorder is a hook that writes down what the client sends and answers what it was told to.
//
// recorder DIR keeps each payload as DIR/in/<nanoseconds>-<pid>-<event>.json. What it answers stands in DIR/out: <event>.json is
// printed on stdout every time, <event>.once.json only the first time, and <event>.err goes to stderr and makes the exit status 2.
// It is a test tool, not a hook of devflow.
package main

import "os"

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
