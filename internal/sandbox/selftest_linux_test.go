package sandbox_test

import (
	"os"
	"testing"

	"github.com/devflow-suite/devflow/internal/sandbox"
)

func find(t testing.TB, kind sandbox.Kind) sandbox.Sandbox {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sandbox.Find(t.Context(), kind, []string{exe, "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSelfTestFindsWhatTheBackendPromises(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := find(t, kind)
			t.Logf("lacks %q", s.Lacks())
			rows, err := sandbox.SelfTest(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				t.Logf("%-50s allowed=%-5t want=%-5t %s", r.Name, r.Allowed, r.Want, r.Detail)
				if r.Allowed != r.Want {
					t.Errorf("%s: allowed %t, promised %t: %s", r.Name, r.Allowed, r.Want, r.Detail)
				}
			}
		})
	}
}
