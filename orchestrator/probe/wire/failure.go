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
	Fault     Kind = "server"    // any other 5xx, or an error event
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

// Advice says what to do about a failure, for a person.
func (f *Failure) Advice() string {
	switch f.Kind {
	case Address:
		return "give an address such as https://host:port"
	case Lookup:
		return "check the spelling of the host; a tunnel's name changes whenever the tunnel is started again"
	case Refused:
		return "start the server, or check the port; a server on another machine must listen on more than 127.0.0.1"
	case Network:
		return "check the network, the firewall and the address"
	case TLS:
		return "the certificate does not fit the address: use the name in the certificate, have it renewed, or trust its issuer on this machine"
	case Plain:
		return "the server speaks http: write http:// instead of https://"
	case Silent:
		return "the server takes connections but does not answer: is it still loading, or busy with another prompt?"
	case Slow:
		return "the server was too slow for this: use a smaller model, a faster machine or a shorter context"
	case Cut:
		return "the connection broke in the middle of an answer: look at the logs of the server and of the tunnel"
	case Redirect:
		return "use the address that it points to: " + f.Where
	case Login:
		return "a login or warning page stands before the server: make the tunnel public, or leave it out"
	case Page:
		return "a web page answers here: give the address of the API, not of a web site or a chat page"
	case Tunnel:
		return "the tunnel is up but the server behind it is not, or does not answer in time: start it, and check the port that the tunnel points to"
	case Type:
		return "what answers here is no model API: check the address and its path"
	case Giant:
		return "the server sends more than any answer holds: check the address"
	case Key:
		return "the key is wrong, or not given: check it and give it again"
	case Forbidden:
		return "the key is known but not allowed to do this, or a firewall stands before the server"
	case Billing:
		return "the account has no credit left"
	case Missing:
		return "the server does not know this path: check the address"
	case Model:
		return "choose one of the server's models with --model"
	case Refusal:
		return "the server does not take what Claude Code sends: use a newer version of it, or a gateway such as LiteLLM before it"
	case Context:
		return "start the server with a larger context"
	case Busy:
		return "the endpoint limits requests: wait, use fewer workers, or raise the limit"
	case Loading:
		return "the model is still being loaded: wait and probe again"
	case Fault:
		return "look at the log of the server"
	}
	return ""
}
