package flow_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/shell/flow"
)

// The proofs are tested through package shell, whose scripts are easier to read than trees; here is what a tree alone can show.
func TestFollow(t *testing.T) {
	t.Parallel()
	leaf := func(n int) *flow.Node { return &flow.Node{Kind: flow.Command, Cmd: n} }
	loop := &flow.Node{Kind: flow.Loop, Kids: []*flow.Node{leaf(0)}}
	for _, tt := range []struct {
		name string
		root *flow.Node
		want flow.Proof
	}{
		{"nothing", nil, flow.Proof{}},
		{"empty", &flow.Node{}, flow.Proof{}},
		{"one", leaf(0), flow.Proof{Success: true, Failure: true}},
		{"one of two", &flow.Node{Kids: []*flow.Node{leaf(0), leaf(1)}}, flow.Proof{}},
		{"and", &flow.Node{Kind: flow.Chain, Ops: []byte{'&'}, Kids: []*flow.Node{leaf(0), leaf(1)}}, flow.Proof{Success: true}},
		{"loop that may not run", loop, flow.Proof{Failure: true}},
	} {
		got := flow.Follow(tt.root, func(cmd int) (flow.Act, *flow.Node) {
			if cmd == 0 {
				return flow.Target, nil
			}
			return flow.Any, nil
		})
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// A function that calls itself ends, and proves nothing.
func TestRecursionIsBounded(t *testing.T) {
	t.Parallel()
	body := &flow.Node{}
	for range 100 {
		body.Kids = append(body.Kids, &flow.Node{Kind: flow.Command})
	}
	if got := flow.Follow(body, func(int) (flow.Act, *flow.Node) { return flow.Any, body }); got != (flow.Proof{}) {
		t.Errorf("proof %+v, want none", got)
	}
}
