package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/proc"
)

// each starts a checker for one file after another. say reads what is wrong from a run that did not end with 0.
func (t *tools) each(ctx context.Context, files []file, ext string, argv []string, say func(res proc.Result, name string) *problem) (out []*problem, found bool, err error) {
	dir, err := folder()
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	names, err := write(dir, files, func(file) string { return ext })
	if err != nil {
		return nil, false, err
	}
	out = make([]*problem, len(files))
	for i, name := range names {
		res, found, err := t.run(ctx, dir, nil, append(argv[:len(argv):len(argv)], name)...)
		if err != nil || !found {
			return nil, found, err
		}
		if res.Exit != 0 {
			out[i] = say(res, name)
		}
	}
	return out, true, nil
}

// located reads "name:12: text", "name: line 12: text" and "text … on line 12".
func located(res proc.Result, name string) *problem {
	for line := range bytes.Lines(append(bytes.Clone(res.Stderr), res.Stdout...)) {
		text := strings.TrimSpace(string(line))
		at := strings.Index(text, name)
		if at < 0 {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimLeft(text[at+len(name):], ": "), "line ")
		if n := digits(rest)[0]; n > 0 && rest[0] >= '0' && rest[0] <= '9' {
			return &problem{line: n, text: strings.TrimLeft(strings.TrimPrefix(rest, strconv.Itoa(n)), ": ")}
		}
		if _, where, ok := strings.Cut(rest, "on line "); ok {
			return &problem{line: digits(where)[0], text: strings.TrimSpace(strings.TrimSuffix(text[:at], " in "))}
		}
	}
	return &problem{text: "refused, exit " + strconv.Itoa(res.Exit)}
}

// readShell reads scripts of sh and bash. Extended patterns are tried too, since a script switches them on as it runs.
func readShell(ctx context.Context, t *tools, files []file) ([]*problem, string, error) {
	lf := make([]file, len(files))
	for i, f := range files {
		lf[i] = f
		lf[i].data = bytes.ReplaceAll(f.data, []byte("\r\n"), []byte("\n"))
	}
	out, found, err := t.each(ctx, lf, ".sh", []string{"bash", "--norc", "-n"}, located)
	if err != nil || !found {
		return out, "bash: not installed", err
	}
	old := -1
	for i, p := range out {
		if p == nil {
			if len(lf[i].data) != len(files[i].data) {
				out[i] = &problem{text: "line ends are CR LF: shells other than those of Windows stumble over them", note: true}
			}
			continue
		}
		again, _, err := t.each(ctx, lf[i:i+1], ".sh", []string{"bash", "--norc", "-O", "extglob", "-n"}, located)
		if err != nil {
			return nil, "", err
		}
		if again[0] == nil {
			out[i] = nil
			continue
		}
		if old < 0 {
			res, _, err := t.run(ctx, "", nil, "bash", "--norc", "-c", `echo "$BASH_VERSION"`)
			if err != nil {
				return nil, "", err
			}
			old = digits(string(res.Stdout))[0]
		}
		const modern = 4 // macOS has 3.2
		if p.note = old < modern; p.note {
			p.text += fmt.Sprintf(" (bash is %d: maybe the syntax of a later one)", old)
		}
	}
	return out, "", nil
}

// readRuby reads Ruby, unless the one that is installed is older than the project's.
func readRuby(ctx context.Context, t *tools, files []file) ([]*problem, string, error) {
	out, found, err := t.each(ctx, files, ".rb", []string{"ruby", "-W0", "-c"}, located)
	if err != nil || !found {
		return out, "ruby: not installed", err
	}
	return out, "", t.excuse(ctx, files, out, "ruby", []string{"ruby", "-v"}, [][2]string{{".ruby-version", ""}, {"Gemfile", "ruby "}, {".tool-versions", "ruby "}})
}

// readPHP reads PHP, unless the one that is installed is older than the project's.
func readPHP(ctx context.Context, t *tools, files []file) ([]*problem, string, error) {
	out, found, err := t.each(ctx, files, ".php", []string{"php", "-n", "-d", "display_errors=1", "-l"}, located)
	if err != nil || !found {
		return out, "php: not installed", err
	}
	return out, "", t.excuse(ctx, files, out, "php", []string{"php", "-n", "-v"}, [][2]string{{"composer.json", "php"}, {".php-version", ""}, {".tool-versions", "php "}})
}

// excuse passes over what a tool that is too old refused.
func (t *tools) excuse(ctx context.Context, files []file, problems []*problem, tool string, version []string, places [][2]string) error {
	var have [2]int
	for i, p := range problems {
		if p == nil {
			continue
		}
		if have[0] == 0 {
			res, found, err := t.run(ctx, "", nil, version...)
			if err != nil {
				return err
			}
			if have = digits(string(res.Stdout)); !found || have[0] == 0 {
				return nil
			}
		}
		for _, place := range places {
			text, ok := t.nearby(ctx, files[i].path, place[0])
			if !ok {
				continue
			}
			if want := digits(setting(text, place[1])); older(have, want) {
				p.skip, p.text = true, fmt.Sprintf("%s %d.%d is older than the project's %d.%d", tool, have[0], have[1], want[0], want[1])
			}
			break
		}
	}
	return nil
}

// readDart reads Dart. Only what is wrong with the syntax counts, since types depend on packages that are not there.
func readDart(ctx context.Context, t *tools, files []file) (out []*problem, missing string, err error) {
	dir, err := folder()
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	if _, err := write(dir, files, func(file) string { return ".dart" }); err != nil {
		return nil, "", err
	}
	res, found, err := t.run(ctx, dir, nil, "dart", "analyze", "--format=machine", ".")
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "dart: not installed", nil
	}
	out = make([]*problem, len(files))
	for line := range bytes.Lines(append(bytes.Clone(res.Stdout), res.Stderr...)) {
		// ERROR|SYNTACTIC_ERROR|EXPECTED_TOKEN|/path/f3.dart|2|5|1|Expected to find ';'.
		col := strings.SplitN(strings.TrimSpace(string(line)), "|", 8)
		if len(col) < 8 || col[1] != "SYNTACTIC_ERROR" {
			continue
		}
		i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(col[3]), "f"), ".dart"))
		if err == nil && i >= 0 && i < len(out) && out[i] == nil {
			out[i] = &problem{line: digits(col[4])[0], text: col[7]}
		}
	}
	return out, "", nil
}
