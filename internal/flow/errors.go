package flow

import (
	"context"
	"errors"

	"discoclaw/internal/turn"
)

// isOver says whether something came to an end at which nothing is left to do.
func isOver(err error) bool { return err == nil || errors.Is(err, turn.ErrStopped) }

// isCutOff says whether something failed because the bot goes down, in whatever words.
func isCutOff(ctx context.Context, err error) bool {
	return errors.Is(err, turn.ErrRestarting) || isGoingDown(ctx)
}

// isGoingDown says whether the bot goes down, so that what has not begun waits for the next
// start.
func isGoingDown(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), turn.ErrRestarting)
}

// isPassing says whether what went wrong may be well in a while.
func isPassing(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && !refusal.Permanent()
}

// isGone says whether something was deleted. What the bot may not see at present was not.
func isGone(err error) bool {
	var refusal interface{ Gone() bool }
	return errors.As(err, &refusal) && refusal.Gone()
}
