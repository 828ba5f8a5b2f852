package outlet_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
)

const ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

func TestPingsUntilThereIsAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rec := httptest.NewRecorder()
		o := outlet.New(rec)
		o.Pings(15 * time.Second)
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if o.Sent() != 0 {
			t.Error("something is sent before the first ping")
		}
		time.Sleep(32 * time.Second)
		synctest.Wait()
		o.Hush() // what it sent may be looked at
		if got := rec.Body.String(); got != ping+ping+ping || rec.Header().Get("Content-Type") != "text/event-stream; charset=utf-8" {
			t.Errorf("after 46 seconds: %q", got)
		}
		o.Stream(http.Header{"X-Late": {"1"}})
		_ = o.Send([]byte("a"), nil, []byte("b"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := rec.Body.String(); got != ping+ping+ping+"ab" || rec.Header().Get("X-Late") != "" || o.Sent() != int64(len(got)) {
			t.Errorf("at the end: %q", got)
		}
	})
}

func TestAnswersWithoutPings(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	outlet.New(rec).Whole(outlet.Problem(429, "rate_limit_error", "m").Final(), false)
	if rec.Code != 429 || rec.Body.String() != `{"error":{"message":"m","type":"rate_limit_error"},"type":"error"}` || rec.Header().Get("X-Should-Retry") != "false" || rec.Header().Get("Content-Length") != "66" {
		t.Errorf("%d %s %v", rec.Code, rec.Body, rec.Header())
	}
	rec = httptest.NewRecorder()
	outlet.New(rec).Whole(outlet.Problem(404, "not_found_error", "m"), true)
	if rec.Code != 404 || rec.Body.Len() != 0 {
		t.Errorf("HEAD: %d %q", rec.Code, rec.Body)
	}
	rec = httptest.NewRecorder()
	o := outlet.New(rec)
	o.Stream(http.Header{"Content-Type": {"text/plain"}, "X": {"1", "2"}})
	_ = o.Send([]byte("x"))
	if rec.Code != 200 || rec.Header().Get("Content-Type") != "text/event-stream; charset=utf-8" || strings.Join(rec.Header()["X"], "") != "12" || !rec.Flushed {
		t.Errorf("%d %v", rec.Code, rec.Header())
	}
}

func TestAnswersAsEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status     int
		body, kind string
	}{
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"m"}}`, "invalid_request_error"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, "overloaded_error"},
		{502, `{"type":"error","error":{"type":"api_error","message":"m"}}`, "overloaded_error"},
		{524, "<html>\n\nevent: message_stop\n\n", "overloaded_error"},
		{403, "no", "permission_error"},
		{0, `{"type":"error","error":{"type":"api_error","message":"m"}}`, "api_error"},
	} {
		got := string((&outlet.Answer{Status: c.status, Body: []byte(c.body)}).Event())
		if !strings.HasPrefix(got, "event: error\ndata: {") || !strings.HasSuffix(got, "}\n\n") || strings.Count(got, "\n") != 3 || !strings.Contains(got, `"`+c.kind+`"`) {
			t.Errorf("%d %s: %q", c.status, c.body, got)
		}
	}
}
