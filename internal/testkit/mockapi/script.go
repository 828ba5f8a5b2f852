package mockapi

import (
	"strings"
	"sync"
)

// Script is what the model will say. It must not be changed once a server uses it.
type Script struct {
	Steps []Step            // the main conversation, one per request
	Talks map[string][]Step // other conversations (subagents, nested sessions), by a mark that occurs in a user message of theirs and nowhere else

	// After answers requests of a conversation whose steps are used up. The zero Step's place is taken by a plain "done".
	After *Step

	Summary string // the answer to a summary request; "" is a short standard text
	Model   string // the model that replies claim to come from; "" repeats the requested one
	Usage   *Usage // of steps without their own; nil is [DefaultUsage]
}

// DefaultUsage is what a step without figures of its own reports.
func DefaultUsage() Usage { return Usage{Input: 100, Output: 42, CacheRead: 50, CacheWrite5m: 20} }

// player hands out steps. Safe for concurrent use.
type player struct {
	script Script
	mu     sync.Mutex
	next   map[string]int
	over   int // requests answered by After
}

func (p *player) mark(r Request) string {
	for mark := range p.script.Talks {
		for _, m := range r.Messages {
			if m.Role == "user" && strings.Contains(m.Text, mark) {
				return mark
			}
		}
	}
	return ""
}

func (p *player) step(r Request) Step {
	p.mu.Lock()
	steps := p.script.Steps
	if r.Mark != "" {
		steps = p.script.Talks[r.Mark]
	}
	var s Step
	if n := p.next[r.Mark]; n < len(steps) {
		s = steps[n]
		p.next[r.Mark]++
	} else {
		p.over++
		s = Say("done")
		if p.script.After != nil {
			s = *p.script.After
		}
	}
	p.mu.Unlock()
	if s.Do != nil {
		return s.Do(r)
	}
	return s
}

// skip moves a conversation on to its n-th step, counted from 0.
func (p *player) skip(mark string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next[mark] = n
}

func (p *player) summary() string {
	if p.script.Summary != "" {
		return p.script.Summary
	}
	return "<summary>The conversation so far, in short.</summary>"
}

func (p *player) usage(s Step) Usage {
	switch {
	case s.Usage != nil:
		return *s.Usage
	case p.script.Usage != nil:
		return *p.script.Usage
	}
	return DefaultUsage()
}
