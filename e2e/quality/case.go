package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/matter"
)

// sample is one case of a corpus.
type sample struct {
	ID        string   `json:"id"`
	Repo      string   `json:"repo"`
	Lang      string   `json:"lang"`
	Label     string   `json:"label"`
	Kinds     []string `json:"kinds"`
	Axis      string   `json:"axis"`
	Variant   string   `json:"variant"`
	Expect    []string `json:"expect"`
	Where     []where  `json:"where"`
	NaturalID string   `json:"natural_id"`
	Base      string   `json:"base_commit"`
	Commit    string   `json:"commit"`
	Date      string   `json:"date"`
	Task      string   `json:"task"`
	Diff      string   `json:"diff"`
}

type where struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Removed string `json:"removed"`
	Added   string `json:"added"`
	Deleted bool   `json:"deleted_file"`
	LeftOut bool   `json:"left_out"`
}

// outcome is what the judge said about a sample.
type outcome struct {
	sample
	Verdict string
	Reasons []judge.Reason
	Err     error
}

func load(dir, label string) ([]sample, error) {
	pattern := "*-*.jsonl.xz"
	if label != "" {
		pattern = "*-" + label + ".jsonl.xz"
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("find corpus in %s: no %s (%w)", dir, pattern, err)
	}
	var all []sample
	for _, file := range files {
		text, err := exec.Command("xz", "-dc", file).Output()
		if err != nil {
			return nil, fmt.Errorf("unpack %s: %w", file, err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var s sample
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				return nil, fmt.Errorf("read %s: %w", file, err)
			}
			all = append(all, s)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
	return all, nil
}

// tree makes the tree that the diff of a sample leads to.
func tree(ctx context.Context, gitDir, objs string, s *sample) (string, error) {
	index, err := os.MkdirTemp(objs, "index")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(index)
	git := func(stdin string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = gitDir
		cmd.Env = append(os.Environ(), "GIT_DIR="+gitDir, "GIT_INDEX_FILE="+filepath.Join(index, "index"), "GIT_OBJECT_DIRECTORY="+objs,
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(gitDir, "objects"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); ok {
			return "", fmt.Errorf("git %s: %s", args[0], exit.Stderr)
		}
		return strings.TrimSpace(string(out)), err
	}
	if _, err := git("", "read-tree", s.Base); err != nil {
		return "", err
	}
	if s.Diff != "" {
		if _, err := git(s.Diff, "apply", "--cached", "--whitespace=nowarn", "-"); err != nil {
			return "", err
		}
	}
	return git("", "write-tree", "--missing-ok")
}

// examine judges one sample.
func examine(ctx context.Context, gitDir, objs string, s sample, examiners []judge.Examiner) outcome {
	o := outcome{sample: s}
	now, err := tree(ctx, gitDir, objs, &s)
	if err != nil {
		o.Err = err
		return o
	}
	repo := gitx.Repo{Root: gitDir, GitDir: gitDir, CommonDir: gitDir}
	base, err := repo.Tree(ctx, objs, s.Base)
	if err != nil {
		o.Err = err
		return o
	}
	c, err := matter.Range(ctx, repo, objs, base, now)
	if err != nil {
		o.Err = err
		return o
	}
	c.Change.Task = s.Task
	v := judge.Evaluate(ctx, c, examiners...)
	o.Verdict, o.Reasons = strings.ToUpper(string(v.Outcome)), v.Reasons
	if v.Outcome == judge.Error {
		o.Err = fmt.Errorf("could not judge: %v", v.Reasons)
	}
	if v.Outcome == judge.Skipped {
		o.Verdict = "PASS"
	}
	return o
}
