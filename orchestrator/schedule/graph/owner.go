package graph

import "github.com/devflow-suite/devflow/orchestrator"

// Owners tells for each region whose unfinished work its tree holds. attempts are in the order of their start. They follow each other
// in a region, so it is that of the last one, unless it was accepted or never got as far as its tree.
func Owners(attempts []orchestrator.Attempt, tasks []orchestrator.TaskRow) map[string]string {
	byID := map[string]orchestrator.TaskRow{}
	for _, t := range tasks {
		byID[t.ID] = t
	}
	perRegion := map[string][]orchestrator.Attempt{}
	for _, a := range attempts {
		region := byID[a.Task].Region
		perRegion[region] = append(perRegion[region], a)
	}
	out := map[string]string{}
	for region, list := range perRegion {
		if owner := ownerOf(list, byID); owner != "" {
			out[region] = owner
		}
	}
	return out
}

// ownerOf walks back from the last attempt in a region. Those that never began have left the tree as it was, except the first work
// at a task, which may have been killed while the tree was made new.
func ownerOf(list []orchestrator.Attempt, tasks map[string]orchestrator.TaskRow) string {
	last := list[len(list)-1]
	if tasks[last.Task].State.Over() || tasks[last.Task].State == orchestrator.TaskVerified {
		return ""
	}
	for i := len(list) - 1; i >= 0; i-- {
		a := list[i]
		began := a.PID != 0 || a.Session != ""
		switch {
		case a.Task != last.Task: // also in the same millisecond, when who came last is not known
			return ""
		case a.State == orchestrator.AttemptAccepted, !began && a.Kind == orchestrator.AttemptWork:
			return ""
		case began:
			return ambiguous(list[:i+1])
		}
	}
	return ""
}

// ambiguous gives the task of the last attempt of the list, unless one of another task started in the same millisecond.
func ambiguous(list []orchestrator.Attempt) string {
	last := list[len(list)-1]
	for i := len(list) - 2; i >= 0 && list[i].StartedAt.Equal(last.StartedAt); i-- {
		if list[i].Task != last.Task {
			return ""
		}
	}
	return last.Task
}
