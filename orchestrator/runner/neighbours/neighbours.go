// Package neighbours answers what workers ask about other regions, and takes what they want changed there.
//
// It owns no table: requests become tasks by the ledger. It asks no model.
package neighbours

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"github.com/devflow-suite/devflow/internal/redact"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees"
	"github.com/devflow-suite/devflow/orchestrator/trees/look"
	"github.com/devflow-suite/devflow/orchestrator/worker/regions"
)

// Bounds of an answer of Ask.
const (
	maxWords   = 200 // bytes of a task's description
	maxFiles   = 60  // names of files
	maxMatches = 40  // lines that match the question
	minWord    = 4   // letters of a word that is looked for
)

// Desk answers the workers of a run. Its methods may be called from many goroutines; its fields are not changed meanwhile.
type Desk struct {
	Run     orchestrator.RunID
	Ledger  *orchestrator.Ledger
	Trees   *trees.Trees
	Project trees.Project
	Regions []orchestrator.Region
	Poke    func() // after a request was taken
	Log     *slog.Logger
}

// Ask implements regions.Backend: what a region has made public, which of its tasks are integrated, its files, and the lines in them
// that hold words of the question. Nothing of it is asked of a model.
func (d *Desk) Ask(ctx context.Context, from, region, question string) (string, error) {
	target, err := d.neighbour(from, region)
	if err != nil {
		return "", err
	}
	d.Log.Info("ask_region", "from", from, "region", region)
	rows, err := d.Ledger.Regions(d.Run)
	if err != nil {
		return "", errors.New("the region cannot be asked now; read its files instead")
	}
	tasks, err := d.Ledger.Tasks(d.Run)
	if err != nil {
		return "", errors.New("the region cannot be asked now; read its files instead")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Region %s owns %s.\n", region, strings.Join(target.Paths(), ", "))
	for _, r := range rows {
		if r.Name == region && r.Public != "" {
			fmt.Fprintf(&b, "\nWhat it says about itself:\n%s\n", r.Public)
		}
	}
	for _, state := range [...]orchestrator.TaskState{orchestrator.TaskDone, orchestrator.TaskRunning, orchestrator.TaskPending} {
		var lines []string
		for _, t := range tasks {
			if t.Region == region && t.State == state {
				lines = append(lines, "- "+t.ID+": "+redact.Clip(t.Description, maxWords))
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\nTasks %s:\n%s\n", map[orchestrator.TaskState]string{orchestrator.TaskDone: "done", orchestrator.TaskRunning: "being worked on", orchestrator.TaskPending: "still to come"}[state], strings.Join(lines, "\n"))
		}
	}
	files, matches, err := d.look(ctx, target.Paths(), words(question))
	if err != nil {
		d.Log.Warn("look into region", "region", region, "error", err)
		return b.String(), nil
	}
	if len(files) > 0 {
		fmt.Fprintf(&b, "\nIts integrated files:\n%s\n", strings.Join(files, "\n"))
	}
	if len(matches) > 0 {
		fmt.Fprintf(&b, "\nLines that match the question:\n%s\n", strings.Join(matches, "\n"))
	}
	return b.String(), nil
}

// look gives the integrated files of folders, and the lines in them that hold one of the words.
func (d *Desk) look(ctx context.Context, folders, words []string) (files, lines []string, err error) {
	tip, err := d.Trees.Tip(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := look.At{Project: d.Project, Commit: tip}
	if files, err = at.Files(ctx, folders, maxFiles); err != nil {
		return nil, nil, err
	}
	lines, err = at.Lines(ctx, folders, words, maxMatches)
	return files, lines, err
}

// words are the longer words and the identifiers of a question, without duplicates.
func words(question string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) >= minWord && !slices.Contains(list, w) && len(list) < 20 {
			list = append(list, w)
		}
	}
	return list
}

// Request implements regions.Backend: the change becomes a task of the other region.
func (d *Desk) Request(_ context.Context, from string, r regions.Request) (string, error) {
	target, err := d.neighbour(from, r.Region)
	if err != nil {
		return "", err
	}
	tasks, err := d.Ledger.Tasks(d.Run)
	if err != nil {
		return "", errors.New("requests cannot be taken now; say in your last message what is missing")
	}
	caller := ""
	for _, t := range tasks {
		if t.Region == from && t.State == orchestrator.TaskRunning {
			caller = t.ID
		}
	}
	t := orchestrator.TaskRow{
		Task:   orchestrator.Task{Module: target.Modules[0].Name, Description: r.Description, Acceptance: r.Acceptance},
		Region: r.Region, Origin: from,
	}
	id, created, err := d.Ledger.Request(d.Run, caller, t, orchestrator.RequestLimits{})
	switch {
	case errors.Is(err, orchestrator.ErrLimit):
		return "", errors.New("no more requests are taken in this run: solve it inside your region, or say in your last message what is missing")
	case err != nil:
		d.Log.Warn("request_change", "from", from, "region", r.Region, "error", err)
		return "", errors.New("requests cannot be taken now; say in your last message what is missing")
	}
	d.Log.Info("request_change", "from", from, "region", r.Region, "task", id, "created", created)
	if r.Wait && caller != "" {
		if err := d.Ledger.Await(d.Run, caller, id); err != nil {
			d.Log.Warn("await request", "task", caller, "error", err)
		}
	}
	d.Poke()
	return id, nil
}

func (d *Desk) neighbour(from, region string) (orchestrator.Region, error) {
	var names []string
	for _, r := range d.Regions {
		switch {
		case r.Name == region && region == from:
			return r, fmt.Errorf("%s is your own region: read its files, and change them yourself", region)
		case r.Name == region:
			return r, nil
		case r.Name != from:
			names = append(names, r.Name)
		}
	}
	return orchestrator.Region{}, fmt.Errorf("there is no region %q; the others are: %s", region, strings.Join(names, ", "))
}
