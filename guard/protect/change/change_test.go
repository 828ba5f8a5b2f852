package change_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/guard/protect/change"
	"github.com/devflow-suite/devflow/internal/shell"
)

func TestProjectIsMeasuredAgainstTheUsersFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "config.toml"), []byte("max_retries = 5\ndisabled = [\"tdd\"]\n[gate]\nauto_push = \"auto\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		before, after string
		want          []string
	}{
		{"", "max_retries = 4", nil},
		{"", "disabled = [\"tdd\"]", nil},
		{"", "disabled = [\"tdd\", \"rescue\"]", []string{"disabled"}},
		{"", "[gate]\nauto_push = \"auto\"", nil},
		{"max_retries = 2", "max_retries = 4", []string{"max_retries"}},
		{"max_retries = 2", "# nothing", []string{"max_retries"}},
		{"max_retries = 2\nis_production = true", "max_retries = 3", []string{"is_production", "max_retries"}},
		{"[tdd]\nsource_dirs = [\"src\", \"lib\"]", "[tdd]\nsource_dirs = [\"src\"]", []string{"tdd.source_dirs"}},
		{"[tdd]\nsource_dirs = [\"src\"]", "[tdd]\nsource_dirs = [\"src\", \"lib\"]", nil},
		{"[gate.tests]\n\"/p\" = \"make test\"", "[gate.tests]\n\"/p\" = \"true\"", []string{"gate.tests"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, change.Loosens(root, []byte(tt.before), []byte(tt.after))); diff != "" {
			t.Errorf("Loosens(%q, %q) (-want +got):\n%s", tt.before, tt.after, diff)
		}
	}
}

func TestSwitchesOff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"export DEVFLOW_CHILD=1":      "DEVFLOW_CHILD",
		"X=1 DEVFLOW_HOME=/x claude":  "DEVFLOW_HOME",
		"set -gx DEVFLOW_CHILD 1":     "DEVFLOW_CHILD",
		"setenv PAPERWEIGHT_RUN_ID x": "PAPERWEIGHT_RUN_ID",
		"export MY_DEVFLOW_CHILD=1":   "",
		"export DEVFLOW_CHILDREN=1":   "",
		"# DEVFLOW_CHILD is a mark":   "",
		"echo $DEVFLOW_CHILD":         "",
		"DEVFLOW_CHILD=":              "",
		"export PATH=~/bin:$PATH":     "",
		"test -n \"$DEVFLOW_HOME\"":   "",
	} {
		if got := change.SwitchesOff(text); got != want {
			t.Errorf("SwitchesOff(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	before := []byte(`{"model": "sonnet", "hooks": {}}`)
	own := func(w shell.Word) bool { return w.Text == "s.json" }
	tests := []struct {
		cmd, want string
		ok        bool
	}{
		{`sed -i s/sonnet/opus/ s.json`, `{"model": "opus", "hooks": {}}`, true},
		{`sed -i -e s/sonnet/opus/g -e s/opus/haiku/ s.json`, `{"model": "haiku", "hooks": {}}`, true},
		{`sed -i 's|sonnet|a/b|' s.json`, `{"model": "a/b", "hooks": {}}`, true},
		{`sed -i 's/.*/x/' s.json`, "", false},
		{`sed -i '1d' s.json`, "", false},
		{`sed -i 's/a/\n/' s.json`, "", false},
		{`sed -i -f script s.json`, "", false},
		{`jq '.model = "opus"' s.json`, string(before), true},
		{`jq '.a.b |= 1 | .c += [2]' s.json`, string(before), true},
		{`jq 'del(.model)' s.json`, string(before), true},
		{`jq '.hooks = {}' s.json`, "", false},
		{`jq '.model = 1 | del(.hooks)' s.json`, "", false},
		{`jq '.["hooks"] = {}' s.json`, "", false},
		{`jq '.model = 1, .env = 2' s.json`, "", false},
		{`jq '.model.x = 1' s.json`, "", false},
		{`jq '.model += ["x"]' s.json`, "", false},
		{`jq 'del(.model.x)' s.json`, "", false},
		{`jq '.model = empty' s.json`, "", false},
		{`jq '.model = (1, 2)' s.json`, "", false},
		{`jq '.model == 1' s.json`, "", false},
		{`jq '.model = .hooks' s.json`, "", false},
		{`jq 'del(.model, .hooks)' s.json`, "", false},
		{`jq '.statusLine = {"type": "command", padding: 0.5} | .permissions.allow[0] = [true, -1, $x]' s.json`, string(before), true},
		{`jq '{model}' s.json`, "", false},
		{`jq . s.json`, "", false},
		{`jq '.model = 1' other.json`, "", false},
		{`jq '.model = 1' s.json other.json`, "", false},
		{`jq -n '.model = 1' s.json`, "", false},
		{`jq -f x s.json`, "", false},
		{`jq ".model = $X" s.json`, "", false},
		{`python3 x.py s.json`, "", false},
		{``, "", false},
	}
	for _, tt := range tests {
		got, ok := change.Simulate(tt.cmd, before, own)
		if ok != tt.ok || ok && string(got) != tt.want {
			t.Errorf("Simulate(%s) = %q, %v, want %q, %v", tt.cmd, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "{}", "[]", "{\"hooks\":", `{"hooks": {"Stop": []}}`, "\xef\xbb\xbf{}", `{"env": null}`, `{"a": 1, "a": 2}`, "\xff\xfe", strings.Repeat("[", 20000), `{"disableAllHooks": true}`, `{"hooks": [1, {"x": [null]}]}`} {
		f.Add([]byte(s), []byte(`{"hooks": {"Stop": [{"hooks": []}]}}`))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		why := change.Settings(before, after)
		if bytes.Equal(before, after) && why != "" {
			t.Errorf("no change, and yet %q", why)
		}
		was, is := change.Guarded(before), change.Guarded(after)
		if why == "" && !bytes.Equal(before, after) && !cmp.Equal(was, is) {
			t.Errorf("from %q to %q: guarded keys %v became %v without a word", before, after, was, is)
		}
	})
}

func FuzzLoosens(f *testing.F) {
	f.Add("max_retries = 2", "max_retries = 3")
	f.Add("[gate]\nauto_push = \"off\"", "= =")
	f.Add("", "disabled = [\"tdd\"]")
	f.Fuzz(func(t *testing.T, before, after string) {
		if got := change.Loosens("", []byte(before), []byte(before)); got != nil {
			t.Errorf("no change, and yet %v", got)
		}
		change.Loosens("", []byte(before), []byte(after))
		change.MovesHooks([]byte(before), []byte(after))
		change.SwitchesOff(before)
		change.Simulate(before, []byte(after), func(shell.Word) bool { return true })
	})
}
