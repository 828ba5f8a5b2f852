package doctor

import (
	"context"

	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/judge/gate/prepush"
)

// checkPush looks whether git's own hook of this project still runs the push gate. It is optional: what an agent pushes goes
// through the gate all the same. Tools that manage hooks overwrite the file without a word.
func (e *exam) checkPush(ctx context.Context) {
	repo, err := gitx.Find(e.Project)
	if e.Project == "" || err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	state, err := prepush.Check(ctx, repo)
	switch {
	case err != nil:
		e.add("push", Warn, "git config --list", "what git runs before a push cannot be told: %v", err)
	case state.Kind == prepush.None:
		e.add("push", OK, "", "agents push through the gate; git's own pre-push hook is not used (devflow gate hook install)")
	case state.Kind == prepush.Replaced || state.Missing:
		e.add("push", Warn, state.Hint(), "%s", state.Text())
	default:
		e.add("push", OK, "", "%s", state.Text())
	}
}
