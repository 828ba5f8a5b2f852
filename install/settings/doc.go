// Package settings knows the hooks section of a Claude Code settings file: what
// devflow registers there, which entries of a file are devflow's, and which
// bytes have to change to add, renew or take them out.
//
// It works on bytes in memory. Everything that is not devflow's keeps its exact
// bytes; a shape that cannot be understood is refused with line and column and
// never overwritten. Files, manifests and locks are package install's.
package settings
