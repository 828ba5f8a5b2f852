package place

import (
	"path"
	"strings"
)

// systemTops are folders of the root that belong to the operating system with all that is in them.
var systemTops = [...]string{
	"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin", "sys", "usr", "var", "System", "Library",
	"Applications", "private", "cores", "nix", "snap", "lost+found", "Windows", "WINDOWS",
}

// mountTops are folders of the root that hold what others put there: losing them whole is losing everything in them.
var mountTops = [...]string{"home", "Users", "opt", "srv", "mnt", "media", "Volumes", "data", "workspace", "workspaces"}

// caches are folders whose content is fetched or made again on demand. "~" is the home folder.
var caches = [...]string{
	"/var/cache/*", "/var/lib/apt/lists/*", "~/.cache/*", "~/.npm/_cacache", "~/.npm/_npx", "~/.npm/_logs", "~/.gradle/caches", "~/.m2/repository/*",
	"~/.cargo/registry/*", "~/go/pkg/mod/cache", "~/Library/Caches/*", "~/Library/Developer/Xcode/DerivedData", "~/.yarn/cache", "~/.pnpm-store/*", "~/.bun/install/cache",
	"~/.nuget/packages/*", "~/.pub-cache/*", "~/.deno/*", "~/.local/share/Trash/*", "~/.terraform.d/plugin-cache", "~/.dartServer/*",
}

// classify names the zone of a cleaned path. Components may be patterns: what they could match counts.
func (w World) classify(parts []string) Zone {
	if len(parts) == 0 || len(parts) == 1 && wide(parts[0]) {
		return Root
	}
	home, project := split(w.home()), split(w.Project)
	if z := w.keys(parts, home); z != Unknown {
		return z
	}
	if parts[0] == "dev" && len(parts) > 1 {
		return device(parts[1:])
	}
	inProject := len(project) > 0 && below(parts, project)
	if w.Home != "" || !inProject {
		if covers(parts, home) {
			return Home
		}
	}
	if len(project) > 0 && covers(parts, project) {
		return ProjectRoot
	}
	if inProject {
		return w.inProject(parts[len(project):])
	}
	if own := split(w.Temp); below(parts, home) && !(len(own) > 0 && below(own, home) && below(append(parts[:len(parts):len(parts)], ""), own)) {
		// Below the home folder, even where that is a temporary one itself.
	} else if z := w.temp(parts); z != Unknown {
		return z
	}
	for _, p := range parts {
		if p == ".git" {
			return GitDir
		}
	}
	if w.cache(parts, home) {
		return Build
	}
	if below(parts, home) {
		return inHome(parts[len(home):])
	}
	return outside(parts)
}

func outside(parts []string) Zone {
	for _, s := range systemTops {
		if !match(parts[0], s) {
			continue
		}
		if s == "root" && len(parts) == 1 {
			return Home
		}
		if s == "usr" && len(parts) > 3 && parts[1] == "local" && parts[2] != "bin" && parts[2] != "lib" && parts[2] != "sbin" {
			return Outside
		}
		return System
	}
	for _, s := range mountTops {
		if !match(parts[0], s) {
			continue
		}
		switch {
		case len(parts) == 1, len(parts) == 2 && wide(parts[1]):
			return System
		case len(parts) <= 3 && (s == "home" || s == "Users") && (len(parts) == 2 || wide(parts[2])):
			return Home
		}
		return Outside
	}
	return Outside
}

// covers reports whether a path is of, or is a parent of, or has all of the children of, what lies at whole.
func covers(parts, whole []string) bool {
	n := len(parts)
	if n > 0 && wide(parts[n-1]) && n <= len(whole)+1 {
		return n == 1 || covers(parts[:n-1], whole)
	}
	if n > len(whole) {
		return false
	}
	for i, p := range parts {
		if !match(p, whole[i]) {
			return false
		}
	}
	return true
}

// below reports whether a path lies under top.
func below(parts, top []string) bool {
	if len(parts) <= len(top) {
		return false
	}
	for i, p := range top {
		if !match(parts[i], p) {
			return false
		}
	}
	return true
}

func inHome(rest []string) Zone {
	switch {
	case len(rest) == 1:
		return HomeTop
	case strings.HasPrefix(rest[0], ".") && (len(rest) == 2 || wide(rest[len(rest)-1])):
		return HomeTop
	case len(rest) == 2 && wide(rest[1]):
		return HomeTop
	}
	return Outside
}

