package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/devflow-suite/devflow/internal/claude/transcript"
)

// BenchmarkRead reads 200 MB of each kind of line.
func BenchmarkRead(b *testing.B) {
	code := bytes.Repeat([]byte(`    value := compute(\"arg\", x[0]) // note\n`), 100)
	for name, line := range map[string]string{
		"tool results": `{"parentUuid":"a95606e9-3a11-41b7-830a-fa5bc9116394","isSidechain":false,"promptId":"6f2e4b35-88db-4f2e-aabf-24d1293dd634","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_0001_1","type":"tool_result","content":"%s","is_error":false}]},"uuid":"4b80b4af-14f2-4fd8-8ddc-60d544871651","timestamp":"2026-11-30T12:52:25.135Z","toolUseResult":{"stdout":"%[1]s","stderr":"","interrupted":false}}`,
		"api requests": `{"type":"api-request-blob","sessionId":"s","hash":"x","message":{"role":"user","content":"%s"}}`,
		"listings":     `{"parentUuid":"x","isSidechain":false,"attachment":{"type":"skill_listing","content":"%s"},"type":"attachment","uuid":"x","timestamp":"2026-11-30T12:52:25.135Z"}`,
		"replies":      `{"parentUuid":"x","isSidechain":false,"message":{"id":"msg_0001","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"tool_use","id":"toolu_0001_0","name":"Write","input":{"content":"%s"}}],"stop_reason":"tool_use","usage":{"input_tokens":1000,"cache_creation_input_tokens":700,"cache_read_input_tokens":5000,"output_tokens":77,"cache_creation":{"ephemeral_1h_input_tokens":400,"ephemeral_5m_input_tokens":300}}},"type":"assistant","uuid":"7348f48c-7e80-41ec-b8eb-ed90f56faf1f","timestamp":"2026-11-30T12:52:24.963Z"}`,
	} {
		b.Run(name, func(b *testing.B) {
			one := []byte(fmt.Sprintf(line, code) + "\n")
			path := filepath.Join(b.TempDir(), "t.jsonl")
			data := bytes.Repeat(one, 200<<20/len(one))
			if err := os.WriteFile(path, data, 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := transcript.Read(path, 0, func(transcript.Line) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTailHas looks at the end of 200 MB.
func BenchmarkTailHas(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, append(bytes.Repeat([]byte(prompt), 200<<20/len(prompt)), say("done")...), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if !transcript.TailHas(path, "done") {
			b.Fatal("not found")
		}
	}
}
