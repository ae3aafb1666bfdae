package app

import (
	"context"
	"log/slog"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/inflight"
	"discoclaw/internal/outbox"
	"discoclaw/internal/turn"
)

// replies follows the bot's replies from their placeholder to their end, so that none
// stays unfinished for ever.
type replies struct {
	outbox  *outbox.Outbox
	open    *inflight.Replies
	threads *threads
	log     *slog.Logger
}

// writeTime is how long writing a reply down may take. It never does; but nobody should
// wait for an answer because of a disk.
const writeTime = 2 * time.Second

// follow is called when a placeholder was posted.
func (r *replies) follow(ctx context.Context, at chat.Place, live *discord.LiveReply) turn.Reply {
	f := &followed{LiveReply: live, replies: r, placeholder: live.ID()}
	f.note(ctx, func(ctx context.Context) error { return r.open.Began(ctx, at.Channel, f.placeholder) })
	r.threads.answering(at)
	return f
}

// A followed reply says when it is over.
type followed struct {
	*discord.LiveReply
	replies     *replies
	placeholder chat.MessageID // which the reply may leave for another message
}

// Finish makes the chunks the answer. If that fails before anything was shown, the
// placeholder is still there, and somebody has to deal with it.
func (f *followed) Finish(ctx context.Context, chunks []string, files ...chat.File) (chat.Receipt, error) {
	receipt, err := f.LiveReply.Finish(ctx, chunks, files...)
	if err == nil || len(receipt.Messages) > 0 {
		f.over(ctx)
	}
	return receipt, err
}

// Discard takes the reply away.
func (f *followed) Discard(ctx context.Context) error {
	err := f.LiveReply.Discard(ctx)
	if err == nil {
		f.over(ctx)
	}
	return err
}

func (f *followed) over(ctx context.Context) {
	f.note(ctx, func(ctx context.Context) error { return f.replies.open.Over(ctx, f.placeholder) })
}

// note writes something down, whatever becomes of the turn.
func (f *followed) note(ctx context.Context, write func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if err := write(ctx); err != nil {
		f.replies.log.ErrorContext(ctx, "reply not written down", "message", f.placeholder, "err", err)
	}
}
