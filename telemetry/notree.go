package telemetry

// NoTree stands in a task's BaseTree when the work tree could not be snapshot before the first change: no repository, no
// git, no time. Such a task cannot be judged, and a tree taken later would hide what was changed before.
const NoTree = "none"
