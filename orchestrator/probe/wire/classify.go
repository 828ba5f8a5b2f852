package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/devflow-suite/devflow/orchestrator/gateway/openai"
)

// failed tells apart what kept a request from being answered. ours says that the caller's own context has ended, late that the
// request's deadline has passed, begun that the head of an answer was there.
func (s Server) failed(err error, ours, late, begun bool) *Failure {
	f := &Failure{Kind: Network, Text: Printable(plainCause(err), s.Key)}
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	switch {
	case ours:
		f.Kind, f.Text = Ended, "stopped"
	case late && begun:
		f.Kind, f.Text = Slow, "the answer did not end in time"
	case late:
		f.Kind, f.Text = Silent, "no answer in time"
	case errors.Is(err, errGiant):
		f.Kind = Giant
	case errors.As(err, &dns):
		f.Kind, f.Text = Lookup, "the name "+Printable(dns.Name, s.Key)+" is not known"
	case errors.As(err, &record):
		f.Kind, f.Text = Plain, "the server does not speak TLS"
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.Kind, f.Text = Plain, "the server does not speak TLS"
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid), errors.As(err, &alert), errors.As(err, &verify):
		f.Kind = TLS
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Kind, f.Text = Refused, "connection refused"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		f.Kind, f.Text = Silent, "no connection in time"
	case begun, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		f.Kind = Cut
		if !begun {
			f.Text = "the server closed the connection without an answer"
		}
	}
	return f
}

// plainCause leaves the method and the address, which may hold a secret, out of an error of net/http.
func plainCause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// refused tells apart answers that are none: other statuses than 200, and pages.
func (s Server) refused(resp *http.Response, body []byte) *Failure {
	f := &Failure{Status: resp.StatusCode, Text: Printable(words(resp.StatusCode, body), s.Key)}
	if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && after > 0 {
		f.After = min(after, 3600)
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return redirected(f, resp, s.Key)
	}
	if kind := pageKind(resp, body); kind != "" {
		f.Kind = kind
		return f
	}
	lower := strings.ToLower(f.Text)
	f.Kind = kindOf(resp.StatusCode, lower)
	if f.Kind == Context {
		f.Limit = contextLimit(string(body))
	}
	return f
}

func kindOf(status int, lower string) Kind {
	tooLong := hasAny(lower, "context size", "context length", "context window", "exceed_context", "prompt is too long", "too many tokens", "maximum context", "max_model_len", "longer than the model")
	switch status {
	case http.StatusOK:
		return Type
	case http.StatusUnauthorized:
		return Key
	case http.StatusForbidden:
		return Forbidden
	case http.StatusPaymentRequired:
		return Billing
	case http.StatusNotFound:
		if strings.Contains(lower, "model") {
			return Model
		}
		return Missing
	case http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusGone:
		return Missing
	case http.StatusRequestEntityTooLarge:
		return Context
	case http.StatusTooManyRequests, 529:
		if hasAny(lower, "quota", "credit", "billing") {
			return Billing
		}
		return Busy
	case http.StatusServiceUnavailable:
		if strings.Contains(lower, "loading") {
			return Loading
		}
		return Fault
	case 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530:
		return Tunnel
	}
	switch {
	case tooLong: // some answer 500 to it
		return Context
	case status < 500 && hasAny(lower, "credit balance", "billing"):
		return Billing
	case status < 500 && hasAny(lower, "invalid model", "model not found", "unknown model", "model_not_found") || strings.Contains(lower, "model") && strings.Contains(lower, "does not exist"):
		return Model
	case status < 500 && hasAny(lower, "api key", "api_key", "authentication"):
		return Key
	case status >= 400 && status < 500:
		return Refusal
	}
	return Fault
}

// words gives what a server says in an error answer.
func words(status int, body []byte) string {
	_, out := openai.Error(status, body)
	var e struct {
		Error struct{ Message string }
	}
	if json.Unmarshal(out, &e) != nil || e.Error.Message == "" {
		return http.StatusText(status)
	}
	return e.Error.Message
}

func redirected(f *Failure, resp *http.Response, key string) *Failure {
	f.Kind, f.Text = Redirect, "the server sends to another address"
	to, err := resp.Location()
	if err != nil {
		return f
	}
	f.Where = Printable((&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String(), key)
	f.Text = "the server sends to " + f.Where
	if hasAny(to.Host, "cloudflareaccess.com", "login.microsoftonline.com", "login.live.com", "accounts.google.com", "github.com", "tunnels.api.visualstudio.com") || hasAny(strings.ToLower(to.Path), "/login", "/signin", "/oauth", "/auth") {
		f.Kind = Login
	}
	return f
}

// pageKind tells a web page from an answer; "" when it is none.
func pageKind(resp *http.Response, body []byte) Kind {
	text := strings.ToLower(string(body[:min(len(body), 16<<10)]))
	isPage := strings.Contains(strings.ToLower(resp.Header.Get("Content-Type")), "text/html") || strings.HasPrefix(strings.TrimSpace(text), "<")
	code := resp.Header.Get("Ngrok-Error-Code")
	switch {
	case code == "ERR_NGROK_6024" || strings.Contains(text, "err_ngrok_6024"): // the warning before a free tunnel
		return Login
	case code != "" || strings.Contains(text, "err_ngrok_"): // 3200 offline, 8012 nothing behind it
		return Tunnel
	case resp.StatusCode == http.StatusNetworkAuthenticationRequired: // localtunnel's password page
		return Login
	case !isPage:
		return ""
	case resp.StatusCode == http.StatusOK && hasAny(text, `type="password"`, "sign in", "log in", "login", "cloudflareaccess", "devtunnels", "tunnel password"):
		return Login
	case resp.StatusCode >= 500 && (resp.StatusCode != 500 && resp.StatusCode != 501 && resp.StatusCode != 505 || hasAny(text, "cloudflare", "tunnel")):
		return Tunnel
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return Login
	}
	return Page
}
