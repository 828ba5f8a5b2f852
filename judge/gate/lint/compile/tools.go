package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// Bounds of one run of a tool.
const (
	maxFeed    = 24 << 20 // bytes of files that one process reads
	maxFiles   = 1000     // files of one process
	maxAnswers = 4 << 20  // bytes of what it says
)

// tools starts the parsers of languages.
type tools struct {
	in *pushed.Input
}

// run starts a tool in a folder. found is false if the program is missing, or is a stand-in that finds none (pyenv, rbenv, asdf).
func (t *tools) run(ctx context.Context, dir string, stdin []byte, argv ...string) (res proc.Result, found bool, err error) {
	if stdin == nil {
		stdin = []byte{}
	}
	res, err = proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Stdin: stdin, MaxOutput: 2 * maxAnswers})
	if errors.Is(err, proc.ErrNotFound) {
		return res, false, nil
	}
	if err == nil && (res.Exit == 126 || res.Exit == 127) && len(res.Stdout) == 0 {
		return res, false, nil
	}
	return res, true, err
}

// answer is what a script of ours says about one file: null, or where it is broken.
type answer struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Code string `json:"code"` // the broken line, for a guess about its age
}

// feed gives files to a script of ours, many to a process, and reads one line of JSON about each, behind a first line with the version
// of the tool. A process that ends early leaves the file at which it ended without an answer; the rest goes to a new one.
func (t *tools) feed(ctx context.Context, dir string, argv []string, files []file) (answers []*answer, version [2]int, found bool, err error) {
	answers = make([]*answer, 0, len(files))
	for len(answers) < len(files) {
		var in bytes.Buffer
		n := 0
		for _, f := range files[len(answers):] {
			if n == maxFiles || n > 0 && in.Len()+len(f.data) > maxFeed {
				break
			}
			head, err := json.Marshal(struct {
				Size int    `json:"size"`
				Name string `json:"name"`
			}{len(f.data), path.Base(f.path)})
			if err != nil {
				return nil, version, false, fmt.Errorf("name file: %w", err)
			}
			in.Write(append(head, '\n'))
			in.Write(f.data)
			n++
		}
		res, found, err := t.run(ctx, dir, in.Bytes(), argv...)
		if err != nil || !found {
			return nil, version, found, err
		}
		lines := bytes.Split(bytes.TrimRight(res.Stdout, "\n"), []byte{'\n'})
		if json.Unmarshal(lines[0], &version) != nil || version[0] == 0 {
			return nil, version, false, nil // it is there, and does not work
		}
		for _, line := range lines[1:min(len(lines), n+1)] {
			var a *answer
			if json.Unmarshal(line, &a) != nil {
				break
			}
			answers = append(answers, a)
			n--
		}
		if n > 0 { // it ended over this one
			answers = append(answers, &answer{Text: argv[0] + " gave no answer"})
		}
	}
	return answers, version, true, nil
}

// folder makes a private folder. The caller removes it.
func folder() (string, error) {
	dir, err := os.MkdirTemp("", "devflow-lint-")
	if err != nil {
		return "", fmt.Errorf("make a folder for files: %w", err)
	}
	return dir, nil
}

// write puts files into a folder under names that mean nothing: f0.rb, f1.rb …
func write(dir string, files []file, ext func(file) string) (names []string, err error) {
	for i, f := range files {
		name := "f" + strconv.Itoa(i) + ext(f)
		if err := os.WriteFile(filepath.Join(dir, name), f.data, 0o600); err != nil {
			return nil, fmt.Errorf("write files: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}

// older reports whether a version is before another one; the zero version is not known and before none.
func older(have, want [2]int) bool {
	return want[0] > 0 && have[0] > 0 && (have[0] < want[0] || have[0] == want[0] && have[1] < want[1])
}

// digits reads the first two numbers of a text such as "ruby 3.3.1p55" or ">=3.12,<4".
func digits(text string) (v [2]int) {
	i := strings.IndexAny(text, "0123456789")
	if i < 0 {
		return v
	}
	parts := strings.FieldsFunc(text[i:min(len(text), i+20)], func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if len(parts) == 0 {
		return v
	}
	for k, s := range strings.SplitN(parts[0], ".", 3) {
		if n, err := strconv.Atoi(s); err == nil && k < 2 {
			v[k] = n
		}
	}
	return v
}

// nearby gives a file of the pushed tree in the folder of p or the nearest one above it.
func (t *tools) nearby(ctx context.Context, p, name string) (string, bool) {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if data, ok, err := t.in.After.Read(ctx, path.Join(dir, name)); err == nil && ok {
			return string(data), true
		}
		if dir == "." || dir == "/" {
			return "", false
		}
	}
}

// setting finds the value of a key in text such as TOML, a Gemfile or setup.py.
func setting(text, key string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(strings.Trim(line, `"'`), key)
		if !ok {
			continue
		}
		if rest = strings.TrimLeft(rest, `"' :=(`); rest != "" {
			return rest
		}
	}
	return ""
}
