package trees

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// search is what find would touch, as far as its expression tells.
type search struct {
	bases   []shell.Word
	names   []string // patterns of -name and the like that must match
	narrow  bool     // some test leaves something out
	nothing bool     // only what is empty anyway
	drops   bool     // deletes what it finds
	opens   rule.Op  // chmod and chown of what it finds
	mode    string
}

// find reads find. fed says that another program deletes what it prints.
func find(k *rule.Call, words []shell.Word, fed bool) []rule.Effect {
	s := readSearch(words)
	var list []rule.Effect
	if s.drops || fed {
		for _, e := range k.Each(rule.DropTree, s.bases) {
			if e = s.limit(e); e.Op != 0 {
				list = append(list, e)
			}
		}
	}
	if s.opens != 0 {
		for _, e := range k.Each(s.opens, s.bases) {
			if z := e.Target.Zone; extreme(s.mode) || z == place.Root || z == place.System || z == place.Home {
				list = append(list, e)
			}
		}
	}
	return list
}

// limit lowers the effect of a search that leaves most things alone.
func (s search) limit(e rule.Effect) rule.Effect {
	regenerable := len(s.names) > 0
	for _, n := range s.names {
		regenerable = regenerable && madeAgain(n)
	}
	if !s.narrow && !regenerable {
		return e
	}
	switch e.Target.Zone {
	case place.ProjectRoot, place.Project, place.Unknown, place.Outside, place.HomeTop:
		if (regenerable || s.nothing) && e.Op&rule.Remote == 0 {
			e.Op = 0
		} else if e.Target.Zone == place.ProjectRoot {
			e.Target.Zone = place.Project
		}
	case place.TempTop:
		e.Op = 0
	}
	return e
}

func readSearch(words []shell.Word) search {
	var s search
	i := 0
	for i < len(words) && rule.OneOf(words[i].Text, "-H", "-L", "-P") {
		i++
	}
	for ; i < len(words); i++ {
		if t := words[i].Text; t == "" || t[0] == '-' || t == "(" || t == "!" {
			break
		}
		s.bases = append(s.bases, words[i])
	}
	if len(s.bases) == 0 {
		s.bases = []shell.Word{{Text: "."}}
	}
	not := false
	for ; i < len(words); i++ {
		switch t := words[i].Text; t {
		case "!", "-not":
			not = true
			continue
		case "-delete":
			s.drops = true
		case "-exec", "-execdir", "-ok", "-okdir":
			i = s.action(words, i+1)
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex":
			if i++; i < len(words) && !not {
				s.names = append(s.names, words[i].Text)
				s.narrow = s.narrow || strings.Trim(words[i].Text, "*./?") != ""
			}
		case "-xtype", "-lname", "-ilname":
			if i++; i < len(words) && !not && (t != "-xtype" || words[i].Text == "l") {
				s.narrow, s.nothing = true, s.nothing || t == "-xtype" // broken links
			}
		case "-empty":
			s.narrow, s.nothing = s.narrow || !not, s.nothing || !not
		case "-newer", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-size", "-user", "-uid", "-group", "-gid", "-perm", "-newermt", "-samefile", "-inum":
			i++
			s.narrow = s.narrow || !not
		case "-prune", "-o", "-or":
			if t == "-prune" && i+1 < len(words) && rule.OneOf(words[i+1].Text, "-o", "-or") {
				s.names, s.narrow = nil, false // what came before is left out
			}
		}
		not = false
	}
	return s
}

// action reads the program of -exec and returns the index of its end.
func (s *search) action(words []shell.Word, i int) int {
	end := i
	for end < len(words) && words[end].Text != ";" && words[end].Text != "+" {
		end++
	}
	for i < end && rule.OneOf(path.Base(words[i].Text), "sudo", "env", "nice", "command") {
		i++
	}
	if i >= end {
		return end
	}
	switch path.Base(words[i].Text) {
	case "rm", "unlink", "shred", "srm", "truncate", "wipe":
		s.drops = true
	case "mv":
		s.drops = s.drops || words[end-1].Text == "/dev/null"
	case "cp":
		s.drops = s.drops || i+1 < end && words[i+1].Text == "/dev/null"
	case "chmod", "chown", "chgrp":
		s.opens = rule.OpenTree
		for _, x := range words[i+1 : end] {
			if !strings.HasPrefix(x.Text, "-") {
				s.mode = x.Text
				break
			}
		}
	}
	return end
}

