package replica_test

import (
	"testing"

	"github.com/devflow-suite/devflow/judge/gate/suite/replica"
	"github.com/google/go-cmp/cmp"
)

// What a copy holds is tested through package suite, with tests that run in one.

func TestEntries(t *testing.T) {
	t.Parallel()
	files, modules := replica.Entries([]byte("100644 aa 0\ta/b c\x00160000 bb 0\tlib\x00120000 cc 0\tx\ty\x00broken\x00"))
	if diff := cmp.Diff([]string{"a/b c", "x\ty"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"lib": "bb"}, modules); diff != "" {
		t.Errorf("submodules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "a", "a/b"}, replica.Folders([]string{"a/b/c", "d", "a/e"})); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// FuzzEntries reads what git lists.
func FuzzEntries(f *testing.F) {
	f.Add([]byte("100644 aa 0\ta\x00160000 bb 0\tlib/x"))
	f.Add([]byte("\x00\t\x00 \t/"))
	f.Fuzz(func(t *testing.T, list []byte) {
		files, modules := replica.Entries(list)
		if len(files)+len(modules) > len(list) || len(replica.Folders(files)) > len(list)+1 {
			t.Errorf("%d files and %d submodules in %d bytes", len(files), len(modules), len(list))
		}
	})
}
