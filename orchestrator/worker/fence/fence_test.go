package fence_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/worker/fence"
)

// tree is a project with a region of two folders, and ways out of it.
type tree struct {
	testing.TB
	root, api, lib, ui string
	g                  *fence.Guard
}

func newTree(tb testing.TB, writable ...string) *tree {
	tb.Helper()
	root := tb.TempDir()
	t := &tree{TB: tb, root: root, api: root + "/api", lib: root + "/lib", ui: root + "/ui"}
	for _, dir := range []string{t.api + "/sub/deep", t.lib, t.ui + "/sub", root + "/api-twin"} {
		t.must(os.MkdirAll(dir, 0o755))
	}
	for _, file := range []string{t.api + "/in.txt", t.ui + "/out.txt"} {
		t.must(os.WriteFile(file, []byte("x"), 0o644))
	}
	for at, to := range map[string]string{
		"api/folder": "../ui", "api/file": "../ui/out.txt", "api/dangling": "../ui/new.txt", "api/far": "/etc", "api/loop": "loop", "api/inner": "sub", "api/chain": "folder",
		"api/up": "sub/deep/../../..", "api/nowhere": "none/../../ui", "ui/back": "../api", "api/sub/self": "../../api",
	} {
		t.must(os.Symlink(to, filepath.Join(root, at)))
	}
	t.must(os.Symlink(root, root+"-link"))
	tb.Cleanup(func() { _ = os.Remove(root + "-link") })
	if len(writable) == 0 {
		writable = []string{t.api, t.lib}
	}
	g, err := fence.New(t.api, writable, true)
	t.must(err)
	t.g = g
	return t
}

func (t *tree) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func input(key string, value any) json.RawMessage {
	data, err := json.Marshal(map[string]any{key: value, "content": "x"})
	if err != nil {
		panic(err) // unreachable
	}
	return data
}

func TestWritesStayInTheRegion(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for path, allowed := range map[string]bool{
		"ROOT/api/in.txt": true, "ROOT/api/new.txt": true, "ROOT/api/new/deep/er.txt": true, "ROOT/lib/x": true, "ROOT/api/inner/x": true, "ROOT/api/./sub//x": true,
		"ROOT/api/sub/../x": true, "ROOT/api/new/../x": true, "x": true, "sub/x": true, "./x": true, "ROOT-link/api/x": true, "ROOT/ui/back/x": true, "ROOT/ui/../api/x": true, "ROOT/api/.github/x": true,
		"ROOT/api/.gitignore": true, "ROOT/api/a b\tc\nd": true, "ROOT/api/ü": true, "ROOT/api/...": true, "ROOT/api/sub/self/x": true, "ROOT/api/~x": true,
		"ROOT/ui/x": false, "ROOT/ui/out.txt": false, "ROOT/x": false, "ROOT/api-twin/x": false, "ROOT/api": false, "ROOT/api/": false, "ROOT/lib": false, "/etc/passwd": false, "/": false, "": false,
		"ROOT/api/folder/x": false, "ROOT/api/file": false, "ROOT/api/dangling": false, "ROOT/api/far/x": false, "ROOT/api/loop": false, "ROOT/api/loop/x": false, "ROOT/api/chain/x": false,
		"ROOT/api/up/x": false, "ROOT/api/up/api/x": true, "ROOT/api/nowhere": false, "../ui/x": false, "folder/x": false, "ROOT/api/folder/../x": false, "ROOT/api/in.txt/x": false, "~/x": false, "~": false, "~root/x": false,
		"ROOT/api/.git/hooks/x": false, "ROOT/api/sub/.GIT/config": false, "ROOT/api/.git": false, "ROOT/api/a\x00b": false, "ROOT/api/" + strings.Repeat("x/", 3000): false,
	} {
		path := strings.ReplaceAll(path, "ROOT", tr.root)
		for _, tool := range []string{"Write", "Edit", "MultiEdit", "NotebookEdit"} {
			for _, key := range []string{"file_path", "notebook_path", "path"} {
				reason := tr.g.Decide(tool, input(key, path), "")
				if (reason == "") != allowed {
					t.Errorf("%s %s %q: %q", tool, key, path, reason)
				}
				if reason != "" && (!strings.Contains(reason, tr.api) || !strings.Contains(reason, tr.lib) || !strings.Contains(reason, "ask_region") || !strings.Contains(reason, "request_change") || len(reason) > 2000 || strings.ContainsAny(reason, "\x00\n")) {
					t.Errorf("%q: reason %q", path, reason)
				}
			}
		}
	}
}

func TestFolderOfTheClientCounts(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	if tr.g.Decide("Write", input("file_path", "x"), tr.ui) == "" || tr.g.Decide("Write", input("file_path", "x"), tr.lib) != "" || tr.g.Decide("Write", input("file_path", "x"), "relative") != "" {
		t.Error("a relative path is not taken from the client's folder")
	}
}

