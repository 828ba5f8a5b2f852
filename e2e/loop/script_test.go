package loop_test

import (
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs every script of testdata/script in a home of its own ($HOME), with the programs on its PATH.
//
// What the client does, each with a payload of exactly the shape that it sends; stdout and `answer` then see the answers:
//
//	start [SOURCE]                startup (default), resume, clear or compact
//	prompt TEXT                   a new prompt; its id is $PROMPT
//	command NAME [ARGS]           a prompt with a slash command that has a file: two events of one id
//	read PATH                     the Read tool, on a file of the project
//	write PATH FILE               PreToolUse; the file is written as FILE of the script has it; PostToolUse
//	edit PATH OLD NEW             the same with the Edit tool; @FILE stands for the text of a file, @ for no text
//	bash CMD                      the Bash tool; a shell runs the command in the session's folder. @FILE stands for the text of a file
//	bash -as N [-out FILE] CMD    the same, but nothing is run: it ended with status N
//	done [-active] [-busy] [TEXT] the model says TEXT and the turn ends, after a block before (-active), with background tasks (-busy)
//	compact                       the events of a compaction
//	end                           SessionEnd
//	hook NAME PAYLOAD [SET...]    any event: PAYLOAD is a file of the script or a recorded payload; places, session and prompt are filled in;
//	                              SET is path=text, path:=JSON, +path:=JSON (which the recorded one has not) or -path
//	registered PAYLOAD [SET...]   the commands that the settings files register for the event, run as the client runs them
//	burst N NAME PAYLOAD [SET...] N hooks at once, of the sessions $SESSION-1, $SESSION-2 …
//	say [FLAGS] TEXT              one reply of the model in the transcript, see transcript_test.go; big-line MIB: one line of a user
//
//	for-each-hook [SET...]        one event for each of the seven hooks
//	feed VERSION                  every recorded payload of a client, and rubbish, to every hook
//
// env LIMIT=MIB bounds the memory of hooks. env HOOKS=DIR takes the hooks from another folder.
//
// Answers:
//
//	answer [EVENT] FIELD [REGEXP] the last client command, or its EVENT, was answered so. FIELD is context, deny, ask, block, halt, message,
//	                              or a dotted path. With ! it says no such thing
//	silent [EVENT]                nothing was answered
//	used BYTES                    to answer, the hook read at most so many bytes
//	log REGEXP                    the log of the hooks says so. A script that expects nothing there fails when it is not empty
//
// The store:
//
//	rows SQL [ROW...]        the query has these rows: columns joined with |, NULL is -
//	eventually SQL [ROW...]  the same, in a while: a detached process is at work
//	task NAME=VALUE...       fields of the session's newest task
//	sql STATEMENT            changes the database, to let time pass
//	settle                   waits until no process that the hooks have started is left
//	hold / release           takes the database's write lock, and gives all locks back
//	contend NAME PAYLOAD [SET...] runs a hook while the lock is held, and gives the lock back when the hook waits for it
//	flock FILE               locks a file
//	seed N MIB               N old sessions with transcripts of so many MiB
//
// Settings files:
//
//	shape FILE               the client accepts it, and it has all of devflow's hooks
//	foreign FILE FILE        without devflow's entries the two say the same
//
// Documents:
//
//	documented [FILE...]     every command of the blocks tagged sh works; ! documented: at least one does not
//
// The project:
//
//	repo DIR [BRANCH]        makes a repository of a folder of the script, commits it, and names it $PROJ
//	project DIR              names a folder $PROJ
//	git ARGS...              runs git in $PROJ
//	remote [FLAG...]         makes the bare repository $REMOTE its origin, whose main is the present commit; flags are of git init
//	published [REF...]       $REMOTE has exactly these refs: heads/NAME, or heads/NAME=REVISION of the project
//	config FILE              writes the user's configuration; $NAME in it is a variable of the script
//	code                     puts the resume code that `devflow status` shows into $CODE
//
// The guard:
//
//	prompt -tool TEXT        the session's own Bash tool pipes the prompt into the hook; -client: by a second client; -person: a client
//	                         runs the hook as install registers it
//	refused REGEXP CMD       PreToolUse of a Bash call is denied or asked about, with such a reason; @FILE as with bash
//	passes CMD               there is no decision about it; nothing runs
//	code refusal             puts the code of the last refusal into $CODE
//	nowhere TEXT             neither the answers of the last client command nor any file of devflow holds it; @FILE for the text of a file
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireUniqueNames: true, Setup: setup, Cmds: commands()})
}

// action is what a command does; an error ends the script.
type action = func(w *world, args []string) error

func commands() map[string]func(*testscript.TestScript, bool, []string) {
	cmds := map[string]func(*testscript.TestScript, bool, []string){
		"answer": func(ts *testscript.TestScript, neg bool, args []string) { ts.Check(of(ts).answer(neg, args)) },
		"documented": func(ts *testscript.TestScript, neg bool, args []string) {
			if err := of(ts).documented(args); (err == nil) == neg {
				ts.Fatalf("documented commands fail: %v, want %v: %v", !neg, neg, err)
			} else if err != nil {
				ts.Logf("%v", err)
			}
		},
		"log": func(ts *testscript.TestScript, neg bool, args []string) { ts.Check(of(ts).logged(neg, args)) },
	}
	for name, do := range map[string]action{
		"start": (*world).start, "prompt": (*world).prompt, "command": (*world).command, "read": (*world).read, "write": (*world).write,
		"edit": (*world).edit, "bash": (*world).bash, "done": (*world).done, "compact": (*world).compact, "end": (*world).end,
		"hook": (*world).hook, "registered": (*world).registered, "burst": (*world).burst, "say": (*world).say,
		"silent": (*world).silent, "rows": (*world).rows, "eventually": (*world).eventually, "task": (*world).task, "sql": (*world).sql,
		"settle": (*world).settle, "hold": (*world).hold, "release": (*world).release, "flock": (*world).flock,
		"repo": (*world).repo, "project": (*world).project, "git": (*world).git, "code": (*world).code, "used": (*world).used,
		"feed": (*world).feed, "contend": (*world).contend, "seed": (*world).seed, "big-line": (*world).bigLine,
		"shape": (*world).shape, "foreign": (*world).foreign, "for-each-hook": (*world).eachHook,
		"refused": (*world).refused, "passes": (*world).passes, "config": (*world).config, "remote": (*world).remote, "published": (*world).published,
		"nowhere": (*world).nowhere,
	} {
		cmds[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg {
				ts.Fatalf("%s cannot be negated", name)
			}
			if err := do(of(ts), args); err != nil {
				ts.Fatalf("%v", err)
			}
		}
	}
	return cmds
}

// need is the error for a wrong number of arguments.
func need(args []string, least, most int) error {
	if len(args) < least || most >= 0 && len(args) > most {
		return fmt.Errorf("%d arguments, want %d to %d", len(args), least, most)
	}
	return nil
}
