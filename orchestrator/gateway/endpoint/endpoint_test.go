package endpoint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-a-real-key-123"

func good(name string) endpoint.Endpoint {
	return endpoint.Endpoint{Name: name, URL: "https://host.invalid:8443/api", Key: key, Auth: "bearer", Model: "q", API: "openai", Window: 32768, Parallel: 2, Prices: &endpoint.Prices{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 3}}
}

func TestNothingPrintsAKey(t *testing.T) {
	t.Parallel()
	e := good("a")
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "endpoint", e)
	asJSON, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(e), fmt.Sprintf("%v %+v %#v %s %q", e, e, e, e, e), fmt.Sprintf("%v %+v %#v", &e, []endpoint.Endpoint{e}, map[string]endpoint.Endpoint{"x": e}), log.String(), string(asJSON)} {
		if strings.Contains(text, key) || strings.Contains(text, key[5:12]) {
			t.Errorf("the key is in %s", text)
		}
	}
	for in, want := range map[string]string{"": "", "short": "***", "12345678": "***", "123456789": "1234…89"} {
		if got := endpoint.Mask(in); got != want {
			t.Errorf("mask of %q: %q, want %q", in, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	if err := good("a").Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*endpoint.Endpoint){
		"no name":      func(e *endpoint.Endpoint) { e.Name = "" },
		"long name":    func(e *endpoint.Endpoint) { e.Name = strings.Repeat("a", 65) },
		"bad name":     func(e *endpoint.Endpoint) { e.Name = "a b" },
		"no url":       func(e *endpoint.Endpoint) { e.URL = "" },
		"no scheme":    func(e *endpoint.Endpoint) { e.URL = "host:80" },
		"other scheme": func(e *endpoint.Endpoint) { e.URL = "file:///x" },
		"no host":      func(e *endpoint.Endpoint) { e.URL = "http://:80" },
		"password":     func(e *endpoint.Endpoint) { e.URL = "http://u:" + key + "@h" },
		"not a url":    func(e *endpoint.Endpoint) { e.URL = "http://u:" + key + "@h:x y" },
		"query":        func(e *endpoint.Endpoint) { e.URL = "http://h/?k=" + key },
		"auth":         func(e *endpoint.Endpoint) { e.Auth = "basic" },
		"api":          func(e *endpoint.Endpoint) { e.API = "gemini" },
		"key":          func(e *endpoint.Endpoint) { e.Key = key + "\r\nX: y" },
		"window":       func(e *endpoint.Endpoint) { e.Window = -1 },
		"parallel":     func(e *endpoint.Endpoint) { e.Parallel = -1 },
		"prices":       func(e *endpoint.Endpoint) { e.Prices = &endpoint.Prices{Output: -1} },
	} {
		e := good("a")
		change(&e)
		err := e.Validate()
		if !errors.Is(err, endpoint.ErrEndpoint) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestForeignAndBase(t *testing.T) {
	t.Parallel()
	for url, foreign := range map[string]bool{
		"https://api.anthropic.com": false, "https://API.Anthropic.com./": false, "https://anthropic.com/v1": false,
		"https://notanthropic.com": true, "https://anthropic.com.evil.invalid": true, "http://127.0.0.1:8080": true, "::": true,
	} {
		if got := (endpoint.Endpoint{URL: url}).Foreign(); got != foreign {
			t.Errorf("%s: foreign %v, want %v", url, got, foreign)
		}
	}
	if !(endpoint.Endpoint{URL: "https://api.anthropic.com", API: "openai"}).Foreign() {
		t.Error("another API is foreign")
	}
	for url, base := range map[string]string{"http://h": "http://h", "http://h//": "http://h", "http://h/v1": "http://h", "http://h/v1/": "http://h", "http://h/a/v1": "http://h/a"} {
		if got := (endpoint.Endpoint{URL: url}).Base(); got != base {
			t.Errorf("%s: base %s, want %s", url, got, base)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	u := endpoint.Usage{Input: 1_000_000, Output: 500_000, CacheRead: 2_000_000, CacheWrite: 100_000, Requests: 3}
	if got := (endpoint.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}).Cost(u); got < 11.4749 || got > 11.4751 {
		t.Errorf("cost %v, want 11.475", got)
	}
	if got := u.Add(u); got != (endpoint.Usage{2_000_000, 1_000_000, 4_000_000, 200_000, 6}) || u.Context() != 3_600_000 {
		t.Errorf("%+v %d", got, u.Context())
	}
}

func open(t *testing.T, path string) *endpoint.Book {
	t.Helper()
	b, err := endpoint.OpenBook(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheBookKeepsEndpoints(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints.toml")
	b := open(t, path)
	if len(b.Names()) != 0 {
		t.Error("a file that is not there lists endpoints")
	}
	changed := b.Changed()
	for _, name := range []string{"b", "a", "worker.1"} {
		if err := b.Set(good(name)); err != nil {
			t.Fatal(err)
		}
	}
	<-changed
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	again := open(t, path)
	if diff := cmp.Diff([]string{"a", "b", "worker.1"}, again.Names()); diff != "" {
		t.Error(diff)
	}
	e, ok := again.Endpoint("worker.1")
	if diff := cmp.Diff(good("worker.1"), e); diff != "" || !ok {
		t.Error(diff)
	}
	e.Prices.Input = 99 // a copy
	if e, _ := again.Endpoint("worker.1"); e.Prices.Input != 1 {
		t.Error("the book's own prices were given away")
	}
	if _, ok := again.Endpoint("nobody"); ok {
		t.Error("an endpoint that is not there")
	}
	if err := b.Set(endpoint.Endpoint{Name: "x"}); !errors.Is(err, endpoint.ErrEndpoint) {
		t.Errorf("an endpoint without a URL: %v", err)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints.toml")
	var wg sync.WaitGroup
	for i := range 8 {
		b := open(t, path) // as in processes of their own
		wg.Go(func() {
			for j := range 3 {
				if err := b.Set(good(fmt.Sprintf("e%d-%d", i, j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(open(t, path).Names()); n != 24 {
		t.Errorf("%d endpoints, want 24", n)
	}
}

func TestFilesThatAreNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"no TOML":         "[endpoint.a\nkey = \"" + key + "\"",
		"unknown setting": "[endpoint.a]\nurl = \"http://h\"\nkeyy = \"" + key + "\"",
		"wrong kind":      "[endpoint.a]\nurl = \"http://h\"\nwindow = \"" + key + "\"",
		"bad endpoint":    "[endpoint.a]\nurl = \"http://u:" + key + "@h\"",
		"bad name":        "[endpoint.\"a b\"]\nurl = \"http://h\"",
		"a list":          "[[endpoint]]\nurl = \"http://h\"",
		"too large":       "# " + strings.Repeat("x", 2<<20),
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := endpoint.OpenBook(path); err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir} {
		if _, err := endpoint.OpenBook(path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
	wide := filepath.Join(dir, "wide")
	if err := os.WriteFile(wide, []byte("[endpoint.a]\nurl = \"http://h\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, wide)
	if info, err := os.Lstat(wide); err != nil || info.Mode() != fs.FileMode(0o600) {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

// watched runs Watch until the test ends; the channel has an element for each call of changed.
func watched(t *testing.T, b *endpoint.Book) <-chan struct{} {
	t.Helper()
	told := make(chan struct{}, 100)
	done := make(chan error)
	ctx := t.Context()
	go func() { done <- b.Watch(ctx, func() { told <- struct{}{} }) }()
	t.Cleanup(func() { // the test's context has ended
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return told
}

func await(t *testing.T, what string, told <-chan struct{}, ok func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-told:
		case <-deadline:
			t.Fatalf("%s: not seen", what)
		}
	}
}

func TestEditsAreSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "endpoints.toml")
	b := open(t, path)
	if err := b.Set(good("a")); err != nil {
		t.Fatal(err)
	}
	told := watched(t, b)
	text := func(port int) []byte {
		return fmt.Appendf(nil, "[endpoint.a]\nurl = \"http://127.0.0.1:%d\"\n", port)
	}
	has := func(port int) func() bool {
		return func() bool {
			e, _ := b.Endpoint("a")
			return e.URL == fmt.Sprintf("http://127.0.0.1:%d", port) && b.Err() == nil
		}
	}
	changed := b.Changed()
	if err := os.WriteFile(path, text(1), 0o600); err != nil { // in place
		t.Fatal(err)
	}
	await(t, "an edit in place", told, has(1))
	<-changed
	replace := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path+".new", data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	replace(text(2))
	await(t, "a replaced file", told, has(2))
	for name, bad := range map[string]string{"broken": "[endpoint", "empty": "", "without endpoints": "# nothing\n"} {
		replace([]byte(bad))
		await(t, name, told, func() bool { return b.Err() != nil })
		if e, ok := b.Endpoint("a"); !ok || e.URL != "http://127.0.0.1:2" {
			t.Errorf("%s: the old endpoint is gone: %v", name, e)
		}
		replace(text(2))
		await(t, "repaired", told, has(2))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	await(t, "removed", told, func() bool { return b.Err() != nil })
	if err := os.WriteFile(path, text(3), 0o600); err != nil {
		t.Fatal(err)
	}
	await(t, "made again", told, has(3))
	other := open(t, path) // another process
	if err := other.Set(endpoint.Endpoint{Name: "a", URL: "http://127.0.0.1:4"}); err != nil {
		t.Fatal(err)
	}
	await(t, "set by another process", told, has(4))
}

func TestAnEditBetweenOpeningAndWatchingIsSeen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints.toml")
	b := open(t, path)
	if err := open(t, path).Set(good("a")); err != nil {
		t.Fatal(err)
	}
	await(t, "edit", watched(t, b), func() bool { return len(b.Names()) == 1 })
}

func FuzzBook(f *testing.F) {
	f.Add([]byte("[endpoint.a]\nurl = \"http://h\"\nkey = \"k\"\nprices = { input = 1.5, output = 2 }\n"))
	f.Add([]byte("endpoint = 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "e")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := endpoint.OpenBook(path)
		if err != nil {
			return
		}
		for _, name := range b.Names() {
			e, _ := b.Endpoint(name)
			if err := b.Set(e); err != nil {
				t.Fatalf("an endpoint that was read cannot be set: %v", err)
			}
			if again, _ := open(t, path).Endpoint(name); !cmp.Equal(e, again) {
				t.Fatal(cmp.Diff(e, again))
			}
		}
	})
}
