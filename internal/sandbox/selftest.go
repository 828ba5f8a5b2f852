package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/internal/sandbox/probe"
)

// Probe is one row of the self-test.
type Probe struct {
	Name    string // what was tried
	Allowed bool   // it worked
	Want    bool   // it should work, by what the backend promises: a row with Allowed != Want is a fault
	Detail  string // what was seen, for people
}

type probed = probe.Row

// parseProbes reads what the probe program wrote.
func parseProbes(res proc.Result) ([]probed, error) {
	var rows []probed
	for lines := bufio.NewScanner(bytes.NewReader(res.Stdout)); lines.Scan(); {
		var r probed
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return rows, fmt.Errorf("read probe: %w", err)
		}
		rows = append(rows, r)
	}
	if res.Exit != 0 || len(rows) == 0 {
		text := strings.TrimSpace(string(res.Stderr))
		if text == "" {
			text = fmt.Sprintf("exit status %d after %d rows", res.Exit, len(rows))
		}
		return rows, errors.New("run probe: " + text)
	}
	return rows, nil
}
