package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/verdict"
)

type options struct {
	corpus, repos, label, kinds, lang, rules, off, show, out string
	fails, misses                                            bool
	jobs                                                     int
}

func run(ctx context.Context, args []string, w io.Writer) error {
	var o options
	f := flag.NewFlagSet("quality", flag.ContinueOnError)
	f.StringVar(&o.corpus, "corpus", "", "folder of the corpus")
	f.StringVar(&o.repos, "repos", "", "JSON list of {name, git_dir}")
	f.StringVar(&o.label, "label", "", "only natural, planted or decoy")
	f.StringVar(&o.kinds, "kind", "", "only these kinds, separated by commas")
	f.StringVar(&o.lang, "lang", "", "only this language")
	f.StringVar(&o.rules, "rules", "", "only these rules, separated by commas")
	f.StringVar(&o.off, "off", "", "without these rules or axes, separated by commas")
	f.StringVar(&o.show, "show", "", "print the diff and the findings of one case")
	f.StringVar(&o.out, "out", "", "write the verdicts as JSON lines")
	f.BoolVar(&o.fails, "fails", false, "list false alarms")
	f.BoolVar(&o.misses, "misses", false, "list what was not earned")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "cases at once")
	if err := f.Parse(args); err != nil {
		return err
	}
	return o.run(ctx, w)
}

func (o *options) run(ctx context.Context, w io.Writer) error {
	dirs, err := o.dirs()
	if err != nil {
		return err
	}
	all, err := load(o.corpus, "")
	if err != nil {
		return err
	}
	objs, err := os.MkdirTemp("", "devflow-quality-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(objs)
	examiners := o.examiners()
	chosen := o.choose(all)
	results := make([]outcome, len(chosen))
	next := make(chan int)
	var wg sync.WaitGroup
	for n := range o.jobs {
		dir := filepath.Join(objs, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		wg.Go(func() {
			for i := range next {
				results[i] = examine(ctx, dirs[chosen[i].Repo], dir, chosen[i], examiners)
			}
		})
	}
	for i := range chosen {
		next <- i
	}
	close(next)
	wg.Wait()
	if o.out != "" {
		if err := write(o.out, results); err != nil {
			return err
		}
	}
	if o.show != "" {
		for _, r := range results {
			if r.ID == o.show {
				r.print(w)
			}
		}
		return nil
	}
	newScore(results).print(w, o.fails, o.misses)
	return nil
}

func (o *options) dirs() (map[string]string, error) {
	text, err := os.ReadFile(o.repos)
	if err != nil {
		return nil, fmt.Errorf("read repositories: %w", err)
	}
	var list []struct {
		Name string `json:"name"`
		Dir  string `json:"git_dir"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read repositories: %w", err)
	}
	dirs := map[string]string{}
	for _, r := range list {
		dirs[r.Name] = r.Dir
	}
	return dirs, nil
}

// examiners are those of a judge by hand, with the rules that were asked for.
func (o *options) examiners() []judge.Examiner {
	list := evidence.ByHand()
	for i, e := range list {
		engine, ok := e.(evidence.Engine)
		if !ok {
			continue
		}
		engine.Rules = slices.DeleteFunc(slices.Clone(engine.Rules), func(r rule.Rule) bool {
			named := func(list string) bool {
				return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool { return s == r.ID || verdict.Axis(s) == r.Axis })
			}
			return o.rules != "" && !named(o.rules) || named(o.off)
		})
		list[i] = engine
	}
	return list
}

// choose keeps the samples that were asked for and the natural twins of the planted ones.
func (o *options) choose(all []sample) []sample {
	wanted, twins := map[string]bool{}, map[string]bool{}
	kinds := strings.Split(o.kinds, ",")
	for _, s := range all {
		if (o.label == "" || s.Label == o.label) && (o.lang == "" || s.Lang == o.lang) && (o.kinds == "" || len(s.Kinds) > 0 && slices.Contains(kinds, s.Kinds[0])) && (o.show == "" || s.ID == o.show) {
			wanted[s.ID] = true
			if s.Label == "planted" {
				twins[s.NaturalID] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return !wanted[s.ID] && !twins[s.ID] })
}

// write stores the verdicts in the form that other scorers read.
func write(path string, results []outcome) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, r := range results {
		type finding struct {
			File  string `json:"file"`
			Line  int    `json:"line"`
			Rule  string `json:"rule"`
			Axis  string `json:"axis"`
			Level string `json:"level"`
		}
		list := []finding{}
		for _, x := range r.Reasons {
			list = append(list, finding{x.File, x.Line, x.Rule, string(x.Axis), level(x)})
		}
		row := map[string]any{"id": r.ID, "verdict": r.Verdict, "findings": list}
		if r.Err != nil {
			row["error"] = r.Err.Error()
		}
		if err := enc.Encode(row); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func level(r judge.Reason) string {
	switch r.Weight() {
	case judge.Hard:
		return "FAIL"
	case judge.Soft:
		return "WARN"
	}
	return "NOTE"
}

func (r *outcome) print(w io.Writer) {
	fmt.Fprintf(w, "%s %s %s %v/%s expect %v: %s %v\ntask: %s\n%s\n", r.ID, r.Repo, r.Label, r.Kinds, r.Variant, r.Expect, r.Verdict, r.Err, r.Task, r.Diff)
	for _, x := range r.Where {
		fmt.Fprintf(w, "planted %s:%d\n- %s\n+ %s\n", x.File, x.Line, x.Removed, x.Added)
	}
	for _, x := range r.Reasons {
		fmt.Fprintf(w, "%s %s:%d %s %s: %s | %s\n", level(x), x.File, x.Line, x.Axis, x.Rule, x.Text, x.Evidence)
	}
}
