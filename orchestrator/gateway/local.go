package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// bytesPerToken is what an estimate counts with: about four bytes of English or code make a token.
const bytesPerToken = 4

// local is the answer to a side request that does not need the endpoint; nil for those that do.
func (x *exchange) local() *answer {
	h := http.Header{"Content-Type": {"application/json"}}
	switch x.what {
	case count:
		return &answer{http.StatusOK, h, []byte(`{"input_tokens":` + strconv.Itoa(len(x.body)/bytesPerToken) + `}`)}
	case models:
		return x.models(h)
	}
	return nil
}

// model is an entry of the list of models.
type model struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Name    string `json:"display_name"`
	Created string `json:"created_at"`
}

func (x *exchange) models(h http.Header) *answer {
	list := []model{}
	if name := x.g.o.Upstream().Model; name != "" {
		list = append(list, model{"model", name, name, "1970-01-01T00:00:00Z"})
	}
	var v any
	if id, one := strings.CutPrefix(x.r.URL.Path, "/v1/models/"); one {
		if len(list) == 0 || list[0].ID != id {
			return problem(http.StatusNotFound, "not_found_error", "there is no such model")
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
	return &answer{http.StatusOK, h, body}
}

// kindOfPath makes one entry of all single models.
func kindOfPath(e Endpoint, path string) string {
	if strings.HasPrefix(path, "/v1/models/") {
		path = "/v1/models/"
	}
	return e.Base() + " " + path
}

// lacks reports whether an endpoint has said that it does not have a path.
func (g *Gateway) lacks(e Endpoint, path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lacking[kindOfPath(e, path)]
}

func (g *Gateway) learnLacking(e Endpoint, path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	const most = 64
	if len(g.lacking) < most && !strings.HasPrefix(path, "/v1/models/") { // one unknown model says nothing of the others
		g.lacking[kindOfPath(e, path)] = true
	}
}
