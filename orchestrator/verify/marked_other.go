//go:build !linux

package verify

// killMarked needs /proc: elsewhere what leaves its process group stays.
func killMarked(string) int { return 0 }
