package secret_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/secret"
)

func TestAKeyIsFoundAndTheDocumentedOneIsNot(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "QZ7X2M4N8P6R5T3V"
	got := secret.Find("a\nkey = '" + key + "'")
	if len(got) != 1 || got[0] != (secret.Match{Rule: "aws-access-key-id", Start: 9, End: 29, Line: 2, High: true}) {
		t.Errorf("Find = %+v", got)
	}
	if got := secret.Find("AKIA" + "IOSFODNN7EXAMPLE"); got != nil {
		t.Errorf("the documented key is reported: %+v", got)
	}
}
