package suite

import (
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/environ"
)

// Environ is what a test may see of the user's environment, see environ.Safe; withheld are the names of the rest. A test runner
// that would wait for a key press is told by CI=true that nobody is there.
func Environ(user []string) (env, withheld []string) {
	env, withheld = environ.Safe(user)
	if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "CI=") }) {
		env = append(env, "CI=true")
	}
	return env, withheld
}
