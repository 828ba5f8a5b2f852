package telemetry

// SpecStatus is where the spec of a task stands.
type SpecStatus string

// The states of a spec. Completed is a claim: it calls for a verdict and never replaces one.
const (
	SpecNone         SpecStatus = "none"
	SpecPending      SpecStatus = "pending"
	SpecImplementing SpecStatus = "implementing"
	SpecPaused       SpecStatus = "paused"
	SpecCompleted    SpecStatus = "completed"
	SpecAborted      SpecStatus = "aborted"
	SpecExpired      SpecStatus = "expired"
)

// specLifeMS is how long an unfinished spec lives after it began or was resumed.
const specLifeMS = 24 * 60 * 60 * 1000

// Active tells whether the spec is neither absent nor over.
func (s SpecStatus) Active() bool {
	return s == SpecPending || s == SpecImplementing || s == SpecPaused
}

// SpecEvent is what may happen to a spec.
type SpecEvent int

// The events of the machine in governance 3.3. Starting is not among them: it begins a task.
const (
	EventEdit SpecEvent = iota + 1 // first source edit, or the marker says so
	EventPause
	EventResume
	EventAbort // typed by a person, or superseded by another spec
	EventComplete
	EventExpire
)

// Next is the state after an event; ok is false, and the state unchanged, where the event is not legal. edited tells whether the task
// has a source edit: a resumed spec goes back to where it was.
func (s SpecStatus) Next(e SpecEvent, edited bool) (next SpecStatus, ok bool) {
	switch {
	case e == EventEdit && s == SpecPending:
		return SpecImplementing, true
	case e == EventPause && (s == SpecPending || s == SpecImplementing):
		return SpecPaused, true
	case e == EventResume && s == SpecPaused && edited:
		return SpecImplementing, true
	case e == EventResume && s == SpecPaused:
		return SpecPending, true
	case e == EventAbort && s.Active():
		return SpecAborted, true
	case e == EventComplete && s == SpecImplementing:
		return SpecCompleted, true
	case e == EventExpire && s.Active():
		return SpecExpired, true
	}
	return s, false
}
