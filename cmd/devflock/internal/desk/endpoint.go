package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/access"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/orchestrator"
)

// EndpointOptions say where a model answers.
type EndpointOptions struct {
	URL, Model            string
	KeyEnv, KeyFile, File string
	KeyStdin, Unprobed    bool
}

// KeyFlags say where the key comes from, and the model.
func (a *App) KeyFlags(o *EndpointOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "key-env", Usage: "the key is the value of the environment variable `VAR`", Destination: &o.KeyEnv, Validator: a.Required("key-env", "the name of a variable")},
		&cli.StringFlag{Name: "key-file", Usage: "the key is the first line of `FILE`", Destination: &o.KeyFile, Validator: a.Required("key-file", "a file")},
		&cli.BoolFlag{Name: "key-stdin", Usage: "the key is the first line of standard input", Destination: &o.KeyStdin},
		&cli.StringFlag{Name: "model", Usage: "`NAME` of the model; default: what the endpoint says", Destination: &o.Model},
	}
}

// EndpointFlags are those of KeyFlags, the address, and a file of endpoints.
func (a *App) EndpointFlags(o *EndpointOptions) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "url", Usage: "`URL` of the endpoint", Destination: &o.URL, Validator: a.Required("url", "an address")},
	}, append(a.KeyFlags(o),
		&cli.StringFlag{Name: "endpoints", Usage: "endpoints from the TOML `FILE`: the one named manager plans, the others work", Destination: &o.File, Validator: a.Required("endpoints", "a file")},
		&cli.BoolFlag{Name: "no-probe", Usage: "use the endpoints without probing them", Destination: &o.Unprobed})...)
}

// key reads the key from the one place that was named. argv is a key from the command line itself.
func (a *App) key(o EndpointOptions, argv string) (string, error) {
	given := 0
	for _, is := range [...]bool{o.KeyEnv != "", o.KeyFile != "", o.KeyStdin, argv != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return "", frame.Usage(errors.New("one key is enough: --key-env, --key-file and --key-stdin exclude each other"))
	case o.KeyEnv != "":
		key, err := access.FromEnv(o.KeyEnv, a.Getenv)
		if err != nil {
			err = frame.Hint(err, "export "+o.KeyEnv+"=…, or use --key-file")
		}
		return key, err
	case o.KeyFile != "":
		key, warning, err := access.FromFile(o.KeyFile)
		a.Warn(warning)
		return key, err
	case o.KeyStdin:
		return access.FromStream(a.Stdin)
	case argv != "":
		a.Warn("a key on the command line is seen by everybody who lists processes, and kept by the shell: use --key-env or --key-stdin")
	}
	return argv, nil
}

// Warn says something that does not keep the command from working.
func (a *App) Warn(text string) {
	if text != "" {
		fmt.Fprintln(a.Stderr, "devflock: warning: "+text)
	}
}

// Endpoint is what the flags say, not probed.
func (a *App) Endpoint(o EndpointOptions, name, argvURL, argvKey string) (engine.Endpoint, error) {
	address := cmp.Or(o.URL, argvURL)
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
		a.Warn(w)
	}
	return engine.Endpoint{Name: name, URL: got.URL, Key: got.Key, Model: o.Model}, nil
}

// ManagerName is the endpoint of a file that plans.
const ManagerName = "manager"

// Endpoints are all that the flags name, the manager's first, probed unless that was declined.
func (a *App) Endpoints(ctx context.Context, e engine.Engine, o EndpointOptions) ([]engine.Endpoint, error) {
	list, err := a.named(e, o)
	if err != nil || o.Unprobed {
		return list, err
	}
	for i := range list {
		screen := a.Waiting()
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

// named are the endpoints that the flags name, not probed.
func (a *App) named(e engine.Engine, o EndpointOptions) ([]engine.Endpoint, error) {
	if o.File == "" {
		if o.URL == "" {
			return nil, frame.Usage(errors.New("--url or --endpoints is needed"))
		}
		one, err := a.Endpoint(o, ManagerName, "", "")
		return []engine.Endpoint{one}, err
	}
	if _, err := os.Stat(o.File); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read endpoints: there is no file %s", o.File)
	}
	list, err := e.Endpoints(o.File)
	if err != nil {
		return nil, err
	}
	if o.URL != "" {
		one, err := a.Endpoint(o, ManagerName, "", "")
		if err != nil {
			return nil, err
		}
		list = append([]engine.Endpoint{one}, slices.DeleteFunc(list, func(p engine.Endpoint) bool { return p.Name == ManagerName })...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("read endpoints: %s names none", o.File)
	}
	slices.SortStableFunc(list, func(p, q engine.Endpoint) int {
		return rank(p.Name) - rank(q.Name)
	})
	return list, nil
}

// rank puts the manager first.
func rank(name string) int {
	if name == ManagerName {
		return 0
	}
	return 1
}

// Assign gives every region an endpoint: the one of its name, otherwise those that do not plan in turn, otherwise the manager's.
func Assign(regions []orchestrator.Region, list []engine.Endpoint) map[string]string {
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
