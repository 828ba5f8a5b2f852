package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
)

// fixture is one recorded payload: the first of its session that matches.
type fixture struct {
	name  string // file name without .json
	event string
	match func(payload) bool
	since string // the oldest pinned client that sends it; "" is all
}

// hookFixtures holds the recorded payloads of one client version.
func hookFixtures(version string) string {
	return filepath.Join("..", "internal", "claude", "testdata", "hooks", version)
}

// TestPayloadsKeepTheirRecordedShape drives every event that can be provoked, in both clients, and compares the fields and types of
// each payload with the recorded one. A difference means that a client changed: read docs/claude-hooks.md, then run with -update.
func TestPayloadsKeepTheirRecordedShape(t *testing.T) {
	t.Parallel()
	for _, s := range sessions() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			forEachClient(t, func(t *testing.T, c claudecli.Client) {
				r := s.run(t, c)
				got := r.payloads()
				for _, f := range s.fixtures {
					if c.Version >= f.since {
						compareFixture(t, r, f, got)
					}
				}
			})
		})
	}
}

func compareFixture(t *testing.T, r *recording, f fixture, got []payload) {
	t.Helper()
	for _, p := range got {
		if p.event != f.event || f.match != nil && !f.match(p) {
			continue
		}
		file := filepath.Join(hookFixtures(r.client.Version), f.name+".json")
		want, err := os.ReadFile(file)
		if *update && (os.IsNotExist(err) || r.client.Version != "2.1.197") { // most of 2.1.197's were handed to us and stay as they are
			writeFixture(t, file, r.normalise(p.raw))
			want, err = p.raw, nil
		}
		if err != nil {
			t.Errorf("read fixture: %v (record it with -update)", err)
			return
		}
		if d := cmp.Diff(shapeOf(t, want), shapeOf(t, p.raw)); d != "" {
			t.Errorf("%s: fields differ from the recorded ones (-recorded +sent):\n%s\nsent: %s", f.name, d, p.raw)
		}
		return
	}
	var seen []string
	for _, p := range got {
		seen = append(seen, p.event)
	}
	t.Errorf("%s: no such %s arrived; arrived: %v", f.name, f.event, seen)
}

func writeFixture(t *testing.T, file string, raw []byte) {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(raw), "", " "); err != nil {
		t.Fatal(err)
	}
	out.WriteByte('\n')
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shapeOf lists each field with its type, "a.b[]: string", sorted. Elements of a list are taken together.
func shapeOf(t *testing.T, data []byte) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	set := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(path+"."+k, e)
			}
			set[path+": object"] = true
		case []any:
			for _, e := range v {
				walk(path+"[]", e)
			}
			set[path+": list"] = true
		case nil:
			set[path+": null"] = true
		default:
			set[fmt.Sprintf("%s: %T", path, v)] = true
		}
	}
	walk("", v)
	var out []string
	for k := range set {
		out = append(out, strings.TrimPrefix(k, "."))
	}
	sort.Strings(out)
	return out
}
