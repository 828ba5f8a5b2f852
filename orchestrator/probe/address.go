package probe

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/devflow-suite/devflow/orchestrator/gateway/endpoint"
)

// address cleans what a person typed or pasted.
func (p *prober) address(context.Context) bool {
	key := strings.TrimSpace(p.o.Key)
	if len(key) > 7 && strings.EqualFold(key[:7], "bearer ") {
		key = strings.TrimSpace(key[7:])
	}
	p.o.Key, p.server.Key = key, key
	base, local, problem := clean(p.o.URL)
	if problem == "" {
		e := endpoint.Endpoint{Name: "probe", URL: base, Key: key}
		if err := e.Validate(); err != nil {
			_, problem, _ = strings.Cut(err.Error(), `"probe": `)
		}
	}
	if problem != "" {
		p.line("address", Fail, problem, "give an address such as https://host:port, and the key apart from it")
		return false
	}
	p.local = local
	p.report.URL, p.server.Base = base, base
	if strings.HasPrefix(base, "http://") && !local {
		p.line("address", Warn, base+" is not encrypted: the key and the code can be read on the way", "use https, or a tunnel")
	} else if base != strings.TrimSpace(p.o.URL) {
		p.line("address", Info, "used as "+base, "")
	}
	return true
}

// clean gives the base address, or what is wrong with the text. It never repeats the text, which may hold a password.
func clean(text string) (base string, local bool, problem string) {
	text = strings.Trim(strings.TrimSpace(text), `"'<>`)
	if text == "" {
		return "", false, "no address is given"
	}
	if !strings.Contains(text, "://") {
		host, _, _ := strings.Cut(text, "/")
		scheme := "https://"
		if private(host) {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", false, "this is no address"
	case u.User != nil:
		return "", false, "the address holds a user name or a password"
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false, fmt.Sprintf("addresses begin with http:// or https://, not %.20q", u.Scheme)
	case u.Hostname() == "":
		return "", false, "the address names no host"
	}
	path := strings.TrimRight(u.Path, "/")
	for _, known := range [...]string{"/messages", "/chat/completions", "/models"} {
		path = strings.TrimSuffix(path, known)
	}
	path = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(path, "/"), "/v1"), "/")
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String(), private(u.Host), ""
}

// private reports whether a host, perhaps with a port, is on this machine or in a private network.
func private(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".lan")
}
