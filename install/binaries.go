package install

import (
	"os"
	"path/filepath"

	"github.com/devflow-suite/devflow/install/binaries"
)

// Binary is the name of the command that hooks start for longer work.
const Binary = binaries.Command

// RequiredBinaries lists what an installation cannot do without.
func RequiredBinaries() []string { return binaries.Required() }

// announce lists the files that will be written where nothing of devflow's was,
// and saves the manifest: after a crash among the writes they are known.
func (p *plan) announce() error {
	for _, s := range p.binaries {
		if !s.Same && p.next.sum(s.To) == "" {
			p.next.setFile(ManifestFile{Path: s.To, Kind: "binary", SHA256: s.Sum})
		}
	}
	for _, s := range p.commands {
		if s.state == "written" && p.next.sum(s.path) == "" {
			p.next.setFile(ManifestFile{Path: s.path, Kind: "command", SHA256: Sum(s.data)})
		}
	}
	return p.next.save(p.manifest)
}

// claim lists a file that devflow wrote. One that was there already with these
// bytes is devflow's only if the manifest says so from before.
func (m *Manifest) claim(f ManifestFile, wrote bool) {
	switch {
	case wrote:
		m.setFile(f)
	case m.sum(f.Path) != f.SHA256:
		m.dropFile(f.Path)
	}
}

// applyBinaries copies what differs.
func applyBinaries(steps []binaries.Step, m *Manifest, r *Report) error {
	for _, s := range steps {
		state := "written"
		if s.Same {
			state = "unchanged"
		}
		r.file(s.To, state)
		if r.DryRun {
			continue
		}
		if !s.Same {
			if err := s.Copy(); err != nil {
				return err
			}
		}
		m.claim(ManifestFile{Path: s.To, Kind: "binary", SHA256: s.Sum}, !s.Same)
	}
	return nil
}

// guests lists the folders whose executables were used and are not devflow's.
func (m *Manifest) guests() []string {
	var dirs []string
	for _, dir := range m.BinDirs {
		path := filepath.Join(dir, Binary)
		if _, err := os.Lstat(path); err == nil && m.sum(path) == "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// linked reports whether the folder of path is a symbolic link. What lies behind
// one is somebody else's, whoever wrote it.
func linked(path string) bool {
	info, err := os.Lstat(filepath.Dir(path))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
