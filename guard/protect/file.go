package protect

import (
	"path/filepath"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// Watches reports whether File has anything to say about a path, so that its content is worth reading. It follows links.
func Watches(p Places, path string) bool {
	k, _ := look(p, path)
	return k != other && k != ownSpec
}

// look finds out what a path of a writing tool is.
func look(p Places, path string) (kind, string) {
	if !filepath.IsAbs(path) {
		path = p.Cwd + "/" + path
	}
	e := newEyes(p, place.World{Home: p.Home, Project: p.Project, Cwd: p.Cwd})
	real := e.real(path)
	return e.kindOf(real), shown(real, p.Home)
}

// File says what speaks against a tool (Write, Edit, MultiEdit, NotebookEdit) that leaves path with the content after, where before
// is what it holds now (nil: nothing).
func File(p Places, path string, before, after []byte) []verdict.Finding {
	k, at := look(p, path)
	one := func(why string) []verdict.Finding {
		if why == "" {
			return nil
		}
		return []verdict.Finding{deny(k.rule(), at, why)}
	}
	switch k {
	case rootDir, database, binary, gitHook:
		return one("it writes " + at)
	case settingsFile:
		return one(loosened(before, after))
	case projectFile:
		return one(loosenedConfig(p.Root, before, after))
	case gitConfig:
		if movesHooks(before, after) {
			return one("it sets core.hooksPath")
		}
	case startFile:
		if name := switchesOff(string(after)); name != "" && switchesOff(string(before)) != name {
			return one("it sets " + name + " for every command that follows")
		}
	}
	return nil
}
