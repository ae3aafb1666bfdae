package flow

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
)

// catchUpOnAnswers looks whether somebody has answered one of the bot's questions with a
// reaction while nobody listened. Of other reactions nobody can tell.
func (f *Flows) catchUpOnAnswers() {
	if f.CatchUp == 0 || !f.Reactions.Added {
		return
	}
	f.aside.Go("answers that were missed", func(ctx context.Context) {
		waiting, err := f.Choices.Waiting(ctx)
		if err != nil {
			f.Log.ErrorContext(ctx, "answers that were missed stay so", "err", err)
		}
		for _, q := range waiting {
			if err := f.readAnswers(ctx, q); err != nil {
				f.Log.WarnContext(ctx, "answers that were missed cannot be read; the next login tries again", "channel", q.Channel, "message", q.Message, "err", err)
			}
		}
	})
}

// readAnswers takes up the answers that a question has, in the way of every reaction that
// is heard. The first that counts settles it.
func (f *Flows) readAnswers(ctx context.Context, q choices.Question) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	m, err := f.Server.Message(ctx, q.Channel, q.Message)
	if err != nil {
		return err
	}
	for _, r := range m.Reactions {
		if !answersIt(q, r) {
			continue
		}
		people, err := f.Server.Reactors(ctx, q.Channel, q.Message, r.Emoji)
		if err != nil {
			return err
		}
		for _, u := range people {
			f.Reacted(ctx, chat.Reacted{Place: m.Place, Sent: m.Sent, Author: m.Author.ID, User: u, Emoji: r.Emoji})
		}
	}
	return nil
}

// answersIt says whether somebody other than the bot has made this choice.
func answersIt(q choices.Question, r chat.Reaction) bool {
	others := r.Count
	if r.Mine {
		others--
	}
	return others > 0 && slices.ContainsFunc(q.Choices, r.Emoji.Same)
}
