package flock_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/orchestrator"
)

// What a worker has started does not outlive its attempt: it could put a link in the place of a folder at the very moment in which git
// reads or writes there for us, and so read or write whatever the person may. The daemon here beats until it is ended; the check wants
// it to be dead already. The session goes on all the same.
func TestNothingOfAnAttemptRunsWhileItIsChecked(t *testing.T) {
	t.Parallel()
	for _, confine := range []string{"bwrap", "landlock"} {
		t.Run(confine, func(t *testing.T) {
			t.Parallel()
			eachClient(t, func(t *testing.T, c claudecli.Client) {
				t.Helper()
				const beat = "(trap '' TERM HUP; setsid -f sh -c 'trap \"\" TERM HUP; while :; do cat /proc/uptime > beat; sleep 0.01; done' > /dev/null 2>&1); sleep 0.1; test -s beat"
				s := newStage(t, c, plain, script(map[string][]mockapi.Step{"one": does(beat), "two": does(beat + " && echo two > two.txt")}))
				const still = "a=$(cat beat); sleep 0.5; test \"$a\" = \"$(cat beat)\""
				p := s.start(s.flags(append(s.plan(orchestrator.Plan{
					Summary: "daemons", Modules: []orchestrator.Module{{Name: "m", Path: "m", Weight: 1}},
					Tasks: []orchestrator.Task{
						{ID: "one", Module: "m", Description: "leave something running", Acceptance: still},
						{ID: "two", Module: "m", Description: "leave something running again", DependsOn: []string{"one"}, Acceptance: still + " && test -s two.txt"},
					},
				}), "--confine", confine)...)...)
				p.well()
				r := s.rows()
				one, two := r.of("one"), r.of("two")
				if len(one) != 1 || len(two) != 1 || one[0].Session != two[0].Session || one[0].Session == "" {
					t.Errorf("attempts %+v, %+v: want one each, in one session", one, two)
				}
				talk := s.srv.Talk("")
				if last := talk[len(talk)-1].Text(); !strings.Contains(last, "task one") || !strings.Contains(last, "task two") {
					t.Errorf("the conversation was not gone on with: %s", last)
				}
				s.gone("")
			})
		})
	}
}
