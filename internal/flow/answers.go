package flow

import (
	"context"
	"slices"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/flow/pipeline"
)

// findMissed looks for reactions that answered the bot's questions while it was away: on a server, or on all servers if
// g is empty. Other missed reactions cannot be found, since Discord does not list them.
func (s *reactionSource) findMissed(g chat.GuildID) {
	if s.catchUp > 0 {
		s.findAnswers(g)
	}
}

// findAnswers does what findMissed does even if CatchUp is 0, since it also finds answers that could not be accepted.
func (s *reactionSource) findAnswers(g chat.GuildID) {
	if !s.which.Added {
		return
	}
	s.pipe.Go("answers that were missed", func(ctx context.Context) {
		waiting, err := s.choices.Waiting(ctx)
		if err != nil {
			s.log.ErrorContext(ctx, "answers that were missed stay so", "err", err)
		}
		for _, q := range waiting {
			if g != "" && g != q.Guild {
				continue
			}
			switch err := s.readAnswers(ctx, q); {
			case err == nil:
			case chat.IsGone(err):
				s.forget(ctx, chat.Place{Guild: q.Guild, Channel: q.Channel, Message: q.Message})
			default:
				s.log.WarnContext(ctx, "answers that were missed cannot be read; the next login tries again", "channel", q.Channel, "message", q.Message, "err", err)
			}
		}
	})
}

// readAnswers reads the reactions to a question and tells them like live ones, until one of them resolves it.
func (s *reactionSource) readAnswers(ctx context.Context, q choices.Question) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := s.server.Message(ctx, q.Channel, q.Message)
	if err != nil {
		return err
	}
	for _, r := range m.Reactions {
		if !answersIt(q, r) {
			continue
		}
		people, err := s.server.Reactors(ctx, q.Channel, q.Message, r.Emoji)
		if err != nil {
			return err
		}
		for _, u := range people {
			told := chat.Reacted{Place: m.Place, Sent: m.Sent, Author: m.Author.ID, User: u, Emoji: r.Emoji}
			if settled, err := s.readAnswer(ctx, told); err != nil || settled {
				return err
			}
		}
	}
	return nil
}

// readAnswer tells a missed answer, unless its user may not read the question any more. It reports whether the
// question is settled. The choices of others are not to be told then: they answer nothing, and must not count as
// anything else, such as a stop sign.
func (s *reactionSource) readAnswer(ctx context.Context, told chat.Reacted) (settled bool, err error) {
	r := &reaction{Reacted: told}
	if s.channelNotAllowed(ctx, r) != access.Admitted {
		return false, nil // saves the request of mayRead
	}
	if err := s.mayRead(ctx, r); pipeline.IsPassing(err) {
		return false, err
	} else if err != nil {
		s.log.DebugContext(ctx, "reaction ignored", "reason", err, "message", told.Place.Message, "channel", told.Place.Channel, "user", told.User.ID)
		return false, nil
	}
	s.route(ctx, r, pipeline.Missed)
	_, waits, err := s.choices.Match(ctx, told.Place.Message, told.Emoji)
	return !waits, err
}

// answersIt reports whether a reaction is one of the choices and somebody other than the bot has made it.
func answersIt(q choices.Question, r chat.Reaction) bool {
	others := r.Count
	if r.Mine {
		others--
	}
	return others > 0 && slices.ContainsFunc(q.Choices, r.Emoji.Same)
}

// forget deletes the question of a deleted message, if there is one.
func (s *reactionSource) forget(ctx context.Context, p chat.Place) {
	if err := s.choices.Forget(ctx, p.Message); err != nil {
		s.log.ErrorContext(ctx, "cannot forget the question of a deleted message", "message", p.Message, "channel", p.Channel, "err", err)
	}
}