func (w World) inProject(rest []string) Zone {
	if rest[0] == ".git" || match(rest[0], ".git") && strings.HasPrefix(rest[0], ".g") {
		return GitDir
	}
	build, made := false, false
	for _, p := range rest {
		if p == ".git" {
			return GitDir
		}
		build = build || buildName(p)
		made = made || madeName(p)
	}
	rel := strings.Join(rest, "/")
	if w.Disk == nil || strings.ContainsAny(rel, unknownPart+"*?[") {
		if n := len(rest) - 1; !build && n > 0 && w.Disk != nil && !strings.ContainsAny(strings.Join(rest[:n], "/"), unknownPart+"*?[") && w.Disk.Ignored(strings.Join(rest[:n], "/")) {
			build = true
		}
		if build {
			return Build
		}
		return Project
	}
	switch {
	case (build || made) && !w.Disk.Tracked(rel):
		return Build
	case !build && w.Disk.Ignored(rel) && !w.Disk.Tracked(rel):
		return Build
	}
	return Project
}

// temp recognises the places for temporary files.
func (w World) temp(parts []string) Zone {
	own := split(w.Temp)
	for _, top := range [...][]string{{"tmp"}, {"var", "tmp"}, {"private", "tmp"}, {"private", "var", "tmp"}, {"run", "user", "*"}, own} {
		if len(top) == 0 {
			continue
		}
		n := len(top)
		if len(parts) < n || !match(parts[n-1], top[n-1]) && top[n-1] != "*" || n > 1 && !same(parts[:n-1], top[:n-1], n) {
			continue
		}
		if len(parts) == n || len(parts) == n+1 && wide(parts[n]) {
			if top[n-1] == "*" {
				return System
			}
			return TempTop
		}
		return Temp
	}
	for _, top := range [...][]string{{"var", "folders"}, {"private", "var", "folders"}} { // macOS: folders/xx/yyyy/T/…
		if n := len(top); len(parts) > n+3 && parts[0] == top[0] && parts[n-1] == "folders" {
			return Temp
		}
	}
	return Unknown
}

func same(parts, top []string, n int) bool {
	for i := range n - 1 {
		if top[i] != "*" && !match(parts[i], top[i]) {
			return false
		}
	}
	return true
}

// cache recognises the folders of caches.
func (w World) cache(parts, home []string) bool {
	for _, c := range caches {
		rest, under := parts, c[1:]
		if c[0] == '~' {
			if !below(parts, home) {
				continue
			}
			rest, under = parts[len(home):], c[2:]
		}
		inside, all := strings.CutSuffix(under, "/*")
		if prefixMatch(rest, inside) && (!all || len(rest) > strings.Count(inside, "/")+1) {
			return true
		}
	}
	return false
}

// device sorts what lies below /dev.
func device(rest []string) Zone {
	name := rest[0]
	switch name {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "fd", "pts", "ptmx", "tcp", "udp", "console", "kvm", "net", "dri", "snd", "log", "fuse":
		return Outside
	case "shm", "mqueue":
		if len(rest) == 1 || wide(rest[1]) {
			return TempTop
		}
		return Temp
	}
	for _, p := range [...]string{"tty", "loop", "cu.", "video", "input", "usb", "dsp", "pty"} {
		if strings.HasPrefix(name, p) {
			return Outside
		}
	}
	return Device
}

// wide reports whether a pattern matches (nearly) everything: *, .*, ?*, .[!.]*, **.
func wide(p string) bool {
	star := false
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '*':
			star = true
		case '?', '.':
		case '[':
			end := strings.IndexByte(p[i:], ']')
			if end < 0 {
				return false
			}
			class := p[i+1 : i+end]
			if !strings.HasPrefix(class, "!") && !strings.HasPrefix(class, "^") && !strings.Contains(class, "-") && !strings.Contains(class, "[:") {
				return false
			}
			i += end
		default:
			return false
		}
	}
	return star && !strings.HasPrefix(p, "..") || star && strings.HasPrefix(p, "..?")
}

// match reports whether a component, which may be a pattern, could be name.
func match(p, name string) bool {
	if p == name {
		return true
	}
	if !strings.ContainsAny(p, "*?[") {
		return false
	}
	ok, err := path.Match(strings.ReplaceAll(p, "[!", "[^"), name)
	return ok && err == nil
}
