// Package panel puts together who judges: the rules, the workers of the swarm, the mutation check, and a model where the
// user has configured one.
//
// It is the one place that turns configuration into a judge.Panel; mains ask it. It owns no table.
package panel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/config"
	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/internal/llm/claudecli"
	"github.com/devflow-suite/devflow/internal/llm/command"
	"github.com/devflow-suite/devflow/internal/llm/openai"
	"github.com/devflow-suite/devflow/judge"
	"github.com/devflow-suite/devflow/judge/evidence"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/mutation"
	"github.com/devflow-suite/devflow/judge/swarm"
	"github.com/devflow-suite/devflow/judge/swarm/asking"
	"github.com/devflow-suite/devflow/judge/swarm/leaks"
	"github.com/devflow-suite/devflow/judge/verdict"
)

// ErrBackend is returned for a backend that cannot be used as configured.
var ErrBackend = errors.New("backend cannot be used")

// Options say who judges.
type Options struct {
	Config  config.Judge
	Environ []string     // the user's environment as KEY=value: keys and what the claude program needs
	Waited  bool         // somebody waits for the verdict: fewer tries
	Fanout  swarm.Fanout // of the swarm; nil = goroutines
}

// Backend makes the configured backend, nil when it is off.
func Backend(cfg config.Judge, environ []string) (llm.Backend, error) {
	switch cfg.Backend {
	case config.BackendOff, "":
		return nil, nil
	case config.BackendOpenAI:
		key := ""
		if cfg.KeyEnv != "" {
			if key = lookup(environ, cfg.KeyEnv); key == "" {
				return nil, fmt.Errorf("%w: the variable %s (judge.api_key_env) is not set", ErrBackend, cfg.KeyEnv)
			}
		}
		b, err := openai.New(openai.Options{BaseURL: cfg.BaseURL, Key: key})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBackend, err)
		}
		return b, nil
	case config.BackendClaude:
		return claudecli.New(claudecli.Options{Environ: environ}), nil
	case config.BackendCommand:
		if len(cfg.Command) == 0 {
			return nil, fmt.Errorf("%w: judge.command is missing", ErrBackend)
		}
		return command.New(command.Options{Argv: cfg.Command}), nil
	}
	return nil, fmt.Errorf("%w: there is no backend %q", ErrBackend, cfg.Backend)
}

func lookup(environ []string, name string) string {
	for _, e := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// policy is how often a model is asked.
func (o Options) policy() ask.Policy {
	if o.Waited {
		return ask.Sync()
	}
	return ask.Async()
}

// Session is the panel for the task of a session. A backend that cannot be used is one that failed: it is said in the
// verdict and never passes.
func Session(o Options) judge.Panel {
	p := judge.Panel{Examiners: evidence.Session()}
	backend, err := Backend(o.Config, o.Environ)
	s := swarm.Swarm{Fanout: o.Fanout, Rules: security(), Leaks: &leaks.Finder{}, RequireModel: o.Config.RequireModel}
	if backend != nil {
		s.Model = asking.Asker{Backend: backend, Model: o.Config.Model, Policy: o.policy()}
	}
	p.Examiners = append(p.Examiners, s)
	if o.Config.Mutation {
		p.Examiners = append(p.Examiners, mutation.Check{Environ: o.Environ})
	}
	return o.withModel(p, backend, err)
}

// ByHand is the panel for a change that belongs to no task.
func ByHand(o Options) judge.Panel {
	backend, err := Backend(o.Config, o.Environ)
	return o.withModel(judge.Panel{Examiners: evidence.ByHand()}, backend, err)
}

func (o Options) withModel(p judge.Panel, backend llm.Backend, err error) judge.Panel {
	switch {
	case err != nil:
		p.Revisers = append(p.Revisers, broken{err})
	case backend != nil:
		p.Revisers = append(p.Revisers, o.reviewer(backend))
	}
	return p
}

// security are the rules that the worker Sec goes by.
func security() []rule.Rule {
	return slices.DeleteFunc(evidence.Rules(), func(r rule.Rule) bool { return r.Axis != verdict.Security })
}
