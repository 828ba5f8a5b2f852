package worker

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/devflow-suite/devflow/internal/regular"
)

// newSession makes a random UUID, version 4.
func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program when there is no randomness
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// prepareHome makes the private home with its temporary folder, readable by nobody else. What the worker may have put in the place
// of the folder inside is taken away.
func prepareHome(home string) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("make home: %w", err)
	}
	if info, err := os.Lstat(home); err != nil || !info.IsDir() {
		return fmt.Errorf("make home: %s is no folder", home)
	}
	if err := os.Chmod(home, 0o700); err != nil {
		return fmt.Errorf("make home: %w", err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return fmt.Errorf("make home: %w", err)
	}
	defer func() { _ = root.Close() }()
	const tmp = "tmp"
	if info, err := root.Lstat(tmp); err == nil && !info.IsDir() {
		if err := root.Remove(tmp); err != nil {
			return fmt.Errorf("make home: %w", err)
		}
	}
	if err := root.Mkdir(tmp, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make home: %w", err)
	}
	if err := root.Chmod(tmp, 0o700); err != nil {
		return fmt.Errorf("make home: %w", err)
	}
	return nil
}

// Bounds on reading a transcript, which the worker can write: lines looked at, and bytes of one.
const (
	maxTranscripts = 2000
	maxHeadLines   = 200
	maxHeadBytes   = 4 << 20
)

// HasSession reports whether the private home holds a transcript from which the client can resume the session in that folder. The
// client looks for it by session and folder; a transcript in which nobody has said anything does not count.
func HasSession(home, dir, session string) bool {
	if !uuidForm().MatchString(session) {
		return false
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	const all = ".claude/projects"
	if info, err := root.Stat(all); err != nil || !info.IsDir() { // a pipe would hold us for ever
		return false
	}
	projects, err := root.OpenFile(all, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	names, err := projects.Readdirnames(maxTranscripts)
	_ = projects.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	for _, name := range names {
		if tells(root, path.Join(all, name, session+".jsonl"), dir) {
			return true
		}
	}
	return false
}

// tells looks for a line of the conversation in a transcript of that folder.
func tells(root *os.Root, file, dir string) bool {
	f, err := regular.OpenIn(root, file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReader(io.LimitReader(f, maxHeadBytes))
	for range maxHeadLines {
		data, err := r.ReadBytes('\n')
		var line struct {
			Type string `json:"type"`
			CWD  string `json:"cwd"`
		}
		if json.Unmarshal(bytes.TrimSpace(data), &line) == nil && (line.Type == "user" || line.Type == "assistant") {
			return sameFolder(line.CWD, dir)
		}
		if err != nil {
			return false
		}
	}
	return false
}

// sameFolder compares as the client does, which resolves symbolic links of its folder.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	real, err := filepath.EvalSymlinks(b)
	return err == nil && a == real
}
