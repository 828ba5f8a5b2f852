// Package write lists the files that a shell command line would write or delete: redirections, tee, sed -i, cp, mv, git rm and
// the like. It owns no table and no file, and it never looks at the disk, so it cannot tell a folder from a file: see Write.Base.
//
// It reads plain commands only. What a line of an interpreter writes (python -c …) is the business of package guard/code, which
// turns it into plain commands first. The list is complete for what people write, not for what a program could do.
package write

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// Write is one file or folder that a command line changes. It is plain data.
type Write struct {
	Path    shell.Word // as written; relative to Dir
	Dir     shell.Dir  // where the command runs
	Base    string     // if Path turns out to be a folder, the name in it that is written; "" = Path itself
	Append  bool       // the old content stays, something is added (touch adds nothing)
	Delete  bool       // is gone afterwards
	Tree    bool       // Path may be a folder and everything below is meant
	Partial bool       // edited in place: a part of the old content stays
	Names   []string   // find: only files whose name matches one of these patterns; empty = all
	Content shell.Word // what is written; Dynamic without Text if nothing is known about it
	From    shell.Word // cp, mv, ln, install, cat f >: what is copied, moved or linked to; "" = none
	Link    bool       // Path becomes a link to From
	Hard    bool       // the link is a second name of the same file
	Via     string     // "redirect", "tee", "sed -i", "cp", "git rm" …
	Cmd     int        // index in Script.Commands; -1 for a redirection of a compound statement
	Text    string     // source text of the command; "" for a redirection of a compound statement
}

// unknown is content that is not known.
var unknown = [...]shell.Word{{Dynamic: true}}

// Of lists the writes of a script in the order of its commands; redirections of compound statements come last. Cost is linear in
// the script. Commands that run elsewhere (ssh, containers) are left out, except where they write through a mounted folder.
func Of(s *shell.Script) []Write {
	var out []Write
	seen := map[key]int{}
	for i := range s.Commands {
		c := &s.Commands[i]
		k := collector{s: s, c: c, cmd: i, out: &out}
		for _, r := range c.Redirs {
			if !r.Writes() {
				continue
			}
			seen[keyOf(r)]++
			k.redirect(r)
		}
		k.program()
	}
	for _, r := range s.Redirs {
		if !r.Writes() {
			continue
		}
		if seen[keyOf(r)] > 0 {
			seen[keyOf(r)]--
			continue
		}
		if w, ok := redirected(r); ok {
			w.Cmd, w.Content = -1, unknown[0]
			out = append(out, w)
		}
	}
	return out
}

// key tells redirections apart without their here-documents.
type key struct {
	op, fd, target, dir string
	unknown             bool
}

func keyOf(r shell.Redirect) key {
	return key{r.Op, r.FD, r.Target.Text, r.Dir.Path, r.Dir.Unknown}
}

// redirected is the write of one redirection. A process substitution (> >(cmd)) is no file: its commands are in the script.
func redirected(r shell.Redirect) (Write, bool) {
	if r.Target.Text == "" || strings.HasPrefix(r.Target.Text, ">(") || strings.HasPrefix(r.Target.Text, "<(") {
		return Write{}, false
	}
	if strings.HasPrefix(r.Target.Text, "/dev/tcp/") || strings.HasPrefix(r.Target.Text, "/dev/udp/") {
		return Write{}, false
	}
	return Write{
		Path: r.Target, Dir: r.Dir, Via: "redirect",
		Append: strings.Contains(r.Op, ">>") || r.Op == "<>", Partial: r.Op == "<>",
	}, true
}

// collector gathers the writes of one command.
type collector struct {
	s   *shell.Script
	c   *shell.Command
	cmd int
	out *[]Write
}

func (k *collector) redirect(r shell.Redirect) {
	w, ok := redirected(r)
	if !ok {
		return
	}
	if k.c.Remote && k.scripted() { // the redirection belongs to the other machine's shell
		if w.Path, ok = hosted(k.c, w.Path); !ok {
			return
		}
	}
	w.Cmd, w.Text, w.Content = k.cmd, k.c.Text, unknown[0]
	if r.FD == "" || r.FD == "1" {
		w.Content = k.output()
		if k.c.Name == "cat" && len(k.c.Words) == 2 && !strings.HasPrefix(k.c.Words[1].Text, "-") && !k.c.Remote {
			w.From = k.c.Words[1]
		}
	}
	*k.out = append(*k.out, w)
}

// scripted reports whether the words of a remote command were read by the remote shell rather than given as a list by ours.
func (k *collector) scripted() bool {
	if len(k.c.Wrappers) == 0 {
		return true
	}
	switch k.c.Wrappers[len(k.c.Wrappers)-1] {
	case "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "docker-compose", "podman-compose":
		return false
	}
	return true
}

// add records one write of the program.
func (k *collector) add(p shell.Word, w Write) {
	if p.Text == "" || p.Text == "-" && !p.Quoted {
		return
	}
	switch p.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "NUL", "nul":
		return
	}
	if strings.HasPrefix(p.Text, ">(") || strings.HasPrefix(p.Text, "<(") {
		return
	}
	if k.c.Remote {
		var ok bool
		if p, ok = hosted(k.c, p); !ok {
			return
		}
		w.From = shell.Word{}
	}
	w.Path, w.Dir, w.Cmd, w.Text = p, k.c.Dir, k.cmd, k.c.Text
	if w.Content.Text == "" && !w.Delete && !w.Append && w.Via != "truncate" {
		w.Content = unknown[0]
	}
	*k.out = append(*k.out, w)
}

// hosted translates a path inside a container to the folder of this machine that is mounted there.
func hosted(c *shell.Command, p shell.Word) (shell.Word, bool) {
	if !path.IsAbs(p.Text) {
		return p, false
	}
	inside := path.Clean(p.Text)
	for _, m := range c.Mounts {
		root := path.Clean("/" + m.Inside)
		rest, ok := strings.CutPrefix(inside, strings.TrimSuffix(root, "/"))
		if !ok || rest != "" && rest[0] != '/' || m.ReadOnly {
			continue
		}
		p.Text = strings.TrimSuffix(m.Host.Text, "/") + rest
		p.Dynamic = p.Dynamic || m.Host.Dynamic
		p.Quoted = m.Host.Quoted
		return p, true
	}
	return p, false
}
