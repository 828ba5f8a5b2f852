package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// normalise takes out of a recorded text what differs from run to run: paths (as if the project were /home/dev/proj), ids (numbered
// in order of appearance), times, durations and the port of the endpoint.
func (r *recording) normalise(raw []byte) []byte {
	s := string(raw)
	for _, p := range []struct{ from, to string }{
		{slug(r.root) + "-home", "-home"}, {r.root + "/home", "/home"}, {r.root, "/opt/e2e"}, {scratch, "/opt/e2e"},
		{filepath.Base(r.srv.URL[len("http://"):]), "127.0.0.1:40000"},
	} {
		s = strings.ReplaceAll(s, p.from, p.to)
	}
	s = number(s, `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`, "00000000-0000-4000-8000-%012d")
	s = number(s, `\ba[0-9a-f]{16}\b`, "a%016d")
	s = number(s, `\bb[0-9a-z]{8}\b`, "b%08d")
	s = regexp.MustCompile(`("(?:duration_ms|totalDurationMs|durationMs|total_duration_ms|total_api_duration_ms|seconds_since_last_response|thinkingDurationMs|toolInputStreamMs|sentAtMs)": *)[0-9]+`).ReplaceAllString(s, "${1}12")
	s = regexp.MustCompile(`<duration_ms>[0-9]+`).ReplaceAllString(s, "<duration_ms>12")
	s = regexp.MustCompile(`duration_ms: [0-9]+`).ReplaceAllString(s, "duration_ms: 12")
	s = regexp.MustCompile(`Linux [0-9][0-9A-Za-z.-]*`).ReplaceAllString(s, "Linux")
	return []byte(regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`).ReplaceAllString(s, "2026-01-02T03:04:05.678Z"))
}

// number replaces each distinct match by a numbered one. Background task ids look like words: only texts with a digit count.
func number(s, pattern, form string) string {
	known := map[string]string{}
	return regexp.MustCompile(pattern).ReplaceAllStringFunc(s, func(id string) string {
		if !strings.ContainsAny(id, "0123456789") {
			return id
		}
		if known[id] == "" {
			known[id] = fmt.Sprintf(form, len(known)+1)
		}
		return known[id]
	})
}

// slug is how the client names a project's folder: every character but letters and digits becomes a hyphen.
func slug(path string) string { return regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(path, "-") }
