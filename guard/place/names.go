package place

import "strings"

// buildName recognises folders that a build or a package manager makes again. They count only inside a project, and not where
// git tracks them.
func buildName(p string) bool {
	switch p {
	case "node_modules", "bower_components", "dist", "build", "out", "target", "coverage", "htmlcov", ".nyc_output", ".next", ".nuxt", ".output",
		".svelte-kit", ".astro", ".turbo", ".parcel-cache", ".cache", ".vite", ".angular", ".expo", ".docusaurus", ".vercel", ".netlify", ".serverless",
		".aws-sam", ".webpack", ".rollup.cache", ".eslintcache", ".stylelintcache", "__pycache__", ".venv", "venv", ".virtualenv", ".pytest_cache",
		".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".eggs", ".ipynb_checkpoints", ".coverage", ".gradle", ".dart_tool", ".build",
		"DerivedData", "Pods", ".kotlin", "obj", "_build", ".stack-work", "dist-newstyle", ".terraform", ".terragrunt-cache", "tmp", ".tmp", "temp",
		".temp", "playwright-report", "test-results", "storybook-static", ".sass-cache", ".bundle", ".jest-cache", ".swc", ".wrangler", ".mastra",
		"tsconfig.tsbuildinfo":
		return true
	}
	return strings.HasSuffix(p, ".egg-info") || strings.HasPrefix(p, "cmake-build-") || strings.HasPrefix(p, "bazel-") || strings.HasSuffix(p, ".pyc") ||
		strings.HasPrefix(p, ".coverage.")
}

// madeName recognises folders that tools fill in some projects and people in others. They count only where git tracks nothing in
// them.
func madeName(p string) bool {
	switch p {
	case "env", "vendor", "bin", "cache", "log", "logs", "artifacts", "site", "_site", "gen", "generated", "__generated__", "autogen", "__snapshots__", "test-output", "test_output", "wheelhouse",
		"Debug", "Release", "debug", "release", "_deps", "CMakeFiles", ".jekyll-cache", ".hugo_build.lock", ".vs", ".yarn", ".nx", ".moon", ".trunk", ".ccls-cache", ".clangd", ".zig-cache", "zig-out", ".elixir_ls",
		"deps", ".cargo-target", "__MACOSX", "lcov-report", "allure-results", "allure-report", "cdk.out", ".sst", ".amplify", "elm-stuff", ".lake", "nimcache", ".ipynb_checkpoints", "mlruns", ".dvc/tmp", "derived":
		return true
	}
	for _, s := range [...]string{"build-", "build_", "dist-", "dist_", "tmp-", "tmp_", "temp_", "temp-", ".tmp-", "test-tmp", "out-"} {
		if strings.HasPrefix(p, s) {
			return true
		}
	}
	return strings.HasSuffix(p, "-build") || strings.HasSuffix(p, "_build") || strings.HasSuffix(p, ".tmp") || strings.HasSuffix(p, ".xcarchive") || strings.HasSuffix(p, ".dSYM")
}

// MainFolder recognises the top folders of a project that hold its own work: losing one whole is a mistake even where git could
// bring it back.
func MainFolder(rel string) bool {
	switch strings.ToLower(rel) {
	case ".", "", "src", "lib", "libs", "app", "apps", "packages", "pkg", "internal", "cmd", "crates", "test", "tests", "spec", "specs", "e2e", "doc", "docs", "source", "sources", "server", "client", "web", "api",
		"frontend", "backend", "core", "common", "components", "pages", "config", "scripts", "migrations", "db", "data", "assets", "static", "templates", "views", "models", "include", "modules", "services", "infra",
		"k8s", "deploy", "charts", "tools", "examples", "notebooks", ".github", ".claude", ".vscode", "project":
		return true
	}
	return false
}

// homeKeys are files and folders of the home folder that hold keys and passwords.
var homeKeys = [...]string{
	".ssh", ".gnupg", ".aws", ".kube", ".azure", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf", ".pypirc", ".vault-token", ".password-store", ".age", ".docker/config.json",
	".config/gcloud", ".config/gh", ".config/hub", ".config/op", ".config/sops", ".config/rclone", ".config/doctl", ".local/share/keyrings", "Library/Keychains", ".terraform.d/credentials.tfrc.json", ".minisign",
	".oci", ".fly", ".electrum", ".bitcoin", ".ethereum/keystore", ".putty", ".config/age", ".claude/.credentials.json", ".npmrc",
}

// systemKeys are their counterparts of the whole machine.
var systemKeys = [...]string{
	"/etc/shadow", "/etc/gshadow", "/etc/passwd", "/etc/group", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/kubernetes", "/etc/krb5.keytab",
	"/etc/letsencrypt", "/etc/wireguard", "/etc/openvpn", "/root/.ssh", "/root/.gnupg", "/root/.aws", "/root/.kube", "/root/.netrc",
}

// keys recognises the places of keys.
func (w World) keys(parts, home []string) Zone {
	homes := len(home)
	switch {
	case below(parts, home):
	case len(parts) > 2 && (parts[0] == "home" || parts[0] == "Users"):
		homes = 2
	default:
		homes = 0
	}
	if homes > 0 && len(parts) > homes {
		rest := parts[homes:]
		for _, k := range homeKeys {
			if prefixMatch(rest, k) {
				return Keys
			}
		}
	}
	if parts[0] != "etc" && parts[0] != "root" {
		return Unknown
	}
	for _, k := range systemKeys {
		if prefixMatch(parts, k[1:]) {
			return Keys
		}
	}
	return Unknown
}

// prefixMatch compares the first components with a path; a pattern that matches everything is the business of the folder above.
func prefixMatch(parts []string, want string) bool {
	for p := range strings.SplitSeq(want, "/") {
		if len(parts) == 0 || wide(parts[0]) || !match(parts[0], p) {
			return false
		}
		parts = parts[1:]
	}
	return true
}

// keyName recognises files of keys by name.
func keyName(name string) bool {
	switch name {
	case "authorized_keys", ".netrc", "_netrc", ".git-credentials", ".pgpass", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "known_hosts", ".htpasswd",
		"credentials.json", "service-account.json", "kubeconfig", "wallet.dat", "master.key", "server.key", "private.key":
		return true
	}
	if strings.HasPrefix(name, "id_rsa") || strings.HasPrefix(name, "id_ed25519") || strings.HasPrefix(name, "id_ecdsa") {
		return !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".py")
	}
	for _, s := range [...]string{".pem", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg", ".age", ".p8"} {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}
