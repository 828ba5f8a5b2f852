package sandbox

import (
	"context"
	"errors"
)

func (b *backend) tryLandlock(context.Context) error { return errors.New("landlock: not built yet") }

func (b *backend) findLimits(context.Context) {}
// Launch is the hidden command.
func Launch(args []string) int { return 125 }
