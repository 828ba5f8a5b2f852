// Package llm is how a language model is asked for one JSON answer, whoever provides the model.
//
// It holds the words only: a [Backend] takes a [Request] and gives a [Reply] or an [Error] of one of the kinds below. The
// providers are the packages beneath it (openai: any endpoint of that wire format, claudecli: the claude program, command:
// a program of the user's), reply reads what they say, fence keeps data apart from instructions, and ask tries again.
// It owns no table and no file, reads no environment and knows nothing about verdicts.
package llm

import (
	"context"
	"encoding/json"
)

// Backend is one provider. Ask asks once: it never tries again after an answer or a failure of the model, and it ends when
// ctx does. Errors are of type *Error. The reply carries model and usage as far as they are known, also beside an error.
// Implementations are safe for concurrent use.
type Backend interface {
	Name() string
	Ask(ctx context.Context, r Request) (Reply, error)
}

// Request is one question. System, Prompt and Model are required; the zero value of everything else is usable.
type Request struct {
	System      string  // instructions
	Prompt      string  // the question with its data
	Schema      []byte  // JSON schema of the answer; nil: any JSON object
	SchemaName  string  // letters, digits, _ and -; "" is "answer"
	Model       string  // as the provider calls it
	MaxTokens   int     // of the answer; 0 = the provider's default
	Temperature float64 // 0 = the provider's default. Providers that have no such knob ignore it
}

// Reply is an answer as it came. JSON is the part that the provider itself marked as the structured answer, nil where it only
// sent text: package reply finds the answer in both, and nobody has validated it yet.
type Reply struct {
	JSON      json.RawMessage
	Raw       string   // everything the model said
	Model     string   // that answered, as the provider reports it
	TokensIn  int64    // 0 where unknown
	TokensOut int64    //
	CostUSD   *float64 // nil where unknown
}
