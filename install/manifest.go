package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/internal/atomicfile"
)

// manifestFormat is raised when an older devflow could misread a manifest.
const manifestFormat = 1

// Manifest is the record of an installation, <root>/install-manifest.json. It
// holds enough to undo it.
type Manifest struct {
	Format      int            `json:"format"`
	Version     string         `json:"version"`
	InstalledMS int64          `json:"installed_ms"` // first installation, unix milliseconds
	BinDirs     []string       `json:"bin_dirs"`     // the present one first, then those of earlier installations
	Files       []ManifestFile `json:"files"`
	Dirs        []string       `json:"dirs,omitempty"` // folders that devflow made, outermost first
	Settings    []Registered   `json:"settings"`
}

// ManifestFile is a file as devflow wrote it.
type ManifestFile struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // binary or command
	SHA256 string `json:"sha256"`
}

// Registered is one settings file with devflow's entries.
type Registered struct {
	Path       string               `json:"path"`
	Real       string               `json:"real"` // Path after symbolic links
	Scope      Scope                `json:"scope"`
	Project    string               `json:"project,omitempty"`
	Created    bool                 `json:"created,omitempty"` // the file was not there
	Before     string               `json:"before_sha256,omitempty"`
	After      string               `json:"after_sha256"`
	Edits      []splice.Edit        `json:"edits,omitempty"` // from Before to After; none if the user had edited in between
	Containers []settings.Container `json:"containers,omitempty"`
	Backup     string               `json:"backup,omitempty"`
}

// LoadManifest reads the manifest of a devflow root. A missing one is nil
// without error; an unreadable or newer one wraps ErrManifest.
func LoadManifest(root string) (*Manifest, error) {
	path := filepath.Join(root, ManifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", path, ErrManifest, err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", path, ErrManifest, err)
	}
	if m.Format > manifestFormat || m.Format < 1 {
		return nil, fmt.Errorf("read %s: %w: format %d, this program knows %d", path, ErrManifest, m.Format, manifestFormat)
	}
	return &m, nil
}

// save writes the manifest if it says something new.
func (m *Manifest) save(path string) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, buf.Bytes()) {
		return nil
	}
	return atomicfile.WriteFile(path, buf.Bytes(), 0o600)
}

func (m *Manifest) registered(path, real string) *Registered {
	for i := range m.Settings {
		if m.Settings[i].Path == path || m.Settings[i].Real == real {
			return &m.Settings[i]
		}
	}
	return nil
}

func (m *Manifest) setRegistered(r Registered) {
	if old := m.registered(r.Path, r.Real); old != nil {
		*old = r
		return
	}
	m.Settings = append(m.Settings, r)
}

func (m *Manifest) dropRegistered(path string) {
	m.Settings = slices.DeleteFunc(m.Settings, func(r Registered) bool { return r.Path == path })
}

func (m *Manifest) sum(path string) string {
	for _, f := range m.Files {
		if f.Path == path {
			return f.SHA256
		}
	}
	return ""
}

func (m *Manifest) setFile(f ManifestFile) {
	m.dropFile(f.Path)
	m.Files = append(m.Files, f)
	slices.SortFunc(m.Files, func(a, b ManifestFile) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
}

func (m *Manifest) dropFile(path string) {
	m.Files = slices.DeleteFunc(m.Files, func(f ManifestFile) bool { return f.Path == path })
}

// useBin makes dir the present folder of executables.
func (m *Manifest) useBin(dir string) {
	m.BinDirs = append([]string{dir}, slices.DeleteFunc(m.BinDirs, func(d string) bool { return d == dir })...)
}

// Sum is the hex SHA-256 of data, as manifests hold it.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Owner recognises devflow's entries: those that run from a folder of the
// manifest (which may be nil), from bin, or from the bin folder of another
// devflow root whose own manifest lists it.
func Owner(m *Manifest, bin, home string) settings.Owner {
	o := settings.Owner{Dirs: []string{bin}, Home: home, Vouch: vouched}
	if m != nil {
		o.Dirs = append(o.Dirs, m.BinDirs...)
	}
	return o
}

func vouched(dir string) bool {
	m, err := LoadManifest(filepath.Dir(dir))
	return err == nil && m != nil && slices.Contains(m.BinDirs, dir)
}
