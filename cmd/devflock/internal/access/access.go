// Package access reads what a person says about an endpoint: its address and its key, in one line or from flags, files, the
// environment and standard input.
//
// It owns no table and no file, it asks nobody and sends nothing. A key that it has read is never part of an error or a text.
package access

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"unicode"
)

// Limits of what is read, in bytes.
const (
	maxLine = 8 << 10
	maxKey  = 4 << 10
)

// Access is an address and the key for it.
type Access struct {
	URL      string   // without a trailing slash and without the paths of the API
	Key      string   // "" = none was given
	Warnings []string // what a person should know, in sentences
}

// String shows the address and the key's ends.
func (a Access) String() string {
	if a.Key == "" {
		return a.URL
	}
	return a.URL + " (key " + Masked(a.Key) + ")"
}

// Masked shows the ends of a key that is long enough to have some: first 4, last 2.
func Masked(key string) string {
	switch {
	case key == "":
		return "none"
	case len(key) > 8:
		return key[:4] + "…" + key[len(key)-2:]
	}
	return "…"
}

// Parse reads "URL", "URL KEY" or "URL|KEY". A key "$NAME" is the value of that environment variable.
func Parse(line string, getenv func(string) string) (Access, error) {
	if len(line) > maxLine {
		return Access{}, errors.New("this line is too long for an address and a key")
	}
	address, key, _ := strings.Cut(strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '|' }), " "), " ")
	if strings.Contains(key, " ") {
		return Access{}, errors.New("want one address and one key: URL, URL KEY or URL|KEY")
	}
	a, err := Address(address)
	if err != nil {
		return Access{}, err
	}
	if a.Key, err = expand(key, getenv); err != nil {
		return Access{}, err
	}
	return a.warned(), nil
}

// Address reads an address alone.
func Address(address string) (Access, error) {
	if address == "" {
		return Access{}, errors.New("an address is needed, for example http://127.0.0.1:8080")
	}
	lower := strings.ToLower(address)
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		return Access{}, errors.New("the address must start with http:// or https://")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "":
		return Access{}, errors.New("this is no address: a host is missing, or a character does not belong there")
	case u.User != nil:
		return Access{}, errors.New("no user or password in the address: the key comes after a blank")
	case u.RawQuery != "" || u.Fragment != "":
		return Access{}, errors.New("no ? and no # in the address: the path of the API is added to it")
	}
	path := strings.TrimRight(u.Path, "/")
	for _, suffix := range [...]string{"/messages", "/chat/completions", "/v1"} {
		path = strings.TrimRight(strings.TrimSuffix(path, suffix), "/")
	}
	u.Path, u.RawPath, u.Scheme = path, "", strings.ToLower(u.Scheme)
	return Access{URL: u.String()}, nil
}

// With gives the access with a key.
func (a Access) With(key string) Access {
	a.Key = key
	return a.warned()
}

// warned adds what a person should know about address and key together.
func (a Access) warned() Access {
	a.Warnings = nil
	if u, err := url.Parse(a.URL); err == nil && u.Scheme == "http" && a.Key != "" && !loopback(u.Hostname()) {
		a.Warnings = append(a.Warnings, "the key goes to "+u.Hostname()+" in clear text: use https if the endpoint has it")
	}
	return a
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// expand gives the key that a word stands for.
func expand(word string, getenv func(string) string) (string, error) {
	name, variable := strings.CutPrefix(word, "$")
	if !variable {
		return word, checkKey(word)
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
	return FromEnv(name, getenv)
}

// FromEnv reads a key from an environment variable.
func FromEnv(name string, getenv func(string) string) (string, error) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) {
		return "", errors.New("this is no name of an environment variable")
	}
	key := strings.TrimSpace(getenv(name))
	if key == "" {
		return "", fmt.Errorf("environment variable %s is empty", name)
	}
	return key, checkKey(key)
}

// FromFile reads a key from the first line of a file. The warning, if any, says that others can read it.
func FromFile(path string) (key, warning string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", fmt.Errorf("read key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", "", fmt.Errorf("read key: %w", err)
	case info.IsDir():
		return "", "", fmt.Errorf("read key: %s is a folder", path)
	case info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0:
		warning = "other users can read " + path + ": chmod 600 it"
	}
	key, err = FromStream(f)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", path, err)
	}
	return key, warning, nil
}

// FromStream reads a key from the first line of a stream.
func FromStream(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxKey+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read key: %w", err)
	}
	key := strings.TrimSpace(line)
	if key == "" {
		return "", errors.New("read key: the first line is empty")
	}
	return key, checkKey(key)
}

// checkKey refuses what cannot be in a header.
func checkKey(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("this is longer than a key can be (%d bytes)", maxKey)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key holds a character that a key cannot hold")
	}
	return nil
}
