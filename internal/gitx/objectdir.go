package gitx

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// ObjectDir is the private object folder for the snapshots of one work tree, below the folder that holds all of them
// (the one that [Prune] cleans). root is the work tree with links resolved.
func ObjectDir(parent, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(parent, hex.EncodeToString(sum[:8]))
}
