// Package modelapi is an endpoint of the chat completions wire format on the loopback interface that answers the questions
// of the judge as a test says. It is for tests only.
package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/devflow-suite/devflow/internal/config"
)

// Question is what was asked: the name of the wanted schema (vote, review, report_sec, report_qa, report_doc, instincts), and
// the text of the prompt.
type Question struct{ Kind, Text string }

// Answer answers one question.
type Answer func(w http.ResponseWriter, r *http.Request, q Question)

// Server is the endpoint. It is safe for concurrent use.
type Server struct {
	URL string

	mu    sync.Mutex
	asked []Question
}

// Serve starts a server that ends with the test.
func Serve(t testing.TB, answer Answer) *Server {
	t.Helper()
	s := &Server{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string }
			Format   struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(data, &body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		q := Question{Kind: body.Format.Schema.Name}
		for _, m := range body.Messages {
			q.Text += m.Content + "\n"
		}
		s.mu.Lock()
		s.asked = append(s.asked, q)
		s.mu.Unlock()
		answer(w, r, q)
	}))
	t.Cleanup(h.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	s.URL = h.URL + "/v1"
	return s
}

// Asked lists the questions so far.
func (s *Server) Asked() []Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Question{}, s.asked...)
}

// Config is the configuration of a judge that asks the server.
func (s *Server) Config() config.Judge {
	return config.Judge{Backend: config.BackendOpenAI, BaseURL: s.URL, Model: "scripted"}
}

// Tokens that every answer of Say costs.
const (
	TokensIn  = 100
	TokensOut = 10
)

// Say answers with a text of the model.
func Say(w http.ResponseWriter, text string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("unreachable: a string encodes")
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"scripted-1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
		quoted, TokensIn, TokensOut, TokensIn+TokensOut)
}

// words are the clean values of the leaves of a review.
var words = [...][2]string{
	{"lob_violation", "no"}, {"duplication", "no"}, {"type_contract_violation", "no"}, {"unjustified_complexity", "no"}, {"naming_consistency", ""}, {"edge_case_coverage", "adequate"},
	{"monetary_math", "ok"}, {"idempotency", "ok"}, {"contract_compatibility", "ok"}, {"user_intent", "yes"}, {"accidental_complexity", "ok"}, {"design_system_adherence", "na"}, {"agentic_legibility", ""},
}

// Review is the answer to a question of the kind review: clean, but for the leaves in bad, each with a value and a line of
// the change that shows it.
func Review(overall string, bad map[string][2]string) string {
	leaves := map[string]any{}
	for _, l := range words {
		var value any = l[1]
		if l[1] == "" {
			value = 1.0
		}
		leaves[l[0]] = map[string]any{"reason": "nothing to say", "quote": "", "value": value}
		if b, ok := bad[l[0]]; ok {
			leaves[l[0]] = map[string]any{"reason": "it is not what was asked for", "quote": b[1], "value": b[0]}
		}
	}
	data, err := json.Marshal(map[string]any{"leaves": leaves, "asked": []any{}, "unasked": []any{}, "summary": "looked at all of it", "overall": overall})
	if err != nil {
		panic("unreachable: strings and numbers encode")
	}
	return string(data)
}

// Report is the answer to a question of a worker of the swarm.
func Report(status string) string {
	return fmt.Sprintf(`{"reason":"read every line","findings":[],"status":%q}`, status)
}

// Clean answers every question with nothing to complain about.
func Clean(w http.ResponseWriter, _ *http.Request, q Question) {
	switch q.Kind {
	case "review":
		Say(w, Review("pass", nil))
	case "report_sec":
		Say(w, Report("safe"))
	case "report_qa", "report_doc":
		Say(w, Report("ok"))
	case "vote":
		Say(w, `{"reason":"it cannot be told from what is shown","quote":"","file":"","line":0,"confidence":0.2,"verdict":"unsure"}`)
	default:
		http.Error(w, "unexpected question "+q.Kind, http.StatusBadRequest)
	}
}
