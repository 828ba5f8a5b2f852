package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule"
	"github.com/devflow-suite/devflow/orchestrator/trees/look"
	"github.com/devflow-suite/devflow/orchestrator/worker"
	"github.com/devflow-suite/devflow/orchestrator/worker/prompt"
)

// maxPublic bounds what a region keeps telling about its finished tasks when no session was asked for a hand-over, in bytes.
const maxPublic = 6 << 10

// about is what a worker is told once, with its system prompt.
func (c *crew) about(ctx context.Context) prompt.Rules {
	r := prompt.Rules{Region: c.region.Name, Folders: c.folders(), Project: c.tree.Dir, Ask: c.offers(), Guide: prompt.Guide(c.guides(ctx), c.region.Paths())}
	for _, o := range c.d.regions {
		if o.Name != c.region.Name {
			r.Others = append(r.Others, prompt.Region{Name: o.Name, Folders: o.Paths()})
		}
	}
	return r
}

// maxGuide bounds an instruction file of the project, in bytes.
const maxGuide = 1 << 20

// guides are the instruction files of the project that a client would read by itself, as they were when the run began: what a worker
// writes into them is no instruction for the sessions after it.
func (c *crew) guides(ctx context.Context) []prompt.File {
	dirs := map[string]bool{".": true}
	for _, p := range c.region.Paths() {
		for dir := p; dir != "." && dir != "/"; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	var names []string
	for dir := range dirs {
		names = append(names, path.Join(dir, "CLAUDE.md"), path.Join(dir, "AGENTS.md"))
	}
	texts, err := look.At{Project: c.d.project, Commit: c.d.run.Base}.Texts(ctx, names, maxGuide)
	if err != nil {
		c.d.log.Warn("read instruction files of the project", "error", err)
	}
	var files []prompt.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, prompt.File{Path: name, Text: string(texts[name])})
	}
	return files
}

// ask is the prompt of an attempt. fresh says that the session knows nothing yet.
func (c *crew) ask(j schedule.Job, fresh bool) (string, error) {
	t := prompt.Task{ID: j.Task.ID, Description: j.Task.Description, Acceptance: j.Task.Acceptance, Origin: j.Task.Origin, Folder: c.folder(j.Task.Module)}
	seed, err := c.seed(t, !fresh)
	if err != nil {
		return "", err
	}
	switch {
	case j.Kind == orchestrator.AttemptResume && !fresh:
		return prompt.Resume(t), nil
	case j.Kind == orchestrator.AttemptRepair:
		a := prompt.Again{Task: t, Failure: j.Failure, Attempt: j.Task.Attempts + 1, Of: c.d.run.Settings.Attempts}
		if fresh {
			a.Fresh = &seed
		}
		return prompt.Repair(a), nil
	}
	return prompt.Begin(seed), nil
}

// seed is what the worker of a task must know.
func (c *crew) seed(t prompt.Task, known bool) (prompt.Seed, error) {
	seed := prompt.Seed{Task: t, Known: known}
	rows, err := c.d.Ledger.Regions(c.d.run.ID)
	if err != nil {
		return seed, err
	}
	for _, r := range rows {
		if r.Name == c.region.Name {
			seed.Public, seed.Private = r.Public, r.Private
			continue
		}
		for _, o := range c.d.regions {
			if o.Name == r.Name {
				seed.Neighbours = append(seed.Neighbours, prompt.Region{Name: r.Name, Folders: o.Paths(), Public: r.Public})
			}
		}
	}
	tasks, err := c.d.Ledger.Tasks(c.d.run.ID)
	if err != nil {
		return seed, err
	}
	for _, o := range tasks {
		if o.Region == c.region.Name && o.State == orchestrator.TaskDone {
			seed.Done = append(seed.Done, o.ID+": "+o.Description)
		}
	}
	return seed, nil
}

// remember adds the last words about a task to what the region tells others.
func (c *crew) remember(j schedule.Job, res worker.Result) {
	words := strings.TrimSpace(redact.Clip(res.Text, 1500))
	if words == "" {
		return
	}
	err := c.memory(func(public, private string) (string, string) {
		head := "Task " + j.Task.ID + ":\n"
		if i := strings.LastIndex(public, head); i >= 0 { // an earlier attempt at the same task said something else
			public = public[:i]
		}
		public = strings.TrimSpace(public + "\n\n" + head + words)
		for len(public) > maxPublic {
			_, rest, ok := strings.Cut(public, "\n\nTask ")
			if !ok {
				public = public[len(public)-maxPublic:]
				break
			}
			public = "Task " + rest
		}
		return strings.ToValidUTF8(public, "?"), private
	})
	if err != nil {
		c.d.log.Warn("keep memory", "region", c.region.Name, "error", err)
	}
}

func (c *crew) memory(change func(public, private string) (string, string)) error {
	rows, err := c.d.Ledger.Regions(c.d.run.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Name == c.region.Name {
			public, private := change(r.Public, r.Private)
			return c.d.Ledger.SetMemory(c.d.run.ID, c.region.Name, public, private)
		}
	}
	return fmt.Errorf("region %s: %w", c.region.Name, orchestrator.ErrUnknown)
}

// Recycle implements schedule.Recycler: the session writes down what the next one must know and ends. Without an answer the next one
// has the memory as it was.
func (c *crew) Recycle(ctx context.Context, _ []string) error {
	defer c.doing("idle", "", 0)
	c.doing("handing over", "", 0)
	var handed error
	if _, err := c.ready(ctx); err != nil {
		handed = err
	} else if res, err := c.w.Turn(ctx, prompt.Handover()); err != nil {
		handed = err
	} else if m, ok := prompt.ParseHandover(res.Text); ok {
		handed = c.memory(func(public, _ string) (string, string) {
			if m.Public != "" {
				public = m.Public
			}
			return public, m.Private
		})
	}
	if handed != nil {
		c.d.log.Warn("hand over", "region", c.region.Name, "error", handed)
	}
	c.session = ""
	err := errors.Join(c.Close(), c.d.Ledger.SetSession(c.d.run.ID, c.region.Name, "", 0))
	c.mu.Lock()
	c.context, c.live.Context = 0, 0
	c.mu.Unlock()
	return err
}

// folder is that of a module, as the worker sees it: a region may have several, and a task belongs into its own.
func (c *crew) folder(module string) string {
	if m, ok := c.d.run.Plan.Module(module); ok {
		return filepath.Join(c.tree.Dir, filepath.FromSlash(m.Path))
	}
	return c.primary()
}

// primary is the folder that the client starts in.
func (c *crew) primary() string {
	return filepath.Join(c.tree.Dir, filepath.FromSlash(c.region.Modules[0].Path))
}

// folders are the folders that the worker may write, as it sees them.
func (c *crew) folders() []string {
	var list []string
	for _, p := range c.region.Paths() {
		list = append(list, filepath.Join(c.tree.Dir, filepath.FromSlash(p)))
	}
	return list
}
