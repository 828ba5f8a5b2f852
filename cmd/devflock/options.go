package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/access"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/wizard"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// projectOptions say which project a command is about.
type projectOptions struct {
	dir  string
	init bool
	base string
}

func (o *projectOptions) flag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "of the project in `DIR` instead of this folder", Destination: &o.dir}
}

// folder is the absolute path of the project.
func (a *app) folder(dir string) (string, error) {
	wd, err := a.WorkDir()
	if err != nil || dir == "" {
		return wd, err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(wd, dir)
	}
	return filepath.Clean(dir), nil
}

// examined is the project, with every reason not to start a run said.
func (a *app) examined(ctx context.Context, e engine.Engine, o projectOptions) (p trees.Project, base string, err error) {
	dir, err := a.folder(o.dir)
	if err != nil {
		return p, "", err
	}
	p, err = e.Examine(ctx, dir)
	if errors.Is(err, trees.ErrNoRepo) && o.init {
		p, err = e.Init(ctx, dir)
	}
	switch {
	case errors.Is(err, trees.ErrNoRepo):
		return p, "", frame.Hint(err, "add --init to make one with what is there, or run: git init")
	case err != nil:
		return p, "", refused(err)
	}
	if len(p.Dirty) > 0 && o.base == "" {
		return p, "", frame.Hint(errors.New(uncommitted(len(p.Dirty))), "commit them, or start from a commit with: --base HEAD")
	}
	_ = show.Notes(a.Stderr, p.Notes, frame.Columns(a.Stderr)) // a closed stderr is no reason not to work
	if o.base == "" || o.base == "HEAD" {
		return p, p.Head, nil
	}
	if base, err = e.Commit(ctx, p, o.base); err != nil {
		return p, "", frame.Hint(err, "git log --oneline")
	}
	return p, base, nil
}

func uncommitted(n int) string {
	if n == 1 {
		return "1 file has changes that are not committed, and workers would not see them"
	}
	return fmt.Sprintf("%d files have changes that are not committed, and workers would not see them", n)
}

// refused adds the hint that a refusal of the project has.
func refused(err error) error {
	var r *trees.RefusedError
	if errors.As(err, &r) && !frame.Hinted(err) {
		return frame.Hint(err, r.Hint)
	}
	return err
}

// endpointOptions say where a model answers.
type endpointOptions struct {
	url, model            string
	keyEnv, keyFile, file string
	keyStdin, unprobed    bool
}

func (a *app) keyFlags(o *endpointOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "key-env", Usage: "the key is the value of the environment variable `VAR`", Destination: &o.keyEnv, Validator: a.Required("key-env", "the name of a variable")},
		&cli.StringFlag{Name: "key-file", Usage: "the key is the first line of `FILE`", Destination: &o.keyFile, Validator: a.Required("key-file", "a file")},
		&cli.BoolFlag{Name: "key-stdin", Usage: "the key is the first line of standard input", Destination: &o.keyStdin},
		&cli.StringFlag{Name: "model", Usage: "`NAME` of the model; default: what the endpoint says", Destination: &o.model},
	}
}

func (a *app) endpointFlags(o *endpointOptions) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "url", Usage: "`URL` of the endpoint", Destination: &o.url, Validator: a.Required("url", "an address")},
	}, append(a.keyFlags(o),
		&cli.StringFlag{Name: "endpoints", Usage: "endpoints from the TOML `FILE`: [manager] plans, the others work", Destination: &o.file, Validator: a.Required("endpoints", "a file")},
		&cli.BoolFlag{Name: "no-probe", Usage: "use the endpoints without probing them", Destination: &o.unprobed})...)
}

// key reads the key from the one place that was named. argv is a key from the command line itself.
func (a *app) key(o endpointOptions, argv string) (string, error) {
	given := 0
	for _, is := range [...]bool{o.keyEnv != "", o.keyFile != "", o.keyStdin, argv != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return "", frame.Usage(errors.New("one key is enough: --key-env, --key-file and --key-stdin exclude each other"))
	case o.keyEnv != "":
		key, err := access.FromEnv(o.keyEnv, a.Getenv)
		if err != nil {
			err = frame.Hint(err, "export "+o.keyEnv+"=…, or use --key-file")
		}
		return key, err
	case o.keyFile != "":
		key, warning, err := access.FromFile(o.keyFile)
		a.warn(warning)
		return key, err
	case o.keyStdin:
		return access.FromStream(a.Stdin)
	case argv != "":
		a.warn("a key on the command line is seen by everybody who lists processes, and kept by the shell: use --key-env or --key-stdin")
	}
	return argv, nil
}

