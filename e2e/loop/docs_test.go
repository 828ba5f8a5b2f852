package loop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// documented checks every line of every block that is tagged sh, in the named files of the script, or in README.md and docs/*.md:
//
//   - make TARGET...: the targets are in the Makefile;
//   - devflow …, devflow-telemetry …, … | devflow …: the line is run in the project, on the home as it is now, and ends with 0, or with N where it ends
//     in "# exits N"; afterwards home and project are as before;
//   - devflock …, and looking at its branch: the lines are run one after the other in a project of their own, with the real client and a scripted model
//     in place of the documented endpoint;
//   - anything else is in the table elsewhere.
//
// A line goes on after a \ at its end.
func (w *world) documented(args []string) error {
	files := args
	if len(files) == 0 {
		var err error
		if files, err = documents(); err != nil {
			return err
		}
	}
	targets, err := makeTargets()
	if err != nil {
		return err
	}
	spare, err := w.spare()
	if err != nil {
		return err
	}
	flock, err := w.newFlockDocs()
	if err != nil {
		return err
	}
	defer flock.end()
	checked := 0
	var errs []error
	for _, file := range files {
		for _, l := range shellLines(w.ts.ReadFile(file)) {
			checked++
			if flock.concerns(l) {
				err = flock.run(l)
			} else {
				err = w.documentedLine(l, targets, spare)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %s: %w", filepath.Base(file), l.number, l.text, err))
			}
		}
	}
	if checked == 0 {
		errs = append(errs, errors.New("no line of a block tagged sh was found"))
	}
	w.ts.Logf("%d lines checked", checked)
	return errors.Join(errs...)
}

// documents are README.md and docs/*.md.
func documents() ([]string, error) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%d files in docs (%v)", len(files), err)
	}
	files = append([]string{filepath.Join("..", "..", "README.md")}, files...)
	for i, file := range files {
		if files[i], err = filepath.Abs(file); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// elsewhere are commands of documents that are somebody else's; each is matched from the start of the line.
var elsewhere = [...]string{"git clone ", "cd ", "claude", "export PATH="}

// docLine is one command of a document.
type docLine struct {
	number int // of its first line in the file
	text   string
	exit   int
}

// shellLines collects the commands of the blocks that are tagged sh.
func shellLines(text string) []docLine {
	var list []docLine
	fence, inside, more := "", false, false
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			tag := strings.TrimLeft(line, "`")
			fence = line[:len(line)-len(tag)]
			inside, more = strings.TrimSpace(tag) == "sh", false
			continue
		case fence != "" && line == fence:
			fence, inside = "", false
			continue
		case !inside || line == "" || strings.HasPrefix(line, "#"):
			continue
		}
		line, goesOn := strings.CutSuffix(line, `\`)
		if more {
			list[len(list)-1].text += " " + strings.TrimSpace(line)
		} else {
			list = append(list, docLine{number: number, text: line})
		}
		more = goesOn
	}
	exits := regexp.MustCompile(`^\s*exits (\d+)\b`)
	for i := range list {
		command, comment := splitComment(list[i].text)
		list[i].text = command
		if m := exits.FindStringSubmatch(comment); m != nil {
			list[i].exit, _ = strconv.Atoi(m[1])
		}
	}
	return list
}

// splitComment cuts a command line at its comment.
func splitComment(line string) (command, comment string) {
	if m := regexp.MustCompile(`\s#`).FindStringIndex(line); m != nil {
		return strings.TrimSpace(line[:m[0]]), line[m[1]:]
	}
	return strings.TrimSpace(line), ""
}

// makeTargets reads the targets of the Makefile.
func makeTargets() ([]string, error) {
	data, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		return nil, err
	}
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(string(data), -1) {
		targets = append(targets, m[1])
	}
	if len(targets) < 5 {
		return nil, fmt.Errorf("found %d targets in the Makefile, want at least 5", len(targets))
	}
	return targets, nil
}

func (w *world) documentedLine(l docLine, targets []string, spare string) error {
	words := strings.Fields(l.text)
	switch {
	case words[0] == "make":
		for _, word := range words[1:] {
			if !strings.Contains(word, "=") && !slices.Contains(targets, word) {
				return fmt.Errorf("no target %s in the Makefile", word)
			}
		}
		return nil
	case words[0] == "devflow" || words[0] == "devflow-telemetry" || strings.Contains(l.text, "| devflow "):
		return errors.Join(w.runDocumented(l), w.restore(spare))
	case slices.ContainsFunc(elsewhere[:], func(known string) bool { return strings.HasPrefix(l.text+" ", known) }):
		return nil
	}
	return errors.New("nobody checks this command: add it to the table elsewhere, or tag the block with another word")
}

func (w *world) runDocumented(l docLine) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return runLine(ctx, l, w.env("PROJ"), w.personEnviron())
}

// personEnviron is that of a person's terminal, which knows nothing of a session.
func (w *world) personEnviron() []string {
	return slices.DeleteFunc(w.environ(), func(kv string) bool { return strings.HasPrefix(kv, "CLAUDE") })
}

func runLine(ctx context.Context, l docLine, dir string, environ []string) error {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", l.text)
	cmd.Dir, cmd.Env = dir, environ
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if got := cmd.ProcessState.ExitCode(); got != l.exit {
		return fmt.Errorf("ended with %d, want %d: %s", got, l.exit, out)
	}
	return nil
}

// spare copies home and project.
func (w *world) spare() (string, error) {
	dir, err := os.MkdirTemp(w.env("WORK"), "spare")
	if err != nil {
		return "", err
	}
	return dir, errors.Join(w.settle(nil), copyTree(w.env("HOME"), filepath.Join(dir, "home")), copyTree(w.env("PROJ"), filepath.Join(dir, "proj")))
}

// restore brings home and project back.
func (w *world) restore(spare string) error {
	for to, from := range map[string]string{w.env("HOME"): "home", w.env("PROJ"): "proj"} {
		if err := errors.Join(os.RemoveAll(to), copyTree(filepath.Join(spare, from), to)); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies by a process of its own: a program that this process had open for writing could be busy when it is started.
func copyTree(from, to string) error {
	out, err := exec.Command("cp", "-a", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, out)
	}
	return nil
}
