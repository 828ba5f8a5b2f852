//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

func (b *backend) tryLandlock(context.Context) error { return errors.New("landlock is for Linux only") }

func scopes() bool { return false }

// SelfTest tries the rows of the probe table with real processes. There is no backend to try on this system.
func SelfTest(ctx context.Context, _ Sandbox) ([]Probe, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, ErrUnavailable
}
