package doctor_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/install/doctor"
	"github.com/devflow-suite/devflow/internal/sandbox"
)

// TestMain lets copies of the test binary be the launcher that devflock is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sandbox" {
		os.Exit(sandbox.Launch(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func TestTheConfinementIsTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if c := find(doctor.Run(t.Context(), w.cfg), "confinement"); c.Status != doctor.OK || c.Text != "not tried: devflock is not installed here" {
		t.Errorf("without devflock: %+v", c)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", exe, w.bin("devflock")).CombinedOutput(); err != nil {
		t.Fatalf("copy launcher: %v: %s", err, out)
	}
	c := find(doctor.Run(t.Context(), w.cfg), "confinement")
	lines := strings.Split(c.Text, "\n")
	if c.Status != doctor.OK || len(lines) != 2 || !strings.HasPrefix(lines[0], "bwrap holds: ") || !strings.HasPrefix(lines[1], "landlock holds: ") || !strings.Contains(lines[1], "it does not cover: ") {
		t.Errorf("with devflock: %+v", c)
	}
	w.write(w.bin("devflock"), "#!/bin/sh\nexit 7\n", 0o755)
	if c := find(doctor.Run(t.Context(), w.cfg), "confinement"); c.Status != doctor.Warn || c.Hint == "" || !strings.Contains(c.Text, "bwrap does not work: ") || !strings.Contains(c.Text, "landlock does not work: ") {
		t.Errorf("with a launcher that does nothing: %+v", c)
	}
}
