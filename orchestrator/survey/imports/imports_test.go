package imports_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/orchestrator/survey/imports"
)

func TestScan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang source.Lang
		src  string
		want string
		main bool
	}{
		{source.Go, "package a\nimport \"fmt\"\nimport (\n\tx \"m/x\" // \"no\"\n\t_ \"m/y\"\n)\nvar s = \"m/z\"\n", "fmt m/x m/y", false},
		{source.Go, "package main\nimport \"m/x\"\nfunc main() {}\n", "m/x", true},
		{source.Go, "package main\nfunc (t T) main() {}\n", "", false},
		{source.JS, "import a from './a'\nimport {b} from \"../b\";\nimport './c.css'\nexport * from './d'\nconst e = require('./e'), f = await import('./f')\n// import x from './no'\nx.require('./g')\nlet s = 'import y from \"./no\"'", "./a ../b ./c.css ./d ./e ./f", false},
		{source.TS, "import type { A } from '@app/types';\nimport x = require('x')", "@app/types x", false},
		{source.Python, "import os, a.b as c\nfrom .x import y, (z)\nfrom . import w\nfrom ..p.q import (r,\n  s as t)\nif x: import late\n'''\nimport no\n'''\nif __name__ == '__main__': pass", "os a.b .x .x.y . .w ..p.q ..p.q.r ..p.q.s late", true},
		{source.Python, "from a import *\nimport b; import c\nx.import_module('d')", "a b c", false},
		{source.Java, "package a.b;\nimport a.c.D;\nimport static a.e.F.g;\nimport a.h.*;\nclass X { public static void main(String[] s) {} }", "a.c.D a.e.F.g a.h", true},
		{source.Kotlin, "import a.b.C\nimport a.b.D as E\nfun main() {}", "a.b.C a.b.D", true},
		{source.Rust, "use crate::a::B;\nuse super::c::{d, e};\nmod f;\nuse other::g;\nmod inline { }\nfn main() {}", "crate.a.B super.c self.f other.g", true},
		{source.Dart, "import 'package:app/x.dart';\nimport '../y.dart' as y;\npart 'z.g.dart';\nvoid main() {}", "package:app/x.dart ../y.dart z.g.dart", true},
		{source.C, "#include <stdio.h>\n#include \"a/b.h\"\nint main(void) { return 0; }", "a/b.h", true},
		{source.Ruby, "require 'json'\nrequire_relative 'a/b'\n", "./a/b", false},
		{source.CSharp, "using A.B;", "", false},
		{"", "import x", "", false},
	} {
		got := imports.Scan(tt.lang, []byte(tt.src))
		if s := strings.Join(got.Specs, " "); s != tt.want || got.Main != tt.main {
			t.Errorf("%s %q:\n got %q, main %v\nwant %q, main %v", tt.lang, tt.src, s, got.Main, tt.want, tt.main)
		}
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	files := strings.Fields(`go.mod main.go api/api.go api/v1/v1.go tools/go.mod tools/gen/gen.go
		web/package.json web/src/index.ts web/src/lib/util.ts web/src/ui/index.tsx packages/core/package.json packages/core/src/a.js packages/core/src/sub/b.js
		py/pyproject.toml py/src/shop/__init__.py py/src/shop/cart/__init__.py py/src/shop/cart/items.py py/tests/test_x.py scripts/run.py scripts/helper.py
		jv/src/main/java/com/x/api/A.java jv/src/main/java/com/x/store/B.java
		rs/Cargo.toml rs/src/main.rs rs/src/db/mod.rs rs/src/net.rs rs/src/net/tcp.rs crates/my-util/Cargo.toml crates/my-util/src/lib.rs
		fl/pubspec.yaml fl/lib/main.dart fl/lib/model/m.dart c/src/a.c c/src/b/b.h c/include/pub/p.h rb/a.rb rb/lib/b.rb`)
	r := imports.NewResolver(files, []imports.Package{
		{source.Go, "example.com/m", ""}, {source.Go, "example.com/m/tools", "tools"}, {source.JS, "@x/core", "packages/core"}, {source.JS, "web", "web"},
		{source.Rust, "app", "rs"}, {source.Rust, "my-util", "crates/my-util"}, {source.Dart, "fl", "fl"},
	})
	for _, tt := range []struct{ file, spec, want string }{
		{"main.go", "example.com/m/api", "api"}, {"main.go", "example.com/m/api/v1", "api/v1"}, {"api/api.go", "example.com/m", "."}, {"main.go", "example.com/m/tools/gen", "tools/gen"},
		{"main.go", "fmt", "-"}, {"main.go", "example.com/mother/api", "-"}, {"main.go", "example.com/m/none/deep", "-"},
		{"web/src/index.ts", "./lib/util", "web/src/lib"}, {"web/src/index.ts", "./ui", "web/src/ui"}, {"web/src/ui/index.tsx", "../lib/util.js", "web/src/lib"}, {"web/src/ui/index.tsx", "..", "web/src"},
		{"web/src/index.ts", "@x/core", "packages/core"}, {"web/src/index.ts", "@x/core/src/sub/b", "packages/core/src/sub"}, {"web/src/index.ts", "react", "-"}, {"web/src/index.ts", "../../../../etc/passwd", "-"}, {"web/src/index.ts", "../../../x", "-"},
		{"py/src/shop/cart/items.py", "shop.cart", "py/src/shop/cart"}, {"py/src/shop/cart/items.py", ".", "py/src/shop/cart"}, {"py/src/shop/cart/items.py", "..", "py/src/shop"}, {"py/src/shop/__init__.py", ".cart.items", "py/src/shop/cart"},
		{"py/tests/test_x.py", "shop.cart.items", "py/src/shop/cart"}, {"scripts/run.py", "helper", "scripts"}, {"scripts/run.py", "os.path", "-"}, {"scripts/run.py", "........x", "-"},
		{"jv/src/main/java/com/x/api/A.java", "com.x.store.B", "jv/src/main/java/com/x/store"}, {"jv/src/main/java/com/x/api/A.java", "java.util.List", "-"},
		{"rs/src/main.rs", "crate.db.Pool", "rs/src/db"}, {"rs/src/main.rs", "self.net", "rs/src/net"}, {"rs/src/net.rs", "self.tcp", "rs/src/net"}, {"rs/src/net/tcp.rs", "super", "rs/src/net"}, {"rs/src/main.rs", "my_util.x", "crates/my-util/src"}, {"rs/src/main.rs", "std.io", "-"},
		{"fl/lib/main.dart", "package:fl/model/m.dart", "fl/lib/model"}, {"fl/lib/main.dart", "model/m.dart", "fl/lib/model"}, {"fl/lib/main.dart", "dart:io", "-"}, {"fl/lib/main.dart", "package:flutter/x.dart", "-"},
		{"c/src/a.c", "b/b.h", "c/src/b"}, {"c/src/a.c", "pub/p.h", "c/include/pub"}, {"c/src/a.c", "../../../../x.h", "-"}, {"rb/a.rb", "./lib/b", "rb/lib"}, {"x.swift", "y", "-"},
	} {
		got, ok := r.Folder(tt.file, tt.spec)
		switch {
		case !ok:
			got = "-"
		case got == "":
			got = "."
		}
		if got != tt.want {
			t.Errorf("%s in %s leads to %s, want %s", tt.spec, tt.file, got, tt.want)
		}
	}
}

