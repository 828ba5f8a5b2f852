package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/sandbox"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

// policy says what a check may do.
func (v *Verifier) policy(ctx context.Context, c schedule.Check, f folder) (sandbox.Policy, error) {
	p := sandbox.Policy{
		Dir: c.Dir, Network: c.Network, Procs: v.o.Procs, Memory: v.o.Memory, Tmp: f.sub("tmp"), Hide: slices.Clone(v.o.Hide),
		// Not the folder that holds these: what lies in it is ours, and a link in the place of one of them would lead us elsewhere.
		ReadWrite: []sandbox.Bind{{From: c.Root}, {From: f.sub("home")}, {From: f.sub("cache")}},
		ReadOnly:  slices.Clone(v.o.ReadOnly),
	}
	p.Env = v.environ(f, c.Network)
	p.ReadOnly = append(p.ReadOnly, v.o.Caches.Binds()...)
	if v.o.Lend != nil {
		read, write, err := v.o.Lend(ctx, c.Root, f.dir+".lent")
		if err != nil {
			return p, err
		}
		p.ReadOnly, p.ReadWrite = append(p.ReadOnly, read...), append(p.ReadWrite, write...)
	}
	repo, err := gitx.Find(c.Root)
	if errors.Is(err, gitx.ErrNoRepo) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	if repo.Root != c.Root {
		p.ReadOnly = append(p.ReadOnly, sandbox.Bind{From: repo.Root})
	}
	if v.box.Kind() == sandbox.Bwrap || !isFile(filepath.Join(repo.Root, ".git")) { // who writes it decides where git looks; for a file there is also a guard
		p.ReadOnly = append(p.ReadOnly, sandbox.Bind{From: filepath.Join(repo.Root, ".git")})
	}
	if v.o.CommonDir != "" {
		repo.CommonDir = v.o.CommonDir
	}
	return p, v.repository(ctx, &p, repo, f)
}

// repository makes the objects and refs readable, but not the configuration, which may hold credentials: copies with the bare form of
// the repository stand in its place. Where nothing can stand in another's place the repository stays invisible.
func (v *Verifier) repository(ctx context.Context, p *sandbox.Policy, repo gitx.Repo, f folder) error {
	if v.box.Kind() != sandbox.Bwrap {
		return nil
	}
	settings, err := git.Runner{Dir: repo.CommonDir, GitDir: repo.CommonDir}.Config(ctx, `^(core\.(repositoryformatversion|bare|filemode|ignorecase|symlinks|precomposeunicode)|extensions\..*)$`)
	if err != nil {
		return fmt.Errorf("read git configuration: %w", err)
	}
	config, empty := f.sub("git-config"), f.sub("git-empty")
	if err := errors.Join(atomicfile.WriteFile(config, bare(settings), 0o600), atomicfile.WriteFile(empty, nil, 0o600)); err != nil {
		return fmt.Errorf("copy git configuration: %w", err)
	}
	p.ReadOnly = append(p.ReadOnly, sandbox.Bind{From: repo.CommonDir}, sandbox.Bind{From: config, To: filepath.Join(repo.CommonDir, "config")})
	own, err := filepath.Glob(filepath.Join(escape(repo.CommonDir), "worktrees", "*", "config.worktree"))
	if err != nil {
		return fmt.Errorf("look for git configuration: %w", err)
	}
	for _, path := range append(own, filepath.Join(repo.CommonDir, "config.worktree")) {
		if _, err := os.Lstat(path); err == nil {
			p.ReadOnly = append(p.ReadOnly, sandbox.Bind{From: empty, To: path})
		}
	}
	p.Hide = append(p.Hide, filepath.Join(repo.CommonDir, "modules"))
	return nil
}

// bare writes settings as a configuration file.
func bare(settings [][2]string) []byte {
	var b strings.Builder
	for _, kv := range settings {
		section, key, ok := strings.Cut(kv[0], ".")
		if !ok || strings.ContainsAny(kv[1], "\n\"\\") || strings.Contains(key, ".") {
			continue
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, key, kv[1])
	}
	return []byte(b.String())
}

func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Caches are folders of packages that the person already has. Empty ones are not used.
type Caches struct {
	Go    string // GOMODCACHE
	Cargo string // CARGO_HOME
}

