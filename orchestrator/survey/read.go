package survey

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/orchestrator/survey/imports"
)

// each calls do for every file from a few goroutines, and waits. Each call has a file of its own.
func (t *taker) each(ctx context.Context, do func(f *file)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(8, 2*runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(t.files) {
					return
				}
				do(&t.files[i])
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// stat finds what is a regular file, and how large. Which files are read is decided afterwards, in order, so that it does not depend
// on who is faster.
func (t *taker) stat(ctx context.Context) error {
	err := t.each(ctx, func(f *file) {
		info, err := t.root.Lstat(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.kind = gone
		case err != nil:
			f.kind = odd
		case !info.Mode().IsRegular():
			f.kind = link
		default:
			f.size = info.Size()
		}
	})
	var budget int64 = MaxRead
	over := 0
	for i := range t.files {
		f := &t.files[i]
		switch {
		case f.kind != counted:
		case binaryName(f.path):
			f.kind = binary
		case generatedName(f.path):
			f.kind = generated
		case f.size > MaxFile:
			f.kind = large
		case f.size > budget:
			f.kind = large
			over++
		default:
			budget -= f.size
		}
	}
	if over > 0 {
		t.note("the text is larger than %d MB: %d files were not read", MaxRead>>20, over)
	}
	return err
}

// read looks at the text of every file that is to be read.
func (t *taker) read(ctx context.Context) error {
	return t.each(ctx, func(f *file) {
		manifest := namesPackage(f.path)
		if f.kind != counted || languageOf(f.path) == "" && !manifest {
			return
		}
		data, err := regular.ReadIn(t.root, f.path, MaxFile)
		switch {
		case err != nil:
			f.kind = odd
		case looksBinary(data):
			f.kind = binary
		case looksGenerated(f.path, data):
			f.kind = generated
		default:
			if languageOf(f.path) != "" {
				f.lines = bytes.Count(data, []byte("\n"))
				if len(data) > 0 && data[len(data)-1] != '\n' {
					f.lines++
				}
			}
			found := imports.Scan(source.Of(f.path), data)
			f.main, f.specs = found.Main, found.Specs
			if manifest {
				f.head = string(data[:min(len(data), 64<<10)])
			}
		}
	})
}
