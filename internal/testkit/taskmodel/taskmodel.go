// Package taskmodel is a scripted model that works on the tasks of devflock: what it does next follows from the conversation that
// it is shown, so that it goes on rightly after a crash, in a resumed session and at another endpoint.
//
// It owns no table. It is for tests only.
package taskmodel

import (
	"regexp"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// Model says what is done about each task.
type Model struct {
	// Plan is the structured answer of the manager, as a JSON object; nil = there is none.
	Plan map[string]any
	// Tasks are the steps of each task, one per request after the prompt that names it: the first when nothing was answered yet. A
	// prompt about the same task begins with the step after the last that was taken, a resumption with the first: steps must bear to
	// be taken twice.
	Tasks map[string][]mockapi.Step
	// Handover answers the request for a hand-over; "" = a short standard text.
	Handover string
	// Before, when set, sees every request of a conversation first and may answer it instead.
	Before func(r mockapi.Request, task string) (mockapi.Step, bool)
}

// named finds the task that a prompt is about.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:Your task|work on task|worked on task) ([a-z0-9][a-z0-9_-]*)`)
})

// Script is the model as a script of mockapi.
func (m Model) Script() mockapi.Script {
	return mockapi.Script{After: &mockapi.Step{Do: m.answer}}
}

func (m Model) answer(r mockapi.Request) mockapi.Step {
	task, answered := m.where(r)
	if m.Before != nil {
		if s, ok := m.Before(r, task); ok {
			return s
		}
	}
	switch {
	case r.HasTool("StructuredOutput") && m.Plan != nil && !strings.Contains(r.Last(), "Structured output provided"):
		return mockapi.Turn(mockapi.Tool("StructuredOutput", m.Plan))
	case strings.Contains(r.Last(), "## Public") && strings.Contains(r.Last(), "## Private"):
		if m.Handover != "" {
			return mockapi.Say(m.Handover)
		}
		return mockapi.Say("## Public\nnothing new\n\n## Private\nall is said\n")
	}
	if steps := m.Tasks[task]; answered < len(steps) {
		s := steps[answered]
		if s.Do != nil {
			return s.Do(r)
		}
		return s
	}
	return mockapi.Say("The work on " + task + " is done.")
}

// where gives the task of the newest prompt that names one, and how many answers about it have been given in the conversation.
func (m Model) where(r mockapi.Request) (task string, answered int) {
	for _, msg := range r.Messages {
		switch msg.Role {
		case "user":
			for _, hit := range named().FindAllStringSubmatch(msg.Text, -1) {
				if hit[1] != task {
					task, answered = hit[1], 0
				}
			}
			if strings.Contains(msg.Text, "You were interrupted") { // what was answered last may never have been done
				answered = 0
			}
		case "assistant":
			answered++
		}
	}
	return task, answered
}
