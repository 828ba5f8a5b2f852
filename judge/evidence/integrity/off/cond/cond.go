// Package cond reads the words of a condition: what it says of the system, and which environment variables it asks for.
//
// It owns no table and no file; all functions are pure.
package cond

import (
	"go/build/constraint"
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// Platform knows the words of conditions on the system, on versions and on what is installed.
func Platform(word string) bool {
	w := strings.ToLower(strings.Trim(word, "_"))
	switch w {
	case "goos", "goarch", "platform", "windows", "win32", "win", "darwin", "linux", "macos", "mac", "unix", "posix", "version", "version_info", "versions", "version_string",
		"short", "race", "raceenabled", "arch", "target_os", "target_arch", "target_pointer_width", "target_family", "target_env", "ios", "android", "kisweb", "isweb",
		"lookpath", "which", "find_spec", "hasattr", "geteuid", "getuid", "euid", "root", "ipv6", "symlink", "browsername", "browser", "operatingsystem", "os", "jre", "jdk",
		"pypy", "cpython", "implementation", "maxsize", "docker", "libc", "glibc", "musl", "wasm32", "miri", "sanitize", "isfile", "exists", "importorskip", "python_implementation",
		"pointer_width", "cygwin", "wsl", "freebsd", "openbsd", "netbsd", "solaris", "aix", "plan9", "js", "wasm", "cgo", "available", "installed", "supported", "numcpu", "cpu_count", "teston",
		"debug_assertions", "locale", "tzset", "bigendian", "little_endian", "big_endian", "isatty":
		return true
	}
	for _, part := range [...]string{"windows", "macos", "darwin", "linux", "platform", "version", "supports", "pypy", "available", "installed", "python3", "py3", "node_", "jdk"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return strings.HasPrefix(w, "has_") || strings.HasPrefix(w, "have_") || strings.HasPrefix(w, "is_win") || strings.HasPrefix(w, "iswin")
}

// Variables finds the environment variables that a condition asks for.
func Variables(cond string) []string {
	f := source.Lex(source.TS, []byte(cond))
	var out []string
	env := false
	for i := range f.Tokens {
		switch w := f.Text(i); {
		case f.Kind(i) == source.Name && envWord(w):
			env = true
			if (w == "env" || w == "ENV") && f.Is(i+1, ".") && f.Kind(i+2) == source.Name && !f.Is(i+3, "(") {
				out = append(out, f.Text(i+2))
			}
		case f.Kind(i) == source.String && env && shouted(f.Unquote(i)):
			out = append(out, f.Unquote(i))
		}
	}
	if env && len(out) == 0 && strings.Contains(cond, "env") {
		for i := range f.Tokens {
			if f.Kind(i) == source.Name && shouted(f.Text(i)) && len(f.Text(i)) > 3 && f.Text(i) != "ENV" {
				out = append(out, f.Text(i))
			}
		}
	}
	return out
}

func envWord(w string) bool {
	switch w {
	case "Getenv", "LookupEnv", "environ", "getenv", "env", "ENV", "environment", "fromEnvironment", "getProperty", "getBoolean", "GetEnvironmentVariable", "var_os", "option_env", "processInfo":
		return true
	}
	return false
}

// shouted is the custom of names of environment variables.
func shouted(s string) bool {
	letters := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			letters = true
		case c == '_' || c >= '0' && c <= '9' || c == '.' || c == '-':
		case c >= 'a' && c <= 'z' && strings.ContainsAny(s, "._"):
			letters = true
		default:
			return false
		}
	}
	return letters
}

// Negative reports whether a skip's condition is true where the variable is not set.
func Negative(cond string) bool {
	flat := strings.NewReplacer(" ", "", "(", "", "'", `"`).Replace(cond)
	for _, s := range [...]string{`==""`, `===""`, "isNone", "==nil", "==null", "===undefined", "==undefined", ".isEmpty", "!ok", `=="0"`, `!="1"`, `!=="1"`, `!="true"`, `!=="true"`, "is_err", "is_none", "!found", "!set", "!present"} {
		if strings.Contains(flat, s) {
			return true
		}
	}
	return strings.HasPrefix(flat, "!") || strings.HasPrefix(strings.TrimLeft(cond, "( "), "not ") || strings.HasPrefix(strings.TrimLeft(cond, "( "), "unless ")
}

// Without takes single bytes out of a text.
func Without(text, bytes string) string {
	if !strings.ContainsAny(text, bytes) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(bytes, r) {
			return -1
		}
		return r
	}, text)
}

// Unknown lists the tags, not set by the tools of Go, without which no system meets a build constraint.
func Unknown(x constraint.Expr) []string {
	var unknown []string
	for _, system := range [...]bool{true, false} {
		if x.Eval(func(tag string) bool {
			if !goTag(tag) {
				unknown = append(unknown, tag)
				return false
			}
			return system || tag == "unix" || tag == "linux"
		}) {
			unknown = nil
			break
		}
	}
	return unknown
}

// goTag knows the tags that the tools of Go set themselves.
func goTag(tag string) bool {
	switch tag {
	case "linux", "windows", "darwin", "unix", "freebsd", "openbsd", "netbsd", "dragonfly", "solaris", "illumos", "aix", "android", "ios", "js", "wasm", "wasip1", "plan9", "zos", "hurd",
		"amd64", "arm64", "386", "arm", "ppc64", "ppc64le", "mips", "mipsle", "mips64", "mips64le", "riscv64", "s390x", "loong64", "cgo", "race", "msan", "asan", "gc", "gccgo", "appengine", "purego", "tinygo":
		return true
	}
	return strings.HasPrefix(tag, "go1.") || strings.HasPrefix(tag, "goexperiment")
}
