// Package route says which paths a gateway has, and answers those that need no endpoint.
package route

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
)

// Purpose is what a request is for.
type Purpose int

// The purposes.
const (
	Messages Purpose = iota // a reply of the model
	Count                   // of tokens
	Models                  // the list, or one
	Root                    // whether anybody is there
)

// Of tells by method and path; both have to be exact.
func Of(r *http.Request) (p Purpose, ok bool) {
	path := r.URL.EscapedPath()
	switch {
	case r.Method == http.MethodPost && path == "/v1/messages":
		return Messages, true
	case r.Method == http.MethodPost && path == "/v1/messages/count_tokens":
		return Count, true
	case r.Method == http.MethodGet && (path == "/v1/models" || goodModelPath(path)):
		return Models, true
	case (r.Method == http.MethodHead || r.Method == http.MethodGet) && path == "/":
		return Root, true
	}
	return 0, false
}

// goodModelPath accepts /v1/models/NAME, where NAME cannot lead anywhere else.
func goodModelPath(path string) bool {
	name, ok := strings.CutPrefix(path, "/v1/models/")
	return ok && name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/%\\")
}

func plain() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// Hello is the answer to [Root].
func Hello() *outlet.Answer {
	return &outlet.Answer{Status: http.StatusOK, Header: plain(), Body: []byte("{}")}
}

// bytesPerToken is what an estimate counts with: about four bytes of English or code make a token.
const bytesPerToken = 4

// Tokens estimates how many tokens a body of so many bytes has.
func Tokens(size int) int { return size / bytesPerToken }

// Estimate is the answer to [Count] for a body of so many bytes.
func Estimate(size int) *outlet.Answer {
	return &outlet.Answer{Status: http.StatusOK, Header: plain(), Body: []byte(`{"input_tokens":` + strconv.Itoa(Tokens(size)) + `}`)}
}

// model is an entry of the list of models.
type model struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Name    string `json:"display_name"`
	Created string `json:"created_at"`
}

// ModelList answers for a path of models when the endpoint has one model, or none that is known.
func ModelList(path, name string) *outlet.Answer {
	list := []model{}
	if name != "" {
		list = append(list, model{"model", name, name, "1970-01-01T00:00:00Z"})
	}
	var v any
	if id, one := strings.CutPrefix(path, "/v1/models/"); one {
		if len(list) == 0 || list[0].ID != id {
			return outlet.Problem(http.StatusNotFound, "not_found_error", "there is no such model")
		}
		v = list[0]
	} else {
		page := struct {
			Data  []model `json:"data"`
			More  bool    `json:"has_more"`
			First *string `json:"first_id"`
			Last  *string `json:"last_id"`
		}{Data: list}
		if len(list) > 0 {
			page.First, page.Last = &list[0].ID, &list[0].ID
		}
		v = page
	}
	body, err := json.Marshal(v)
	if err != nil { // unreachable: strings only
		body = []byte("{}")
	}
	return &outlet.Answer{Status: http.StatusOK, Header: plain(), Body: body}
}
