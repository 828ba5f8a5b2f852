package usage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/devflow-suite/devflow/internal/claude"
	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/telemetry"
)

// Bounds of the todo list that is kept.
const (
	maxTodos    = 50
	maxTodoText = 200 // bytes, after secrets are taken out
)

// Todo is one entry of the session's todo list.
type Todo struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending in_progress completed deleted
	// ID is what TaskUpdate calls the entry, Use the tool call that made it. Both are empty in lists of TodoWrite.
	ID  string `json:"id,omitempty"`
	Use string `json:"use,omitempty"`
}

// noteworthy reports whether notes looks at a tool.
func noteworthy(tool string) bool {
	switch tool {
	case "Skill", "TodoWrite", "TaskCreate", "TaskUpdate":
		return true
	}
	return false
}

// notes keeps what the tool calls of this reading say about skills and todos, in kv: the skills of the task under
// "skills:<task>", the todo list of the session under "todos:<session>".
func (r *reader) notes() error {
	if len(r.uses) == 0 && !r.o.Force {
		return nil
	}
	skillsKey, todosKey := "skills:"+r.task.ID(), "todos:"+r.task.SessionID
	keptSkills, err := telemetry.Get(r.tx, skillsKey)
	if err != nil {
		return err
	}
	keptTodos, err := telemetry.Get(r.tx, todosKey)
	if err != nil {
		return err
	}
	var skills []string
	if keptSkills != "" {
		skills = strings.Split(keptSkills, ",")
	}
	var todos []Todo
	if keptTodos != "" && json.Unmarshal([]byte(keptTodos), &todos) != nil {
		todos = nil // written by nobody: begin anew
	}
	for i := range r.uses {
		switch u := &r.uses[i]; u.Name {
		case "Skill":
			skills = addSkill(skills, u)
		case "TodoWrite":
			todos = replaceTodos(todos, u)
		case "TaskCreate":
			todos = addTodo(todos, u)
		case "TaskUpdate":
			todos = updateTodo(todos, u)
		}
	}
	r.res.Skills, r.res.Todos = skills, todos
	if text := strings.Join(skills, ","); text != keptSkills {
		if err := telemetry.Put(r.tx, skillsKey, text); err != nil {
			return err
		}
	}
	if len(todos) == 0 && keptTodos == "" {
		return nil
	}
	text, err := json.Marshal(todos)
	if err != nil {
		return fmt.Errorf("encode todos: %w", err)
	}
	if string(text) == keptTodos {
		return nil
	}
	return telemetry.Put(r.tx, todosKey, string(text))
}

func addSkill(list []string, u *claude.ToolUse) []string {
	var in struct{ Skill, Command string }
	if json.Unmarshal(u.Input, &in) != nil {
		return list
	}
	name := in.Skill
	if name == "" {
		name = in.Command // before 2.1
	}
	if name == "" || len(name) > maxTodoText || strings.Contains(name, ",") || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

func replaceTodos(list []Todo, u *claude.ToolUse) []Todo {
	var in struct {
		Todos []struct{ Content, Status string }
	}
	if json.Unmarshal(u.Input, &in) != nil || in.Todos == nil {
		return list
	}
	list = make([]Todo, 0, min(len(in.Todos), maxTodos))
	for _, t := range in.Todos[:min(len(in.Todos), maxTodos)] {
		list = append(list, Todo{Text: todoText(t.Content), Status: t.Status})
	}
	return list
}

// addTodo appends what TaskCreate made. The client numbers a session's tasks from 1; the number is not in the call.
func addTodo(list []Todo, u *claude.ToolUse) []Todo {
	var in struct{ Subject string }
	if json.Unmarshal(u.Input, &in) != nil || in.Subject == "" || len(list) >= maxTodos {
		return list
	}
	last := 0
	for _, t := range list {
		if t.Use != "" && t.Use == u.ID {
			return list // read before
		}
		if n, err := strconv.Atoi(t.ID); err == nil {
			last = max(last, n)
		}
	}
	return append(list, Todo{Text: todoText(in.Subject), Status: "pending", ID: strconv.Itoa(last + 1), Use: u.ID})
}

func updateTodo(list []Todo, u *claude.ToolUse) []Todo {
	var in struct{ TaskID, Status, Subject string }
	if json.Unmarshal(u.Input, &in) != nil {
		return list
	}
	i := slices.IndexFunc(list, func(t Todo) bool { return t.ID != "" && t.ID == in.TaskID })
	if i < 0 {
		return list
	}
	list = slices.Clone(list)
	if in.Status != "" { // an entry that was deleted keeps its number, so that later ones are not mistaken for it
		list[i].Status = in.Status
	}
	if in.Subject != "" {
		list[i].Text = todoText(in.Subject)
	}
	return list
}

// todoText takes secrets out and cuts.
func todoText(s string) string { return redact.Clip(s, maxTodoText) }

// TodoLines writes a todo list for the rescue text: "[x] done", "[>] in progress", "[ ] to do". Deleted entries are left out.
func TodoLines(list []Todo) []string {
	lines := make([]string, 0, len(list))
	for _, t := range list {
		switch t.Status {
		case "completed":
			lines = append(lines, "[x] "+t.Text)
		case "in_progress":
			lines = append(lines, "[>] "+t.Text)
		case "deleted":
		default:
			lines = append(lines, "[ ] "+t.Text)
		}
	}
	return lines
}
