package prepush_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/prepush"
)

// FuzzScript reads foreign hooks, and reads back what it wrote for them.
func FuzzScript(f *testing.F) {
	for _, seed := range [][2]string{
		{"/bin/devflow", "#!/bin/sh\n$0"}, {"/a'b/$x`y\\", "#!/usr/bin/env -S bash -e"}, {"/a b/\"", "#!"}, {"/'", "#!/usr/bin/env -S "},
		{"/x", "#!/bin/bash 'a b\n${0}\nBASH_SOURCE"}, {"/x", "\x7fELF basename"}, {"/x", "\n# devflow:pre-push"}, {"/x", ""},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, exe string, chained []byte) {
		prepush.Known(chained)
		prepush.ExeOf(chained)
		if !filepath.IsAbs(exe) || strings.ContainsAny(exe, "\n\x00") {
			return
		}
		text := prepush.Script(exe, chained)
		if !prepush.Known(text) || prepush.ExeOf(text) != exe {
			t.Errorf("script for %q and %q is not read back:\n%s", exe, chained, text)
		}
	})
}
