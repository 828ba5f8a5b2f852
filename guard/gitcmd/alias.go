package gitcmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// maxExpand bounds aliases of aliases and commands that git starts within commands that git starts.
const maxExpand = 8

// Bounds of what one command expands to: commands, words of all of them together, and bytes of a word with parameters in it.
const (
	maxCommands = 256
	maxWords    = 1 << 18
	maxWord     = 64 << 10
)

// Aliases knows the aliases of a repository and of the user.
type Aliases interface {
	// Alias is the text of an alias as git's configuration has it for a command that runs in dir, empty when there is none.
	Alias(dir shell.Dir, name string) string
}

// Expand follows c to what really runs: an alias given by -c or known to a (nil = none), and the commands that git starts
// because of its arguments, configuration or environment (core.pager, GIT_EDITOR, --upload-pack, and in an alias what package
// shell finds on a command line: rebase --exec, submodule foreach, bisect run).
// An alias is replaced; a command that starts others stays and they follow it. A command that is no git, and one that git
// has itself, comes back as it is. A loop, or nesting beyond a bound, marks the command Opaque.
func Expand(c *shell.Command, a Aliases) []shell.Command {
	e := expander{aliases: a}
	e.command(*c, nil, false)
	return e.out
}

// maxScripts bounds the shell lines that are read for one command line.
const maxScripts = 2048

// All expands every command of a line, with the aliases that the line itself defines, see Declared and Expand. Its bounds hold
// for the whole line, so that it stays cheap whatever the line repeats.
func All(cmds []shell.Command, a Aliases) []shell.Command {
	e := expander{aliases: Declared(cmds, a), out: make([]shell.Command, 0, len(cmds))}
	for i := range cmds {
		e.from = len(e.out)
		e.command(cmds[i], nil, false)
	}
	return e.out
}

type expander struct {
	aliases Aliases
	out     []shell.Command
	from    int // where the present command's own begin in out
	words   int // made so far
	scripts int // read so far
}

// full is true when a bound is reached: what comes then is Opaque.
func (e *expander) full() bool {
	return len(e.out)-e.from > maxCommands || e.words > maxWords || e.scripts > maxScripts
}

// command appends what c runs. seen holds the aliases and starters on the way to it; spliced says that the words come from an
// alias, so that package shell has not looked for what they start.
func (e *expander) command(c shell.Command, seen []string, spliced bool) {
	g, ok := Parse(&c)
	if !ok {
		e.out = append(e.out, c)
		return
	}
	text := e.alias(&g)
	switch {
	case len(seen) > maxExpand || e.full():
		c.Opaque = c.Opaque || text != "" || len(seen) > 0
		e.out = append(e.out, c)
		return
	case text == "":
		c = spellOut(c, &g)
		e.out = append(e.out, c)
		e.started(&c, &g, append(seen, g.Sub), spliced)
		return
	case slices.Contains(seen, "alias "+g.Sub):
		c.Opaque = true
		e.out = append(e.out, c)
		return
	}
	seen = append(seen, "alias "+g.Sub)
	if line, ok := strings.CutPrefix(strings.TrimLeft(text, " \t"), "!"); ok {
		if len(g.Args) > 0 {
			line += ` "$@"` // as git does it
		}
		e.script(&c, &g, line, g.Args, seen)
		return
	}
	words, err := splitLine(text)
	if err != nil || len(words) == 0 {
		c.Opaque = c.Opaque || err != nil
		e.out = append(e.out, c)
		return
	}
	e.words += len(words) + len(c.Words)
	next := append([]shell.Word{}, c.Words[:g.at]...)
	for _, w := range words {
		next = append(next, shell.Word{Text: w, Quoted: true})
	}
	next = append(next, g.Args...)
	e.command(withWords(c, next), seen, true)
}

// alias is the text of the alias that g calls, empty when it calls none.
func (e *expander) alias(g *Git) string {
	if g.Sub == "" || g.Help || isBuiltin(g.Sub) || isScript(g.Sub) || g.at == 0 {
		return ""
	}
	if text, ok := g.Value("alias." + g.Sub); ok {
		return text
	}
	for i := len(g.Config) - 1; i >= 0; i-- { // the name of an alias is compared without case
		if k, v, _ := strings.Cut(g.Config[i], "="); strings.EqualFold(k, "alias."+g.Sub) || strings.EqualFold(k, "alias."+g.Sub+".command") {
			return v
		}
	}
	if e.aliases == nil {
		return ""
	}
	dir := g.Dir
	if g.GitDir != "" {
		dir = dir.Join(g.GitDir)
	}
	return e.aliases.Alias(dir, g.Sub)
}

