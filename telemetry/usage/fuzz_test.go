package usage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/telemetry/usage"
)

// forget makes the store see every transcript for the first time.
func forget(tx *store.Tx) error {
	if _, err := tx.Exec("DELETE FROM messages"); err != nil {
		return err
	}
	_, err := tx.Exec("DELETE FROM cursors")
	return err
}

// FuzzIngest feeds arbitrary bytes as a transcript: in one piece or in two, the token counts are the same, no count is
// negative, and nothing fails. Money is left out: lines of one reply that name different models, or split its cache writes
// differently, have no right price; rapid holds it for replies that agree with themselves.
func FuzzIngest(f *testing.F) {
	for _, name := range []string{"testdata/11111111-1111-4111-8111-111111111111.jsonl", "testdata/session/b237628d-1532-47ad-8d0b-512096508d0b.jsonl"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, len(data)/2)
	}
	f.Add([]byte(reply{id: "A", in: 1, out: 9, write: 5, hour: 9}.String()+"\x00\n{\n"), 3)
	f.Add([]byte(`{"type":"assistant","message":{"id":"A","model":"claude-opus-4-8","usage":{"input_tokens":-5,"output_tokens":9223372036854775807}}}`+"\n"), 0)
	f.Add([]byte(`{"type":"assistant","message":{"model":"claude-opus-4-8","content":[{"type":"tool_use","name":"Skill","input":[]},{"type":"tool_use","name":"TodoWrite","input":{"todos":7}}],"usage":{}}}`+"\n"), 0)
	nameless := []byte(`{"type":"assistant","message":{"id":"B","usage":{"input_tokens":1}}}` + "\n") // the fuzzer's first find
	f.Add(append([]byte(reply{id: "A", in: 1}.String()), nameless...), 300)
	w := newWorld(f)
	dir := filepath.Dir(w.path)
	run := 0
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		run++
		var got [2]sums
		for i, pieces := range [][][]byte{{data}, {data[:bound(cut, len(data))], data[bound(cut, len(data)):]}} {
			v := *w
			v.tb = t
			v.update(forget)
			v.session = fmt.Sprintf("f%d-%d", run, i)
			v.path = filepath.Join(dir, v.session+".jsonl")
			v.begin()
			for _, piece := range pieces {
				v.append(string(piece))
				v.ingest(usage.Options{Force: true, Subagents: true})
			}
			got[i] = v.sums()
			for _, n := range []int64{got[i].In, got[i].Out, got[i].Read, got[i].W5, got[i].W1h, got[i].Nano} {
				if n < 0 {
					t.Errorf("negative count: %+v", got[i])
				}
			}
			if err := os.Remove(v.path); err != nil {
				t.Fatal(err)
			}
		}
		for i := range got {
			got[i].W5, got[i].W1h = got[i].W5+got[i].W1h, 0
			got[i].Nano, got[i].Unknown, got[i].Model = 0, false, ""
		}
		if diff := cmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("one piece (-) and two (+):\n%s", diff)
		}
	})
}

func bound(cut, n int) int { return min(max(cut, 0), n) }
