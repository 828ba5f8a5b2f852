package push

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// option is one long option. Its short form is a letter, or 0.
type option struct {
	long  string
	short byte
	value byte // 'r' takes a value, 'o' only an attached one, 0 none
}

// pushOptions are those of git push.
var pushOptions = [...]option{
	{"verbose", 'v', 0}, {"quiet", 'q', 0}, {"repo", 0, 'r'}, {"all", 0, 0}, {"branches", 0, 0}, {"mirror", 0, 0}, {"delete", 'd', 0},
	{"tags", 0, 0}, {"dry-run", 'n', 0}, {"porcelain", 0, 0}, {"force", 'f', 0}, {"force-with-lease", 0, 'o'},
	{"force-if-includes", 0, 0}, {"recurse-submodules", 0, 'r'}, {"thin", 0, 0}, {"receive-pack", 0, 'r'}, {"exec", 0, 'r'},
	{"set-upstream", 'u', 0}, {"progress", 0, 0}, {"prune", 0, 0}, {"verify", 0, 0}, {"follow-tags", 0, 0}, {"signed", 0, 'o'},
	{"atomic", 0, 0}, {"push-option", 'o', 'r'}, {"ipv4", '4', 0}, {"ipv6", '6', 0},
}

// sendOptions are those of git send-pack and git http-push.
var sendOptions = [...]option{
	{"verbose", 'v', 0}, {"quiet", 'q', 0}, {"receive-pack", 0, 'r'}, {"exec", 0, 'r'}, {"remote", 0, 'r'}, {"all", 0, 0},
	{"dry-run", 'n', 0}, {"mirror", 0, 0}, {"force", 'f', 0}, {"signed", 0, 'o'}, {"push-option", 0, 'r'}, {"progress", 0, 0},
	{"thin", 0, 0}, {"atomic", 0, 0}, {"stateless-rpc", 0, 0}, {"stdin", 0, 0}, {"helper-status", 0, 0},
	{"force-with-lease", 0, 'o'}, {"force-if-includes", 0, 0}, {"delete", 'd', 0},
}

// subtreeOptions are those of git subtree push.
var subtreeOptions = [...]option{
	{"quiet", 'q', 0}, {"debug", 'd', 0}, {"prefix", 'P', 'r'}, {"annotate", 0, 'r'}, {"branch", 'b', 'r'}, {"ignore-joins", 0, 0},
	{"onto", 0, 'r'}, {"rejoin", 0, 0}, {"squash", 0, 0}, {"message", 'm', 'r'}, {"gpg-sign", 'S', 'o'},
}

// options reads the words behind the subcommand as git's own option parser does: options may stand anywhere before "--", short
// ones may be bundled, long ones shortened, the last of --x and --no-x counts. It is false for -h.
func (p *Push) options(c *shell.Command, table []option, args []shell.Word) bool {
	var operands []shell.Word
	var repo shell.Word
	hasRepo := false
	take := func(o option, v shell.Word, on bool) {
		if o.long == "repo" {
			repo, hasRepo = v, on
			return
		}
		p.set(o.long, v, on)
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		t := w.Text
		switch {
		case t == "--":
			operands = append(operands, args[i+1:]...)
			i = len(args)
			continue
		case len(t) < 2 || t[0] != '-':
			operands = append(operands, w)
			continue
		case t == "-h" || t == "--help":
			return false
		}
		var missing option
		if t[1] == '-' {
			missing = long(table, w, take)
		} else {
			missing = short(table, w, take)
		}
		if missing.long != "" { // its value is the next word
			if i++; i < len(args) {
				take(missing, args[i], true)
			}
		}
		p.Unreadable = p.Unreadable || w.Dynamic && !strings.Contains(t, "=")
	}
	p.operands(operands, repo, hasRepo)
	if c.Wrapped("xargs") || c.Wrapped("parallel") || c.Wrapped("find") || c.Wrapped("fd") { // they put words in that are not known here
		hole := func(w shell.Word) bool { return strings.Contains(w.Text, "{}") }
		p.Unreadable = p.Unreadable || !c.Wrapped("find") && len(p.Refspecs) == 0 || slices.ContainsFunc(operands, hole)
	}
	return true
}

// long reads --name, --no-name, --name=value and unambiguous beginnings. It returns the option that still wants its value.
func long(table []option, w shell.Word, take func(option, shell.Word, bool)) option {
	name, value, attached := strings.Cut(w.Text[2:], "=")
	on := true
	o, ok := lookUp(table, name)
	if rest, no := strings.CutPrefix(name, "no-"); !ok && no {
		on = false
		o, ok = lookUp(table, rest)
	}
	switch {
	case !ok: // git refuses it, or a newer git knows it
	case on && o.value == 'r' && !attached:
		return o
	default:
		v := w
		v.Text = value
		take(o, v, on)
	}
	return option{}
}

// lookUp finds an option by its whole name or by a beginning that no other has.
func lookUp(table []option, name string) (option, bool) {
	var found option
	n := 0
	for _, o := range table {
		if o.long == name {
			return o, true
		}
		if name != "" && strings.HasPrefix(o.long, name) {
			found = o
			n++
		}
	}
	return found, n == 1
}

// short reads -x, -xyz and -ovalue.
func short(table []option, w shell.Word, take func(option, shell.Word, bool)) option {
	for i := 1; i < len(w.Text); i++ {
		var o option
		for _, x := range table {
			if x.short == w.Text[i] {
				o = x
			}
		}
		switch {
		case o.long == "":
			return option{} // git refuses it
		case o.value == 'r' && i+1 == len(w.Text):
			return o
		case o.value != 0:
			v := w
			v.Text = w.Text[i+1:]
			take(o, v, true)
			return option{}
		}
		take(o, shell.Word{}, true)
	}
	return option{}
}

func (p *Push) set(name string, v shell.Word, on bool) {
	switch name {
	case "all", "branches":
		p.All = on
	case "mirror":
		p.Mirror = on
	case "delete":
		p.Delete = on
	case "tags":
		p.Tags = on
	case "dry-run":
		p.DryRun = on
	case "force":
		p.Force = on
	case "force-with-lease":
		p.Lease = on
	case "set-upstream":
		p.SetUpstream = on
	case "prune":
		p.Prune = on
	case "verify":
		p.NoVerify = !on
	case "follow-tags":
		p.FollowTags = on
	case "atomic":
		p.Atomic = on
	case "prefix":
		p.Prefix = v.Text
	case "stdin":
		p.Unreadable = true
	}
}

// operands are the repository and what follows it.
func (p *Push) operands(list []shell.Word, repo shell.Word, hasRepo bool) {
	if hasRepo {
		p.Remote = repo
	}
	if len(list) > 0 {
		p.Remote = list[0]
		list = list[1:]
	}
	if _, ok := Text(p.Remote, ""); !ok {
		p.Unreadable = true
	}
	for i := 0; i < len(list); i++ {
		w := list[i]
		if w.Text == "tag" && w.Literal() && i+1 < len(list) && p.Kind == Git { // `git push origin tag v1`
			i++
			w = list[i]
			w.Text = "refs/tags/" + w.Text
			if p.Delete {
				w.Text = list[i].Text
			}
		}
		p.Refspecs = append(p.Refspecs, w)
		if _, known := Text(w, ""); !known {
			p.Unreadable = true
		}
	}
}
