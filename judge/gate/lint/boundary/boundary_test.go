package boundary_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/lint/boundary"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// check gives "ok", "note" or "fail" for a push that adds one file to a tree.
func check(t *testing.T, others map[string]string, path, before, now string, config pushed.Config) (string, []pushed.Finding) {
	t.Helper()
	old, after := pushed.Memory{}, pushed.Memory{}
	for p, s := range others {
		old[p], after[p] = s, s
	}
	after[path] = now
	if before != "" {
		old[path] = before
	}
	in := pushed.Input{Before: old, After: after, Changes: pushed.Between(old, after), Config: config}
	found, _, _, err := boundary.Check(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	out := "ok"
	for _, f := range found {
		if f.Fail {
			return "fail", found
		}
		out = "note"
	}
	return out, found
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"pubspec.yaml":                  "name: app\n",
		"go.mod":                        "module example.com/app // x\n",
		"package.json":                  `{"name":"root"}`,
		"lib/features/b/data/repo.dart": "class Repo {}", "lib/features/b/b.dart": "export 'x.dart';", "lib/features/b/domain/port.dart": "import 'dart:async';\nabstract class Port { void f() {} }\nsealed class S {}\nmixin M {}\n",
		"lib/features/b/domain/impl.dart": "abstract class Port {}\nclass Impl {}", "lib/features/b/data/port.dart": "abstract class Port {}", "lib/features/b/domain/fn.dart": "abstract class P {}\nvoid f() {}\n",
		"src/features/b/index.ts": "", "src/features/b/repo.ts": "", "src/features/b/components/Button.tsx": "", "src/features/b/api.ts": "", "src/features/b/api/client.ts": "", "src/features/shared/x/y.ts": "",
		"app/features/b/__init__.py": "", "app/features/b/repo.py": "", "app/features/b/api.py": "", "app/features/c.py": "",
		"internal/features/b/b.go": "package b", "internal/features/b/store/s.go": "package store", "internal/features/b/api/a.go": "package api",
		"src/main/java/com/acme/features/b/data/Repo.java": "", "src/main/java/com/acme/features/b/api/BApi.java": "", "src/main/kotlin/com/acme/features/b/data/Repo.kt": "",
		"src/features/b/mod.rs": "pub struct Thing;", "src/features/b/service.rs": "", "src/features/b/api.rs": "", "src/lib.rs": "",
		"Sources/features/Billing/Store.swift": "",
	}
	for _, tt := range []struct{ path, now, want string }{
		// Dart
		{"lib/features/a/x.dart", "import '../b/data/repo.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/data/repo.dart' as r;", "fail"},
		{"lib/features/a/x.dart", "export '../b/data/repo.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'stub.dart' if (dart.library.io) '../b/data/repo.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/domain/impl.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/domain/fn.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/data/port.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/domain/gone.dart';", "fail"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/domain/port.dart';", "ok"},
		{"lib/features/a/x.dart", "import 'package:app/features/b/b.dart';", "ok"},
		{"lib/features/a/x.dart", "import 'package:other/features/b/data/repo.dart';", "ok"},
		{"lib/features/a/x.dart", "import 'package:flutter/material.dart';\nimport 'dart:io';\nimport 'data/x.dart';\nimport '../a/y.dart';\nimport '../../core/x.dart';", "ok"},
		{"lib/features/a/x.dart", "// import '../b/data/repo.dart';\nfinal s = \"import '../b/data/repo.dart';\";", "ok"},
		{"lib/main.dart", "import 'features/b/data/repo.dart';", "ok"},
		{"test/features/a/x_test.dart", "import 'package:app/features/b/data/repo.dart';", "ok"},
		// TypeScript and JavaScript
		{"src/features/a/x.ts", "import { Repo } from '../b/repo';", "fail"},
		{"src/features/a/x.ts", "import {\n  Repo,\n  type T,\n} from '../b/repo.js'", "fail"},
		{"src/features/a/x.ts", "import '../b/repo';", "fail"},
		{"src/features/a/x.ts", "export * from '../b/repo';", "fail"},
		{"src/features/a/x.ts", "export { x } from '../b/repo';", "fail"},
		{"src/features/a/x.ts", "const r = await import('../b/repo');", "fail"},
		{"src/features/a/x.tsx", "const L = lazy(() => import(`../b/components/Button`));", "fail"},
		{"src/features/a/x.js", "const { Repo } = require('../b/repo');", "fail"},
		{"src/features/a/x.ts", "import x = require('../b/repo');", "fail"},
		{"src/features/a/x.ts", "import { Repo } from '@/features/b/repo';", "fail"},
		{"src/features/a/x.ts", "import { Repo } from '@/features/zz/repo';", "fail"},
		{"src/features/a/x.ts", "import { Repo } from 'src/features/b/repo';", "fail"},
		{"src/features/a/x.ts", "import { Repo } from 'features/b/repo';", "fail"},
		{"src/features/a/x.ts", "import { Repo } from '@features/b/repo';", "fail"},
		{"src/features/a/deep/er/x.jsx", "import Button from '../../../b/components/Button'\nexport default () => <Button/>", "fail"},
		{"src/features/a/x.mjs", "import b from \"../b/repo.ts\"", "fail"},
		{"src/features/a/x.ts", "import type { Repo } from '../b/repo';", "ok"},
		{"src/features/a/x.ts", "import { type Repo, type T } from '../b/repo';", "ok"},
		{"src/features/a/x.ts", "export type { Repo } from '../b/repo';", "ok"},
		{"src/features/a/x.ts", "type R = import('../b/repo').Repo; let x: import('../b/repo').Repo;", "ok"},
		{"src/features/a/x.ts", "import type from '../b/repo';", "fail"},
		{"src/features/a/x.ts", "import { Repo } from '../b';", "ok"},
		{"src/features/a/x.ts", "import { Repo } from '../b/index';", "ok"},
		{"src/features/a/x.ts", "import { Repo } from '../b/index.js';\nimport c from '../b/api';\nimport d from '../b/api/client'", "ok"},
		{"src/features/a/x.ts", "import { Repo } from '@/features/b';", "ok"},
		{"src/features/a/x.ts", "import y from '../shared/x/y'; import z from './repo'; import w from '../a/z'; import v from '../../lib/v'", "ok"},
		{"src/features/a/x.ts", "import f from 'lodash/features/b/repo'; import g from 'react';", "ok"},
		{"src/features/a/x.ts", "const s = \"import x from '../b/repo'\"; // import x from '../b/repo'", "ok"},
		{"src/features/a/x.test.ts", "import { Repo } from '../b/repo';", "ok"},
		{"src/features/a/__tests__/x.ts", "import { Repo } from '../../b/repo';", "ok"},
		{"src/features/index.ts", "export * from './b/repo';", "ok"},
		{"src/app.ts", "import { Repo } from './features/b/repo';", "ok"},
		{"features/step_definitions/login.js", "const w = require('../support/world');", "ok"},
		{"src/features/a/x.gen.ts", "import { Repo } from '../b/repo';", "ok"},
		// Python
		{"app/features/a/x.py", "from app.features.b.repo import Repo", "fail"},
		{"app/features/a/x.py", "from ..b.repo import Repo", "fail"},
		{"app/features/a/x.py", "from ..b import repo", "fail"},
		{"app/features/a/x.py", "import app.features.b.repo as r, os", "fail"},
		{"app/features/a/x.py", "def f():\n    from app.features.b.repo import (\n        Repo,\n    )\n", "fail"},
		{"app/features/a/x.py", "from app.features.zz.repo import Repo", "fail"},
		{"app/features/a/x.py", "import importlib\nr = importlib.import_module('app.features.b.repo')", "fail"},
		{"app/features/a/x.py", "from app.features.b import Repo", "ok"},
		{"app/features/a/x.py", "from app.features import b, c\nimport app.features.c\nfrom ..c import f", "ok"},
		{"app/features/a/x.py", "from app.features.b.api import Repo", "ok"},
		{"app/features/a/x.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from app.features.b.repo import Repo\nimport os\n", "ok"},
		{"app/features/a/x.py", "if TYPE_CHECKING:\n    pass\nfrom app.features.b.repo import Repo\n", "fail"},
		{"app/features/a/x.py", "from . import y\nfrom .y import z\nimport os, sys\nfrom sklearn.features.b.repo import q\n", "ok"},
		{"app/features/a/x.py", "'''\nfrom app.features.b.repo import Repo\n'''\n", "ok"},
		{"app/features/a/test_x.py", "from app.features.b.repo import Repo", "ok"},
		// Go
		{"internal/features/a/x.go", "package a\n\nimport \"example.com/app/internal/features/b/store\"\n", "fail"},
		{"internal/features/a/x.go", "package a\n\nimport (\n\t\"fmt\"\n\ts \"example.com/app/internal/features/b/store\"\n)\n", "fail"},
		{"internal/features/a/x.go", "package a\n\nimport (\n\t\"example.com/app/internal/features/b\"\n\t\"example.com/app/internal/features/b/api\"\n\t\"example.com/app/internal/features/a/y\"\n\t\"other.com/internal/features/b/store\"\n)\n", "ok"},
		{"internal/features/a/x_test.go", "package a\n\nimport \"example.com/app/internal/features/b/store\"\n", "ok"},
		// Java and Kotlin
		{"src/main/java/com/acme/features/a/X.java", "package com.acme.features.a;\nimport com.acme.features.b.data.Repo;\n", "fail"},
		{"src/main/java/com/acme/features/a/X.java", "import static com.acme.features.b.data.Repo.find;\n", "fail"},
		{"src/main/java/com/acme/features/a/X.java", "import com.acme.features.zz.data.*;\n", "fail"},
		{"src/main/java/com/acme/features/a/X.java", "import com.acme.features.b.api.BApi;\nimport com.acme.features.a.data.Y;\nimport java.util.List;\nimport org.other.features.b.data.Repo;\n", "ok"},
		{"src/test/java/com/acme/features/a/XTest.java", "import com.acme.features.b.data.Repo;\n", "ok"},
		{"src/main/kotlin/com/acme/features/a/X.kt", "import com.acme.features.b.data.Repo as R\n", "fail"},
		{"src/main/kotlin/com/acme/features/a/X.kt", "import com.acme.features.b.api.BApi\nimport kotlin.math.*\n", "ok"},
		// Rust
		{"src/features/a/mod.rs", "use crate::features::b::service::Run;", "fail"},
		{"src/features/a/x.rs", "use crate::features::{a::y, b::{Thing, service::Run}};", "fail"},
		{"src/features/a/x.rs", "use super::super::b::service;", "fail"},
		{"src/features/a/x.rs", "fn f() { crate::features::b::service::run(); }", "fail"},
		{"src/features/a/x.rs", "use crate::features::zz::repo::Repo;", "fail"},
		{"src/features/a/x.rs", "use crate::features::b::Thing;\nuse crate::features::b::{self, api::X};\nuse crate::features::a::y::Z;\nuse std::io;\nuse super::y;", "ok"},
		// Swift imports modules, which are their own surface
		{"Sources/features/Cart/Cart.swift", "import Billing\nimport struct Billing.Store\n@testable import Billing\nimport Foundation", "ok"},
	} {
		if got, found := check(t, tree, tt.path, "", tt.now, pushed.Config{}); got != tt.want {
			t.Errorf("%s: %q: %s %+v, want %s", tt.path, tt.now, got, found, tt.want)
		}
	}
}

func TestPackages(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"packages/b/package.json": `{"name":"@org/b"}`, "packages/b/src/index.ts": "", "packages/b/src/inner/x.ts": "", "packages/b/util.ts": "",
		"packages/a/package.json": `{"name":"@org/a"}`, "modules/m/src/deep/y.js": "", "domains/d/src/z.ts": "",
	}
	for _, tt := range []struct{ path, now, want string }{
		{"packages/a/src/x.ts", "import x from '../../b/src/inner/x'", "fail"},
		{"packages/a/src/x.ts", "import x from '@org/b/src/inner/x'", "fail"},
		{"modules/n/src/x.js", "require('../../m/src/deep/y')", "fail"},
		{"domains/e/src/x.ts", "import z from '../../d/src/z'", "fail"},
		{"packages/a/src/x.ts", "import x from '@org/b'; import y from '@org/b/util'; import z from '@org/b/src'; import w from '@org/b/src/index'", "ok"},
		{"packages/a/src/x.ts", "import x from '../../b/src'; import y from '../../b/src/index.ts'; import z from '../../b/util'; import p from '../../b/package.json'", "ok"},
		{"packages/a/src/x.ts", "import x from './inner/x'; import y from '@org/a/src/inner/x'; import z from '@other/b/src/inner/x'", "ok"},
		{"packages/a/src/x.spec.ts", "import x from '../../b/src/inner/x'", "ok"},
		{"packages/a/scripts/x.ts", "import x from '../../b/src/inner/x'", "ok"},
		{"tools/x.ts", "import x from '../packages/b/src/inner/x'", "ok"},
	} {
		if got, found := check(t, tree, tt.path, "", tt.now, pushed.Config{}); got != tt.want {
			t.Errorf("%s: %q: %s %+v, want %s", tt.path, tt.now, got, found, tt.want)
		}
	}
}

