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

// Identity gives the person's configured identity, or devflock's own when git would not accept one. One process.
func (r Runner) Identity(ctx context.Context) (Identity, error) {
	res, err := r.Run(ctx, Call{Args: []string{"config", "-z", "--includes", "--get-regexp", `^user\.(name|email)$`}, OK: []int{1}})
	if err != nil {
		return Identity{}, fmt.Errorf("read identity: %w", err)
	}
	var id Identity
	for record := range bytes.SplitSeq(res.Stdout, []byte{0}) { // the last one of a key counts
		key, value, _ := strings.Cut(string(record), "\n")
		switch key {
		case "user.name":
			id.Name = value
		case "user.email":
			id.Email = value
		}
	}
	if !usable(id.Name) || !usable(id.Email) {
		return Own(), nil
	}
	return id, nil
}

func usable(s string) bool {
	clean := strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(crud, r) })
	return clean != "" && !strings.ContainsRune(s, 0)
}

// Env gives the identity to git, as author and as committer.
func (id Identity) Env() []string {
	return []string{"GIT_AUTHOR_NAME=" + id.Name, "GIT_AUTHOR_EMAIL=" + id.Email, "GIT_COMMITTER_NAME=" + id.Name, "GIT_COMMITTER_EMAIL=" + id.Email}
}
