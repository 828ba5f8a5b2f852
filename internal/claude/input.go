package claude

import "encoding/json"

// Input is one hook event as it came on stdin. A field that the event does not carry is the zero value. Input holds slices
// of the decoded bytes: they must not be changed while the Input is in use.
type Input struct {
	SessionID      string
	TranscriptPath string // may not exist yet
	Cwd            string // the session's present folder; on CwdChanged still the old one
	Event          string // hook_event_name
	PromptID       string // absent on SessionStart startup and resume
	PermissionMode string
	AgentID        string // "" in the main agent
	AgentType      string
	Effort         string // effort.level

	ToolName     string
	ToolUseID    string
	ToolInput    json.RawMessage // any JSON value; nil when absent
	ToolResponse json.RawMessage // any JSON value; nil when absent
	Error        string          // PostToolUseFailure, StopFailure
	IsInterrupt  bool
	DurationMS   int64 // milliseconds

	Prompt        string // raw text; also synthetic prompts such as <task-notification>
	ExpansionType string
	CommandName   string
	CommandArgs   string
	CommandSource string

	Source             string // SessionStart: startup, resume, clear, compact
	Model              string
	Reason             string // SessionEnd
	Trigger            string // PreCompact, PostCompact: manual, auto
	CustomInstructions string
	CompactSummary     string

	StopHookActive       bool
	LastAssistantMessage string
	BackgroundTasks      []BackgroundTask
	AgentTranscriptPath  string
	OldCwd               string
	NewCwd               string

	// Extra holds the raw value of every member that has no field above, and of the known ones with a wrong type. Nil when
	// there is none.
	Extra map[string]json.RawMessage
	// Malformed names the known members whose value has a wrong type, in the order of the fields above. Null counts as
	// absent, except for tool_input, which must be an object.
	Malformed []string
}

// BackgroundTask is one entry of Stop's background_tasks.
type BackgroundTask struct {
	ID          string
	Type        string
	Status      string
	Description string
	AgentType   string
}

// ToolIn is the part of a tool's input that governance looks at, over all tools. Members with a wrong type are left out.
type ToolIn struct {
	FilePath        string // Write, Edit, Read
	Content         string // Write
	OldString       string // Edit
	NewString       string // Edit
	ReplaceAll      bool   // Edit
	Edits           []EditIn
	NotebookPath    string // NotebookEdit
	NewSource       string // NotebookEdit
	EditMode        string // NotebookEdit
	Command         string // Bash
	Description     string // Bash, Agent
	RunInBackground bool   // Bash
	Prompt          string // Agent
	SubagentType    string // Agent
	TaskID          string // TaskUpdate
	Status          string // TaskUpdate
	Subject         string // TaskCreate, TaskUpdate
	Skill           string // Skill
}

// EditIn is one entry of MultiEdit's edits. 2.1.197 has no MultiEdit; older clients do.
type EditIn struct {
	OldString  string
	NewString  string
	ReplaceAll bool
}

// ToolOut is the part of a tool's response that governance looks at, over all tools. Members with a wrong type are left out.
type ToolOut struct {
	Kind         string // Write: create, update; Read: text, …
	FilePath     string // Write, Edit
	Content      string // Write
	OriginalFile string // Write, Edit: the whole text before
	HasOriginal  bool   // false when originalFile is null or absent
	UserModified bool
	Added        int // lines, from structuredPatch or bashEditDiff; for a created file the lines of its content
	Removed      int // lines

	Stdout           string // Bash; the client merges stderr into it
	Stderr           string
	Interrupted      bool
	BackgroundTaskID string
	ChangedFiles     []string // Bash of 2.1.332: the files which the command changed, as far as the client saw

	NumLines   int // Read
	StartLine  int
	TotalLines int

	AgentID       string // Agent
	AgentStatus   string // Agent
	ResolvedModel string // Agent
	TotalTokens   int64  // Agent

	StatusFrom string // TaskUpdate: statusChange
	StatusTo   string

	Text string // a response that is a bare string, or the text parts of an array (MCP), joined by newline
}
