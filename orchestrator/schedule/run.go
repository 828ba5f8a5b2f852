package schedule

import "context"

// Run drives a run to its end: done, failed, or stopped and resumable.
func Run(ctx context.Context, o Options) (Summary, error) { return Summary{}, ErrOptions }
