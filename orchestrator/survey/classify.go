package survey

import (
	"bytes"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// languageOf names the language of a program text, "" for other files: their lines are not counted.
func languageOf(p string) string {
	switch lang := source.Of(p); lang {
	case source.Go:
		return "Go"
	case source.Python:
		return "Python"
	case source.JS:
		return "JavaScript"
	case source.TS:
		return "TypeScript"
	case source.CSharp:
		return "C#"
	case source.PHP:
		return "PHP"
	case source.C:
		return "C"
	case source.CPP:
		return "C++"
	case "":
	default:
		return strings.ToUpper(string(lang[:1])) + string(lang[1:])
	}
	switch strings.ToLower(path.Ext(p)) {
	case ".sh", ".bash", ".zsh":
		return "Shell"
	case ".sql":
		return "SQL"
	case ".html", ".htm", ".vue", ".svelte", ".tmpl", ".erb":
		return "HTML"
	case ".css", ".scss", ".sass", ".less":
		return "CSS"
	case ".proto":
		return "Protobuf"
	case ".ex", ".exs":
		return "Elixir"
	case ".erl":
		return "Erlang"
	case ".hs":
		return "Haskell"
	case ".lua":
		return "Lua"
	case ".pl", ".pm":
		return "Perl"
	case ".r":
		return "R"
	case ".clj", ".cljs":
		return "Clojure"
	case ".ml", ".mli":
		return "OCaml"
	case ".m", ".mm":
		return "Objective-C"
	case ".tf":
		return "Terraform"
	case ".zig":
		return "Zig"
	case ".jl":
		return "Julia"
	}
	return ""
}

// isBuild reports whether a file tells a tool how to build something.
func isBuild(p string) bool {
	base := path.Base(p)
	switch base {
	case "go.mod", "go.work", "package.json", "tsconfig.json", "Cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "Makefile", "GNUmakefile", "makefile",
		"CMakeLists.txt", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "pubspec.yaml", "Gemfile", "composer.json", "Dockerfile", "docker-compose.yml",
		"docker-compose.yaml", "compose.yaml", "Package.swift", "mix.exs", "build.sbt", "WORKSPACE", "MODULE.bazel", "BUILD", "BUILD.bazel", "meson.build", "justfile", "Justfile", "Taskfile.yml",
		"deno.json", "lerna.json", "nx.json", "turbo.json", "pnpm-workspace.yaml", "configure.ac", "flake.nix", "Rakefile", "tox.ini", "noxfile.py":
		return true
	}
	ext := path.Ext(base)
	return ext == ".csproj" || ext == ".sln" || ext == ".fsproj" || ext == ".gemspec" || ext == ".cabal" ||
		(ext == ".yml" || ext == ".yaml") && strings.HasPrefix(p, ".github/workflows/") || p == ".gitlab-ci.yml"
}

// namesPackage reports whether a manifest says by which name others import what is beside it.
func namesPackage(p string) bool {
	switch path.Base(p) {
	case "go.mod", "package.json", "Cargo.toml", "pubspec.yaml":
		return true
	}
	return false
}

// isEntry reports whether a file is one that programs start in, by its name; Scan finds others by their text.
func isEntry(p string) bool {
	switch base := path.Base(p); base {
	case "__main__.py", "manage.py", "wsgi.py", "asgi.py", "main.py", "main.swift", "Program.cs", "index.html":
		return true
	case "server.js", "server.ts", "main.ts", "main.js", "main.tsx", "index.php", "config.ru":
		return strings.Count(p, "/") <= 3
	default:
		return path.Ext(base) == ".rs" && strings.HasSuffix(path.Dir(p), "src/bin")
	}
}

// isTest reports whether a file holds tests, by its name and place.
func isTest(p string) bool {
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case languageOf(p) == "":
		return false
	case strings.HasSuffix(stem, "_test"), strings.HasPrefix(stem, "test_"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"), strings.HasSuffix(stem, "_spec"), stem == "conftest":
		return true
	}
	original := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if strings.HasSuffix(original, "Test") || strings.HasSuffix(original, "Tests") || strings.HasSuffix(original, "Spec") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "test", "tests", "__tests__", "spec", "e2e", "testdata", "androidTest", "integration_test":
			return true
		}
	}
	return false
}

// binaryName reports whether a file need not be opened to know that it is no text.
func binaryName(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tiff", ".avif", ".pdf", ".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".class", ".o", ".a", ".so", ".dll", ".dylib", ".exe", ".bin",
		".wasm", ".pyc", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".mov", ".avi", ".wav", ".ogg", ".webm", ".flac", ".db", ".sqlite", ".sqlite3", ".parquet", ".npy", ".npz", ".pkl", ".pt", ".onnx", ".h5", ".psd", ".keystore", ".jks":
		return true
	}
	return false
}

// generatedName reports whether a file's name says that a tool has written it.
func generatedName(p string) bool {
	base := path.Base(p)
	switch base {
	case "go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "poetry.lock", "uv.lock", "Pipfile.lock", "composer.lock", "Gemfile.lock", "pubspec.lock", "bun.lock", "bun.lockb", "mix.lock", "flake.lock":
		return true
	}
	for _, end := range [...]string{".min.js", ".min.css", ".map", ".pb.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2_grpc.py", ".g.dart", ".freezed.dart", ".snap", "_generated.go", "_gen.go", ".generated.ts", ".designer.cs", ".Designer.cs", ".d.ts.map", "_string.go"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

// looksGenerated reports whether the beginning of a text says so, or its lines are too long for a person.
func looksGenerated(p string, data []byte) bool {
	head := data[:min(len(data), 2048)]
	if bytes.Contains(head, []byte("DO NOT EDIT")) && bytes.Contains(head, []byte("enerated")) || bytes.Contains(head, []byte("@generated")) {
		return true
	}
	const long = 1000 // bytes of a line on average
	switch path.Ext(p) {
	case ".js", ".css", ".mjs", ".cjs":
		return len(data) > 5000 && len(data)/(bytes.Count(data, []byte("\n"))+1) > long
	}
	return false
}

// looksBinary reports whether there is a NUL in the beginning, as git asks.
func looksBinary(data []byte) bool {
	const first = 8000
	return bytes.IndexByte(data[:min(len(data), first)], 0) >= 0
}
