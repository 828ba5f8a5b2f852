package lineage_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/lineage"
)

func TestOfClient(t *testing.T) {
	t.Parallel()
	person := lineage.Process{PID: 3, Env: []string{"HOME=/home/dev"}}
	tool := lineage.Process{PID: 4, Env: []string{"HOME=/home/dev", "CLAUDECODE=1"}}
	if lineage.OfClient([]lineage.Process{person}) || lineage.OfClient(nil) || !lineage.OfClient([]lineage.Process{person, tool, person}) {
		t.Error("a tool is told by its parents")
	}
}
