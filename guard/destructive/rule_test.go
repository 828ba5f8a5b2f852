package destructive_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/config"
)

// The configuration knows the ids by a list of its own, because it cannot import the rules.
func TestTheConfigurationKnowsEveryRule(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, r := range rules() {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	known := config.Liftable()
	slices.Sort(known)
	if diff := cmp.Diff(ids, known); diff != "" {
		t.Errorf("ids of Rules (-) and of config.Liftable (+):\n%s", diff)
	}
}
