package push

import "strings"

// Looks is for text that cannot be parsed: it is true when the words of a push stand in one piece of it, in order. Quotes and
// backslashes are left out, for they may be what broke the text. It never fails and takes time linear in the text.
func Looks(text string) bool {
	plain := strings.NewReplacer("\\\r\n", " ", "\\\n", " ", `\`, "", "'", "", `"`, "").Replace(text)
	var s looking
	for len(plain) > 0 {
		i := strings.IndexAny(plain, " \t\r\n;|&(){}`<>$,[]=")
		if i < 0 {
			i = len(plain)
		}
		if i > 0 && s.word(plain[:i]) {
			return true
		}
		if i == len(plain) {
			return false
		}
		if strings.IndexByte("\n;|&(){}`", plain[i]) >= 0 {
			s = looking{}
		}
		plain = plain[i+1:]
	}
	return false
}

// looking is what was met in one piece of a line.
type looking struct {
	program, last string
	noun          string // pr, mr, repo: what gh and its kin are about
}

func (s *looking) word(w string) bool {
	w = strings.ToLower(w)
	name := strings.TrimSuffix(w[strings.LastIndexAny(w, "/")+1:], ".exe")
	last := s.last
	if !strings.HasPrefix(w, "-") {
		s.last = w
	}
	if w == "pr" || w == "mr" || w == "pulls" || w == "repo" {
		s.noun = w
	}
	switch name {
	case "git", "gh", "glab", "hub", "jj", "sl", "tea":
		if s.program != "git" { // `git clone x/git` keeps its program
			s.program = name
		}
		return false
	case "git-push", "git-send-pack":
		return true
	}
	switch s.program {
	case "git", "hub":
		return w == "push" && last != "stash" && last != "lfs" || w == "send-pack" || w == "http-push" || w == "dcommit" && last == "svn"
	case "gh", "glab", "tea":
		return (w == "merge" || w == "accept") && s.noun != "" && s.noun != "repo" || w == "sync" && s.noun == "repo"
	case "jj", "sl":
		return w == "push"
	}
	return false
}
