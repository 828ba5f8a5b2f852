// Package endpoint says what an endpoint is (where a model answers, with which key, at which price) and keeps the endpoints of a run
// in their file.
//
// It owns the file endpoints.toml of a run and its lock file: mode 0600 from the first byte, replaced as a whole, watched, so that
// an edit takes effect while requests are waiting. It opens no connection. Keys leave it only in [Endpoint.Key]: whatever prints an
// endpoint prints a masked key.
package endpoint

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"strings"
)

// Ways to show a key to an endpoint ([Endpoint.Auth]) and the languages it speaks ([Endpoint.API]).
const (
	AuthKey    = "x-api-key"
	AuthBearer = "bearer"
	AuthNone   = "none"

	APIAnthropic = "anthropic"
	APIOpenAI    = "openai"
)

// Endpoint is one place where a model answers.
type Endpoint struct {
	Name     string  `toml:"-" json:"name"`                            // [a-z0-9][a-z0-9._-]{0,63}
	URL      string  `toml:"url" json:"url"`                           // http or https, without credentials; a trailing "/" or "/v1" does not matter
	Key      string  `toml:"key,omitempty" json:"-"`                   // shown to the endpoint only
	Auth     string  `toml:"auth,omitempty" json:"auth,omitempty"`     // x-api-key, bearer or none; "" is x-api-key, for the openai API bearer
	Model    string  `toml:"model,omitempty" json:"model,omitempty"`   // replaces the model that the client asks for; "" keeps it
	API      string  `toml:"api,omitempty" json:"api,omitempty"`       // anthropic or openai; "" is anthropic
	Window   int64   `toml:"window,omitempty" json:"window,omitempty"` // context tokens; 0 is not known
	Parallel int     `toml:"parallel,omitempty" json:"parallel,omitempty"`
	Prices   *Prices `toml:"prices,omitempty" json:"prices,omitempty"` // nil: costs are not known
}

// Prices are USD per million tokens.
type Prices struct {
	Input      float64 `toml:"input" json:"input"`
	Output     float64 `toml:"output" json:"output"`
	CacheRead  float64 `toml:"cache_read,omitempty" json:"cache_read"`
	CacheWrite float64 `toml:"cache_write,omitempty" json:"cache_write"`
}

// Usage counts tokens as the endpoint reported them, and requests.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Requests   int64 `json:"requests"`
}

// Add gives the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Requests + v.Requests}
}

// Context is the size of the conversation after a reply: everything that was read and what was written. It means something for
// the usage of one reply, not for a sum.
func (u Usage) Context() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Cost is what the usage costs, in USD.
func (p Prices) Cost(u Usage) float64 {
	const million = 1e6
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / million
}

// ErrEndpoint is wrapped by what [Endpoint.Validate] says.
var ErrEndpoint = errors.New("endpoint is not usable")

// Validate says what is wrong with an endpoint. The text never holds the key.
func (e Endpoint) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %q: %s", ErrEndpoint, e.Name, fmt.Sprintf(format, args...))
	}
	if !goodName(e.Name) {
		return bad("the name must be 1 to 64 of a-z 0-9 . _ -, beginning with a letter or digit")
	}
	u, err := url.Parse(e.URL)
	switch {
	case err != nil: // the error would repeat the text, which may hold a password
		return bad("url is not a URL")
	case u.User != nil:
		return bad("url holds credentials: put them into key")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("url must begin with http:// or https://")
	case u.Hostname() == "":
		return bad("url names no host")
	case u.RawQuery != "" || u.Fragment != "":
		return bad("url must not hold a query or a fragment")
	}
	switch e.Auth {
	case "", AuthKey, AuthBearer, AuthNone:
	default:
		return bad("auth must be x-api-key, bearer or none")
	}
	switch e.API {
	case "", APIAnthropic, APIOpenAI:
	default:
		return bad("api must be anthropic or openai")
	}
	if strings.ContainsFunc(e.Key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return bad("key holds characters that no header can carry")
	}
	if e.Window < 0 || e.Parallel < 0 {
		return bad("window and parallel must not be negative")
	}
	if p := e.Prices; p != nil {
		for _, v := range [...]float64{p.Input, p.Output, p.CacheRead, p.CacheWrite} {
			if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
				return bad("prices must be numbers of USD per million tokens")
			}
		}
	}
	return nil
}

func goodName(name string) bool {
	const longest = 64
	if name == "" || len(name) > longest {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return true
}

// Foreign reports whether the endpoint is not Anthropic's own.
func (e Endpoint) Foreign() bool {
	if e.API == APIOpenAI {
		return true
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return true
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return host != "anthropic.com" && !strings.HasSuffix(host, ".anthropic.com")
}

// Base is the URL without what people leave at its end: slashes, and the "v1" that begins every path.
func (e Endpoint) Base() string {
	base := strings.TrimRight(e.URL, "/")
	return strings.TrimRight(strings.TrimSuffix(base, "/v1"), "/")
}

// Same reports whether requests for e and f go to the same place in the same way. Prices, limits and the name do not matter.
func (e Endpoint) Same(f Endpoint) bool {
	return e.URL == f.URL && e.Key == f.Key && e.Auth == f.Auth && e.Model == f.Model && e.API == f.API
}

// Mask shows as much of a key as helps to recognise it: the first four and last two characters of one longer than eight.
func Mask(key string) string {
	switch {
	case key == "":
		return ""
	case len(key) <= 8:
		return "***"
	}
	return key[:4] + "…" + key[len(key)-2:]
}

// String gives the endpoint with its key masked.
func (e Endpoint) String() string {
	return fmt.Sprintf("%s (%s, model %q, key %s)", e.Name, e.URL, e.Model, Mask(e.Key))
}

// GoString is [Endpoint.String], so that %#v shows no key.
func (e Endpoint) GoString() string { return e.String() }

// LogValue implements [slog.LogValuer] with the key masked.
func (e Endpoint) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", e.Name), slog.String("url", e.URL), slog.String("model", e.Model), slog.String("key", Mask(e.Key)))
}
