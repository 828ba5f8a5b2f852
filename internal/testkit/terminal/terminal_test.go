package terminal_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/terminal"
)

func TestTypingReachesTheProgramAndItsScreenIsSeen(t *testing.T) {
	t.Parallel()
	tm := terminal.Start(t, t.TempDir(), []string{"PATH=/usr/bin:/bin", "GREETING=it's me"}, []string{"/bin/sh", "-c", `echo "$GREETING"; read -r x; echo "got <$x>"; read -r y`})
	if got := tm.Wait("nothing of the kind", "it's me"); got != "it's me" {
		t.Errorf("Wait = %q", got)
	}
	tm.Enter("hello there")
	tm.Wait("got <hello there>")
	if tm.Gone() {
		t.Error("program is gone while it waits")
	}
	tm.KeysUntil("Pane is dead", "Enter")
	if !tm.Gone() || !strings.Contains(tm.Screen(), "got <hello there>") {
		t.Errorf("gone = %v, screen:\n%s", tm.Gone(), tm.Screen())
	}
	tm.Kill()
	tm.Kill()
}
