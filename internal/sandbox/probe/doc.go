// Package probe is what the self-test runs inside a confinement: each try does one thing that may be forbidden there,
// and says whether it worked. It changes only what its parameters name, and owns nothing.
package probe
