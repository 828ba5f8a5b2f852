package quiet_test

import (
	"os/exec"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/quiet"
)

// recorder runs the cleanups when it is told to.
type recorder struct {
	*testing.T
	cleanups []func()
	errors   int
}

func (r *recorder) Cleanup(fn func())     { r.cleanups = append(r.cleanups, fn) }
func (r *recorder) Errorf(string, ...any) { r.errors++ }

func TestAwaitWaitsForWhatIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "read line")
	cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &recorder{T: t}
	quiet.Await(r, dir)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.cleanups[0]()
	}()
	select {
	case <-done:
		t.Error("did not wait for a process that was still there")
	default:
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	<-done
	if r.errors > 0 {
		t.Errorf("%d errors after the process has ended", r.errors)
	}
	quiet.Await(r, t.TempDir())
	r.cleanups[1]() // nothing to wait for
}
