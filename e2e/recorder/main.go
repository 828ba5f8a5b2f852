// Command recorder is a hook that writes down what the client sends and answers what it was told to.
//
// recorder DIR keeps each payload as DIR/in/<event>-<nanoseconds>-<pid>.json. When DIR/out/<event>.json is there, its bytes are
// printed on stdout; DIR/out/<event>.err goes to stderr and makes the exit status 2. It is a test tool, not a hook of devflow.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 2 {
		return 1
	}
	dir := args[1]
	in, err := io.ReadAll(stdin)
	if err != nil {
		return 1
	}
	var p struct {
		Event string `json:"hook_event_name"`
	}
	if json.Unmarshal(in, &p) != nil || p.Event == "" {
		p.Event = "unreadable"
	}
	name := fmt.Sprintf("%s-%d-%d", p.Event, time.Now().UnixNano(), os.Getpid())
	part := filepath.Join(dir, name+".part")
	if os.WriteFile(part, in, 0o600) != nil || os.Rename(part, filepath.Join(dir, "in", name+".json")) != nil {
		return 1
	}
	if out, err := os.ReadFile(filepath.Join(dir, "out", p.Event+".json")); err == nil {
		_, _ = stdout.Write(out)
	}
	if out, err := os.ReadFile(filepath.Join(dir, "out", p.Event+".err")); err == nil {
		_, _ = stderr.Write(out)
		return 2
	}
	return 0
}
