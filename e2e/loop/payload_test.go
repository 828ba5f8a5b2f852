package loop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Places of the recorded payloads.
const (
	recordedTranscripts = "/home/dev/.claude/projects/-home-dev-proj"
	recordedProject     = "/home/dev/proj"
	recordedHome        = "/home/dev"
)

// recorded is the folder of the payloads of a client version.
func recorded(version string) string {
	return filepath.Join("..", "..", "internal", "claude", "testdata", "hooks", version)
}

// payload makes the input of one event: a file of the script, or a recorded payload, with this world's places in it, in the order of
// fields that the client uses.
func (w *world) payload(name string, set ...string) ([]byte, error) {
	data, err := os.ReadFile(w.ts.MkAbs(name))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(recorded(w.env("CLIENT")), name+".json"))
	}
	if err != nil {
		return nil, err
	}
	was := struct {
		Session string `json:"session_id"`
		Prompt  string `json:"prompt_id"`
	}{"no session", "no prompt"}
	_ = json.Unmarshal(data, &was) // broken on purpose: then there is nothing to fill in
	if was.Session == "" || was.Prompt == "" {
		return nil, fmt.Errorf("payload %s: empty session or prompt: set it by the command", name)
	}
	text := strings.NewReplacer(
		recordedTranscripts, inner(w.transcripts()), recordedProject, inner(w.env("PROJ")), recordedHome, inner(w.env("HOME")),
		was.Session, inner(w.env("SESSION")), was.Prompt, inner(w.env("PROMPT")),
	).Replace(string(data))
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(text)); err != nil {
		return []byte(text), nil // broken on purpose
	}
	data = line.Bytes()
	if dir := w.env("CWD"); dir != "" {
		if data, err = change(data, "cwd="+dir); err != nil {
			return nil, err
		}
	}
	for _, s := range set {
		if data, err = change(data, s); err != nil {
			return nil, fmt.Errorf("payload %s: %w", name, err)
		}
	}
	return data, nil
}

// change applies one SET of a hook command.
func change(data []byte, set string) ([]byte, error) {
	path, value, assign := strings.Cut(set, "=")
	add := strings.HasPrefix(path, "+")
	drop := strings.HasPrefix(path, "-") && !assign
	path = strings.TrimLeft(path, "+-")
	var raw []byte
	switch {
	case drop:
		raw = []byte("null")
	case !assign:
		return nil, fmt.Errorf("set %q: no value", set)
	case strings.HasSuffix(path, ":"):
		path, raw = strings.TrimSuffix(path, ":"), []byte(value)
	default:
		raw = quoted(value)
	}
	start, end, last, err := locate(data, strings.Split(path, "."))
	found := start < end
	switch {
	case err != nil:
		return nil, fmt.Errorf("set %q: %w", set, err)
	case found == add:
		return nil, fmt.Errorf("set %q: field exists: %v; a field that the client does not send needs a +", set, found)
	case add:
		raw = append(append([]byte(","), quoted(path[strings.LastIndexByte(path, '.')+1:])...), append([]byte(":"), raw...)...)
	case drop:
		key := append(quoted(path[strings.LastIndexByte(path, '.')+1:]), ':')
		start, raw = bytes.LastIndex(data[:start], key), nil
		if last {
			start--
		} else {
			end++
		}
	}
	return append(append(append([]byte{}, data[:start]...), raw...), data[end:]...), nil
}

// locate finds the value of a path in compact JSON: its place, and whether it is the last of its object. A missing one has no length
// and is where it would be added.
func locate(data []byte, path []string) (start, end int, last bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return 0, 0, false, fmt.Errorf("find %s: not in an object (%v)", strings.Join(path, "."), err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return 0, 0, false, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return 0, 0, false, err
		}
		end := int(dec.InputOffset())
		start := end - len(raw)
		if key != path[0] {
			continue
		}
		if len(path) == 1 {
			return start, end, !dec.More(), nil
		}
		s, e, last, err := locate(raw, path[1:])
		return start + s, start + e, last, err
	}
	at := int(dec.InputOffset())
	if len(path) > 1 {
		return 0, 0, false, fmt.Errorf("find %s: no such object", strings.Join(path, "."))
	}
	return at, at, true, nil
}

// quoted is text as JSON.
func quoted(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err) // unreachable: strings encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// inner is text as it stands between the quotes of a JSON string.
func inner(text string) string { return string(bytes.Trim(quoted(text), `"`)) }

// eventOf is the event of a payload, also of a broken one, "" when it has none.
func eventOf(data []byte) string {
	_, rest, _ := strings.Cut(string(data), `"hook_event_name":"`)
	name, _, found := strings.Cut(rest, `"`)
	if !found {
		return ""
	}
	return name
}