func TestWhatWasThereBeforeIsANote(t *testing.T) {
	t.Parallel()
	old := "import { R } from '../b/repo';\nexport const x = 1;\n"
	if got, f := check(t, nil, "src/features/a/x.ts", old, old+"export const y = 2;\n", pushed.Config{}); got != "note" {
		t.Errorf("old crossing: %s %+v, want a note", got, f)
	}
	if got, f := check(t, nil, "src/features/a/x.ts", old, old+"import { S } from '../b/other';\n", pushed.Config{}); got != "fail" || len(f) != 2 {
		t.Errorf("old and new crossing: %s %+v, want fail", got, f)
	}
}

func TestConfiguredBoundaries(t *testing.T) {
	t.Parallel()
	tree := map[string]string{
		"go.mod": "module example.com/app\n", "db/client.ts": "", "db/api/x.ts": "", "db/db.go": "package db", "web/page.tsx": "", "server/db/__init__.py": "", "server/db/models.py": "",
		"src/main/java/com/acme/db/Repo.java": "", "crate/src/db/mod.rs": "", "App/Db/Store.swift": "",
	}
	for _, tt := range []struct {
		path, now, want string
		rule            pushed.Boundary
	}{
		{"ui/a.ts", "import x from '../db/client'", "fail", pushed.Boundary{From: "ui/**", Deny: []string{"db/**"}}},
		{"ui/a.ts", "import x from '../db/client'", "fail", pushed.Boundary{From: "ui/**", Deny: []string{"db/*.ts"}}},
		{"ui/a.ts", "import x from '../db/api/x'", "ok", pushed.Boundary{From: "ui/**", Deny: []string{"db/**"}, Allow: []string{"db/api/**"}}},
		{"ui/a.ts", "import x from '../db/client'", "ok", pushed.Boundary{From: "web/**", Deny: []string{"db/**"}}},
		{"ui/a.ts", "import pg from 'pg'", "fail", pushed.Boundary{From: "ui/**", Deny: []string{"pg", "mysql*"}}},
		{"ui/a.ts", "import x from '../dbx/client'", "ok", pushed.Boundary{From: "ui/**", Deny: []string{"db/**"}}},
		{"ui/a.go", "package ui\nimport \"example.com/app/db\"\n", "fail", pushed.Boundary{From: "ui/**", Deny: []string{"db/**"}}},
		{"ui/a.go", "package ui\nimport \"database/sql\"\n", "fail", pushed.Boundary{From: "ui/*.go", Deny: []string{"database/**"}}},
		{"server/web/v.py", "from server.db import models", "fail", pushed.Boundary{From: "server/web/**", Deny: []string{"server/db/**"}}},
		{"server/web/v.py", "from ..db.models import X", "fail", pushed.Boundary{From: "server/{web,api}/**", Deny: []string{"**/db/models.py"}}},
		{"src/main/java/com/acme/web/V.java", "import com.acme.db.Repo;", "fail", pushed.Boundary{From: "**/web/**", Deny: []string{"**/db/**"}}},
		{"crate/src/web/mod.rs", "use crate::db::Pool;", "fail", pushed.Boundary{From: "crate/src/web/**", Deny: []string{"crate/src/db/**"}}},
		{"App/Web/V.swift", "import Db", "fail", pushed.Boundary{From: "App/Web/**", Deny: []string{"App/Db"}}},
		{"ui/a.ts", "import x from '../db/client'", "ok", pushed.Boundary{From: "ui/[", Deny: []string{"db/["}}},
	} {
		if got, found := check(t, tree, tt.path, "", tt.now, pushed.Config{Boundaries: []pushed.Boundary{tt.rule}}); got != tt.want {
			t.Errorf("%s: %q with %+v: %s %+v, want %s", tt.path, tt.now, tt.rule, got, found, tt.want)
		}
	}
}

