package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Entry is one file of a tree.
type Entry struct {
	Path string // slash path; raw bytes, any but NUL
	Mode string // as of Change
	OID  string
	Size int64 // bytes; -1 for a submodule
}

// List gives every file of a tree, in the order of git. One git process. It is complete or an error.
func (r Repo) List(ctx context.Context, objDir, tree string) ([]Entry, error) {
	res, err := r.run(ctx, call{objs: objDir, args: []string{"ls-tree", "-r", "-l", "-z", "--full-tree", tree}})
	if err != nil {
		return nil, fmt.Errorf("list tree: %w", err)
	}
	var list []Entry
	for record := range bytes.SplitSeq(res.Stdout, []byte{0}) {
		if len(record) == 0 {
			continue
		}
		head, path, ok := bytes.Cut(record, []byte{'\t'})
		f := strings.Fields(string(head))
		if !ok || len(f) != 4 {
			return nil, fmt.Errorf("list tree: unexpected line %q", firstLine(record))
		}
		e := Entry{Path: string(path), Mode: f[0], OID: f[2], Size: -1}
		if n, err := strconv.ParseInt(f[3], 10, 64); err == nil {
			e.Size = n
		}
		list = append(list, e)
	}
	return list, nil
}

// maxGrep bounds what Grep reads of git's answer, in bytes.
const maxGrep = 16 << 20

// Line is one line of a file of a tree.
type Line struct {
	Path string
	N    int // from 1
	Text string
}

// Grep finds the lines of a tree's text files that hold one of the words as a whole word. Words are taken literally;
// those with a line end are left out. One git process. With ErrTooLarge it returns what fits.
func (r Repo) Grep(ctx context.Context, objDir, tree string, words []string) ([]Line, error) {
	patterns, form := patternsOf(words)
	if len(patterns) == 0 {
		return nil, nil
	}
	res, err := r.run(ctx, call{
		objs: objDir, stdin: patterns, max: maxGrep, ok: 1,
		args: []string{"-c", "grep.fallbackToNoIndex=false", "grep", "-I", "-n", "-z", "-w", form, "--no-color", "--no-column", "--full-name", "--no-textconv", "-f", "-", tree, "--"},
	})
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return nil, fmt.Errorf("search tree: %w", err)
	}
	var lines []Line
	prefix := tree + ":"
	for record := range bytes.SplitSeq(res.Stdout[:min(len(res.Stdout), maxGrep)], []byte{'\n'}) {
		path, rest, ok := strings.Cut(string(record), "\x00")
		number, text, ok2 := strings.Cut(rest, "\x00")
		n, bad := strconv.Atoi(number)
		if !ok || !ok2 || bad != nil {
			continue
		}
		lines = append(lines, Line{Path: strings.TrimPrefix(path, prefix), N: n, Text: text})
	}
	if err != nil {
		return lines, fmt.Errorf("search tree: %w", err)
	}
	return lines, nil
}

// patternsOf writes words for git grep. Plain ones become one alternation, which git searches twenty times as fast as a list of
// fixed texts.
func patternsOf(words []string) (patterns []byte, form string) {
	var list []string
	plain := true
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, "\n\x00") {
			continue
		}
		list = append(list, w)
		plain = plain && strings.IndexFunc(w, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) < 0
	}
	switch {
	case len(list) == 0:
		return nil, ""
	case plain:
		return []byte(strings.Join(list, "|") + "\n"), "-E"
	}
	return []byte(strings.Join(list, "\n") + "\n"), "-F"
}

// Sizes gives the sizes of objects in bytes; those that are not there are missing in the answer. One git process.
func (r Repo) Sizes(ctx context.Context, objDir string, oids []string) (map[string]int64, error) {
	var want bytes.Buffer
	for _, oid := range oids {
		if isOID(oid) && strings.Trim(oid, "0") != "" {
			want.WriteString(oid + "\n")
		}
	}
	sizes := map[string]int64{}
	if want.Len() == 0 {
		return sizes, nil
	}
	res, err := r.run(ctx, call{objs: objDir, args: []string{"cat-file", "--batch-check", "--buffer"}, stdin: want.Bytes()})
	if err != nil {
		return nil, fmt.Errorf("size objects: %w", err)
	}
	for line := range strings.Lines(string(res.Stdout)) {
		if f := strings.Fields(line); len(f) == 3 {
			if n, err := strconv.ParseInt(f[2], 10, 64); err == nil {
				sizes[f[0]] = n
			}
		}
	}
	return sizes, nil
}
