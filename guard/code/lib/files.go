package lib

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/code/act"
	"github.com/devflow-suite/devflow/guard/code/effect"
)

// files are functions that change files.
func (m *Machine) files(a act.Act, c *Call) {
	p := c.arg(0)
	if len(c.Args) == 0 {
		if v, ok := effect.Option(c.Named, "path", "file", "name", "src", "con"); ok {
			p = v
		} else if m.Lang == effect.Perl {
			p = m.Host.Lookup("$_")
		}
	}
	all := p
	if len(c.Args) > 1 && (m.Lang == effect.Perl || m.Lang == effect.Ruby || m.Lang == effect.R) {
		all = effect.ListOf(c.Args...)
	}
	switch a {
	case act.Removes:
		m.Remove(all, false, c.Line)
	case act.RemovesAll:
		m.Remove(all, true, c.Line)
	case act.RemovesBy:
		recursive, _ := effect.Option(c.Named, "recursive")
		switch {
		case recursive.Truth() || strings.HasSuffix(c.Name, ".remove") && c.Name != "Deno.remove" || strings.HasSuffix(c.Name, ".removeSync"):
			m.Remove(p, true, c.Line)
		case strings.Contains(c.Name, "rmdir"):
			m.As([]string{"rmdir"}, p)
		default:
			m.Remove(p, false, c.Line)
		}
	case act.RemovesOld:
		m.As([]string{"rmdir"}, p)
	case act.Writes:
		m.put(p, m.appending(c), c.Line)
	case act.Appends:
		m.put(p, true, c.Line)
	case act.Writes1:
		if v, ok := effect.Option(c.Named, "file", "con", "filename", "path"); ok {
			m.put(v, m.appending(c), c.Line)
		} else {
			m.put(c.arg(1), m.appending(c), c.Line)
		}
	case act.Opens:
		m.open(c)
	case act.Copies:
		m.two("cp", c)
	case act.Moves:
		m.two("mv", c)
	case act.Links:
		m.two("ln", c)
	case act.Chmods:
		m.As([]string{"chmod", mode(c.arg(1))}, p)
	case act.ChmodsLast:
		argv := []string{"chmod", mode(p)}
		if strings.HasSuffix(c.Name, "_R") {
			argv = []string{"chmod", "-R", mode(p)}
		}
		for _, x := range c.rest(1) {
			m.As(argv, x)
		}
	case act.Chowns:
		argv := []string{"chown", "root"}
		if strings.HasSuffix(c.Name, "_R") {
			argv = []string{"chown", "-R", "root"}
			p = c.arg(2)
		}
		m.As(argv, p)
	case act.Truncates:
		m.put(p, false, c.Line)
	case act.Goes:
		if p.Kind != effect.Constant {
			if m.Cwd.Kind != effect.Unknown {
				p = m.JoinPath(m.Cwd, p)
			}
			m.Cwd = p.Part()
		}
	}
}

// mode is a permission as chmod reads it.
func mode(v effect.Value) string {
	if v.Text == "" || v.Kind == effect.Ref {
		return effect.Computed
	}
	return strings.TrimPrefix(strings.TrimPrefix(v.Text, "0o"), "0")
}

// put notes a write. The devices that swallow or show what is written are none.
func (m *Machine) put(p effect.Value, appends bool, line int) {
	switch p.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "NUL":
		return
	}
	m.Write(p, appends, line)
}

// appending reports whether an option asks to keep the old content.
func (m *Machine) appending(c *Call) bool {
	if v, ok := effect.Option(c.Named, "mode", "flag", "flags", "append"); ok {
		return strings.HasPrefix(v.Text, "a") || v.Kind == effect.Constant && v.Truth()
	}
	for _, a := range c.Args {
		if a.Kind == effect.Ref && (a.Text == "file_append" || strings.HasSuffix(a.Text, "APPEND")) {
			return true
		}
	}
	return false
}

// two notes a call that takes a source and a destination.
func (m *Machine) two(verb string, c *Call) {
	argv := []string{verb}
	switch {
	case verb == "ln" && !strings.HasSuffix(c.Name, ".link") && c.Name != "link":
		argv = append(argv, "-s")
	case strings.HasSuffix(c.Name, "tree") || strings.HasSuffix(c.Name, "_r") || strings.HasSuffix(c.Name, ".cp"):
		argv = append(argv, "-r")
	}
	src, dst := c.arg(0), c.arg(1)
	if v, ok := effect.Option(c.Named, "dst"); ok {
		dst = v
	}
	if v, ok := effect.Option(c.Named, "src"); ok {
		src = v
	}
	m.As(argv, src, dst)
	if verb != "ln" {
		m.put(dst, false, c.Line)
	}
}

// open notes an opened file if its mode lets it be written.
func (m *Machine) open(c *Call) {
	if m.Lang == effect.Perl {
		m.openPerl(c)
		return
	}
	p, how := c.arg(0), c.arg(1)
	if v, ok := effect.Option(c.Named, "mode", "flags", "open"); ok {
		how = v
	}
	if v, ok := effect.Option(c.Named, "file", "path", "filename", "description"); ok && len(c.Args) == 0 {
		p = v
	}
	if m.Lang == effect.Ruby && strings.HasPrefix(p.Text, "|") && c.Name == "open" {
		p.Text = p.Text[1:]
		m.Run(p, nil)
		return
	}
	if c.Name == "io.output" {
		how = effect.Str("w")
	}
	if c.Name == "Deno.open" || c.Name == "Deno.openSync" {
		if w, ok := effect.Option(c.Named, "write", "append", "create", "truncate"); ok && w.Truth() {
			how = effect.Str("w")
		}
	}
	for _, h := range how.Options() {
		switch {
		case h.Known() && !h.Dyn:
			if strings.ContainsAny(h.Text, "wax+") {
				m.put(p, strings.HasPrefix(h.Text, "a"), c.Line)
			}
		case h.Kind == effect.Constant && (h.Text == "" || m.Lang != effect.Python):
		case h.Kind == effect.Ref && (strings.HasSuffix(h.Text, "RDONLY") || !strings.Contains(h.Text, "O_")):
		case h.Kind != effect.Constant:
			m.put(p, false, c.Line)
		}
	}
}

// openPerl is open(HANDLE, MODE, PATH) and open(HANDLE, "MODE PATH").
func (m *Machine) openPerl(c *Call) {
	how, p := c.arg(1), c.arg(2)
	if !how.Known() {
		return
	}
	text := strings.TrimSpace(how.Text)
	mode := strings.TrimRight(text[:len(text)-len(strings.TrimLeft(text, "+<>|-"))], " ")
	if len(c.Args) < 3 {
		p = how
		p.Text = strings.TrimSpace(text[len(mode):])
		if cmd, ok := strings.CutSuffix(p.Text, "|"); ok {
			p.Text, mode = cmd, "-|"
		}
	}
	switch {
	case strings.Contains(mode, "|"):
		if len(c.Args) > 3 {
			p = effect.ListOf(c.rest(2)...)
		}
		m.Run(p, nil)
	case strings.Contains(mode, ">") || strings.HasPrefix(mode, "+"):
		m.put(p, strings.Contains(mode, ">>"), c.Line)
	case c.Name == "sysopen" || c.Name == "IO.File.new":
		m.put(how, false, c.Line)
	}
}