// FindCaches looks for the person's caches, by their variables or in their usual places below home.
func FindCaches(getenv func(string) string, home string) Caches {
	first := func(paths ...string) string {
		for _, path := range paths {
			if filepath.IsAbs(path) {
				if info, err := os.Stat(path); err == nil && info.IsDir() {
					return path
				}
			}
		}
		return ""
	}
	gopath, _, _ := strings.Cut(getenv("GOPATH"), string(os.PathListSeparator))
	var mods, crates []string
	mods = append(mods, getenv("GOMODCACHE"))
	if gopath != "" {
		mods = append(mods, filepath.Join(gopath, "pkg", "mod"))
	}
	crates = append(crates, getenv("CARGO_HOME"))
	if home != "" {
		mods = append(mods, filepath.Join(home, "go", "pkg", "mod"))
		crates = append(crates, filepath.Join(home, ".cargo"))
	}
	return Caches{Go: first(mods...), Cargo: first(crates...)}
}

// Binds are the folders to show: never the whole of CARGO_HOME, because credentials.toml lies there.
func (c Caches) Binds() []sandbox.Bind {
	var binds []sandbox.Bind
	add := func(path string) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			binds = append(binds, sandbox.Bind{From: path})
		}
	}
	if c.Go != "" {
		add(filepath.Join(c.Go, "cache", "download"))
	}
	if c.Cargo != "" {
		add(filepath.Join(c.Cargo, "registry"))
		add(filepath.Join(c.Cargo, "git"))
	}
	return binds
}

// Environ makes the tools of somebody who sees the caches, has a home of their own and no network take packages from there.
func (c Caches) Environ() []string {
	env := []string{"GOSUMDB=off", "GOTOOLCHAIN=local", "CARGO_NET_OFFLINE=true", "npm_config_offline=true", "PIP_NO_INDEX=1"}
	if c.Go != "" { // the cache is a module proxy, too; a read-only GOMODCACHE would not do
		env = append(env, "GOPROXY=file://"+filepath.Join(c.Go, "cache", "download"))
	}
	return env
}

// environ is the whole environment of a check.
func (v *Verifier) environ(f folder, network bool) []string {
	cache := func(name ...string) string { return f.sub(append([]string{"cache"}, name...)...) }
	own := []string{
		"HOME=" + f.sub("home"), "XDG_CACHE_HOME=" + cache(), "TMPDIR=" + f.sub("tmp"),
		"GOCACHE=" + cache("go-build"), "GOMODCACHE=" + cache("go-mod"), "GOENV=off", "GOTELEMETRY=off",
		"GOFLAGS=" + strings.TrimSpace(value(v.o.Env, "GOFLAGS")+" -modcacherw"+stamping(v.o.Env)),
		"CARGO_HOME=" + cache("cargo"), "npm_config_cache=" + cache("npm"), "npm_config_update_notifier=false", "PIP_CACHE_DIR=" + cache("pip"),
		"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	}
	if v.o.Caches.Go != "" && network {
		rest := "https://proxy.golang.org,direct"
		if set := value(v.o.Env, "GOPROXY"); set != "" {
			rest = set
		}
		own = append(own, "GOPROXY=file://"+filepath.Join(v.o.Caches.Go, "cache", "download")+","+rest)
	}
	if !network {
		own = append(own, v.o.Caches.Environ()...)
	}
	var env []string
	for _, kv := range append(slices.Clone(v.o.Env), own...) {
		key, _, ok := strings.Cut(kv, "=")
		if !ok || key == "" {
			continue
		}
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, key+"=") })
		env = append(env, kv)
	}
	for _, kv := range [...]string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"} {
		if key, _, _ := strings.Cut(kv, "="); value(env, key) == "" {
			env = append(env, kv)
		}
	}
	v.link(f)
	return env
}

// stamping keeps go build from asking git, which need not work inside.
func stamping(env []string) string {
	if strings.Contains(value(env, "GOFLAGS"), "-buildvcs") {
		return ""
	}
	return " -buildvcs=false"
}

// link shows the person's crates in the region's own CARGO_HOME, where Cargo writes its locks.
func (v *Verifier) link(f folder) {
	if v.o.Caches.Cargo == "" {
		return
	}
	cache, err := os.OpenRoot(f.sub("cache")) // a command may have put a link in the place of what is in it
	if err != nil {
		return // Cargo will say it
	}
	defer func() { _ = cache.Close() }() // only links were made through it
	if err := cache.MkdirAll("cargo", 0o700); err != nil {
		return
	}
	for _, name := range [...]string{"registry", "git"} {
		_ = cache.Symlink(filepath.Join(v.o.Caches.Cargo, name), "cargo/"+name) // is there from the second time on
	}
}

func value(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, val, ok := strings.Cut(env[i], "="); ok && k == key {
			return val
		}
	}
	return ""
}
