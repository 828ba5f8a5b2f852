// Package size looks for source files that are too long.
//
// A file that is longer than the limit fails a push only if the push made it or made it longer: whoever shrinks a long file is not
// stopped half-way. Tests that are too long are a note, since tables of cases are long by nature. Data, documents, generated, vendored
// and minified files have no limit. It reads files only through the trees of the push and owns no table.
package size

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/internal/source/layout"
	"github.com/devflow-suite/devflow/judge/gate/lint/pushed"
)

// Check is the linter. An error is one of reading the trees.
func Check(ctx context.Context, in *pushed.Input) (found []pushed.Finding, skipped []string, looked int, err error) {
	warn, fail := in.Config.Warn, in.Config.Fail
	if warn <= 0 {
		warn = pushed.DefaultWarn
	}
	if fail <= 0 {
		fail = pushed.DefaultFail
	}
	for _, c := range in.Written() {
		if err := ctx.Err(); err != nil {
			return found, skipped, looked, context.Cause(ctx)
		}
		if !counts(c.Path) {
			continue
		}
		now, ok, err := in.After.Read(ctx, c.Path)
		if errors.Is(err, gitx.ErrTooLarge) {
			found = append(found, pushed.Finding{File: c.Path, Text: "too large to count its lines", Fail: true})
			continue
		}
		if err != nil {
			return found, skipped, looked, err
		}
		if !ok || pushed.Binary(now) {
			continue
		}
		looked++
		lines := pushed.Lines(now)
		if lines <= min(warn, fail) {
			continue
		}
		old, err := in.Old(ctx, c)
		if err != nil {
			return found, skipped, looked, err
		}
		if pushed.Generated(c.Path, old, now) || pushed.Binary(old) {
			continue
		}
		found = append(found, judge(c.Path, old, lines, warn, fail))
	}
	return found, nil, looked, nil
}

// judge says what is to be said of a file that is longer than one of the limits.
func judge(p string, old []byte, lines, warn, fail int) pushed.Finding {
	before := pushed.Lines(old)
	f := pushed.Finding{File: p}
	switch {
	case lines <= fail:
		f.Text = fmt.Sprintf("%d lines, more than %d: think of splitting it", lines, warn)
	case old == nil:
		f.Text, f.Fail = fmt.Sprintf("new, with %d lines; the limit is %d: split it", lines, fail), true
	case lines > before:
		f.Text, f.Fail = fmt.Sprintf("grew from %d to %d lines; the limit is %d: split it, or leave it no longer than it was", before, lines, fail), true
	default:
		f.Text = fmt.Sprintf("%d lines, more than %d, but no longer than before", lines, fail)
	}
	if f.Fail && layout.IsTest(p) {
		f.Fail = false
	}
	return f
}

// counts reports whether a file's length is a matter of design: source, scripts and styles.
func counts(p string) bool {
	if pushed.Vendored(p) || pushed.Fixture(p) || strings.Contains("/"+p, "/migrations/") || strings.HasSuffix(p, ".d.ts") {
		return false
	}
	if source.Of(p) != "" {
		return true
	}
	switch strings.ToLower(path.Ext(p)) {
	case ".sh", ".bash", ".zsh", ".ksh", ".fish", ".vue", ".svelte", ".astro", ".pl", ".pm", ".lua", ".ex", ".exs", ".erl", ".hs", ".clj", ".groovy", ".m", ".mm", ".r", ".jl", ".zig", ".nim",
		".ps1", ".css", ".scss", ".less", ".ml", ".fs", ".vb", ".sol", ".f90", ".pas", ".cr", ".el":
		return true
	}
	return false
}
