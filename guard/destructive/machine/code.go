package machine

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive/rule"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/shell"
)

const readFirst = "fetch it, read it, then run it: `curl -fsSL -o /tmp/install.sh https://example.test/install.sh`"

// codeRules are about programs that nobody has seen: fetched from somewhere, decoded, or put together at run time.
var codeRules = [...]rule.Rule{
	{
		ID: "code.download", Decision: verdict.Deny, Match: downloaded,
		What: "runs code straight from the network", Why: "% is run before anybody can read it", Instead: readFirst,
	},
	{
		ID: "code.decoded", Decision: verdict.Deny, Match: decoded,
		What: "runs code that is hidden", Why: "% is decoded and run at once", Instead: "decode it into a file and read that: `base64 -d payload.txt > /tmp/payload.sh`",
	},
	{
		ID: "code.computed", Decision: verdict.Ask, Match: computedScript,
		What: "runs a script that is known only at run time", Why: "% may do anything that this user may", Instead: "write the command out, or run a script file: `bash ./script.sh`",
	},
	{
		ID: "code.program", Decision: verdict.Ask, Match: computedProgram,
		What: "starts a program that is known only at run time with dangerous arguments", Why: "% could be rm, git or anything else", Instead: "write the name of the program out",
	},
	{
		ID: "code.install", Decision: verdict.Ask, Lines: installLines,
		What: "installs a package from an address", Why: "it brings code that no registry has seen", Instead: "name a package and a version: `pip install requests==2.32.3`",
	},
}

const installLines = `pip|pip3 install http://*|https://*
npm|pnpm|yarn|bun install|add|i http://*`

