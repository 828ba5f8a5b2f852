package probe

import "encoding/json"

// toolsBytes is about the size of realTools as JSON; the client's six have 10.3 kB (2.1.197) and 11.9 kB (2.1.332).
const toolsBytes = 11900

type param struct{ name, kind, about string }

// realTools are six tools with the names and arguments of those that a worker is offered, about as long as the client's.
func realTools() []any {
	tool := func(size int, name, about string, wanted []string, params ...param) request {
		properties := request{}
		for _, p := range params {
			properties[p.name] = request{"type": p.kind, "description": p.about}
		}
		t := request{"name": name, "description": about, "input_schema": request{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties, "required": wanted, "additionalProperties": false,
		}}
		if encoded, err := json.Marshal(t); err == nil && len(encoded) < size {
			t["description"] = about + "\n" + rulesText(size-len(encoded)-2)
		}
		return t
	}
	file := param{"file_path", "string", "Absolute path of the file"}
	return []any{
		tool(4000, "Bash", "Runs a command in a shell and gives back its output.", []string{"command"},
			param{"command", "string", "The command"}, param{"timeout", "number", "Milliseconds"}, param{"description", "string", "What it does, in a few words"}, param{"run_in_background", "boolean", "Do not wait for its end"}),
		tool(1000, "Edit", "Replaces a text in a file.", []string{"file_path", "old_string", "new_string"},
			file, param{"old_string", "string", "The text as it stands"}, param{"new_string", "string", "The text to stand there"}, param{"replace_all", "boolean", "Everywhere"}),
		tool(750, "Glob", "Finds files by a pattern of names.", []string{"pattern"}, param{"pattern", "string", "For instance **/*.go"}, param{"path", "string", "Folder to look in"}),
		tool(3350, "Grep", "Finds lines in files by a regular expression.", []string{"pattern"},
			param{"pattern", "string", "Regular expression"}, param{"path", "string", "File or folder"}, param{"glob", "string", "Names of files"}, param{"output_mode", "string", "content, files_with_matches or count"},
			param{"-A", "number", "Lines after"}, param{"-B", "number", "Lines before"}, param{"-i", "boolean", "Ignore case"}, param{"head_limit", "number", "At most so many"}, param{"multiline", "boolean", "Across lines"}),
		tool(2000, "Read", "Reads a file, with the numbers of its lines.", []string{"file_path"}, file, param{"offset", "number", "First line"}, param{"limit", "number", "How many lines"}),
		tool(660, "Write", "Writes a file as a whole.", []string{"file_path", "content"}, file, param{"content", "string", "All of it"}),
	}
}
