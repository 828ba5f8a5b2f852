//go:build !linux

package launch

import (
	"fmt"
	"os"
)

// Main is the hidden command; it exists on Linux only.
func Main([]string) int {
	fmt.Fprintln(os.Stderr, "sandbox: confinement is for Linux only")
	return ExitSetup
}
