package ci

import (
	"encoding/json"
	"strings"

	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
)

// scripted reports whether a line that a file gained runs a script of package.json, under whatever name, that runs tests.
func scripted(c *change.Change, f *change.File) bool {
	if c.Now == nil {
		return false
	}
	var scripts map[string]string
	for _, l := range f.Added {
		name := script(l.Text)
		if name == "" {
			continue
		}
		if scripts == nil {
			var manifest struct{ Scripts map[string]string }
			text, ok := c.Now.Read("package.json")
			if !ok || json.Unmarshal([]byte(text), &manifest) != nil {
				return false
			}
			scripts = manifest.Scripts
		}
		if tests(scripts, name, 0) {
			return true
		}
	}
	return false
}

// tests reports whether a script, or one that it runs, is a test.
func tests(scripts map[string]string, name string, depth int) bool {
	const deepest = 4
	if depth > deepest {
		return false
	}
	for _, key := range [...]string{"pre" + name, name, "post" + name} {
		for _, part := range command.Split(scripts[key]) {
			class, _ := command.ClassOf(part.Text)
			next := script(part.Text)
			if _, known := scripts[next]; class == command.Test && (next == "" || known) {
				return true
			}
			if next != "" && tests(scripts, next, depth+1) {
				return true
			}
		}
	}
	return false
}

// script is the name of the script that a line runs, "" for none.
func script(line string) string {
	words := command.Words(line)
	for i, w := range words {
		if w != "npm" && w != "yarn" && w != "pnpm" && w != "bun" {
			continue
		}
		for _, next := range words[i+1:] {
			switch {
			case next == "run" || next == "run-script" || strings.HasPrefix(next, "-"):
				continue
			case strings.Trim(next, "abcdefghijklmnopqrstuvwxyz0123456789:-_") == "":
				return next
			}
			break
		}
	}
	return ""
}
