package protect

import (
	"path/filepath"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/guard/protect/sight"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// Watches reports whether File has anything to say about a path, so that its content is worth reading. It follows links.
func Watches(p Places, path string) bool {
	k, _ := look(p, path)
	return k != sight.Other && k != sight.OwnSpec
}

// look finds out what a path of a writing tool is.
func look(p Places, path string) (sight.Kind, string) {
	if !filepath.IsAbs(path) {
		path = p.Cwd + "/" + path
	}
	e := sight.New(p, place.World{Home: p.Home, Project: p.Project, Cwd: p.Cwd})
	real := e.Real(path)
	return e.KindOf(real), sight.Shown(real, p.Home)
}

// File says what speaks against a tool (Write, Edit, MultiEdit, NotebookEdit) that leaves path with the content after, where before
// is what it holds now (nil: nothing).
func File(p Places, path string, before, after []byte) []verdict.Finding {
	k, at := look(p, path)
	one := func(why string) []verdict.Finding {
		if why == "" {
			return nil
		}
		return []verdict.Finding{deny(ruleOf(k), at, why)}
	}
	switch k {
	case sight.RootDir, sight.Database, sight.Binary, sight.GitHook:
		return one("it writes " + at)
	case sight.SettingsFile:
		return one(change.Settings(before, after))
	case sight.ProjectFile:
		return one(change.Project(p.Root, before, after))
	case sight.GitConfig:
		if change.MovesHooks(before, after) {
			return one("it sets core.hooksPath")
		}
	case sight.StartFile:
		if name := change.SwitchesOff(string(after)); name != "" && change.SwitchesOff(string(before)) != name {
			return one("it sets " + name + " for every command that follows")
		}
	}
	return nil
}
