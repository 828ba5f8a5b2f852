package telemetry

import "github.com/devflow-suite/devflow/telemetry/spec"

// SpecStatus is where the spec of a task stands, SpecEvent what may happen to it.
type (
	SpecStatus = spec.Status
	SpecEvent  = spec.Event
)

// The events that a program may bring about (MoveSpec).
const (
	EventPause  = spec.EventPause
	EventResume = spec.EventResume
)

// The states of a spec.
const (
	SpecNone         = spec.None
	SpecPending      = spec.Pending
	SpecImplementing = spec.Implementing
	SpecPaused       = spec.Paused
	SpecCompleted    = spec.Completed
	SpecAborted      = spec.Aborted
	SpecExpired      = spec.Expired
)
