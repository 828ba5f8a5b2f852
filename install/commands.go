package install

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/devflow-suite/devflow/internal/atomicfile"
)

//go:embed commands/*.md
var commandFiles embed.FS

// commandNames lists the slash commands. They exist because the client answers
// an unknown slash command itself, and no hook then sees the prompt.
func commandNames() []string { return []string{"spec", "pause", "unspec", "flock"} }

// commandStep is what happens to one command file.
type commandStep struct {
	path  string
	data  []byte
	state string // written, unchanged, kept
	drop  string // an own file under the other name that is not needed any more
	note  string
}

// planCommands decides for each command under which name it goes to dir. A file
// of the user's is never touched.
func planCommands(dir string, m *Manifest) ([]commandStep, error) {
	var steps []commandStep
	for _, name := range commandNames() {
		data, err := commandFiles.ReadFile("commands/" + name + ".md")
		if err != nil {
			return nil, err // unreachable: embedded
		}
		plain, other := filepath.Join(dir, name+".md"), filepath.Join(dir, "devflow-"+name+".md")
		step := commandStep{path: plain, data: data}
		if step.state, err = commandState(plain, data, m); err != nil {
			return nil, err
		}
		switch {
		case step.state == "kept" && m.sum(plain) != "":
			step.note = fmt.Sprintf("%s was edited after devflow wrote it and stays as it is", plain)
		case step.state == "kept":
			step.path = other
			if step.state, err = commandState(other, data, m); err != nil {
				return nil, err
			}
			step.note = fmt.Sprintf("%s is your own and stays as it is; devflow's is /devflow-%s", plain, name)
		case m.sum(other) != "":
			step.drop = other
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// commandState says what to do with path: written (absent or an older text of
// ours), unchanged (already there), kept (somebody else's).
func commandState(path string, data []byte, m *Manifest) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "written", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "kept", nil
	}
	have, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	switch Sum(have) {
	case Sum(data):
		return "unchanged", nil
	case m.sum(path):
		return "written", nil
	}
	return "kept", nil
}

// applyCommands writes the planned files and records them.
func applyCommands(steps []commandStep, m *Manifest, r *Report) error {
	for _, s := range steps {
		if s.note != "" {
			r.say("%s", s.note)
		}
		r.file(s.path, s.state)
		if s.state == "written" {
			r.say("%s %s", r.tense("wrote", "would write"), s.path)
		}
		if r.DryRun {
			if s.drop != "" {
				state, err := modified(s.drop, m.sum(s.drop))
				if err != nil {
					return err
				}
				r.file(s.drop, state)
			}
			continue
		}
		if s.state == "written" {
			if err := atomicfile.WriteFile(s.path, s.data, 0o644); err != nil {
				return err
			}
		}
		if s.state != "kept" {
			m.claim(ManifestFile{Path: s.path, Kind: "command", SHA256: Sum(s.data)}, s.state == "written")
		}
		if s.drop != "" {
			state, err := removeUnmodified(s.drop, m.sum(s.drop))
			if err != nil {
				return err
			}
			if state != "kept" {
				m.dropFile(s.drop)
			}
			r.file(s.drop, state)
		}
	}
	return nil
}

// removeUnmodified removes path if its content has the given sum.
func removeUnmodified(path, sum string) (state string, err error) {
	if state, err = modified(path, sum); err != nil || state != "removed" {
		return state, err
	}
	return state, os.Remove(path)
}

// modified says what removeUnmodified does: removed, kept or missing.
func modified(path, sum string) (state string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "missing", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "kept", nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if Sum(data) != sum {
		return "kept", nil
	}
	return "removed", nil
}
