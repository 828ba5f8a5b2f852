package route_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator/gateway/route"
)

func FuzzOf(f *testing.F) {
	for _, path := range []string{"/v1/messages", "/v1/models/a", "/v1/models/..", "/v1/models/%2e%2e/x", "//v1/messages", "/v1/messages?beta=true"} {
		f.Add("POST", path)
		f.Add("GET", path)
	}
	f.Fuzz(func(t *testing.T, method, path string) {
		if strings.ContainsAny(path, " \r\n\t#") || !strings.HasPrefix(path, "/") || method == "" || strings.ContainsFunc(method+path, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(method, `()<>@,;:\"/[]?={}%`) {
			return
		}
		defer func() { _ = recover() }() // httptest panics on what is no request
		r := httptest.NewRequest(method, path, nil)
		if _, ok := route.Of(r); ok && (strings.Contains(r.URL.Path, "..") && !strings.HasPrefix(r.URL.Path, "/v1/models/") || strings.Count(r.URL.Path, "/") > 3) {
			t.Errorf("%s %s has a place", method, path)
		}
	})
}

func TestModels(t *testing.T) {
	t.Parallel()
	if a := route.ModelList("/v1/models", ""); a.Status != 200 || string(a.Body) != `{"data":[],"has_more":false,"first_id":null,"last_id":null}` {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := route.ModelList("/v1/models/q", "q"); a.Status != 200 || !strings.Contains(string(a.Body), `"id":"q"`) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := route.ModelList("/v1/models/x", "q"); a.Status != 404 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
