//go:build !linux

package lineage

// Ancestors knows nothing here.
func Ancestors() []Process { return nil }
