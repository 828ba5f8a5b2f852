package compile_test

import (
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/lint/compile"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// What we read in process never breaks, and every finding names a line of the file.
func FuzzInProcess(f *testing.F) {
	for _, s := range []string{"{\"a\": [1, 2,], // x\n}", "{/* x */}", "a = [1,\n2]\n[b.c]\n", "a: |\n  b\nc: {d: e}\n", "package a\nfunc f() {}\n", "\"\\", "/*", "[,]", "{}{}", "\xef\xbb\xbf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		after := pushed.Memory{"a.json": src, "tsconfig.json": src, "package.json": src, "a.toml": src, "a.yaml": src, "a.go": src}
		in := pushed.Input{Before: pushed.Memory{}, After: after, Changes: pushed.Between(nil, after)}
		found, _, _, err := compile.Check(t.Context(), &in)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range found {
			if x.Line < 0 || x.Line > pushed.Lines([]byte(src))+1 {
				t.Errorf("%q: %+v", src, x)
			}
		}
	})
}