// fd reads fd -x rm: it searches the project, or the folders that are named.
func fd(k *rule.Call, words []shell.Word, fed bool) []rule.Effect {
	drops := fed
	var names []string
	var bases []shell.Word
	pattern := false
	for i := 0; i < len(words); i++ {
		switch t := words[i].Text; {
		case rule.OneOf(t, "-x", "-X", "--exec", "--exec-batch"):
			if i+1 >= len(words) || !rule.OneOf(path.Base(words[i+1].Text), "rm", "unlink", "shred", "srm", "truncate") {
				return nil
			}
			drops = true
			i = len(words)
		case rule.OneOf(t, "-e", "--extension"):
			if i++; i < len(words) {
				names = append(names, "*."+words[i].Text)
			}
		case rule.OneOf(t, "-t", "--type", "-d", "--max-depth", "-E", "--exclude", "--changed-within", "--changed-before", "-S", "--size"):
			i++
		case strings.HasPrefix(t, "-"):
		case !pattern:
			pattern = true
			if strings.Trim(t, ".*^$") != "" {
				names = append(names, strings.Trim(t, "^$"))
			}
		default:
			bases = append(bases, words[i])
		}
	}
	if !drops {
		return nil
	}
	if len(bases) == 0 {
		bases = []shell.Word{{Text: "."}}
	}
	s := search{names: names, narrow: len(names) > 0}
	var list []rule.Effect
	for _, e := range k.Each(rule.DropTree, bases) {
		if e = s.limit(e); e.Op != 0 {
			list = append(list, e)
		}
	}
	return list
}

// madeAgain recognises patterns of files and folders that tools make again.
func madeAgain(pattern string) bool {
	base := path.Base(strings.TrimSuffix(strings.TrimSuffix(pattern, "/*"), "/"))
	switch base {
	case "node_modules", "__pycache__", "dist", "build", "target", "coverage", ".next", ".turbo", ".cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store", "Thumbs.db", ".gradle",
		".tox", ".nox", ".eggs", "*.egg-info", ".parcel-cache", "*~", "*.py[co]", "*.py[cod]", "npm-debug.log*", "core.*", ".coverage", "*.tsbuildinfo", "._*", "*.js.map", "*.css.map", "*.d.ts.map", "*.min.js.map", "*.pb.go", "*_pb2.py", "*_pb2_grpc.py", "*_pb2*.py", "*_pb2.pyi", "*.g.dart", "*.freezed.dart",
		"*.actual", "*.snap.new", "*.log.*", "*.coverprofile", "coverage.out", "*.core", "hs_err_pid*", "*.hprof", "__snapshots__", ".terraform", ".venv", "venv", "obj", "*.o", "#*#":
		return true
	}
	for _, s := range [...]string{".generated.", ".gen.", ".received.", ".tmp.", ".bak."} {
		if strings.HasPrefix(base, "*"+s) {
			return true
		}
	}
	switch path.Ext(base) {
	case ".pyc", ".pyo", ".o", ".obj", ".a", ".class", ".log", ".tmp", ".temp", ".bak", ".orig", ".rej", ".swp", ".swo", ".gcda", ".gcno", ".d", ".lo", ".la", ".cache", ".pid", ".profraw", ".prof", ".out", ".test", ".elc", ".beam", ".hi", ".tsbuildinfo":
		return strings.HasPrefix(base, "*.") || strings.HasSuffix(base, ".log") || strings.HasSuffix(base, ".tmp")
	}
	return false
}
