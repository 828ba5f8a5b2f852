package openai

import (
	"fmt"
	"net/url"
	"strings"
)

// URL gives the address of a resource ("chat/completions", "models") below the base address of an OpenAI-compatible server. A base that
// ends in a version ("/v1", "/api/v3") is taken as it is, to any other "/v1" is added, and one that already names chat/completions is
// cut there.
func URL(base, resource string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return "", fmt.Errorf("read address of endpoint: %w", err)
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	if !version(last) && last != "openai" {
		path += "/v1"
	}
	u.Path, u.RawPath = path+"/"+resource, ""
	return u.String(), nil
}

// version reports whether a path element is one: v1, v1beta, v4.
func version(s string) bool {
	return len(s) > 1 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9'
}
