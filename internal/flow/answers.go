package flow

import (
	"context"
	"slices"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
)

// catchUp looks whether somebody has answered one of the bot's questions with a
// reaction while nobody listened: on a server, or on all if it is empty. Of other reactions
// nobody can tell.
func (s *reactionSource) catchUp(g chat.GuildID) {
	if s.CatchUp > 0 {
		s.findAnswers(g)
	}
}

// findAnswers is catchUp whatever is answered of what was said while the bot was away: it also
// finds answers that could not be accepted.
func (s *reactionSource) findAnswers(g chat.GuildID) {
	if !s.Reactions.Added {
		return
	}
	s.bg.Go("answers that were missed", func(ctx context.Context) {
		waiting, err := s.Choices.Waiting(ctx)
		if err != nil {
			s.Log.ErrorContext(ctx, "answers that were missed stay so", "err", err)
		}
		for _, q := range waiting {
			if g != "" && g != q.Guild {
				continue
			}
			switch err := s.readAnswers(ctx, q); {
			case err == nil:
			case isGone(err):
				s.forget(ctx, chat.Place{Guild: q.Guild, Channel: q.Channel, Message: q.Message})
			default:
				s.Log.WarnContext(ctx, "answers that were missed cannot be read; the next login tries again", "channel", q.Channel, "message", q.Message, "err", err)
			}
		}
	})
}

// readAnswers takes up the answers that a question has, in the way of every reaction that
// is heard. The first that counts settles it.
func (s *reactionSource) readAnswers(ctx context.Context, q choices.Question) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := s.Server.Message(ctx, q.Channel, q.Message)
	if err != nil {
		return err
	}
	for _, r := range m.Reactions {
		if !answersIt(q, r) {
			continue
		}
		people, err := s.Server.Reactors(ctx, q.Channel, q.Message, r.Emoji)
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

// readAnswer takes up an answer, unless who gave it may not even read the question any more.
// It says whether the question is settled: what others chose is no answer then, and nothing
// else either, such as a stop sign.
func (s *reactionSource) readAnswer(ctx context.Context, told chat.Reacted) (settled bool, err error) {
	r := &reaction{Reacted: told}
	if s.isElsewhere(ctx, r) != access.Admitted {
		return false, nil // and needs no looking up
	}
	if err := s.mayRead(ctx, r); isPassing(err) {
		return false, err
	} else if err != nil {
		s.Log.DebugContext(ctx, "reaction ignored", "reason", err, "message", told.Place.Message, "channel", told.Place.Channel, "user", told.User.ID)
		return false, nil
	}
	s.in.tell(ctx, r, Missed)
	_, waits, err := s.Choices.Match(ctx, told.Place.Message, told.Emoji)
	return !waits, err
}

// answersIt says whether somebody other than the bot has made this choice.
func answersIt(q choices.Question, r chat.Reaction) bool {
	others := r.Count
	if r.Mine {
		others--
	}
	return others > 0 && slices.ContainsFunc(q.Choices, r.Emoji.Same)
}

// forget forgets the question of a message that is gone.
func (s *reactionSource) forget(ctx context.Context, p chat.Place) {
	if err := s.Choices.Forget(ctx, p.Message); err != nil {
		s.Log.ErrorContext(ctx, "cannot forget the question of a deleted message", "message", p.Message, "channel", p.Channel, "err", err)
	}
}
