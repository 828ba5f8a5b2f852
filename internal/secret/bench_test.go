package secret_test

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/secret"
)

const big = 200 << 10

// source is 200 KB of this repository's own code.
func source(tb testing.TB) string {
	tb.Helper()
	var b strings.Builder
	for b.Len() < big {
		for _, name := range [...]string{"named.go", "shapes.go", "scan.go", "../redact/redact.go"} {
			data, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			b.Write(data)
		}
	}
	return b.String()[:big]
}

func random(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(rnd.Uint32())
	}
	return out
}

func minified() string {
	const piece = `function a(e,t){var n=e.token||t.key,r=n?n.secret:null;return r&&o(r,{password:e.pass,type:"x"}),i.auth(e,function(e){return c(e)})}`
	return strings.Repeat(piece, big/len(piece)+1)[:big]
}

func BenchmarkFind(b *testing.B) {
	for _, c := range [...]struct{ name, text string }{
		{"source", source(b)}, {"base64", base64.StdEncoding.EncodeToString(random(big * 3 / 4))}, {"minified", minified()}, {"bytes", string(random(big))},
		{"keys", strings.Repeat("token: ", big/7)}, {"dashes", strings.Repeat("-----BEGIN RSA PRIVATE KEY-----", big/31)}, {"jwt", strings.Repeat("eyJ", big/3)}, {"quotes", strings.Repeat(`key="`, big/5)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				secret.Find(c.text)
			}
		})
	}
}
