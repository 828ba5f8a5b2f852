package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

// pythonHook does in Python what a hook at least does: parse the event and insert a durable row.
const pythonHook = `import json, sqlite3, sys, time
event = json.load(sys.stdin)
db = sqlite3.connect(sys.argv[1], timeout=5)
db.execute("PRAGMA synchronous=FULL")
db.execute("CREATE TABLE IF NOT EXISTS row(id INTEGER PRIMARY KEY, ms INTEGER, session TEXT, event TEXT, payload TEXT)")
db.execute("INSERT INTO row(ms, session, event, payload) VALUES(?,?,?,?)", (int(time.time()*1000), event["session_id"], event["hook_event_name"], json.dumps(event)[:200]))
db.commit()
`

// calls is the number of tool calls in one measured session, sessions how often each kind of session runs.
const calls, sessions = 40, 4

// sessionTable measures what a hook adds to a tool call of a real client: no hook, the installed hook, a Python hook, in
// sessions that take turns.
func sessionTable(w *world, _ options, r *report) error {
	client, err := claudecli.Find(".", claudecli.Versions()[len(claudecli.Versions())-1])
	if err != nil {
		return err
	}
	python, err := interpreter("python3")
	if err != nil {
		return err
	}
	script := w.path("hook.py")
	if err := os.WriteFile(script, []byte(pythonHook), 0o600); err != nil {
		return err
	}
	kinds := []*program{
		{name: "no hook"},
		{name: "devflow-pre-tool-use", argv: []string{"'" + w.hook("devflow-pre-tool-use") + "' || exit 0"}},
		{name: "the same row from Python", argv: []string{python + " " + script + " " + w.path("python.db")}},
	}
	for range sessions {
		for _, k := range kinds {
			if err := w.measure(client, k); err != nil {
				return err
			}
		}
	}
	r.title("A real session (Claude Code %s): time from one model answer to the next request, %d tool calls each", client.Version, calls)
	r.times(kinds...)
	base := kinds[0].quantile(0.5)
	ours, pythons := kinds[1].quantile(0.5)-base, kinds[2].quantile(0.5)-base
	r.bound("added to a tool call, devflow / Python hook", float64(ours)/float64(pythons), 0.6, 0.4)
	return nil
}

// measure drives one session whose tool calls are all `true`, with one hook command before each of them.
func (w *world) measure(client claudecli.Client, k *program) error {
	home := claudecli.Home{Dir: w.path("session-home")}
	if err := home.Prepare(w.repo); err != nil {
		return err
	}
	hooks := map[string]any{}
	if len(k.argv) > 0 {
		hooks["PreToolUse"] = []any{map[string]any{"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": k.argv[0], "timeout": 10}}}}
	}
	settings, err := json.Marshal(map[string]any{"hooks": hooks})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home.Dir, ".claude", "settings.json"), settings, 0o600); err != nil {
		return err
	}
	var answered time.Time
	steps := make([]mockapi.Step, 0, calls+1)
	for i := range calls + 1 {
		steps = append(steps, mockapi.Step{Do: func(mockapi.Request) mockapi.Step {
			now := time.Now()
			if i > 1 { // the first call takes the task's base tree
				k.times = append(k.times, now.Sub(answered))
			}
			answered = now
			if i == calls {
				return mockapi.Say("done")
			}
			return mockapi.Turn(mockapi.Bash("true"))
		}})
	}
	api, err := mockapi.Start(mockapi.Script{Steps: steps})
	if err != nil {
		return err
	}
	defer api.Close()
	ctx, cancel := context.WithTimeout(context.Background(), settle)
	defer cancel()
	res, err := client.Run(ctx, claudecli.Options{Home: home.Dir, Dir: w.repo, URL: api.URL, Prompts: []string{"go"}, Env: []string{"DEVFLOW_HOME=" + w.root}})
	if err != nil {
		return err
	}
	if res.Exit != 0 || api.Overrun() > 0 {
		return fmt.Errorf("session with %s: exit status %d, %d answers beyond the script", k.name, res.Exit, api.Overrun())
	}
	return nil
}
