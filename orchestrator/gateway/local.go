package gateway

import (
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/gateway/outlet"
	"github.com/devflow-suite/devflow/orchestrator/gateway/route"
)

// local is the answer to a side request that does not need the endpoint; nil for those that do.
func (x *exchange) local() *outlet.Answer {
	switch x.what {
	case route.Count:
		return route.Estimate(len(x.body))
	case route.Models:
		return route.ModelList(x.r.URL.Path, x.g.o.Upstream().Model)
	}
	return nil
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
