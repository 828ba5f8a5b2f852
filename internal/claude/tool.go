package claude

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/claude/scan"
)

// Tool decodes the tool's input. It scans ToolInput at each call; keep the result.
func (in *Input) Tool() ToolIn {
	var t ToolIn
	w := scan.Members(in.ToolInput)
	for {
		name, value, ok := w.Next()
		if !ok {
			return t
		}
		switch string(scan.Name(name)) {
		case "file_path":
			setText(&t.FilePath, value)
		case "content":
			setText(&t.Content, value)
		case "old_string":
			setText(&t.OldString, value)
		case "new_string":
			setText(&t.NewString, value)
		case "replace_all":
			t.ReplaceAll = value[0] == 't'
		case "edits":
			t.Edits = edits(value)
		case "notebook_path":
			setText(&t.NotebookPath, value)
		case "new_source":
			setText(&t.NewSource, value)
		case "edit_mode":
			setText(&t.EditMode, value)
		case "command":
			setText(&t.Command, value)
		case "description":
			setText(&t.Description, value)
		case "run_in_background":
			t.RunInBackground = value[0] == 't'
		case "prompt":
			setText(&t.Prompt, value)
		case "subagent_type":
			setText(&t.SubagentType, value)
		case "taskId":
			setText(&t.TaskID, value)
		case "status":
			setText(&t.Status, value)
		case "subject":
			setText(&t.Subject, value)
		case "skill":
			setText(&t.Skill, value)
		}
	}
}

func edits(v []byte) []EditIn {
	var list []EditIn
	w := scan.Elements(v)
	for _, item, ok := w.Next(); ok && len(list) < maxList; _, item, ok = w.Next() {
		if item[0] != '{' {
			continue
		}
		o := scan.Members(item)
		var e EditIn
		for name, value, ok := o.Next(); ok; name, value, ok = o.Next() {
			switch string(scan.Name(name)) {
			case "old_string":
				setText(&e.OldString, value)
			case "new_string":
				setText(&e.NewString, value)
			case "replace_all":
				e.ReplaceAll = value[0] == 't'
			}
		}
		list = append(list, e)
	}
	return list
}

// Response decodes the tool's response. It scans ToolResponse at each call; keep the result.
func (in *Input) Response() ToolOut {
	var t ToolOut
	if len(in.ToolResponse) == 0 {
		return t
	}
	if in.ToolResponse[0] != '{' {
		t.Text = texts(in.ToolResponse)
		return t
	}
	w := scan.Members(in.ToolResponse)
	for name, value, ok := w.Next(); ok; name, value, ok = w.Next() {
		t.member(scan.Name(name), value)
	}
	if t.Kind == "create" && t.Added == 0 && t.Content != "" {
		t.Added = strings.Count(t.Content, "\n")
		if !strings.HasSuffix(t.Content, "\n") {
			t.Added++
		}
	}
	return t
}

func (t *ToolOut) member(name, value []byte) {
	switch string(name) {
	case "type":
		setText(&t.Kind, value)
	case "filePath":
		setText(&t.FilePath, value)
	case "content":
		setText(&t.Content, value)
		if value[0] == '[' {
			t.Text = texts(value)
		}
	case "originalFile":
		setText(&t.OriginalFile, value)
		t.HasOriginal = value[0] == '"'
	case "structuredPatch":
		t.Added, t.Removed = patchLines(value)
	case "userModified":
		t.UserModified = value[0] == 't'
	case "stdout":
		setText(&t.Stdout, value)
	case "stderr":
		setText(&t.Stderr, value)
	case "interrupted":
		t.Interrupted = value[0] == 't'
	case "backgroundTaskId":
		setText(&t.BackgroundTaskID, value)
	case "bashEditDiff":
		t.bashEditDiff(value)
	case "file":
		t.file(value)
	case "agentId":
		setText(&t.AgentID, value)
	case "status":
		setText(&t.AgentStatus, value)
	case "resolvedModel":
		setText(&t.ResolvedModel, value)
	case "totalTokens":
		t.TotalTokens, _ = scan.Int(value)
	case "statusChange":
		t.statusChange(value)
	}
}

// file reads what Read says about the file; the text itself is left alone.
func (t *ToolOut) file(value []byte) {
	w := scan.Members(value)
	for name, value, ok := w.Next(); ok; name, value, ok = w.Next() {
		n, _ := scan.Int(value)
		switch string(scan.Name(name)) {
		case "filePath":
			setText(&t.FilePath, value)
		case "numLines":
			t.NumLines = int(n)
		case "startLine":
			t.StartLine = int(n)
		case "totalLines":
			t.TotalLines = int(n)
		}
	}
}

func (t *ToolOut) statusChange(value []byte) {
	w := scan.Members(value)
	for name, value, ok := w.Next(); ok; name, value, ok = w.Next() {
		switch string(scan.Name(name)) {
		case "from":
			setText(&t.StatusFrom, value)
		case "to":
			setText(&t.StatusTo, value)
		}
	}
}

// bashEditDiff reads which files a command changed and how many lines the shown hunks add and remove.
func (t *ToolOut) bashEditDiff(value []byte) {
	w := scan.Members(value)
	for name, value, ok := w.Next(); ok; name, value, ok = w.Next() {
		items := scan.Elements(value)
		switch string(scan.Name(name)) {
		case "changedFiles":
			for _, file, ok := items.Next(); ok && len(t.ChangedFiles) < maxList; _, file, ok = items.Next() {
				if file[0] == '"' {
					t.ChangedFiles = append(t.ChangedFiles, scan.Unquote(file))
				}
			}
		case "files":
			for _, file, ok := items.Next(); ok; _, file, ok = items.Next() {
				members := scan.Members(file)
				for name, value, ok := members.Next(); ok; name, value, ok = members.Next() {
					if scan.Equal(name, "hunks") {
						added, removed := patchLines(value)
						t.Added, t.Removed = t.Added+added, t.Removed+removed
					}
				}
			}
		}
	}
}

// patchLines counts the + and - lines of a structuredPatch.
func patchLines(value []byte) (added, removed int) {
	hunks := scan.Elements(value)
	for _, hunk, ok := hunks.Next(); ok; _, hunk, ok = hunks.Next() {
		members := scan.Members(hunk)
		for name, value, ok := members.Next(); ok; name, value, ok = members.Next() {
			if !scan.Equal(name, "lines") {
				continue
			}
			lines := scan.Elements(value)
			for _, line, ok := lines.Next(); ok; _, line, ok = lines.Next() {
				switch {
				case len(line) < 3 || line[0] != '"':
				case line[1] == '+':
					added++
				case line[1] == '-':
					removed++
				}
			}
		}
	}
	return added, removed
}

// texts joins what a bare string, or the text parts of an array, say.
func texts(value []byte) string {
	if end, err := scan.String(value, 0); value[0] == '"' && err == nil && end == len(value) {
		return scan.Unquote(value)
	}
	var out strings.Builder
	w := scan.Elements(value)
	for _, item, ok := w.Next(); ok; _, item, ok = w.Next() {
		members := scan.Members(item)
		for name, value, ok := members.Next(); ok; name, value, ok = members.Next() {
			if value[0] == '"' && scan.Equal(name, "text") {
				if out.Len() > 0 {
					out.WriteByte('\n')
				}
				out.WriteString(scan.Unquote(value))
			}
		}
	}
	return out.String()
}
