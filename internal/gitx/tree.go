package gitx

import (
	"context"
	"fmt"
	"strings"
)

// Tree gives the object name of the tree of a commit or tag; a tree is its own. One git process.
func (r Repo) Tree(ctx context.Context, objDir, rev string) (string, error) {
	res, err := r.run(ctx, call{objs: objDir, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{tree}"}, ok: 1})
	if err == nil && res.Exit != 0 {
		err = ErrNoRev
	}
	if err != nil {
		return "", fmt.Errorf("find the tree of %s: %w", rev, err)
	}
	return strings.TrimSpace(string(res.Stdout)), nil
}
