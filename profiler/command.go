package profiler

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
	"github.com/devflow-suite/devflow/internal/shell/program"
)

// Class is what a shell command line does to the world, as far as risk goes.
type Class string

// The classes in rising order of impact.
const (
	ReadOnly    Class = "read"
	BuildTest   Class = "build"
	Other       Class = "other"
	Dependency  Class = "dependency"
	History     Class = "history"
	Deploy      Class = "deploy"
	Destructive Class = "destructive"
)

// impact of running it, per mille.
func (c Class) impact() int64 {
	switch c {
	case ReadOnly:
		return 50
	case BuildTest, "test":
		return 100
	case Dependency:
		return 600
	case History:
		return 800
	case Deploy:
		return 900
	case Destructive:
		return 1000
	case "":
		return 0
	}
	return 300
}

// Heavier is the class with the greater impact.
func Heavier(a, b Class) Class {
	if b.impact() > a.impact() {
		return b
	}
	return a
}

// Mutates reports whether a command of this class may change files of the project.
func (c Class) Mutates() bool { return c != ReadOnly && c != BuildTest && c != "" }

// Classify is the class of a whole command line: that of its heaviest command. readable is false when a part could not be
// read; such a line is at least Other.
func Classify(s shell.Script, readable bool) Class {
	c := ReadOnly
	if !readable || len(s.Commands) == 0 || len(s.Funcs) > 0 {
		c = Other
	}
	for i := range s.Commands {
		c = Heavier(c, command(&s.Commands[i]))
	}
	for _, r := range s.Redirs {
		switch {
		case !r.Writes():
		case device(r.Target.Text):
			return Destructive
		default:
			c = Heavier(c, Other)
		}
	}
	return c
}

// device reports whether a path is a device whose content matters.
func device(p string) bool {
	rest, ok := strings.CutPrefix(p, "/dev/")
	return ok && !listed("null stdout stderr tty zero random urandom full", rest) && !strings.HasPrefix(rest, "fd/") && !strings.HasPrefix(rest, "tcp/") &&
		!strings.HasPrefix(rest, "udp/") && !strings.HasPrefix(rest, "pts/") && !strings.HasPrefix(rest, "shm/")
}

