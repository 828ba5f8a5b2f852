package rule

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell"
)

// MatchLines finds the first entry that the command fits. Entries are separated by newlines and read
//
//	program|other word|other word -option|--option
//
// The words must follow the program in this order; options and their values may stand between them, options that the entry names
// may stand anywhere. A word that ends in * stands for all that begin so, one that begins with * for all that end so, # for any
// word. An option may name its value: --kind=x.
func (k *Call) MatchLines(lines string) string {
	if k.Name == "" {
		return ""
	}
	for at := 0; ; {
		n := strings.Index(lines[at:], k.Name)
		if n < 0 {
			return ""
		}
		at += n
		start := strings.LastIndexByte(lines[:at], '\n') + 1
		line, _, _ := strings.Cut(lines[start:], "\n")
		program, rest, _ := strings.Cut(line, " ")
		if at-start < len(program) && alternative(program, k.Name) {
			if k.follows(rest) {
				return strings.TrimSpace(k.Name + " " + Join(k.Words))
			}
			at = start + len(line)
			continue
		}
		at += len(k.Name)
	}
}

// follows reports whether the arguments fit the rest of an entry.
func (k *Call) follows(rest string) bool {
	i := 0
	for word := range strings.FieldsSeq(rest) {
		if word[0] == '-' || word[0] == '/' {
			if !k.Option(word) {
				return false
			}
			continue
		}
		found, skip := false, false
		for i < len(k.Words) && !found {
			t := k.Words[i].Text
			i++
			switch {
			case strings.HasPrefix(t, "-") && len(t) > 1:
				skip = !strings.Contains(t, "=")
			case alternative(word, strings.ToLower(t)):
				found = true
			case skip:
				skip = false
			default:
				return false
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// Option reports whether one of the options (-a|--all) was given. Single letters may be combined.
func (k *Call) Option(names string) bool {
	for name := range strings.SplitSeq(names, "|") {
		for _, x := range k.Words {
			t := x.Text
			if t == "--" {
				break
			}
			if prefix, ok := strings.CutSuffix(name, "*"); ok && strings.HasPrefix(strings.ToLower(t), prefix) {
				return true
			}
			if strings.EqualFold(t, name) && (len(name) > 2 || t == name) || strings.HasPrefix(t, name+"=") && !strings.HasSuffix(t, "=false") {
				return true
			}
			if len(name) == 2 && len(t) > 2 && t[0] == '-' && t[1] != '-' && len(t) < 8 && strings.IndexByte(t, name[1]) > 0 && !strings.Contains(t, "=") {
				return true
			}
		}
	}
	return false
}

func alternative(pattern, text string) bool {
	for p := range strings.SplitSeq(pattern, "|") {
		switch {
		case p == text || p == "#":
			return true
		case len(p) > 1 && strings.HasSuffix(p, "*") && strings.HasPrefix(text, p[:len(p)-1]):
			return true
		case len(p) > 1 && strings.HasPrefix(p, "*") && strings.HasSuffix(text, p[1:]):
			return true
		}
	}
	return false
}

// sameProgram gives programs with the command line of another its name.
func (k *Call) sameProgram() {
	front := ""
	switch k.Name {
	case "podman", "nerdctl", "docker-compose", "podman-compose", "finch", "lima":
		if strings.HasSuffix(k.Name, "compose") {
			front = "compose"
		}
		k.Name = "docker"
	case "oc", "kubecolor", "k":
		k.Name = "kubectl"
	case "microk8s", "k3s", "minikube":
		if len(k.Words) > 0 && k.Words[0].Text == "kubectl" {
			k.Name, k.Words = "kubectl", k.Words[1:]
		}
	case "tofu", "terragrunt", "cdktf":
		k.Name = "terraform"
	case "flyctl":
		k.Name = "fly"
	case "mariadb", "mycli", "mysqlsh":
		k.Name = "mysql"
	case "pgcli", "usql", "cockroach":
		k.Name = "psql"
	case "sqlite", "litecli":
		k.Name = "sqlite3"
	case "valkey-cli", "keydb-cli":
		k.Name = "redis-cli"
	case "mongo":
		k.Name = "mongosh"
	case "django-admin":
		k.Name = "manage.py"
	case "rake":
		k.Name = "rails"
	case "pwsh":
		k.Name = "powershell"
	}
	if front != "" {
		k.Words = append([]shell.Word{{Text: front}}, k.Words...)
	}
}
