package signature

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
)

// params reads the parameters among tokens [from, to).
func (r *Reader) params(from, to int) []Param {
	f := r.f
	to = min(to, len(f.Tokens))
	var out []Param
	if f.Lang == source.Go {
		return r.golang(from, to)
	}
	for n, part := range r.split(from, to) {
		i, end := part[0], part[1]
		if f.Lang == source.Dart && (f.Is(i, "{") || f.Is(i, "[")) && r.closing(i) >= end-1 {
			for _, p := range r.params(i+1, min(r.closing(i), end)) {
				p.Optional = p.Optional || f.Is(i, "[") || !strings.HasPrefix(p.Type, "required ") && p.Type != "required"
				p.Type = strings.TrimSpace(strings.TrimPrefix(p.Type, "required"))
				out = append(out, p)
			}
			continue
		}
		if r.receiver(i, end, n) {
			continue
		}
		if p, ok := r.param(i, end); ok {
			out = append(out, p)
		}
	}
	return out
}

// receiver reports whether parameter n is self, cls or this.
func (r *Reader) receiver(i, end, n int) bool {
	f := r.f
	switch f.Lang {
	case source.Python:
		return n == 0 && end == i+1 && (f.Is(i, "self") || f.Is(i, "cls"))
	case source.Rust:
		for k := i; n == 0 && k < min(end, i+5); k++ {
			if f.Is(k, "self") {
				return true
			}
			if f.Is(k, ":") {
				return false
			}
		}
	case source.TS:
		return n == 0 && f.Is(i, "this") && f.Is(i+1, ":")
	}
	return false
}

// split cuts tokens [from, to) at commas outside of brackets and of type arguments.
func (r *Reader) split(from, to int) [][2]int {
	f := r.f
	var out [][2]int
	start, angle, value := from, 0, false
	for i := from; i < to; i++ {
		switch {
		case f.Is(i, "=") && angle == 0:
			value = true
		case f.Is(i, "<") && !value:
			angle++
		case f.Is(i, ">") && angle > 0:
			angle--
		case f.Is(i, ",") && angle == 0:
			out = append(out, [2]int{start, i})
			start, value = i+1, false
		}
		i = max(i, min(r.closing(i), to))
	}
	if start < to {
		out = append(out, [2]int{start, to})
	}
	return out
}

// golang reads a list such as `a, b int, c ...string`.
func (r *Reader) golang(from, to int) []Param {
	f := r.f
	parts := r.split(from, to)
	named := false
	for _, p := range parts {
		if p[1]-p[0] > 1 && f.Kind(p[0]) == source.Name && !f.Is(p[0]+1, ".") && !f.Is(p[0], "func") && !f.Is(p[0], "map") && !f.Is(p[0], "chan") &&
			!f.Is(p[0], "struct") && !f.Is(p[0], "interface") && !(f.Is(p[0]+1, "[") && f.Glued(p[0]+1)) {
			named = true
		}
	}
	var out []Param
	pending := 0
	for _, p := range parts {
		switch {
		case !named:
			out = append(out, Param{Type: r.text(p[0], p[1])})
		case p[1]-p[0] == 1:
			out = append(out, Param{Name: f.Text(p[0])})
			pending++
			continue
		default:
			t := r.text(p[0]+1, p[1])
			for k := len(out) - pending; k < len(out); k++ {
				out[k].Type = t
			}
			out = append(out, Param{Name: f.Text(p[0]), Type: t, Optional: f.Is(p[0]+1, "...")})
		}
		pending = 0
	}
	return out
}

