//go:build !linux

package cgroup

// Possible reports which limits can be set here: none.
func Possible() (procs, memory bool) { return false, false }
