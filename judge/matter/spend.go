package matter

import (
	"maps"
	"sync"
)

// Usage is what asking models has cost. It is kept apart from what the session cost.
type Usage struct {
	Backend, Model      string // of the last answer; empty when no model was asked
	TokensIn, TokensOut int64
	CostUSD             float64
	Unpriced            bool   // at least one answer came without a price: CostUSD is not all
	Raw                 string // the last answer, bounded and redacted, for whoever wants to know
}

// account collects usage and columns from examiners that may run at once.
type account struct {
	mu     sync.Mutex
	usage  Usage
	leaves map[string]any
}

// Spend adds what asking a model has cost. Safe for concurrent use; the only thing that an examiner may change.
func (c *Case) Spend(u Usage) {
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	a := &c.account.usage
	if u.Backend != "" {
		a.Backend, a.Model = u.Backend, u.Model
	}
	if u.Raw != "" {
		a.Raw = u.Raw
	}
	a.TokensIn += u.TokensIn
	a.TokensOut += u.TokensOut
	a.CostUSD += u.CostUSD
	a.Unpriced = a.Unpriced || u.Unpriced
}

// Spent is the sum of Spend.
func (c *Case) Spent() Usage {
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	return c.account.usage
}

func (c *Case) Fill(column string, value any) {
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	if c.account.leaves == nil {
		c.account.leaves = map[string]any{}
	}
	c.account.leaves[column] = value
}

// filled are the columns that revisers gave.
func (c *Case) Filled() map[string]any {
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	return maps.Clone(c.account.leaves)
}