// param reads one parameter of a language other than Go.
func (r *Reader) param(i, end int) (Param, bool) {
	f := r.f
	var p Param
	for i < end {
		if to := r.annotation(i, end); to > i && !(f.Is(i, "[") && f.Lang != source.CSharp) {
			i = to
			continue
		}
		break
	}
	for k := i; k < end; k++ { // a default
		if f.Is(k, "=") {
			p.Default, p.Optional = r.text(k+1, end), true
			end = k
			break
		}
		k = max(k, min(r.closing(k), end))
	}
	if i >= end || end == i+1 && (f.Is(i, "/") || f.Is(i, "*")) {
		return p, false
	}
	if prefixed(f.Lang) || f.Lang == source.PHP {
		return r.typeFirst(p, i, end), true
	}
	if f.Lang == source.Ruby {
		for f.Is(i, "*") || f.Is(i, "**") || f.Is(i, "&") {
			p.Type += f.Text(i)
			p.Optional = true
			i++
		}
		p.Name = f.Text(i)
		if f.Is(i+1, ":") && i+2 < end {
			p.Default, p.Optional = r.text(i+2, end), true
		}
		return p, p.Name != "" || p.Type != ""
	}
	return r.nameFirst(p, i, end)
}

// nameFirst reads `name: type`.
func (r *Reader) nameFirst(p Param, i, end int) (Param, bool) {
	f := r.f
	prefix := ""
	for f.Is(i, "*") || f.Is(i, "**") || f.Is(i, "...") {
		prefix = f.Text(i)
		p.Optional = true
		i++
	}
	for i+1 < end && f.Kind(i) == source.Name && f.Kind(i+1) == source.Name && f.Lang != source.Swift {
		if f.Is(i, "vararg") {
			p.Optional, prefix = true, "vararg "
		}
		i++ // private readonly x, mut x, vararg x
	}
	colon := end
	for k := i; k < end; k++ {
		if f.Is(k, ":") || f.Is(k, "?:") {
			colon = k
			p.Optional = p.Optional || f.Is(k, "?:")
			break
		}
		k = max(k, min(r.closing(k), end))
	}
	last := colon
	if f.Is(last-1, "?") && last-1 > i {
		last--
		p.Optional = true
	}
	p.Name = r.text(i, last)
	if f.Lang == source.Swift && last-i == 2 { // a label before the name
		p.Name = f.Text(last - 1)
	}
	p.Type = strings.TrimSpace(prefix + r.text(colon+1, end))
	return p, p.Name != "" || p.Type != ""
}

// typeFirst reads `type name`.
func (r *Reader) typeFirst(p Param, i, end int) Param {
	f := r.f
	for i+1 < end && (f.Is(i, "final") || f.Is(i, "covariant") || f.Is(i, "const") && f.Lang == source.Dart || f.Is(i, "var") && end > i+1 || f.Is(i, "params") || f.Lang == source.CSharp && f.Is(i, "this")) {
		p.Optional = p.Optional || f.Is(i, "params")
		i++
	}
	at := -1
	for k := i; k < end; k++ {
		if f.Is(k, "(") && k > i && f.Kind(k-1) == source.Name && !f.Is(k-1, "Function") && f.Lang == source.Dart { // int cb(int x)
			at = k - 1
			break
		}
		if f.Kind(k) == source.Name {
			at = k
		}
		p.Optional = p.Optional || f.Is(k, "...")
		if (f.Lang == source.C || f.Lang == source.CPP) && f.Is(k, "(") && f.Is(k+1, "*") { // void (*cb)(int)
			p.Name, p.Type = f.Text(k+2), r.text(i, end)
			return p
		}
		k = max(k, min(r.closing(k), end))
	}
	if at < 0 {
		p.Type = r.text(i, end)
		return p
	}
	p.Name = f.Text(at)
	from := at
	if f.Is(at-1, ".") && (f.Is(at-2, "this") || f.Is(at-2, "super")) {
		from = at - 2
	}
	p.Type = r.text(i, from)
	if at+1 < end {
		p.Type = strings.TrimSpace(p.Type + " " + r.text(at+1, end))
	}
	if p.Type == "" && f.Lang != source.Dart && f.Lang != source.PHP { // C: a type without a name
		p.Name, p.Type = "", p.Name
	}
	return p
}