// warn says something that does not keep the command from working.
func (a *app) warn(text string) {
	if text != "" {
		fmt.Fprintln(a.Stderr, "devflock: warning: "+text)
	}
}

// endpoint is what the flags say, not probed.
func (a *app) endpoint(o endpointOptions, name, argvURL, argvKey string) (engine.Endpoint, error) {
	address := cmp.Or(o.url, argvURL)
	if address == "" {
		return engine.Endpoint{}, frame.Usage(errors.New("the address of an endpoint is missing"))
	}
	got, err := access.Parse(strings.TrimSpace(address+" "+argvKey), a.Getenv)
	if err != nil {
		return engine.Endpoint{}, frame.Usage(err)
	}
	literal := got.Key
	if strings.HasPrefix(argvKey, "$") { // the name of a variable, not the key itself
		literal = ""
	}
	key, err := a.key(o, literal)
	if err != nil {
		return engine.Endpoint{}, err
	}
	got = got.With(cmp.Or(key, got.Key))
	for _, w := range got.Warnings {
		a.warn(w)
	}
	return engine.Endpoint{Name: name, URL: got.URL, Key: got.Key, Model: o.model}, nil
}

// managerName is the endpoint of a file that plans.
const managerName = "manager"

// endpoints are all that the flags name, the manager's first, probed unless that was declined.
func (a *app) endpoints(ctx context.Context, e engine.Engine, o endpointOptions) ([]engine.Endpoint, error) {
	list, err := a.named(e, o)
	if err != nil || o.unprobed {
		return list, err
	}
	for i := range list {
		screen := a.waiting()
		done := screen.Start("Probing " + list[i].URL)
		found, err := e.Probe(ctx, engine.ProbeRequest{Endpoint: list[i], Progress: func(doing string) {
			done()
			done = screen.Start("Probing " + list[i].URL + ": " + grid.Clean(doing))
		}}, func(c engine.Check) {
			if c.Level == "FAIL" || c.Level == "WARN" {
				_ = show.Check(screen, c, frame.Columns(a.Stderr))
			}
		})
		done()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, frame.Hint(fmt.Errorf("probe %s: %w", list[i].Name, err), "devflock probe "+list[i].URL)
		case !found.OK:
			return nil, frame.Hint(fmt.Errorf("endpoint %s at %s does not do what workers need", list[i].Name, list[i].URL), "devflock probe "+list[i].URL+"; --no-probe uses it anyway")
		}
		list[i] = found.Endpoint
	}
	return list, nil
}

func (a *app) named(e engine.Engine, o endpointOptions) ([]engine.Endpoint, error) {
	if o.file == "" {
		if o.url == "" {
			return nil, frame.Usage(errors.New("--url or --endpoints is needed"))
		}
		one, err := a.endpoint(o, managerName, "", "")
		return []engine.Endpoint{one}, err
	}
	if _, err := os.Stat(o.file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read endpoints: there is no file %s", o.file)
	}
	list, err := e.Endpoints(o.file)
	if err != nil {
		return nil, err
	}
	if o.url != "" {
		one, err := a.endpoint(o, managerName, "", "")
		if err != nil {
			return nil, err
		}
		list = append([]engine.Endpoint{one}, slices.DeleteFunc(list, func(p engine.Endpoint) bool { return p.Name == managerName })...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("read endpoints: %s names none", o.file)
	}
	slices.SortStableFunc(list, func(p, q engine.Endpoint) int {
		return rank(p.Name) - rank(q.Name)
	})
	return list, nil
}

// rank puts the manager first.
func rank(name string) int {
	if name == managerName {
		return 0
	}
	return 1
}

// assign gives every region an endpoint: the one of its name, otherwise those that do not plan in turn, otherwise the manager's.
func assign(regions []orchestrator.Region, list []engine.Endpoint) map[string]string {
	to := map[string]string{}
	workers := list[1:]
	if len(workers) == 0 {
		workers = list
	}
	next := 0
	for _, r := range regions {
		if slices.ContainsFunc(list, func(e engine.Endpoint) bool { return e.Name == r.Name }) {
			to[r.Name] = r.Name
			continue
		}
		to[r.Name] = workers[next%len(workers)].Name
		next++
	}
	return to
}

// workOptions say what is to be done.
type workOptions struct {
	idea, ideaFile, request, requestFile string
	workers                              int
}

func (a *app) workFlags(o *workOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "request", Usage: "the work to do in this project, as `TEXT`", Destination: &o.request},
		&cli.StringFlag{Name: "request-file", Usage: "the same from `FILE`, - for standard input", Destination: &o.requestFile},
		&cli.StringFlag{Name: "idea", Usage: "build something new from this idea, as `TEXT`", Destination: &o.idea},
		&cli.StringFlag{Name: "idea-file", Usage: "the same from `FILE`, - for standard input", Destination: &o.ideaFile},
		a.countFlag("workers", "`N` workers; default: as many as pay", wizard.MaxWorkers, &o.workers),
	}
}

