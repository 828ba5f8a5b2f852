package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/devflow-suite/devflow/internal/store"
)

// stampFormat is how task_executions.timestamp is written: UTC with milliseconds, so that text order is time order.
const stampFormat = "2006-01-02T15:04:05.000Z"

const day = 24 * time.Hour

// Rate is a share or a mean with the number of things it was taken from. Value is null when there are none.
type Rate struct {
	Value *float64 `json:"value"`
	N     int64    `json:"n"`
}

func ratio(part float64, n int64) Rate {
	if n == 0 {
		return Rate{}
	}
	v := part / float64(n)
	return Rate{&v, n}
}

func intOf(r *store.Row, i int) *int64 {
	if r.Null(i) {
		return nil
	}
	v := r.Int(i)
	return &v
}

func floatOf(r *store.Row, i int) *float64 {
	if r.Null(i) {
		return nil
	}
	v := r.Float(i)
	return &v
}

func textOf(r *store.Row, i int) *string {
	if r.Null(i) || r.Text(i) == "" {
		return nil
	}
	v := r.Text(i)
	return &v
}

// stamp is the text of a moment as table task_executions keeps it.
func stamp(t time.Time) string { return t.UTC().Format(stampFormat) }

// What a task of table task_executions used, NULL when no reply of it was counted. Rows of the first versions have 0 there.
const (
	counted   = `(coalesce(input_tokens,0)+coalesce(output_tokens,0)+coalesce(cache_read_tokens,0)+coalesce(cache_creation_tokens,0) > 0)`
	knownWork = `iif(` + counted + `, context_tokens_consumed, nullif(context_tokens_consumed,0))`
	knownCost = `iif(` + counted + `, cost_usd, nullif(cost_usd,0))`
	priceless = `(cost_usd IS NULL AND (` + counted + ` OR context_tokens_consumed > 0))`
	uncounted = `(NOT ` + counted + ` AND ` + knownWork + ` IS NULL AND ` + knownCost + ` IS NULL)`
)

// maxDays is how far back a range can begin; a time.Duration holds about 290 years.
const maxDays = 100 * 366

// since is the moment some days before now; 0 days or fewer, and more than a hundred years, reach back to the beginning.
func since(now time.Time, days int) time.Time {
	if days <= 0 || days > maxDays {
		return time.UnixMilli(0)
	}
	return now.Add(-time.Duration(days) * day)
}

// percentile is the nearest-rank percentile (0 < p ≤ 100) of sorted values; 0 of none.
func percentile[T cmp.Ordered](sorted []T, p int) T {
	var zero T
	if len(sorted) == 0 {
		return zero
	}
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}

// median sorts its argument.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return (values[n/2-1] + values[n/2]) / 2
}

// view runs one read snapshot and names the report in its error.
func view(db *store.DB, what string, fn func(*store.Tx) error) error {
	if err := db.View(fn); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
