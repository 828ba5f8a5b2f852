package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Identity is who commits.
type Identity struct{ Name, Email string }

// crud is what git takes off both ends of a name or address before it looks whether something is left (ident.c of git 2.39).
const crud = ".,:;<>\"\\'"

// Own is devflock's identity, for where a person has configured none.
func Own() Identity { return Identity{"devflock", "devflock@localhost"} }

// Config lists the settings whose name matches a regular expression of git, in lower case but for a middle part, in the order in
// which they count: the last of a name wins. One process.
func (r Runner) Config(ctx context.Context, pattern string) ([][2]string, error) {
	res, err := r.Run(ctx, Call{Args: []string{"config", "-z", "--includes", "--get-regexp", pattern}, OK: []int{1}})
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	var all [][2]string
	for record := range bytes.SplitSeq(res.Stdout, []byte{0}) {
		if key, value, _ := strings.Cut(string(record), "\n"); key != "" {
			all = append(all, [2]string{key, value})
		}
	}
	return all, nil
}

// IdentityPattern finds what IdentityOf needs.
const IdentityPattern = `user\.(name|email)`

// IdentityOf gives the person's configured identity, or devflock's own when git would not accept one.
func IdentityOf(config [][2]string) Identity {
	var id Identity
	for _, kv := range config {
		switch kv[0] {
		case "user.name":
			id.Name = kv[1]
		case "user.email":
			id.Email = kv[1]
		}
	}
	if !usable(id.Name) || !usable(id.Email) {
		return Own()
	}
	return id
}

func usable(s string) bool {
	clean := strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(crud, r) })
	return clean != "" && !strings.ContainsRune(s, 0)
}

// Env gives the identity to git, as author and as committer.
func (id Identity) Env() []string {
	return []string{"GIT_AUTHOR_NAME=" + id.Name, "GIT_AUTHOR_EMAIL=" + id.Email, "GIT_COMMITTER_NAME=" + id.Name, "GIT_COMMITTER_EMAIL=" + id.Email}
}