// countFlag takes a whole number from 1.
func (a *app) countFlag(name, usage string, most int64, to *int) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Validator: func(s string) error {
		n, err := commandline.Number(name, s, 1, most)
		*to = int(n)
		return a.Check(err)
	}}
}

// spanFlag takes a duration.
func (a *app) spanFlag(name, usage string, zero bool, to *time.Duration) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Validator: func(s string) error {
		d, err := time.ParseDuration(s)
		want := "a duration like 90s or 20m"
		if zero && s == "0" {
			*to = -1 // Defaults: never
			return nil
		}
		if err != nil || d < time.Second {
			return a.Check(&commandline.Mistake{Flag: name, Value: s, Want: want})
		}
		*to = d
		return nil
	}}
}

// work is mode and request.
func (a *app) work(o workOptions) (orchestrator.Mode, string, error) {
	var given []string
	for _, f := range [...]struct{ name, value string }{{"--request", o.request}, {"--request-file", o.requestFile}, {"--idea", o.idea}, {"--idea-file", o.ideaFile}} {
		if f.value != "" {
			given = append(given, f.name)
		}
	}
	if len(given) > 1 {
		return "", "", frame.Usage(fmt.Errorf("%s exclude each other", strings.Join(given, " and ")))
	}
	mode := orchestrator.ModeExisting
	switch {
	case o.idea != "" || o.ideaFile != "":
		mode = orchestrator.ModeIdea
	case o.workers > 0:
		mode = orchestrator.ModeFixed
	}
	text := cmp.Or(strings.TrimSpace(o.request), strings.TrimSpace(o.idea))
	var err error
	switch file := cmp.Or(o.requestFile, o.ideaFile); file {
	case "":
	case "-":
		text, err = wizard.Read(a.Stdin)
	default:
		text, err = wizard.ReadFile(file)
	}
	return mode, text, err
}

func (a *app) confinement(v string) error {
	return a.Check(commandline.OneOf("confine", v, "auto", "bwrap", "landlock", "none"))
}

// settingsFlags are the limits of a run.
func (a *app) settingsFlags(o *startOptions) []cli.Flag {
	s := &o.settings
	return []cli.Flag{
		&cli.StringFlag{Name: "confine", Usage: "how workers are confined: auto (the default), bwrap, landlock or none", Destination: &s.Confine, Validator: a.confinement},
		a.countFlag("attempts", "at most `N` attempts per task", 20, &s.Attempts),
		a.spanFlag("task-timeout", "`TIME` of one attempt", false, &s.TaskTimeout),
		a.spanFlag("stall", "end an attempt after this `TIME` without a sign of life; 0: never", true, &s.Stall),
		a.spanFlag("check-timeout", "`TIME` of one acceptance command", false, &s.CheckTimeout),
		a.countFlag("max-turns", "at most `N` turns of the model per attempt", 10_000, &s.MaxTurns),
		&cli.StringFlag{Name: "token-cap", Usage: "stop when all workers together have used `N` tokens", Validator: func(v string) (err error) {
			s.TokenCap, err = commandline.Number("token-cap", v, 1, math.MaxInt64)
			return a.Check(err)
		}},
		&cli.StringFlag{Name: "money-cap", Usage: "stop when all workers together have cost `USD`", Validator: func(v string) (err error) {
			if s.MoneyCap, err = strconv.ParseFloat(v, 64); err != nil || !(s.MoneyCap > 0) || math.IsInf(s.MoneyCap, 0) {
				return a.Check(&commandline.Mistake{Flag: "money-cap", Value: v, Want: "an amount in USD"})
			}
			return nil
		}},
		&cli.StringFlag{Name: "test", Usage: "run `CMD` on every merged tree, in the project's folder", Destination: &s.Test},
		&cli.StringSliceFlag{Name: "protect", Usage: "files of this `PATTERN` stand as at the start while a command checks; may be repeated", Destination: &s.Protect},
		&cli.BoolFlag{Name: "no-judge", Usage: "the judge does not look at what workers did", Destination: &o.unjudged},
		&cli.BoolFlag{Name: "no-cross-region", Usage: "workers cannot ask other regions or request changes there", Destination: &o.alone},
		&cli.StringSliceFlag{Name: "expose", Usage: "workers and checks may also read `DIR`, a toolchain for instance; may be repeated", Destination: &s.Expose},
		&cli.StringFlag{Name: "client", Usage: "the claude program at `PATH`; default: the one on PATH", Destination: &s.Client},
	}
}
