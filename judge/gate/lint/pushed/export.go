package pushed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// Export writes files of a tree below a folder, at their own paths. Files above max bytes are cut to that length. Those that are
// missing, or too large to read at all, are left out; so are names that would lead out of the folder.
func Export(ctx context.Context, t Tree, dir string, paths []string, max int) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open folder for files: %w", err)
	}
	defer root.Close()
	if err := Prefetch(ctx, t, paths); err != nil {
		return err
	}
	for _, p := range paths {
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			continue
		}
		data, ok, err := t.Read(ctx, p)
		switch {
		case errors.Is(err, gitx.ErrTooLarge), err == nil && !ok:
			continue
		case err != nil:
			return err
		}
		if d := path.Dir(p); d != "." {
			if err := root.MkdirAll(d, 0o700); err != nil {
				return fmt.Errorf("write %s: %w", Printable(p), err)
			}
		}
		if err := root.WriteFile(p, data[:min(len(data), max)], 0o600); err != nil {
			return fmt.Errorf("write %s: %w", Printable(p), err)
		}
	}
	return nil
}
