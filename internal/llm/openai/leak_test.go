package openai_test

import (
	"net/http"
	"strings"
	"testing"
)

// Whatever an endpoint repeats, and however it breaks it up, the key stays out of everything that is kept or shown.
func TestTheKeyIsNeverRepeated(t *testing.T) {
	t.Parallel()
	broken := strings.Join(strings.Split(key, ""), "\u200b")
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"as the model":            {200, strings.Replace(content(`{"ok":true}`), "small-2", key, 1)},
		"as the model, broken up": {200, strings.Replace(content(`{"ok":true}`), "small-2", broken, 1)},
		"in an error":             {400, `{"error":{"message":"no such key: ` + key + `"}}`},
		"in an error, broken up":  {400, `{"error":{"message":"no such key: ` + broken + `"}}`},
		"across the cut":          {500, strings.Repeat("x", 290) + key},
		"in a page":               {502, "<html>" + key + "</html>"},
	} {
		e := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ sent) { say(w, answer.status, answer.body) })
		got, err := backend(t, e.URL).Ask(t.Context(), question())
		said := got.Model
		if err != nil {
			said += err.Error()
		}
		if strings.Contains(said, key) || strings.Contains(strings.ReplaceAll(said, "\u200b", ""), key) || strings.Contains(said, key[:10]) {
			t.Errorf("%s: %q", name, said)
		}
	}
}