func FuzzScan(f *testing.F) {
	langs := []source.Lang{source.Go, source.JS, source.TS, source.Python, source.Java, source.Kotlin, source.Rust, source.Dart, source.C, source.Ruby}
	f.Add(0, "package main\nimport (\n\"m/x\"\n)\nfunc main() {}")
	f.Add(1, "import a from './a'; require('b'); import(`c`)")
	f.Add(3, "from ...a import (b as c, d)\nimport x.y as z, w\nfrom . import")
	f.Add(4, "import static a.b.*;")
	f.Add(6, "use crate::a::{b}; mod x;")
	f.Add(7, "import 'package:m/x.dart'; part")
	f.Add(8, "#include \"../x.h\"")
	files := strings.Fields("go.mod a/a.go a/b.ts a/__init__.py a/b.py src/lib.rs lib/a.dart a/x.h a/A.java")
	r := imports.NewResolver(files, []imports.Package{{source.Go, "m", ""}, {source.JS, "m", "a"}, {source.Rust, "m", ""}, {source.Dart, "m", ""}})
	known := map[string]bool{"": true, "a": true, "src": true, "lib": true}
	names := []string{"a/a.go", "a/b.ts", "a/b.js", "a/b.py", "a/A.java", "src/lib.rs", "lib/a.dart", "a/x.c", "a/x.rb"}
	f.Fuzz(func(t *testing.T, n int, src string) {
		lang := langs[uint(n)%uint(len(langs))]
		got := imports.Scan(lang, []byte(src))
		if diff := cmp.Diff(got, imports.Scan(lang, []byte(src))); diff != "" {
			t.Error(diff)
		}
		if len(got.Specs) > 300 {
			t.Errorf("%d imports", len(got.Specs))
		}
		for _, spec := range append(got.Specs, src) {
			for _, name := range names {
				if dir, ok := r.Folder(name, spec); ok && !known[dir] {
					t.Errorf("%q in %s leads to %q, which is no folder", spec, name, dir)
				}
			}
		}
	})
}
