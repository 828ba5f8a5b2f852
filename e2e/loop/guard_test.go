package loop_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Where prompts come from, as a shell script that starts $HOOK in a tree of processes; $SID is the session.
const (
	// a person's client runs the hook by a shell, as install registers it
	fromPerson = `LINE="'$HOOK' || exit 0" exec -a claude /bin/bash -c 'CLAUDE_CODE_SESSION_ID=$SID /bin/sh -c "$LINE"; exit $?'`
	// the Bash tool of the session pipes the payload into the hook
	fromTool = `exec -a claude /bin/bash -c 'CLAUDE_CODE_SESSION_ID=$SID /bin/bash -c '\''"$HOOK"; exit $?'\''; exit $?'`
	// the Bash tool starts a second client, which runs the hook
	fromClient = `exec -a claude /bin/bash -c 'CLAUDE_CODE_SESSION_ID=$SID /bin/bash -c '\''(exec -a claude /bin/bash -c "\"\$HOOK\"; exit \$?"); exit $?'\''; exit $?'`
)

// sent delivers a prompt from somewhere.
func (w *world) sent(from, text string) error {
	data, err := w.payload("user_prompt_submit", "prompt="+text)
	if err != nil {
		return err
	}
	env := slices.DeleteFunc(w.environ(), func(kv string) bool { return strings.HasPrefix(kv, "CLAUDE_CODE_SESSION_ID=") })
	r, err := w.execute([]string{"/bin/bash", "-c", from}, data, append(env, "SID="+w.env("SESSION"), "HOOK="+w.program("user-prompt-submit")))
	if err != nil {
		return err
	}
	w.keep(r)
	return nil
}

// before is the first half of a Bash call: the guard is asked, nothing runs.
func (w *world) before(command string) (*reply, error) {
	w.begin()
	return w.event("pre_tool_use_bash", "tool_input.command="+strings.TrimSuffix(w.text(command), "\n"), w.toolID())
}

func (w *world) refused(args []string) error {
	if err := need(args, 2, 2); err != nil {
		return err
	}
	r, err := w.before(args[1])
	if err != nil {
		return err
	}
	re, err := regexp.Compile(`(?s)` + args[0])
	if err != nil {
		return err
	}
	text, _ := r.at("hookSpecificOutput.permissionDecisionReason")
	if !denied(r) || !re.MatchString(text) {
		return fmt.Errorf("%s is answered with %q, want a refusal that matches %s", args[1], r.stdout, args[0])
	}
	return nil
}

func (w *world) passes(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	r, err := w.before(args[0])
	if err == nil && denied(r) {
		err = fmt.Errorf("%s is refused: %s", args[0], r.stdout)
	}
	return err
}

var approvalCode = regexp.MustCompile(`devflow approve ([A-HJ-NP-Z2-9]{4})`)

// refusalCode reads the code of the last refusal as a person does.
func (w *world) refusalCode() error {
	if w.last == nil {
		return errors.New("no event happened")
	}
	text, _ := w.last.at("hookSpecificOutput.permissionDecisionReason")
	m := approvalCode.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("no code in the refusal: %s", w.last.stdout)
	}
	w.ts.Setenv("CODE", m[1])
	return nil
}

// config writes the user's configuration; $NAME in the file is a variable of the script.
func (w *world) config(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	return put(filepath.Join(w.devflowHome(), "config.toml"), os.Expand(w.ts.ReadFile(filepath.Join(w.env("WORK"), args[0])), w.env))
}

// remote makes the bare repository $REMOTE the remote origin of the project: its main is the present commit.
func (w *world) remote(args []string) error {
	dir := filepath.Join(w.env("WORK"), "remote.git")
	w.ts.Setenv("REMOTE", dir)
	init := append([]string{"init", "-q", "--bare", "-b", "main"}, args...)
	return errors.Join(w.gitIn(w.env("WORK"), append(init, dir)...), w.git([]string{"remote", "add", "origin", dir}), w.git([]string{"push", "-q", "origin", "HEAD:main"}))
}

// published are all refs of the remote, without refs/: NAME, or NAME=REVISION of the project.
func (w *world) published(args []string) error {
	cmd := exec.Command("git", "for-each-ref", "--format=%(refname:strip=1)=%(objectname)")
	cmd.Dir, cmd.Env = w.env("REMOTE"), append([]string{"PATH=" + os.Getenv("PATH")}, gitEnviron(w.env("HOME"))...)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list the refs of the remote: %w", err)
	}
	got := strings.Fields(string(out))
	want := slices.Clone(args)
	for i, arg := range want {
		name, rev, found := strings.Cut(arg, "=")
		if !found {
			rev = ""
			if k := slices.IndexFunc(got, func(g string) bool { return strings.HasPrefix(g, name+"=") }); k >= 0 {
				got[k] = name
			}
			continue
		}
		cmd := exec.Command("git", "rev-parse", rev)
		cmd.Dir, cmd.Env = w.env("PROJ"), append([]string{"PATH=" + os.Getenv("PATH")}, gitEnviron(w.env("HOME"))...)
		id, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("resolve %s: %w", rev, err)
		}
		want[i] = name + "=" + strings.TrimSpace(string(id))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("the remote has %q, want %q", got, want)
	}
	return nil
}

// nowhere searches what devflow keeps and has answered for a text.
func (w *world) nowhere(args []string) error {
	if err := need(args, 1, 1); err != nil {
		return err
	}
	value := []byte(w.text(args[0]))
	value = bytes.TrimSpace(value)
	if len(value) < 8 {
		return fmt.Errorf("%q is too short to be told from chance", value)
	}
	for event, r := range w.replies {
		if bytes.Contains(r.stdout, value) {
			return fmt.Errorf("the answer to %s holds the text: %s", event, r.stdout)
		}
	}
	files := 0
	err := filepath.WalkDir(w.devflowHome(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(data, value) {
			return fmt.Errorf("%s holds the text", path)
		}
		return err
	})
	if err == nil && files == 0 {
		err = errors.New("devflow keeps nothing at all")
	}
	return err
}
