package lineage_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/lineage"
)

// A copy of this test, started through a shell that carries a variable, tells what it sees.
func TestAncestors(t *testing.T) {
	t.Parallel()
	if os.Getenv("LINEAGE_CHILD") != "" {
		for _, p := range lineage.Ancestors()[:2] {
			os.Stdout.WriteString("ANCESTOR " + p.Getenv("LINEAGE_MARK") + "|" + strings.Join(p.Args, "|") + "\n")
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "'"+self+"' -test.run='^TestAncestors$' -test.v || exit 0")
	cmd.Env = append(os.Environ(), "LINEAGE_CHILD=1", "LINEAGE_MARK=here")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var seen []string
	for sc := bufio.NewScanner(strings.NewReader(string(out))); sc.Scan(); {
		if rest, ok := strings.CutPrefix(sc.Text(), "ANCESTOR "); ok {
			seen = append(seen, rest)
		}
	}
	if len(seen) != 2 || !strings.HasPrefix(seen[0], "here|sh|-c|") || !strings.HasSuffix(seen[0], " || exit 0") || !strings.HasPrefix(seen[1], "|") || !strings.Contains(seen[1], "lineage.test") {
		t.Errorf("ancestors %q, want the shell with its mark, then this test\n%s", seen, out)
	}
}
