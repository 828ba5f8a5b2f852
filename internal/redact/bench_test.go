package redact_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/redact"
)

func BenchmarkString(b *testing.B) {
	for _, c := range [...]struct{ name, text string }{
		{"log", strings.Repeat("2026-01-02T03:04:05Z level=info msg=\"request done\" path=/api/v1/users/42 status=200 took=12ms\n", 2000)},
		{"source", strings.Repeat("func (f *finder) formats(rows []uint8, i int) {\n\tif v := s[from:end]; placeholder(v) {\n\t\tcontinue\n\t}\n}\n", 2000)},
		{"token", strings.Repeat("token: ", 30000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				redact.String(c.text)
			}
		})
	}
}
