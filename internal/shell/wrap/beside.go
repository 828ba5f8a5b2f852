package wrap

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// Beside is something that a program runs among other things that it does: find -exec, trap, git bisect run.
type Beside struct {
	Words  []word.Word // a program and its arguments
	Script *Script     // or a text for a shell
}

// Besides lists what the named program starts; words are its arguments without its name.
func Besides(name string, args []word.Word) []Beside {
	switch name {
	case "find", "gfind", "bfs":
		return clauses(args, " -exec -execdir -ok -okdir ")
	case "fd", "fdfind":
		return clauses(args, " -x -X --exec --exec-batch ")
	case "trap":
		if len(args) > 0 && args[0].Text == "--" {
			args = args[1:]
		}
		if len(args) > 1 && args[0].Text != "" && args[0].Text[0] != '-' {
			return []Beside{text(args[0])}
		}
	case "git":
		return git(args)
	case "ssh", "scp", "sftp", "rsync":
		return valued(args, "-o", "ProxyCommand=", "LocalCommand=", "proxycommand=", "KnownHostsCommand=")
	case "tar", "gtar", "bsdtar":
		return attached(args, "--to-command=", "--use-compress-program=", "--checkpoint-action=exec=", "--info-script=", "--new-volume-script=", "--rsh-command=")
	case "tmux":
		return tmux(args)
	case "screen":
		if rest := after(args, spec{value: "SctTpehsX", flags: "dDmARrxUqL", lax: true}); len(rest) > 0 && len(args) > 0 && args[0].Text[:min(1, len(args[0].Text))] == "-" {
			return []Beside{{Words: rest}}
		}
	case "hyperfine", "concurrently", "nodemon", "mprocs":
		return commandLines(name, args)
	case "complete", "bind":
		return valued(args, "-C", "")
	case "make", "gmake":
		return attached(args, "SHELL=")
	}
	return nil
}

func text(w word.Word) Beside { return Beside{Script: &Script{Text: w}} }

// clauses are the commands after the given options, up to ; or a lone + that follows {}.
func clauses(args []word.Word, options string) []Beside {
	var out []Beside
	for i := 0; i < len(args); i++ {
		if t := args[i].Text; len(t) < 2 || t[0] != '-' || !strings.Contains(options, " "+t+" ") {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && (args[end].Text != "+" || args[end-1].Text != "{}") {
			end++
		}
		out = append(out, Beside{Words: args[i+1 : end]})
		i = end
	}
	return out
}

// valued are scripts given as `-o Prefix=script`, or as the whole value for an empty prefix.
func valued(args []word.Word, option string, prefixes ...string) []Beside {
	var out []Beside
	for i, a := range args {
		v := a
		if a.Text == option && i+1 < len(args) {
			v = args[i+1]
		} else if rest, ok := strings.CutPrefix(a.Text, option); ok && rest != "" {
			v.Text = strings.TrimPrefix(rest, "=")
		} else {
			continue
		}
		for _, p := range prefixes {
			if s, ok := strings.CutPrefix(v.Text, p); ok && s != "none" {
				v.Text = s
				out = append(out, text(v))
				break
			}
		}
	}
	return out
}

func attached(args []word.Word, prefixes ...string) []Beside {
	var out []Beside
	for _, a := range args {
		for _, p := range prefixes {
			if s, ok := strings.CutPrefix(a.Text, p); ok {
				a.Text = s
				out = append(out, text(a))
				break
			}
		}
	}
	return out
}

// git lists what bisect run, rebase --exec, submodule foreach and the filters of filter-branch start.
func git(args []word.Word) []Beside {
	args = after(args, spec{value: "Cc", flags: "pP", lax: true, long: " --git-dir --work-tree --namespace --exec-path --config-env --super-prefix "})
	if len(args) < 2 {
		return nil
	}
	sub, rest := args[0].Text, args[1:]
	switch sub {
	case "bisect":
		if rest[0].Text == "run" && len(rest) > 1 {
			return []Beside{{Words: rest[1:]}}
		}
	case "submodule":
		if rest[0].Text == "foreach" || len(rest) > 1 && rest[1].Text == "foreach" {
			for len(rest) > 0 && (rest[0].Text == "foreach" || strings.HasPrefix(rest[0].Text, "-")) {
				rest = rest[1:]
			}
			if len(rest) > 0 {
				return []Beside{text(word.Join(rest, " "))}
			}
		}
	case "rebase":
		return append(valued(rest, "-x", ""), valued(rest, "--exec", "")...)
	case "filter-branch":
		var out []Beside
		for i, a := range rest {
			if strings.HasPrefix(a.Text, "--") && strings.HasSuffix(a.Text, "-filter") && i+1 < len(rest) {
				out = append(out, text(rest[i+1]))
			}
		}
		return out
	case "difftool", "mergetool":
		return append(valued(rest, "-x", ""), valued(rest, "--extcmd", "")...)
	}
	return nil
}

// after is what follows the options.
func after(args []word.Word, s spec) []word.Word {
	var c Call
	return c.options(args, s, "").rest
}

// tmux lists the commands of new-session, new-window, split-window, run-shell and send-keys.
func tmux(args []word.Word) []Beside {
	args = after(args, spec{value: "LSfc", lax: true})
	if len(args) < 2 {
		return nil
	}
	value := ""
	switch args[0].Text {
	case "new-session", "new":
		value = "cefFnstxy"
	case "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawn-window", "popup", "display-popup":
		value = "ceFlntxyhwdSTbs"
	case "run-shell", "run", "if-shell":
		value = "dt"
	case "send-keys", "send":
		value = "Nt"
	default:
		return nil
	}
	var words []word.Word
	for _, w := range after(args[1:], spec{value: value, lax: true}) {
		switch w.Text {
		case "Enter", "C-m", "KPEnter":
		default:
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []Beside{text(word.Join(words, " "))}
}

// commandLines are programs each of whose operands is a command line.
func commandLines(name string, args []word.Word) []Beside {
	if name == "nodemon" {
		return append(valued(args, "--exec", ""), valued(args, "-x", "")...)
	}
	s := spec{value: "wmMrpPDLSnNcsuCo", lax: true, long: " --warmup --min-runs --max-runs --runs --prepare --conclude --cleanup --setup --parameter-scan --parameter-list --shell --style --export-json --export-markdown --names --prefix --max-processes --prefix-colors --command-name --output "}
	var out []Beside
	for {
		args = after(args, s)
		if len(args) == 0 {
			return out
		}
		out = append(out, text(args[0]))
		args = args[1:]
	}
}
