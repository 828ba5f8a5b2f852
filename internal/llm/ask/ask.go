// Package ask gets one valid answer from a model within a bounded number of tries.
//
// An answer that does not satisfy the schema goes back to the model with what is wrong in it. Everything happens inside the
// deadline of the caller's context. The package owns no table and no file and keeps no state.
package ask

import (
	"context"
	"errors"
	"time"

	"github.com/devflow-suite/devflow/internal/llm"
	"github.com/devflow-suite/devflow/internal/llm/fence"
	"github.com/devflow-suite/devflow/internal/llm/reply"
)

// Try is one attempt.
type Try struct {
	Pause   time.Duration // before it
	Timeout time.Duration // of this attempt alone; 0 = only the context's
}

// Policy is the list of attempts. The zero value is one attempt without a limit of its own.
type Policy []Try

// Sync is for a caller who waits: governance of hooks leaves room for one full try and one shorter.
func Sync() Policy { return Policy{{0, 60 * time.Second}, {0, 45 * time.Second}} }

// Async is for work in the background.
func Async() Policy {
	return Policy{{0, 180 * time.Second}, {2 * time.Second, 180 * time.Second}, {8 * time.Second, 180 * time.Second}}
}

// Answer is a valid answer. Usage counts every attempt, also those that came to nothing.
type Answer struct {
	llm.Reply      // of the last attempt; JSON is valid, usage is of all
	Tries     int  // attempts made
	Priced    bool // the cost of every attempt is known, and Reply.CostUSD is their sum
}

// maxFeedback bounds what is said about an invalid answer, in bytes.
const maxFeedback = 700

// Ask asks until an answer satisfies the schema, a failure is permanent or a refusal, or the tries or the context have ended. The error is
// the last failure, of type *llm.Error; the answer holds usage in every case.
func Ask(ctx context.Context, b llm.Backend, r llm.Request, s *reply.Schema, p Policy) (Answer, error) {
	if len(p) == 0 {
		p = Policy{{}}
	}
	out := Answer{Priced: true}
	var sum llm.Reply
	cost := 0.0
	var last error
	question := r.Prompt
	for _, try := range p {
		if wait(ctx, try.Pause) != nil {
			break
		}
		out.Tries++
		got, err := once(ctx, b, r, s, try.Timeout, question)
		sum.TokensIn += got.TokensIn
		sum.TokensOut += got.TokensOut
		if got.CostUSD != nil {
			cost += *got.CostUSD
		} else {
			out.Priced = false
		}
		out.Reply = got
		last = err
		if err == nil || hopeless(err) {
			break
		}
		r.Prompt = question
		if errors.Is(err, llm.ErrSchema) && got.Raw+string(got.JSON) != "" {
			r.Prompt += feedback(err, r.Schema)
		}
	}
	out.TokensIn, out.TokensOut, out.CostUSD = sum.TokensIn, sum.TokensOut, nil
	if out.Priced = out.Priced && out.Tries > 0; out.Priced {
		out.CostUSD = &cost
	}
	if last == nil && out.Tries == 0 {
		last = ended(ctx)
	}
	if last != nil {
		out.JSON = nil
	}
	return out, last
}

func ended(ctx context.Context) error {
	if e := llm.Ended(ctx); e != nil {
		return e
	}
	return llm.Fail(llm.ErrTimeout, "the deadline comes before the first try")
}

// once asks one time and reads the answer.
func once(ctx context.Context, b llm.Backend, r llm.Request, s *reply.Schema, limit time.Duration, question string) (llm.Reply, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	got, err := b.Ask(ctx, r)
	if err != nil {
		var known *llm.Error
		if !errors.As(err, &known) {
			err = llm.Fail(llm.ErrUnavailable, "%v", err)
		}
		return got, err
	}
	raw := got.Raw
	if len(got.JSON) > 0 {
		raw = string(got.JSON)
	}
	got.JSON, err = s.Find(raw, question)
	return got, err
}

// hopeless is true for failures that another try cannot cure.
func hopeless(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Permanent || errors.Is(err, llm.ErrRefused)
}

func wait(ctx context.Context, pause time.Duration) error {
	if pause <= 0 {
		return ctx.Err()
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= pause {
		return context.DeadlineExceeded
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// feedback tells the model what was wrong. What the model said may come from the text under review, so it is fenced.
func feedback(err error, schema []byte) string {
	f := fence.New()
	text, _ := fence.Middle(err.Error(), maxFeedback)
	return "\n\nYour answer before this one could not be used. " + f.Rule() + "\n" + f.Block("What was wrong with it", text) +
		"Answer again with one JSON object that satisfies this schema, and nothing else:\n" + string(schema) + "\n"
}
