package spec

// Status is where the spec of a task stands.
type Status string

// The states of a spec. Completed is a claim: it calls for a verdict and never replaces one.
const (
	None         Status = "none"
	Pending      Status = "pending"
	Implementing Status = "implementing"
	Paused       Status = "paused"
	Completed    Status = "completed"
	Aborted      Status = "aborted"
	Expired      Status = "expired"
)

// LifeMS is how long, in milliseconds, an unfinished spec lives after it began or was resumed.
const LifeMS = 24 * 60 * 60 * 1000

// Active tells whether the spec is neither absent nor over.
func (s Status) Active() bool {
	return s == Pending || s == Implementing || s == Paused
}

// Event is what may happen to a spec.
type Event int

// The events of the machine of a specification. Starting is not among them: it begins a task.
const (
	EventEdit Event = iota + 1 // first source edit, or the marker says so
	EventPause
	EventResume
	EventAbort // typed by a person, or superseded by another spec
	EventComplete
	EventExpire
)

// Next is the state after an event; ok is false, and the state unchanged, where the event is not legal. edited tells whether the task
// has a source edit: a resumed spec goes back to where it was.
func (s Status) Next(e Event, edited bool) (next Status, ok bool) {
	switch {
	case e == EventEdit && s == Pending:
		return Implementing, true
	case e == EventPause && (s == Pending || s == Implementing):
		return Paused, true
	case e == EventResume && s == Paused && edited:
		return Implementing, true
	case e == EventResume && s == Paused:
		return Pending, true
	case e == EventAbort && s.Active():
		return Aborted, true
	case e == EventComplete && s == Implementing:
		return Completed, true
	case e == EventExpire && s.Active():
		return Expired, true
	}
	return s, false
}
