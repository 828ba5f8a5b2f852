package claude_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/claude"
)

func TestSessionKey(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 128)
	for _, tc := range []struct {
		name, stdin string
		env         map[string]string
		want        string
	}{
		{"stdin first", "s1", map[string]string{"CLAUDE_CODE_SESSION_ID": "e1"}, "s1"},
		{"then the client's variable", "", map[string]string{"CLAUDE_CODE_SESSION_ID": "e1", "CLAUDE_SESSION_ID": "e2", "DEVFLOW_SESSION_ID": "e3"}, "e1"},
		{"then the older one", "", map[string]string{"CLAUDE_SESSION_ID": "e2", "DEVFLOW_SESSION_ID": "e3"}, "e2"},
		{"then ours", "", map[string]string{"DEVFLOW_SESSION_ID": "e3"}, "e3"},
		{"else none", "", nil, ""},
		{"every allowed character", "aZ09._-", nil, "aZ09._-"},
		{"128 characters", long, nil, long},
		{"129 characters", long + "a", nil, "c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae"},
		{"a way out of the folder", "../x", nil, "d6b96a97d147daaae49eb87a5ca7bfbc280e79551016df8aa5edc5920d21c274"},
		{"dots only", "..", nil, "5ec1f7e700f37c3d0b2981d04855fc34b94aaa15457b05ca571817442d228f81"},
		{"dots only, from the environment", "", map[string]string{"CLAUDE_CODE_SESSION_ID": "."}, "cdb4ee2aea69cc6a83331bbe96dc2caa9a299d21329efb0336fc02a82e1839a8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := claude.SessionKey(claude.Input{SessionID: tc.stdin}, func(k string) string { return tc.env[k] })
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
