package panel

import (
	"context"
	"encoding/json"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/ask"
	"github.com/devflow-suite/devflow/internal/llm/reply"
	"github.com/devflow-suite/devflow/judge/instinct"
)

// Learner asks the configured model what a task has taught; nil without one.
func Learner(o Options) instinct.Asker {
	backend, err := Backend(o.Config, o.Environ)
	if err != nil || backend == nil {
		return nil
	}
	return learner{backend, o.Config.Model}
}

type learner struct {
	backend llm.Backend
	model   string
}

// maxLearned bounds the answer, in tokens.
const maxLearned = 800

func (l learner) Ask(ctx context.Context, system, prompt string, schema []byte) (json.RawMessage, error) {
	s, err := reply.Compile(schema)
	if err != nil {
		return nil, err
	}
	answer, err := ask.Ask(ctx, l.backend, llm.Request{System: system, Prompt: prompt, Schema: schema, SchemaName: "instincts", Model: l.model, MaxTokens: maxLearned}, s, ask.Async())
	return answer.JSON, err
}
