package upstream

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
)

const (
	// concealFrom is the length in bytes from which a key is concealed in errors; a shorter one would take words out of them.
	concealFrom = 4
	// concealAlways is the length from which it is concealed in answers too. What is shorter is no secret but a word such as "none" or
	// "sk-no-key-required", which servers without keys want to see, and a model may well say it.
	concealAlways = 20
)

// mask stands in the place of a key.
const mask = "***"

// spellings are the forms in which a key may be repeated; the key itself is the first.
func spellings(key string) []string {
	list := []string{key}
	add := func(s string) {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	if quoted, err := json.Marshal(key); err == nil {
		add(string(quoted[1 : len(quoted)-1]))
		add(strings.ReplaceAll(string(quoted[1:len(quoted)-1]), "/", `\/`))
	}
	add(url.QueryEscape(key))
	add(url.PathEscape(key))
	add(base64.StdEncoding.EncodeToString([]byte(key)))
	add(http.CanonicalHeaderKey(key))
	add(strings.ToLower(key))
	return list
}

// Conceal replaces the key in what an endpoint says: some repeat it in their errors.
func Conceal(text []byte, e endpoint.Endpoint) []byte {
	if len(e.Key) < concealFrom || len(text) == 0 {
		return text
	}
	return []byte(without(string(text), spellings(e.Key)))
}

func without(text string, words []string) string {
	for _, w := range words {
		text = strings.ReplaceAll(text, w, mask)
	}
	return text
}

// ConcealText is [Conceal] for a text.
func ConcealText(text string, e endpoint.Endpoint) string { return string(Conceal([]byte(text), e)) }

// ConcealHeader is [Conceal] for headers. One whose name holds the key is left out.
func ConcealHeader(h http.Header, e endpoint.Endpoint) http.Header {
	if len(e.Key) < concealFrom {
		return h
	}
	words, out := spellings(e.Key), make(http.Header, len(h))
	for name, values := range h {
		if without(name, words) != name {
			continue
		}
		for _, v := range values {
			out[name] = append(out[name], without(v, words))
		}
	}
	return out
}

// Concealed conceals the key in a body as it is read. Nothing is held back but what may be the beginning of the key.
func Concealed(from io.Reader, e endpoint.Endpoint) io.Reader {
	if len(e.Key) < concealAlways {
		return from
	}
	c := &concealed{from: from}
	for _, s := range spellings(e.Key) {
		c.words = append(c.words, []byte(s))
	}
	return c
}

type concealed struct {
	from  io.Reader
	words [][]byte
	out   []byte // to be given
	held  []byte // may be the beginning of a word
	in    []byte
	err   error
}

// Read implements [io.Reader].
func (c *concealed) Read(p []byte) (int, error) {
	for len(c.out) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		if c.in == nil {
			c.in = make([]byte, readSize)
		}
		n, err := c.from.Read(c.in)
		c.err = err
		c.feed(c.in[:n])
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

func (c *concealed) feed(b []byte) {
	text := append(c.held, b...)
	for _, w := range c.words {
		if bytes.Contains(text, w) {
			text = bytes.ReplaceAll(text, w, []byte(mask))
		}
	}
	keep := 0
	if c.err == nil {
		for _, w := range c.words {
			for n := min(len(w)-1, len(text)); n > keep; n-- {
				if bytes.HasSuffix(text, w[:n]) {
					keep = n
				}
			}
		}
	}
	c.out = text[:len(text)-keep]
	c.held = append([]byte(nil), text[len(text)-keep:]...)
}
