package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

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
	if json.Unmarshal(in, &p) != nil {
		p.Event = "unreadable"
	}
	if p.Event == "" {
		p.Event = "StatusLine" // the only caller that names no event
	}
	name := fmt.Sprintf("%d-%d-%s", time.Now().UnixNano(), os.Getpid(), p.Event)
	part := filepath.Join(dir, name)
	if os.WriteFile(part, in, 0o600) != nil || os.Rename(part, filepath.Join(dir, "in", name+".json")) != nil {
		return 1
	}
	answer := filepath.Join(dir, "out", p.Event)
	once := filepath.Join(dir, name+".used")
	if os.Rename(answer+".once.json", once) == nil {
		emit(stdout, once)
	} else {
		emit(stdout, answer+".json")
	}
	if emit(stderr, answer+".err") {
		return 2
	}
	return 0
}

// emit copies a file that may be missing and reports whether it was there.
func emit(w io.Writer, path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	_, _ = w.Write(data)
	return true
}
