// Package binaries is the executables of an installation: their names, and how
// the built ones get into the folder that hooks run them from.
//
// It writes only the executables of a Step. Which of them are devflow's to
// remove is for the manifest of package install to say.
package binaries

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/target"
	"github.com/devflow-suite/devflow/internal/atomicfile"
)

// Command is the name of the executable that hooks start for longer work.
const Command = "devflow"

// Required lists what an installation cannot do without.
func Required() []string { return append(settings.Binaries(), Command) }

// Optional lists what comes along if it was built.
func Optional() []string { return []string{"devflow-telemetry", "devflock", "devflow-server"} }

// All is Required and Optional.
func All() []string { return append(Required(), Optional()...) }

// MissingError says that a folder does not hold the executables to install.
type MissingError struct {
	Dir   string
	Names []string
}

// Error names the folder and what is missing in it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("find executables in %s: missing %s", e.Dir, strings.Join(e.Names, ", "))
}

// Step is one executable to copy.
type Step struct {
	From, To string
	Sum      string // hex SHA-256 of From
	Same     bool   // To is already what From is: there is nothing to write
}

// Plan looks at the built executables in from, which are to run from the folder
// to; both may be one folder, under two names as well. It writes nothing. A
// missing required one gives *MissingError.
func Plan(from, to string) ([]Step, error) {
	var steps []Step
	var missing []string
	inPlace := target.SameDir(from, to)
	for _, name := range All() {
		step := Step{From: filepath.Join(from, name), To: filepath.Join(to, name)}
		data, err := os.ReadFile(step.From)
		if errors.Is(err, fs.ErrNotExist) {
			if slices.Contains(Required(), name) {
				missing = append(missing, name)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(step.From); err != nil {
			return nil, err
		} else if info.Mode().Perm()&0o111 == 0 {
			return nil, fmt.Errorf("copy %s: not executable", step.From)
		}
		step.Sum = sum(data)
		step.Same = inPlace || holds(step.To, data)
		steps = append(steps, step)
	}
	if len(missing) > 0 {
		return nil, &MissingError{Dir: from, Names: missing}
	}
	return steps, nil
}

// holds reports whether path is an executable file, no link, of these bytes.
func holds(path string, data []byte) bool {
	have, err := os.ReadFile(path)
	info, statErr := os.Lstat(path)
	return err == nil && statErr == nil && bytes.Equal(have, data) && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0
}

// Copy writes To. Replacing is by rename, so that processes which run the old
// file go on with it. The error wraps target.ErrChanged if From is no longer
// what Plan saw.
func (s Step) Copy() error {
	data, err := os.ReadFile(s.From)
	if err != nil {
		return err
	}
	if sum(data) != s.Sum {
		return fmt.Errorf("copy %s: %w", s.From, target.ErrChanged)
	}
	return atomicfile.WriteFile(s.To, data, 0o755)
}

func sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
