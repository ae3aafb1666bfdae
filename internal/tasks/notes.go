package tasks

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/forum"
)

// worthAWord is from when on people are told that a note is late.
const worthAWord = time.Minute

// noteClosing says in the post of a task that it is closed, once for each time that it is.
func (e *Engine) noteClosing(ctx context.Context, r *record) error {
	text := "Closed."
	if r.Reason != "" {
		text = "Closed: " + r.Reason
	}
	closed := r.Closed
	if err := e.once(ctx, *r, fmt.Sprintf("closed-%d", closed.UnixMicro()), closed, chat.Outgoing{Text: text}); err != nil {
		return fmt.Errorf("say that it is closed: %w", err)
	}
	return e.rows.mirror(ctx, r, func(now *record) { now.closedPosted = closed })
}

// noteDue says in the post of a task that its date has come, once for each date. It mentions the task's owner if who set the date
// could do so themselves.
func (e *Engine) noteDue(ctx context.Context, r record) error {
	m := chat.Outgoing{Text: "This task is due."}
	if r.Owner != "" {
		m.Text = r.Owner.Mention() + ", this task is due."
		may := r.DueBy == r.Owner
		if !may && e.MayMention != nil && r.DueBy != "" {
			var err error
			if may, err = e.MayMention(ctx, r.Task); err != nil {
				return err
			}
		}
		if may {
			m.Mentions = []chat.UserID{r.Owner}
		}
	}
	late := m
	late.Text = fmt.Sprintf("-# I could not say so in time: it was due <t:%d:R>.\n%s", r.Due.Unix(), m.Text)
	if e.Now().Sub(r.Due) > worthAWord {
		m, late = late, m
	}
	due := r.Due
	if err := e.once(ctx, r, fmt.Sprintf("due-%d", due.UnixMicro()), due, m, late); err != nil {
		return fmt.Errorf("say that it is due: %w", err)
	}
	return e.rows.mirror(ctx, &r, func(now *record) { now.duePosted = due })
}

// once posts a message through the outbox, which knows what it has posted for a day. If it may have forgotten that, or the database
// is a restored copy, the message and others that would do are searched for first.
func (e *Engine) once(ctx context.Context, r record, part string, since time.Time, m chat.Outgoing, others ...chat.Outgoing) error {
	posts := e.Outbox.Of(chat.TurnID("task-"+r.ID), nil)
	if r.restored || time.Since(since) > outbox.Retention-time.Hour {
		_, begun, err := posts.Posted(ctx, part)
		if err != nil {
			return err
		}
		for _, like := range append([]chat.Outgoing{m}, others...) {
			if begun {
				break
			}
			found, err := e.Server.FindOwn(ctx, r.Thread, since.Add(-forum.Skew), like)
			if len(found) > 0 || err != nil {
				return err
			}
		}
	}
	_, err := posts.Post(ctx, part, r.Thread, m)
	return err
}