// script appends the commands of a shell line that git starts; args are its positional parameters.
func (e *expander) script(c *shell.Command, g *Git, line string, args []shell.Word, seen []string) {
	e.scripts++
	s, err := shell.Parse(line)
	if err != nil || len(seen) > maxExpand {
		opaque := *c
		opaque.Opaque = true
		e.out = append(e.out, opaque)
	}
	if len(seen) > maxExpand {
		return
	}
	for i := range s.Commands {
		inner := s.Commands[i]
		e.adopt(&inner, c, g)
		if e.full() {
			inner.Opaque = true
			e.out = append(e.out, inner)
			return
		}
		words := positional(inner.Words, args)
		if own, ok := Parse(&inner); ok && own.at > 0 && len(words) > 0 {
			words = g.handDown(words)
		}
		e.words += len(words)
		e.command(withWords(inner, words), seen, false)
	}
}

// adopt makes a command of a nested line one of the outer line.
func (e *expander) adopt(inner *shell.Command, c *shell.Command, g *Git) {
	dir := g.Dir.Join(inner.Dir.Path)
	if inner.Dir.Path == "" {
		dir = g.Dir
	}
	dir.Unknown = dir.Unknown || inner.Dir.Unknown
	inner.Dir = dir
	inner.Place |= c.Place | shell.InNested
	inner.Wrappers = append(append(append([]string{}, c.Wrappers...), "git"), inner.Wrappers...)
	inner.Assign = append(append([]string{}, c.Assign...), inner.Assign...)
	inner.Text, inner.Pos = c.Text, c.Pos
}

// handDown gives a git that git starts the options that travel on by the environment.
func (g *Git) handDown(words []shell.Word) []shell.Word {
	next := append([]shell.Word{}, words[0])
	for _, kv := range g.Config {
		next = append(next, shell.Word{Text: "-c"}, shell.Word{Text: kv, Quoted: true})
	}
	for _, o := range [...][2]string{{"--git-dir=", g.GitDir}, {"--work-tree=", g.WorkTree}, {"--namespace=", g.Namespace}} {
		if o[1] != "" {
			next = append(next, shell.Word{Text: o[0] + o[1], Quoted: true})
		}
	}
	return append(next, words[1:]...)
}

// withWords is c with other words, and everything that follows from them.
func withWords(c shell.Command, words []shell.Word) shell.Command {
	c.Words = words
	c.Args = make([]string, 0, len(words))
	for i, w := range words {
		if i > 0 {
			c.Args = append(c.Args, w.Text)
		}
	}
	if len(words) > 0 && words[0].Literal() {
		c.Unreadable = false
		c.Name = words[0].Text[strings.LastIndexByte(words[0].Text, '/')+1:]
	}
	return c
}

// positional puts the arguments of a script in the place of $@, $* and $1 to $9.
func positional(words, args []shell.Word) []shell.Word {
	var out []shell.Word
	for _, w := range words {
		switch {
		case !w.Dynamic || strings.IndexByte(w.Text, '$') < 0:
			out = append(out, w)
		case w.Text == "$@" || w.Text == "$*" || w.Text == "${@}" || w.Text == "${*}":
			out = append(out, args...)
		default:
			if w = numbered(w, args); w.Text != "" || w.Quoted {
				out = append(out, w)
			}
		}
	}
	return out
}

// numbered replaces $1 to $9 inside a word. What else is in it stays unknown.
func numbered(w shell.Word, args []shell.Word) shell.Word {
	var b strings.Builder
	known := true
	for i := 0; i < len(w.Text); i++ {
		rest := w.Text[i:]
		n, size := parameter(rest)
		switch {
		case b.Len() > maxWord:
			return w
		case size > 0 && n <= len(args):
			b.WriteString(args[n-1].Text)
			known = known && args[n-1].Literal()
			i += size - 1
		case size > 0:
			i += size - 1
		default:
			known = known && rest[0] != '$' && rest[0] != '`'
			b.WriteByte(rest[0])
		}
	}
	w.Text, w.Dynamic = b.String(), !known
	return w
}

// parameter reads $1 or ${1} at the start of s, and says how long it is.
func parameter(s string) (n, size int) {
	if len(s) >= 2 && s[0] == '$' && s[1] >= '1' && s[1] <= '9' {
		return int(s[1] - '0'), 2
	}
	if len(s) >= 4 && s[0] == '$' && s[1] == '{' && s[2] >= '1' && s[2] <= '9' && s[3] == '}' {
		return int(s[2] - '0'), 4
	}
	return 0, 0
}

// errQuotes is an alias that git refuses.
var errQuotes = errors.New("split alias: quote without an end")

// splitLine splits the text of an alias as git does: blanks, quotes of both kinds, and backslashes outside single quotes.
func splitLine(text string) ([]string, error) {
	var words []string
	var b strings.Builder
	var quote byte
	open := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if open {
				words = append(words, b.String())
				b.Reset()
				open = false
			}
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
		open = true
	}
	if quote != 0 {
		return nil, errQuotes
	}
	if open {
		words = append(words, b.String())
	}
	return words, nil
}
