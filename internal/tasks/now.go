package tasks

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/chat"
)

// settleTime bounds the wait for a post. What is not there by then is left to Run.
const settleTime = 10 * time.Second

// Settle brings the post of a task up to date now, for somebody who waits for it, and returns the task. It has no post if the
// server has no forum or if that failed, which Run retries.
func (e *Engine) Settle(ctx context.Context, g chat.GuildID, id string) (Task, error) {
	forum, err := e.Forum(ctx, g)
	if err == nil {
		soon, cancel := context.WithTimeout(ctx, settleTime)
		defer cancel()
		var leave func()
		if leave, err = e.Alone(soon); err == nil {
			e.settle(soon, e.fullID(id), e.tagSet(soon, forum), false, &Report{})
			leave()
		}
	}
	if err != nil && !errors.Is(err, ErrNoForum) && !errors.Is(err, ErrForumGone) {
		e.Log.WarnContext(ctx, "cannot make the post of a task yet", "task", id, "err", err)
	}
	return e.Get(ctx, g, id)
}
