package telemetry_test

import (
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry"
)

// BenchmarkRecord is what one hook event adds to its transaction, without begin, commit and flush.
func BenchmarkRecord(b *testing.B) {
	for name, event := range map[string]func(f *telemetry.Fact){
		"pre":  func(f *telemetry.Fact) { f.Event, f.Tool, f.Mutates = "PreToolUse", "Write", true },
		"read": func(f *telemetry.Fact) { f.Event, f.Tool, f.Path = "PostToolUse", "Read", "src/a.py" },
		"edit": func(f *telemetry.Fact) {
			f.Event, f.Tool, f.Mutates, f.Path, f.InputSHA = "PostToolUse", "Edit", true, "src/a.py", "0123456789abcdef"
			f.Edits = []telemetry.Edit{{Path: "src/a.py", Kind: "impl", Before: "a", After: "b", ReadBefore: true, Added: 3, TestState: "exists"}}
		},
		"prompt": func(f *telemetry.Fact) { f.Event, f.Description = "UserPromptSubmit", "add x" },
	} {
		b.Run(name, func(b *testing.B) {
			s := setup(b)
			s.edit("src/a.py")
			at := time.UnixMilli(s.now)
			b.ReportAllocs()
			s.update(func(tx *store.Tx) error {
				for b.Loop() {
					at = at.Add(time.Millisecond)
					f := telemetry.NewFact(at, "s1", "")
					event(&f)
					if _, err := telemetry.Record(tx, nil, &f); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	b.Run("current", func(b *testing.B) {
		s := setup(b)
		s.edit("src/a.py")
		b.ReportAllocs()
		s.update(func(tx *store.Tx) error {
			for b.Loop() {
				if _, err := telemetry.Current(tx, "s1"); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
