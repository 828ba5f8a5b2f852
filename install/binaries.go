package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/target"
	"github.com/devflow-suite/devflow/internal/atomicfile"
)

// Binary is the name of the command that hooks start for longer work.
const Binary = "devflow"

// RequiredBinaries lists what an installation cannot do without.
func RequiredBinaries() []string { return append(settings.Binaries(), Binary) }

// optionalBinaries come along if they were built.
func optionalBinaries() []string { return []string{"devflow-telemetry", "devflock", "devflow-server"} }

// binaryStep is one executable to copy.
type binaryStep struct {
	from, to string
	sum      string
	same     bool // to is already what from is
}

// planBinaries looks at the built executables; a missing required one ends the
// installation before anything is written.
func planBinaries(from, to string) ([]binaryStep, error) {
	var steps []binaryStep
	var missing []string
	for _, name := range append(RequiredBinaries(), optionalBinaries()...) {
		step := binaryStep{from: filepath.Join(from, name), to: filepath.Join(to, name)}
		data, err := os.ReadFile(step.from)
		if errors.Is(err, fs.ErrNotExist) {
			if slices.Contains(RequiredBinaries(), name) {
				missing = append(missing, name)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(step.from); err != nil {
			return nil, err
		} else if info.Mode().Perm()&0o111 == 0 {
			return nil, fmt.Errorf("copy %s: not executable", step.from)
		}
		step.sum = Sum(data)
		have, err := os.ReadFile(step.to)
		info, statErr := os.Lstat(step.to)
		step.same = err == nil && statErr == nil && bytes.Equal(have, data) && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0
		steps = append(steps, step)
	}
	if len(missing) > 0 {
		return nil, &MissingError{Dir: from, Names: missing}
	}
	return steps, nil
}

// applyBinaries copies what differs. Replacing is by rename, so that processes
// which run the old file go on with it.
func applyBinaries(steps []binaryStep, m *Manifest, r *Report) error {
	for _, s := range steps {
		state := "written"
		if s.same {
			state = "unchanged"
		}
		r.file(s.to, state)
		if r.DryRun {
			continue
		}
		m.setFile(ManifestFile{Path: s.to, Kind: "binary", SHA256: s.sum})
		if s.same {
			continue
		}
		data, err := os.ReadFile(s.from)
		if err != nil {
			return err
		}
		if Sum(data) != s.sum {
			return fmt.Errorf("copy %s: %w", s.from, target.ErrChanged)
		}
		if err := atomicfile.WriteFile(s.to, data, 0o755); err != nil {
			return err
		}
	}
	return nil
}
