package flocksim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Files are the work trees as workers and checks see them. root is the project's folder in one, name a slash path below it.
type Files interface {
	Read(root, name string) (content string, found bool, err error)
	Write(root, name, content string) error
	Remove(root, name string) error
}

// Disk is real files. A file is replaced as a whole.
type Disk struct{}

// Read implements Files.
func (Disk) Read(root, name string) (string, bool, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read simulated work: %w", err)
	}
	return string(data), true, nil
}

// Write implements Files.
func (Disk) Write(root, name, content string) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write simulated work: %w", err)
	}
	if err := os.WriteFile(path+".new", []byte(content), 0o644); err != nil {
		return fmt.Errorf("write simulated work: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write simulated work: %w", err)
	}
	return nil
}

// Remove implements Files.
func (Disk) Remove(root, name string) error {
	if err := os.Remove(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		return fmt.Errorf("remove simulated work: %w", err)
	}
	return nil
}