// listed reports whether a word is in a list separated by blanks.
func listed(list, word string) bool {
	for word != "" && strings.IndexByte(word, ' ') < 0 {
		k := strings.Index(list, word)
		if k < 0 {
			return false
		}
		end := k + len(word)
		if (k == 0 || list[k-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		list = list[end:]
	}
	return false
}

// command classifies one simple command. What cannot be read, and what is not known, is Other.
func command(c *shell.Command) Class {
	if c.Unreadable || c.Opaque {
		return Other
	}
	if c.Name == "" {
		return ReadOnly // assignments
	}
	if _, _, ok := program.Test(c); ok {
		return BuildTest
	}
	call, ok := program.Resolve(c) // npx, uv run, python -m …
	if !ok {
		return Other
	}
	for i := range rules {
		if listed(rules[i].names, call.Name) && rules[i].matches(call.Args) {
			return rules[i].class
		}
	}
	if _, _, ok := program.Compile(c); ok {
		return BuildTest
	}
	if class, ok := byTask(call.Task); ok {
		return class
	}
	if call.Name == "rm" && c.Wrapped("xargs") && (has(call.Args, "-r") || has(call.Args, "-R")) {
		return Destructive // of what, only the input knows
	}
	return special(call.Name, call.Args)
}

// byTask classifies scripts and targets of task runners by the first word of their names.
func byTask(task string) (Class, bool) {
	word := strings.ToLower(task)
	if k := strings.IndexAny(word, ":-_./"); k > 0 {
		word = word[:k]
	}
	switch {
	case listed("deploy publish release ship push", word):
		return Deploy, true
	case listed("lint format fmt check build compile typecheck docs clean generate", word):
		return BuildTest, true
	}
	return "", false
}

// special handles programs whose arguments decide in ways of their own.
func special(name string, args []string) Class {
	switch {
	case name == "rm" || name == "rmdir" || name == "unlink":
		if deletesTree(args) {
			return Destructive
		}
		return Other
	case name == "find" || name == "fd":
		return findClass(args)
	case strings.HasPrefix(name, "mkfs"), name == "dd" && writesDevice(args):
		return Destructive
	case listed("chmod chown chgrp", name):
		if (has(args, "-R") || has(args, "--recursive")) && anyArg(args, wide) {
			return Destructive
		}
		return Other
	case listed("psql mysql mariadb sqlite3 sqlcmd mongosh mongo redis-cli clickhouse-client duckdb", name):
		return sqlClass(args)
	case name == "sed":
		if anyArg(args, func(a string) bool { return strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--in-place") }) {
			return Other
		}
		return ReadOnly
	case name == "awk" || name == "gawk" || name == "mawk":
		if anyArg(args, func(a string) bool { return strings.ContainsAny(a, ">|") || strings.Contains(a, "system(") }) {
			return Other
		}
		return ReadOnly
	case listed("sort yq tree xxd", name):
		if has(args, "-o") || has(args, "-i") || has(args, "-r") && name == "xxd" || anyArg(args, func(a string) bool { return strings.HasPrefix(a, "--output") }) {
			return Other
		}
		return ReadOnly
	case listed(reading, name), len(args) == 1 && (args[0] == "--version" || args[0] == "--help" || args[0] == "-V"):
		return ReadOnly
	case listed(building, name):
		return BuildTest
	}
	return Other
}

func anyArg(args []string, is func(string) bool) bool {
	return slices.ContainsFunc(args, is)
}

// leading drops options, and their values, before the first word: git -C x push, npm --prefix y install.
func leading(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if args[0] == "-" || args[0] == "--" {
			return args
		}
		if listed("-C -c --git-dir --work-tree --namespace --exec-path --prefix --dir --cwd -w --workspace --filter -F -n --context --kubeconfig -H --host --manifest-path --directory", args[0]) {
			n = 2
		}
		if len(args) <= n {
			return args
		}
		args = args[n:]
	}
	return args
}

// rule matches a program by name and its first words; the first rule that matches decides.
type rule struct {
	class Class
	names string // programs, separated by blanks
	words string // alternatives, separated by |: words that must all occur, the first one as the first argument; * is any
}

func (r *rule) matches(args []string) bool {
	words := leading(args)
	for alternative := range strings.SplitSeq(r.words, "|") {
		first, more, _ := strings.Cut(alternative, " ")
		if first != "*" && (len(words) == 0 || words[0] != first) {
			continue
		}
		ok := true
		for more != "" && ok {
			var w string
			w, more, _ = strings.Cut(more, " ")
			if not, found := strings.CutPrefix(w, "!"); found {
				ok = !has(args, not)
			} else {
				ok = has(args, w)
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// has reports whether a word, or a one-letter option within a bundle (-fdx), is among the arguments. x* is a prefix, *x* may stand anywhere.
func has(args []string, word string) bool {
	for _, a := range args {
		if a == word {
			return true
		}
		if p, ok := strings.CutSuffix(word, "*"); ok && p != "" {
			if strings.HasPrefix(a, p) || p[0] == '*' && strings.Contains(a, p[1:]) {
				return true
			}
		}
		if len(word) == 2 && word[0] == '-' && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a[1:], word[1]) >= 0 {
			return true
		}
	}
	return false
}

// rules are in order: the specific ones first. `!x` means that x must not occur.
var rules = [...]rule{
	{Destructive, "git", "clean -f !--dry-run !-n|clean --force !--dry-run !-n|reset --hard|reset --merge|checkout .|checkout --|checkout -f|checkout --force|restore . !--staged" +
		"|stash drop|stash clear|branch -D|filter-branch|filter-repo|push --force|push -f|push --mirror|push --delete|push +*|reflog expire|gc --prune=now|update-ref -d|worktree remove -f" +
		"|worktree remove --force|rm -r -f"},
	{Destructive, "terraform tofu pulumi", "destroy"},
	{Destructive, "kubectl oc", "delete"},
	{Destructive, "helm", "uninstall|delete"},
	{Destructive, "docker podman", "system prune|volume rm|volume prune"},
	{Destructive, "aws", "s3 rm --recursive|s3 rb"},
	{Destructive, "gsutil", "rm -r|* rm -r"},
	{Destructive, "gcloud az heroku fly flyctl", "* delete|* destroy"},
	{Destructive, "gh", "repo delete|release delete"},
	{Destructive, "dropdb shred wipefs", "*"},
	{Deploy, "git", "push !--dry-run !-n|send-pack"},
	{Deploy, "npm pnpm yarn bun cargo poetry uv flutter dart gem vsce hatch pdm", "publish !--dry-run|push|pub publish"},
	{Deploy, "docker podman", "push|compose push|buildx --push"},
	{Deploy, "kubectl oc", "apply !--dry-run*|rollout|replace|scale|create|patch|set"},
	{Deploy, "terraform tofu pulumi", "apply|up|import"},
	{Deploy, "helm", "install|upgrade|rollback"},
	{Deploy, "gh", "release create|pr merge|workflow run|repo sync"},
	{Deploy, "twine", "upload"},
	{Deploy, "aws", "s3 sync|s3 cp|lambda|cloudformation|ecs"},
	{ReadOnly, "fly flyctl vercel netlify heroku firebase wrangler", "logs|status|whoami|list|ls|--version"},
	{Deploy, "fly flyctl vercel netlify serverless sls firebase wrangler heroku cap ansible-playbook kamal", "*"},
	{History, "git", "rebase|commit --amend|reset|replace|notes remove"},
	{Dependency, "npm pnpm yarn bun", "install|i|add|remove|rm|uninstall|un|update|up|upgrade|ci|dedupe"},
	{Dependency, "pip poetry pdm pipenv conda mamba gem bundle composer brew apt apt-get dnf yum apk pacman cargo flutter dart uv rye mix",
		"install|add|remove|uninstall|update|upgrade|require|sync|lock|pub add|pub remove|pub get|pub upgrade|deps.get|-S"},
	{Dependency, "go", "get|mod tidy|mod edit|install *@*"},
	{Dependency, "dotnet", "add package|remove package|restore"},
	{Dependency, "swift", "package update|package resolve"},
	{ReadOnly, "go", "version|env|list|doc|help|mod graph|mod why|mod verify"},
	{ReadOnly, "cargo", "tree|metadata|search|--version"},
	{ReadOnly, "git", "status|log !--output*|diff !--output*|show !--output*|rev-parse|ls-files|ls-tree|cat-file|blame|shortlog|describe|grep|fetch|rev-list|merge-base|ls-remote|cherry|whatchanged" +
		"|name-rev|for-each-ref|show-ref|check-ignore|remote !add !remove !rm !set-url !rename !prune|branch -a|branch -l|branch --list|branch --show-current|branch -v|stash list|stash show|worktree list|config --get|config --list|config -l|version|help|reflog"},
	{ReadOnly, "docker podman kubectl helm oc", "ps|logs|images|inspect|get|describe|list|ls|version|info|top|stats|history|explain"},
	{ReadOnly, "npm pnpm yarn pip gem cargo composer brew apt", "ls|list|view|show|outdated|info|why|freeze|search|audit !fix"},
	{ReadOnly, "gh", "pr view|pr list|pr diff|pr checks|pr status|issue view|issue list|run view|run list|repo view|search|auth status"},
	{BuildTest, "git", "add|commit"}, // a step that changes no file: committing must not raise the risk
}

// reading programs change nothing by themselves; redirections are looked at apart.
const reading = "ls cat head tail grep egrep fgrep rg ag ack pwd echo printf wc stat file which whereis type command env printenv date jq uniq cut tr " +
	"du df ps id whoami hostname uname true false test [ [[ (( cd sleep diff cmp basename dirname realpath readlink nl less more column comm seq expr bat " +
	"sha256sum sha1sum md5sum od strings export set unset alias local read return exit wait : let declare typeset readonly pushd popd time shift break continue " +
	"source . nproc free uptime lsof tty clear tac rev fold fmt paste join look getconf locale man history jobs dirs hash cal bc dc tokei cloc"

// building programs format, check or generate and write only what they make.
const building = "prettier gofmt gofumpt goimports rustfmt black isort autopep8 yapf dart_style ktlint clang-format shfmt swift-format buf protoc sqlc mockgen stringer cargo-fmt hyperfine"

// deletesTree reports whether rm deletes something else than what a build or a run leaves behind: a tree, or a file that is none of the
// project's.
func deletesTree(args []string) bool {
	recursive := has(args, "-r") || has(args, "-R") || has(args, "--recursive")
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if recursive && !leftover(a) || precious(a) {
			return true
		}
	}
	return false
}

// precious names files whose loss is felt outside the project, or is not undone by git.
func precious(p string) bool {
	clean := path.Clean(p)
	for _, dir := range [...]string{"~/.ssh", "~/.gnupg", "~/.aws", "~/.kube", "$HOME/.ssh", "$HOME/.gnupg", "/etc", "/usr", "/boot", "/bin", "/sbin", "/lib", "/var/lib", ".git"} {
		if clean == dir || strings.HasPrefix(clean, dir+"/") {
			return clean != ".git/index.lock"
		}
	}
	return clean == "~" || clean == "/" || clean == "$HOME" || strings.Contains(clean, "/.ssh/")
}

// wide reports whether a path reaches beyond the project.
func wide(p string) bool {
	clean := path.Clean(p)
	return clean == "/" || strings.HasPrefix(clean, "~") || strings.HasPrefix(clean, "$") || strings.HasPrefix(clean, "..") ||
		path.IsAbs(clean) && !temporary(clean) && strings.Count(clean, "/") < 4
}

// temporary reports whether a path lies below a directory for temporary files.
func temporary(clean string) bool {
	return strings.HasPrefix(clean, "/tmp/") || strings.HasPrefix(clean, "/var/tmp/") || strings.HasPrefix(clean, "/private/tmp/")
}

// leftover names paths that a build, a test run or a tool makes anew.
func leftover(p string) bool {
	clean := path.Clean(strings.TrimSuffix(p, "/*"))
	if temporary(clean) {
		return !strings.ContainsAny(clean, "*?[$")
	}
	// Below an absolute path only where it is deep enough to be somebody's project.
	if path.IsAbs(clean) && strings.Count(clean, "/") < 4 || strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, "~") || strings.Contains(clean, "$") {
		return false
	}
	const names = "build dist out target node_modules coverage htmlcov __pycache__ .venv venv .pytest_cache .mypy_cache .ruff_cache .cache .next .nuxt .gradle .dart_tool .tox " +
		".parcel-cache tmp .tmp .turbo .svelte-kit .eggs .nyc_output DerivedData Pods obj bin cmake-build-debug"
	return listed(names, path.Base(clean)) || strings.HasSuffix(clean, ".egg-info")
}

// findClass looks at what find does with what it finds. A command that it executes is in the script by itself.
func findClass(args []string) Class {
	class := ReadOnly
	for i, a := range args {
		switch {
		case a == "-delete":
			class = Destructive
			for j := range i {
				if (args[j] == "-name" || args[j] == "-iname") && junk(args[j+1]) {
					class = Other
				}
			}
			return class
		case strings.HasPrefix(a, "-fprint"), a == "-fls":
			class = Other
		}
	}
	return class
}

// junk names patterns of files that are made anew.
func junk(pattern string) bool {
	return listed("*.pyc *.pyo *.o *.obj *.class *.log *.tmp *.orig *.rej *.bak *.swp *~ .DS_Store __pycache__ Thumbs.db *.gcda *.gcno", pattern)
}

func writesDevice(args []string) bool {
	return anyArg(args, func(a string) bool { v, ok := strings.CutPrefix(a, "of="); return ok && device(v) })
}

// sqlClass looks for statements that lose data among the arguments of a database client.
func sqlClass(args []string) Class {
	class := ReadOnly
	for _, a := range args {
		words := strings.Fields(strings.ToUpper(strings.NewReplacer(";", " ; ", "(", " ( ").Replace(a)))
		for i, w := range words {
			next := ""
			if i+1 < len(words) {
				next = words[i+1]
			}
			switch {
			case w == "DROP" && listed("TABLE DATABASE SCHEMA COLUMN VIEW INDEX USER ROLE", next), w == "TRUNCATE", w == "FLUSHALL", w == "FLUSHDB",
				strings.Contains(w, "DROPDATABASE"), w == "DELETE" && next == "FROM" && !strings.Contains(strings.ToUpper(a), "WHERE"):
				return Destructive
			case listed("INSERT UPDATE DELETE ALTER CREATE REPLACE GRANT REVOKE SET DEL", w):
				class = Other
			}
		}
	}
	if class == ReadOnly && !anyArg(args, func(a string) bool { return strings.Contains(strings.ToUpper(a), "SELECT") }) {
		return Other // statements that we do not see
	}
	return class
}
