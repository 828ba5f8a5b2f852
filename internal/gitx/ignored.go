package gitx

import (
	"bytes"
	"context"
	"fmt"
)

// Ignored lists the untracked files that the repository's ignore rules hide, as slash paths. One git process. It is
// complete, or an error that wraps ErrTooLarge.
func (r Repo) Ignored(ctx context.Context, objDir string) ([]string, error) {
	res, err := r.run(ctx, call{objs: objDir, args: []string{"ls-files", "-o", "-i", "--exclude-standard", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list ignored files: %w", err)
	}
	var paths []string
	for _, name := range bytes.Split(res.Stdout, []byte{0}) {
		if len(name) > 0 {
			paths = append(paths, string(name))
		}
	}
	return paths, nil
}
