package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// reopen reopens a question if its answer changed nothing because the user who gave it lacks a right that others
// may have. It is idempotent, since a resumed turn calls it again.
func (s *reactionSource) reopen(ctx context.Context, run pipeline.Run[*reaction], report turn.Report) error {
	r := run.Last().Body
	needs := lackedAlone(report.Outcomes(), r.User.ID)
	if r.question == nil || len(needs) == 0 || r.question.Requester == r.User.ID {
		return nil // the rights of the requester bound every answer, so nobody else could help
	}
	writing, cancel := pipeline.Writing(ctx)
	defer cancel()
	ok, err := s.choices.Reopen(writing, *r.question, r.User.ID)
	if err != nil {
		s.log.ErrorContext(ctx, "cannot open a question again", "message", r.Place.Message, "err", err)
		return &turn.NotWritten{Full: errors.Is(err, store.ErrFull), Cause: store.Plain(err)}
	}
	if !ok {
		return nil // its message was deleted, or it is too old
	}
	line := fmt.Sprintf("<@%s> can't do that (needs %s); the question is open again, for others.", r.User.ID, strings.Join(needs, ", "))
	s.tellReopened(ctx, run, line)
	s.pipe.Go("answers to a question that is open again", func(ctx context.Context) {
		// Others may have answered while it was closed.
		if err := s.readAnswers(ctx, *r.question); err != nil {
			s.log.WarnContext(ctx, "cannot read the answers to a question that is open again", "channel", r.Place.Channel, "message", r.Place.Message, "err", err)
		}
	})
	return nil
}

// tellReopened posts, once, that a question is open again. It retries temporary errors in the background.
func (s *reactionSource) tellReopened(ctx context.Context, run pipeline.Run[*reaction], line string) {
	at := run.Last().Place
	tell := func(ctx context.Context) error { return s.pipe.Reply(ctx, run.Turn+"/reopened", "line", at, line) }
	err := tell(ctx)
	if pipeline.IsPassing(err) {
		s.pipe.Go("a question is open again", func(ctx context.Context) {
			for pipeline.IsPassing(err) && s.pipe.Pause(ctx, pipeline.RetryDelay) {
				err = tell(ctx)
			}
		})
	} else if err != nil {
		s.log.WarnContext(ctx, "cannot tell that a question is open again", "message", at.Message, "channel", at.Channel, "err", err)
	}
}

// lackedAlone returns the rights that a user lacks for the actions of a turn, provided that nothing was changed and
// that nothing failed for another reason.
func lackedAlone(outs []actions.Outcome, who chat.UserID) (needs []string) {
	for _, o := range outs {
		switch {
		case o.Lack != nil && o.Lack.User == who:
			needs = append(needs, o.Lack.Needs)
		case o.Done() && o.Action.Effect == actions.Queries:
		default:
			return nil
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs)
}