func TestInputsThatHideTheirPath(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	in, out := tr.api+"/x", tr.ui+"/x"
	for _, raw := range []string{
		`{"file_path":"` + in + `","path":"` + out + `"}`, `{"file_path":"` + in + `","notebook_path":"` + out + `"}`,
		`{"file_path":"` + out + `","FILE_PATH":"` + in + `"}`, `{"file_path":"` + in + `","file_path":"` + out + `"}`, `{"FILE_PATH":"` + in + `"}`,
		`{"file_path":["` + in + `"]}`, `{"file_path":null}`, `{"file_path":7}`, `{"content":"x"}`, `{}`, `[]`, `null`, ``, `"x"`, `{`,
		`{"file_path":"` + in + `","path":null}`,
	} {
		if reason := tr.g.Decide("Write", json.RawMessage(raw), ""); reason == "" {
			t.Errorf("%s passes", raw)
		}
	}
	if reason := tr.g.Decide("Write", json.RawMessage(`{"file_path":"`+out+`","file_path":"`+in+`"}`), ""); reason != "" {
		t.Errorf("the last of equal names counts: %s", reason)
	}
}

func TestOtherTools(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	for tool, allowed := range map[string]bool{
		"Read": true, "Bash": true, "Glob": true, "Grep": true, "StructuredOutput": true, "mcp__devflow__ask_region": true, "mcp__devflow__request_change": true, "TodoWrite": true,
		"WriteFile": false, "write": false, "ApplyPatch": false, "mcp__filesystem__write_file": false, "mcp__devflow__other": false, "Task": false, "Agent": false, "": false, "Write ": false, "EnterWorktree": false,
	} {
		if reason := tr.g.Decide(tool, input("file_path", tr.api+"/x"), ""); (reason == "") != allowed {
			t.Errorf("%q: %q", tool, reason)
		}
	}
}

func TestReaderWritesNothing(t *testing.T) {
	t.Parallel()
	g, err := fence.New("/", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if reason := g.Decide("Write", input("file_path", "/tmp/x"), ""); !strings.Contains(reason, "write nothing") || strings.Contains(reason, "ask_region") {
		t.Errorf("%q", reason)
	}
	if reason := g.Decide("Read", nil, ""); reason != "" {
		t.Errorf("%q", reason)
	}
}

func TestFoldersMustMakeSense(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	loop := tr.api + "/loop"
	for _, w := range [][]string{{"relative"}, {"/"}, {""}, {"/tmp/../"}, {loop}, {"/a\x00"}} {
		if _, err := fence.New(tr.api, w, true); err == nil {
			t.Errorf("%q was taken", w)
		}
	}
	tr = newTree(t, tr.api+"/not/yet") // made by the worker
	if reason := tr.g.Decide("Write", input("file_path", filepath.Dir(tr.root)+"/x"), ""); reason == "" {
		t.Error("a folder that is missing opens everything")
	}
}

func TestFolderBehindALink(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	g, err := fence.New(tr.root+"-link/api", []string{tr.root + "-link/api"}, true)
	if err != nil {
		t.Fatal(err)
	}
	for path, allowed := range map[string]bool{tr.root + "/api/x": true, tr.root + "-link/api/x": true, "x": true, tr.root + "-link/ui/x": false} {
		if reason := g.Decide("Edit", input("file_path", path), ""); (reason == "") != allowed {
			t.Errorf("%s: %q", path, reason)
		}
	}
}

// What the guard lets pass is written by the kernel inside the region, whatever the path looks like.
func TestWhatPassesIsInside(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	part := rapid.SampledFrom([]string{"api", "ui", "lib", "sub", "deep", "..", ".", "folder", "file", "dangling", "up", "inner", "back", "chain", "self", "new", "x", "", "nowhere"})
	rapid.Check(t, func(rt *rapid.T) {
		path := tr.root + "/" + strings.Join(rapid.SliceOfN(part, 0, 7).Draw(rt, "parts"), "/")
		if tr.g.Decide("Write", input("file_path", path), "") != "" {
			return
		}
		for _, way := range []string{path, filepath.Clean(path)} {
			f, err := os.OpenFile(way, os.O_WRONLY|os.O_CREATE, 0o600)
			if err != nil {
				continue
			}
			real, err := filepath.EvalSymlinks(way)
			_ = f.Close()
			if err != nil || !strings.HasPrefix(real, tr.api+"/") && !strings.HasPrefix(real, tr.lib+"/") {
				rt.Fatalf("%s reached %s, %v", way, real, err)
			}
			if filepath.Base(real) == "x" || filepath.Base(real) == "new" {
				_ = os.Remove(real)
			}
		}
	})
}

func FuzzDecide(f *testing.F) {
	f.Add("Write", `{"file_path":"/etc/passwd"}`, "/")
	f.Add("NotebookEdit", `{"notebook_path":"../../x"}`, "")
	f.Fuzz(func(t *testing.T, tool, raw, cwd string) {
		g, err := fence.New("/nonexistent/api", []string{"/nonexistent/api"}, true)
		if err != nil {
			t.Fatal(err)
		}
		if reason := g.Decide(tool, json.RawMessage(raw), cwd); len(reason) > 2000 {
			t.Errorf("%d bytes", len(reason))
		}
	})
}
