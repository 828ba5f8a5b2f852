package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// badPath says why a folder cannot belong to a module, "" when it can. It is judged for every system that may check the project out.
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case len(p) > MaxPath:
		return "is too long"
	case !utf8.ValidString(p):
		return "is not UTF-8"
	case p == "." || p == "./":
		return "is the whole project: name a folder in it"
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"), len(p) > 1 && p[1] == ':':
		return "is absolute: want a folder relative to the project's root"
	case strings.Contains(p, `\`):
		return "holds a backslash: want slashes"
	case strings.ContainsAny(p, `*?[]{}<>|":!#`):
		return "holds a character that means something else in patterns"
	case strings.IndexFunc(p, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }) >= 0:
		return "holds a character that cannot be seen"
	}
	for part := range strings.SplitSeq(p, "/") {
		switch name := fold(strings.TrimRight(part, ". ")); {
		case part == "":
			return "has an empty part"
		case part == "." || part == "..":
			return "holds . or .."
		case name == ".git", name == "git~1", name == ".devflow", name == ".devflock", name == ".claude":
			return "is where tools keep their own files"
		case strings.TrimRight(part, ". ") != part, strings.TrimLeft(part, " ") != part:
			return "has a part that begins or ends with a blank or ends with a dot"
		case strings.HasPrefix(part, "-"):
			return "has a part that begins with -"
		}
	}
	return ""
}

// fold gives what two names have in common that are one file on a system that ignores case or composes characters.
func fold(s string) string { return norm.NFC.String(cases.Fold().String(norm.NFD.String(s))) }

// folders is a tree of folders, by folded names.
type folders map[string]*folder

type folder struct {
	owner int // module that it belongs to, -1 for none
	below folders
	any   int // a module that has a folder below
}

// add gives the folder to a module. When it is another's already, or one lies inside the other, it gives that one and how they lie.
func (f folders) add(path string, module int) (other int, how string) {
	parts := strings.Split(path, "/")
	level := f
	var seen []*folder
	for k, part := range parts {
		name := fold(part)
		x := level[name]
		if x == nil {
			x = &folder{owner: -1, below: folders{}, any: -1}
			level[name] = x
		}
		last := k == len(parts)-1
		switch {
		case x.owner >= 0 && last:
			return x.owner, "is the same folder as that of"
		case x.owner >= 0:
			return x.owner, "lies inside the folder of"
		case last && x.any >= 0:
			return x.any, "holds the folder of"
		case last:
			x.owner = module
		}
		seen = append(seen, x)
		level = x.below
	}
	for _, x := range seen {
		if x.any < 0 {
			x.any = module
		}
	}
	return -1, ""
}