func FuzzImports(f *testing.F) {
	for _, s := range []string{"import x from '../b/y'", "use crate::{a::{b, c}, super::d};", "from ..b import (c, d)", "import (\n\"a\"\n)", "import '../b/x.dart' if (a.b) 'c';", "use crate::{{{{", "from . import", "import"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, p := range []string{"features/a/x.ts", "features/a/x.py", "features/a/x.go", "src/features/a/x.rs", "features/a/x.dart", "features/a/X.java", "features/a/x.swift"} {
			check(t, map[string]string{"features/b/y.ts": ""}, p, "", src, pushed.Config{Boundaries: []pushed.Boundary{{From: "**", Deny: []string{"x/**"}}}})
		}
	})
}

// A file of one statement over and over costs time and memory in proportion to its length.
func TestLongFiles(t *testing.T) {
	t.Parallel()
	for path, s := range map[string]string{
		"features/a/x.py": "from . import (\n", "features/a/y.py": "from . import (a,\n", "features/a/x.dart": "import 'a'\n", "features/a/x.ts": "import {", "features/a/y.ts": "import a ",
		"src/features/a/x.rs": "use crate::{", "src/features/a/y.rs": "use crate::{a,", "features/a/X.java": "import a.b\n", "features/a/x.go": "import (\n",
	} {
		if got, _ := check(t, nil, path, "", strings.Repeat(s, 1<<20/len(s)), pushed.Config{}); got != "ok" {
			t.Errorf("%s: %s", path, got)
		}
	}
}
