// Package wire is the probe's own client of an endpoint: one request, its answer taken apart and timed, or the reason why there is
// none, told apart as finely as a person needs to know what to do.
//
// It retries nothing, follows no redirect, decompresses nothing and reads no more than it says. It owns no table and no file.
package wire

// Kind of a failure.
type Kind string

// Kinds of failures.
const (
	Address   Kind = "address"   // not an address at all
	Lookup    Kind = "lookup"    // the host's name is not known
	Refused   Kind = "refused"   // nothing listens there
	Network   Kind = "network"   // no route, reset, and so on
	TLS       Kind = "tls"       // certificate or protocol
	Plain     Kind = "plain"     // https spoken to a server that speaks http
	Silent    Kind = "silent"    // connected, but no answer in time
	Slow      Kind = "slow"      // an answer that did not end in time
	Cut       Kind = "cut"       // an answer that broke off
	Redirect  Kind = "redirect"  // sent somewhere else
	Login     Kind = "login"     // a tunnel's login or warning page
	Page      Kind = "page"      // some other web page
	Tunnel    Kind = "tunnel"    // the tunnel answers, but not the server behind it
	Type      Kind = "type"      // status 200 with something else than an answer
	Giant     Kind = "giant"     // more than anybody needs
	Key       Kind = "key"       // 401
	Forbidden Kind = "forbidden" // 403
	Billing   Kind = "billing"   // 402, or its words
	Missing   Kind = "missing"   // 404, 405, 501: no such path
	Model     Kind = "model"     // no such model
	Refusal   Kind = "refusal"   // 400, 413, 422: the request is not to its liking
	Context   Kind = "context"   // the prompt is too long for it
	Busy      Kind = "busy"      // 429, 529
	Loading   Kind = "loading"   // 503 of a server that starts
	Server    Kind = "server"    // any other 5xx, or an error event
	Ended     Kind = "ended"     // our caller gave up
)

// Failure says why there is no answer.
type Failure struct {
	Kind   Kind
	Status int    // of the answer; 0 without one
	Text   string // what the server or the system said, bounded, printable
	Where  string // of a redirect: host and path
	After  int    // seconds, of Retry-After
	Limit  int64  // tokens, when the text tells the size of its context
}

// Error gives the text of a failure.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Text }
