//go:build !linux

package runner

func machineMemory() int64 { return 0 }
