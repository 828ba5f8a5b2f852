package wizard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxRequest bounds what a person asks for, in bytes: it goes into every planning prompt.
const maxRequest = 256 << 10

// Text is what a person asks for.
type Text struct {
	Text string
	File string // where it was read from; "" = it was typed
}

// ReadText takes a text as it is, or reads the file that a text of one line names. Relative paths start at dir.
func ReadText(s, dir, home string) (Text, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxRequest {
		return Text{}, fmt.Errorf("this text is longer than %d KiB", maxRequest>>10)
	}
	if s == "" || strings.ContainsAny(s, "\n\x00") || len(s) > 4096 {
		return Text{Text: s}, nil
	}
	path := s
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		if looksLikePath(s) {
			return Text{}, fmt.Errorf("there is no file %s", s)
		}
		return Text{Text: s}, nil
	}
	text, err := ReadFile(path)
	return Text{Text: text, File: s}, err
}

// looksLikePath tells a mistyped path from a sentence.
func looksLikePath(s string) bool {
	return !strings.ContainsAny(s, " \t") && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~/") ||
		strings.HasSuffix(s, ".md") || strings.HasSuffix(s, ".txt"))
}

// ReadFile reads a request from a text file.
func ReadFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read request: %w", err)
	}
	defer f.Close()
	return Read(f)
}

// Read reads a request from a stream.
func Read(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRequest+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read request: %w", err)
	case len(data) > maxRequest:
		return "", fmt.Errorf("this text is longer than %d KiB", maxRequest>>10)
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", errors.New("this is no text file")
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return "", errors.New("the file is empty")
	}
	return text, nil
}
