package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/devflow-suite/devflow/internal/proc"
	"github.com/devflow-suite/devflow/judge/gate/suite/replica"
)

// errBudget is the cause of a context whose budget is spent.
var errBudget = errors.New("budget spent")

// pythonNoTests is the exit status of pytest, and of unittest since Python 3.12, when there is nothing to run.
const pythonNoTests = 5

const noTests = "no tests were found"

// launch joins both output streams in the order in which they were written and takes away the two variables of ours that
// internal/proc passes on. It is one constant line; program and arguments are passed as such.
const launch = `unset DEVFLOW_HOME DEVFLOW_DB; exec "$@" 2>&1`

// Run starts the commands one after the other until one fails. It returns when every process of theirs is gone, at the
// latest some seconds (Options.Grace and its like for held output) after the budget is spent or ctx has ended; both are a
// failure, and so are a copy that could not be made and a command of the user that cannot be started. A tool that is not
// installed is Skip.
func Run(ctx context.Context, o Options) Report {
	began := time.Now()
	budget := o.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	ctx, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()

	r := &runner{Options: o, budget: budget, root: o.Repo.Root}
	if r.Environ == nil {
		r.Environ = os.Environ()
	}
	r.env, r.withheld = Environ(r.Environ)
	report := r.run(ctx)
	report.Took = time.Since(began)
	return report
}

type runner struct {
	Options
	budget   time.Duration
	root     string // where the commands run: the work tree or the copy
	env      []string
	withheld []string
}

func (r *runner) run(ctx context.Context) Report {
	report := Report{Status: Skip}
	if len(r.Commands) == 0 {
		return report
	}
	if !r.Clean {
		c, err := replica.Make(ctx, r.Repo, "", r.Tree, r.Temp)
		if err != nil {
			text := err.Error()
			if ctx.Err() != nil {
				text = r.stopped(ctx) + " while the pushed tree was copied"
			}
			report.Results = []Result{{Command: r.Commands[0], Status: Fail, Text: text}}
			report.Status = Fail
			return report
		}
		defer c.Remove()
		report.Copied, report.Notes, r.root = true, c.Notes, c.Dir
	}
	for _, c := range r.Commands {
		res := r.one(ctx, c)
		report.Results = append(report.Results, res)
		if res.Status != Skip {
			report.Status = res.Status
		}
		if res.Status == Fail {
			break
		}
	}
	return report
}

// one runs one command.
func (r *runner) one(ctx context.Context, c Command) Result {
	began := time.Now()
	res := Result{Command: c, Status: Fail}
	dir := filepath.Join(r.root, filepath.FromSlash(c.Dir))
	argv, missing := r.resolve(c, dir)
	if missing != "" {
		if res.Text = missing + ": not installed"; c.Toolchain != Override {
			res.Status = Skip
		}
		return res
	}
	out, err := proc.Run(ctx, proc.Cmd{
		Argv:  append([]string{"/bin/sh", "-c", launch, "sh"}, argv...),
		Dir:   dir,
		Env:   slices.Concat(r.env, r.extra(c, dir)),
		Grace: r.Grace,
	})
	res.Took = time.Since(began)
	hide := ""
	if !r.Clean {
		hide = r.root
	}
	switch {
	case ctx.Err() != nil && err != nil:
		res.Text, res.Output = r.stopped(ctx), tail(out.Stdout, hide)
	case err != nil:
		res.Text = "run tests: " + err.Error()
	case out.Exit == 0 && c.Toolchain == "python" && bytes.Contains(out.Stdout, []byte("\nRan 0 tests in ")): // python3 before 3.12
		res.Text, res.Output = noTests, tail(out.Stdout, hide)
	case out.Exit == 0:
		res.Status = OK
	default:
		if tool := r.absent(c, dir, out); tool != "" {
			res.Status, res.Text = Skip, tool+": not installed"
			return res
		}
		res.Text, res.Output = fmt.Sprintf("exit %d", out.Exit), tail(out.Stdout, hide)
		switch {
		case out.Exit == pythonNoTests && c.Toolchain == "python":
			res.Text += ": " + noTests
		case c.Toolchain == Override && (out.Exit == notFound || out.Exit == notExecutable):
			res.Text += ": the command of gate.tests cannot be started"
		}
	}
	return res
}

// stopped says why ctx ended.
func (r *runner) stopped(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errBudget) {
		return "stopped after " + r.budget.String()
	}
	return "stopped: " + context.Cause(ctx).Error()
}

// extra gives variables for one command. In a copy, Python must find the copy's packages before those of the work tree,
// where an editable installation of the project points to.
func (r *runner) extra(c Command, dir string) []string {
	var env []string
	if c.Toolchain == "node" {
		env = append(env, r.stubs(dir)...)
	}
	if c.Toolchain == "python" && !r.Clean {
		path := dir + ":" + filepath.Join(dir, "src")
		if old := value(r.env, "PYTHONPATH"); old != "" {
			path += ":" + old
		}
		env = append(env, "PYTHONPATH="+path)
	}
	return env
}

// value is that of a variable, of the last entry when there are several.
func value(env []string, name string) string {
	found := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			found = v
		}
	}
	return found
}
