// Package install puts devflow into Claude Code and takes it out again.
//
// It owns <root>/install-manifest.json, the executables and command files that
// the manifest lists, devflow's own entries in settings files, and the one backup
// <settings>.devflow-backup, which is written once and never again.
//
// Invariants: a settings file is spliced (package settings), never rewritten;
// what cannot be parsed is refused with its place and left alone; a second
// install changes nothing; uninstall gives the bytes from before back, or, if
// the file was edited in between, takes out devflow's bytes only; files that
// were changed after devflow wrote them stay, and so do those that were there
// before with the same bytes: devflow's is what install wrote, and nothing behind
// a linked folder of executables. Every refusal happens before the
// first write, and hooks are registered last.
//
// An empty settings file, which the client ignores, is taken for "{}": nothing
// in it can be lost, and uninstall makes it empty again.
//
// The package prints nothing and reads its surroundings from Options only. It
// does not check whether an installation works: that is package install/doctor.
package install

import "errors"

// ErrManifest says that the manifest cannot be read or is of a newer devflow.
var ErrManifest = errors.New("install manifest is not usable")
