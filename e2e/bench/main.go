// Command bench prints the speed of the installed hooks as ratios against floors that do comparable work, all measured
// side by side in one run. It asserts nothing: it prints the bound and the aim beside each figure.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
