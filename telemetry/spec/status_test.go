package spec_test

import (
	"testing"

	"github.com/devflow-suite/devflow/telemetry/spec"
)

// All of the machine: what is not listed is not legal.
func TestSpecTransitions(t *testing.T) {
	t.Parallel()
	type step struct {
		from   spec.Status
		event  spec.Event
		edited bool
	}
	legal := map[step]spec.Status{}
	for _, edited := range []bool{false, true} {
		legal[step{spec.Pending, spec.EventEdit, edited}] = spec.Implementing
		legal[step{spec.Pending, spec.EventPause, edited}] = spec.Paused
		legal[step{spec.Implementing, spec.EventPause, edited}] = spec.Paused
		legal[step{spec.Implementing, spec.EventComplete, edited}] = spec.Completed
		for _, s := range []spec.Status{spec.Pending, spec.Implementing, spec.Paused} {
			legal[step{s, spec.EventAbort, edited}] = spec.Aborted
			legal[step{s, spec.EventExpire, edited}] = spec.Expired
		}
	}
	legal[step{spec.Paused, spec.EventResume, false}] = spec.Pending
	legal[step{spec.Paused, spec.EventResume, true}] = spec.Implementing
	for _, from := range []spec.Status{
		spec.None, spec.Pending, spec.Implementing, spec.Paused, spec.Completed,
		spec.Aborted, spec.Expired, "nonsense",
	} {
		for event := spec.EventEdit; event <= spec.EventExpire; event++ {
			for _, edited := range []bool{false, true} {
				want, ok := legal[step{from, event, edited}]
				if !ok {
					want = from
				}
				if got, gotOK := from.Next(event, edited); got != want || gotOK != ok {
					t.Errorf("%s + event %d (edited %v) = %s %v, want %s %v", from, event, edited, got, gotOK, want, ok)
				}
			}
		}
	}
}
