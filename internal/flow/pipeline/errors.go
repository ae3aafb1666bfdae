package pipeline

import (
	"context"
	"errors"

	"discoclaw/internal/turn"
)

// isOver reports whether work is finished: it succeeded, or somebody stopped it.
func isOver(err error) bool { return err == nil || errors.Is(err, turn.ErrStopped) }

// isCutOff reports whether work failed because the bot goes down, whatever the error says.
func isCutOff(ctx context.Context, err error) bool {
	return errors.Is(err, turn.ErrGoingDown) || IsGoingDown(ctx)
}

// IsGoingDown reports whether the bot goes down. Work that has not begun is then left to the next start.
func IsGoingDown(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), turn.ErrGoingDown)
}

// IsPassing reports whether an error is temporary, so that a retry may succeed.
func IsPassing(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && !refusal.Permanent()
}

// isUnanswered reports whether a temporary error is that of a request which Discord neither carried out nor refused: its servers
// failed, or something else answered.
func isUnanswered(err error) bool {
	var e interface{ Permanent() bool }
	if !errors.As(err, &e) {
		return false
	}
	unclear, ok := e.(interface{ Unclear() bool })
	return ok && unclear.Unclear()
}