// shells are programs that run what they read.
func isShell(name string) bool {
	return rule.OneOf(name, "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "pwsh", "powershell", "eval", "source", ".", "iex", "invoke-expression", "cmd", "su", "csh", "tcsh")
}

// isInterpreter recognises programs that run what comes on their standard input.
func isInterpreter(name string) bool {
	for _, n := range [...]string{"python", "python2", "python3", "node", "perl", "ruby", "php", "deno", "bun", "lua", "osascript"} {
		if name == n || strings.HasPrefix(name, n+".") {
			return true
		}
	}
	return false
}

// isFetcher recognises programs that bring something from the network.
func isFetcher(name string) bool {
	return rule.OneOf(name, "curl", "wget", "aria2c", "http", "https", "xh", "fetch", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "nc", "ncat", "socat", "lynx", "w3m", "scp", "ftp", "tftp", "ssh")
}

// isDecoder recognises programs that turn text into something that a person could not read before.
func isDecoder(name string) bool {
	return rule.OneOf(name, "base64", "base32", "xxd", "openssl", "uudecode", "gunzip", "zcat", "bzcat", "xzcat", "gzip", "rev", "tr", "gpg", "age", "od", "basenc", "gbase64", "zstd", "brotli")
}

// feeders are the programs whose output the command runs: through the pipe, or in the text of a substitution.
func feeders(k *rule.Call) []string {
	var list []string
	for _, i := range k.Cmd.Stdin.From {
		if i >= 0 && i < len(k.Script.Commands) {
			from := &k.Script.Commands[i]
			list = append(list, from.Name)
		}
	}
	return list
}

// substituted lists the first words of the substitutions in the text: $(curl …), <(curl …), `curl …`.
func substituted(text string) []string {
	var list []string
	for i := 0; i < len(text) && len(list) < 16; i++ {
		open := text[i] == '`' || text[i] == '(' && i > 0 && strings.IndexByte("$<>", text[i-1]) >= 0 || text[i] == '|' && len(list) > 0
		if !open {
			continue
		}
		fields := strings.Fields(text[i+1 : min(len(text), i+200)])
		for len(fields) > 1 && rule.OneOf(fields[0], "sudo", "command", "env", "\\curl", "|") {
			fields = fields[1:]
		}
		if len(fields) > 0 {
			name := strings.Trim(fields[0], ")`\"'\\")
			if at := strings.LastIndexByte(name, '/'); at >= 0 {
				name = name[at+1:]
			}
			list = append(list, name)
		}
	}
	return list
}

// runsInput reports whether the command runs what it reads: a shell or interpreter without a script of its own.
func runsInput(k *rule.Call) bool {
	name := k.Cmd.Name
	interpreter := isInterpreter(name)
	if !isShell(name) && !interpreter {
		return false
	}
	for _, x := range k.Words {
		switch t := x.Text; {
		case t == "-" || t == "/dev/stdin" || t == "-s":
			return true
		case !strings.HasPrefix(t, "-"):
			return false
		case interpreter && !rule.OneOf(t, "-u", "-B", "-I", "-S"):
			return false
		case !interpreter && !strings.HasPrefix(t, "--") && strings.ContainsAny(t, "cn"): // a script of its own; a look at the syntax
			return false
		}
	}
	return true
}

// scriptWord is the word that the command takes as script or script file, "" if it is fully known or there is none.
func scriptWord(k *rule.Call) string {
	if !isShell(k.Cmd.Name) && !isInterpreter(k.Cmd.Name) && !k.Cmd.Opaque {
		return ""
	}
	inline := false
	for _, x := range k.Words {
		t := x.Text
		switch {
		case strings.HasPrefix(t, "-") && !x.Dynamic:
			inline = inline || rule.OneOf(t, "--eval", "--print", "--command") || !strings.HasPrefix(t, "--") && strings.ContainsAny(t, "cepr")
		case k.Cmd.Opaque && !x.Dynamic:
		case x.Dynamic && startsWithSubstitution(t) && (inline || isShell(k.Cmd.Name) || k.Cmd.Opaque || strings.HasPrefix(t, "<(")):
			return t
		default:
			return ""
		}
	}
	if in := k.Cmd.Stdin.Text; in.Dynamic && startsWithSubstitution(in.Text) && runsInput(k) {
		return in.Text
	}
	return ""
}

func downloaded(k *rule.Call) string {
	if runsInput(k) {
		for _, n := range feeders(k) {
			if isFetcher(strings.ToLower(n)) {
				return "what " + n + " brings"
			}
		}
	}
	for _, n := range substituted(scriptWord(k)) {
		if isFetcher(strings.ToLower(n)) && n != "ssh" {
			return "what " + n + " brings"
		}
	}
	if rule.OneOf(k.Name, "iex", "invoke-expression") || k.Name == "powershell" {
		text := strings.ToLower(rule.Join(k.Words))
		if strings.Contains(text, "downloadstring") || (strings.Contains(text, "iwr") || strings.Contains(text, "irm") || strings.Contains(text, "invoke-webrequest")) && (k.Name != "powershell" || strings.Contains(text, "iex") || strings.Contains(text, "invoke-expression")) {
			return "what the network brings"
		}
	}
	return ""
}

// startsWithSubstitution reports whether the text in command position comes from a substitution.
func startsWithSubstitution(text string) bool {
	text = strings.TrimLeft(text, " \t\n\"'")
	return strings.HasPrefix(text, "$(") || strings.HasPrefix(text, "`") || strings.HasPrefix(text, "<(") || strings.HasPrefix(text, "${") || strings.HasPrefix(text, "$") || strings.HasPrefix(text, ". <(") || strings.HasPrefix(text, "source <(") || strings.HasPrefix(text, "eval ")
}

func decoded(k *rule.Call) string {
	if k.Cmd.Stdin.Kind != shell.FeedText && runsInput(k) {
		for _, n := range feeders(k) {
			if isDecoder(n) {
				return "the output of " + n
			}
		}
	}
	for _, n := range substituted(scriptWord(k)) {
		if isDecoder(n) {
			return "the output of " + n
		}
	}
	if k.Name == "powershell" {
		for _, x := range k.Words {
			if t := strings.ToLower(x.Text); len(t) > 2 && t[0] == '-' && (strings.HasPrefix("-encodedcommand", t) && len(t) > 3 || t == "-ec" || t == "-enc") {
				return "the encoded command"
			}
		}
	}
	return ""
}

// generators are programs whose output is made to be evaluated.
const generators = " ssh-agent gpg-agent direnv pyenv rbenv nodenv jenv goenv brew starship zoxide fnm nvm mise rtx asdf opam keychain dircolors docker-machine minikube kubectl helm luarocks conda mamba micromamba " +
	"register-python-argcomplete pip npm gh op atuin thefuck fzf hub aws-vault granted saml2aws vault perl lesspipe tput resize go rustup cargo uv poetry pipenv pdm deno bun volta sdk spack guix nix dbus-launch xdg-user-dir locale systemctl completion chef tmuxifier " +
	"getopt eksctl gcloud doctl flyctl rustc swiftly ng vcpkg pkg-config envsubst "

// computedScript leaves what is fetched or decoded to the worse rules.
func computedScript(k *rule.Call) string {
	if downloaded(k) != "" || decoded(k) != "" {
		return ""
	}
	if k.Cmd.Stdin.Kind == shell.FeedPipe && runsInput(k) {
		feeders := feeders(k)
		if printed(k) {
			return ""
		}
		for _, n := range feeders {
			if strings.Contains(generators, " "+n+" ") && !isInterpreter(n) {
				return ""
			}
		}
		if isInterpreter(k.Cmd.Name) && len(k.Words) > 0 && !k.Arg("-", "/dev/stdin") {
			return ""
		}
		return "the output of " + strings.Join(feeders, ", ")
	}
	if !k.Cmd.Opaque && k.Cmd.Stdin.Kind != shell.FeedText {
		return ""
	}
	script := scriptWord(k)
	for _, n := range substituted(script) {
		if strings.Contains(generators, " "+n+" ") || strings.HasSuffix(n, "env") {
			return ""
		}
	}
	return script
}

// printed reports whether what the command runs is a file that cat prints: cat build.sh | bash is bash build.sh.
func printed(k *rule.Call) bool {
	found := false
	for _, i := range k.Cmd.Stdin.From {
		if i < 0 || i >= len(k.Script.Commands) {
			return false
		}
		c := &k.Script.Commands[i]
		if c.Name != "cat" || len(c.Words) != 2 || c.Remote || !scriptFile(k, c.Words[1]) {
			return false
		}
		found = true
	}
	return found
}

// scriptFile recognises a script of the project by its name.
func scriptFile(k *rule.Call, x shell.Word) bool {
	dot := strings.LastIndexByte(x.Text, '.')
	if len(k.Script.Commands) > 500 || !x.Literal() || strings.HasPrefix(x.Text, "-") || dot < 0 || !rule.OneOf(x.Text[dot:], ".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".rb", ".pl", ".php", ".ts", ".lua") {
		return false
	}
	uses := 0
	for i := range k.Script.Commands { // what the same line fetches or writes is no script that anybody has read
		c := &k.Script.Commands[i]
		if isFetcher(c.Name) {
			return false
		}
		for _, o := range c.Words {
			if path.Base(strings.TrimPrefix(o.Text, "of=")) == path.Base(x.Text) {
				uses++
			}
		}
		for _, r := range c.Redirs {
			if r.Writes() && path.Base(r.Target.Text) == path.Base(x.Text) {
				return false
			}
		}
	}
	if uses > 1 || len(k.Script.Redirs) > 0 && slices.ContainsFunc(k.Script.Redirs, func(r shell.Redirect) bool { return r.Writes() && path.Base(r.Target.Text) == path.Base(x.Text) }) {
		return false
	}
	z := k.World.Resolve(k.Cmd.Dir, x).Zone
	return z == place.Project || z == place.Build
}

// computedProgram judges a program that is not known by its arguments.
func computedProgram(k *rule.Call) string {
	if !k.Cmd.Unreadable || k.Name != "" || len(k.Cmd.Words) == 0 {
		return ""
	}
	for _, x := range k.Words {
		t := x.Text
		switch {
		case t == "":
			continue
		case rule.OneOf(t, "--hard", "--force", "--recursive", "--mirror", "--delete", "--no-preserve-root", "-rf", "-fr", "-Rf", "-rF", "-fR", "-r", "-R", "-delete", "push"):
			return k.Cmd.Words[0].Text
		case t[0] == '-':
			continue
		}
		x.Text = strings.TrimPrefix(t, "of=")
		if !strings.HasPrefix(x.Text, "/") && !strings.HasPrefix(x.Text, "~") && !strings.HasPrefix(x.Text, "$") && !strings.HasPrefix(x.Text, ".") && !x.Glob {
			continue
		}
		for _, e := range k.Targets(x) {
			switch e.Target.Zone {
			case place.Root, place.Home, place.Keys, place.Device, place.GitDir:
				return k.Cmd.Words[0].Text
			case place.System:
				if strings.Count(e.Target.Path, "/") < 3 {
					return k.Cmd.Words[0].Text
				}
			}
		}
	}
	return ""
}
