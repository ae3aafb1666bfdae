package flow

import (
	"context"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/turn"
)

// command runs what somebody wrote as a command. It does not wait for the turn that
// may be running in the channel: it may be about that one. Other bots are only told
// which commands there are.
func (f *Flows) command(ctx context.Context, c commands.Command, m chat.Message, args string) {
	if m.Author.Bot && c.Name != "help" {
		f.log(ctx, "command ignored", access.AnotherBot, m.Place, m.Author)
		return
	}
	f.Log.InfoContext(ctx, "command", "name", c.Name, "channel", m.Place.Channel, "message", m.ID, "user", m.Author.ID)
	f.aside.Go("!"+c.Name, func(ctx context.Context) {
		over := Turn{Command: c.Name, Message: m, By: m.Author, Began: time.Now()}
		reply, err := commands.Answer(ctx, c, m, args)
		if err != nil {
			f.Log.ErrorContext(ctx, "command failed", "name", c.Name, "channel", m.Place.Channel, "message", m.ID, "err", err)
		}
		f.reply(ctx, m, reply)
		over.Took, over.Err = time.Since(over.Began), err
		f.Over(ctx, over)
	})
}

// reply answers a message without asking a model.
func (f *Flows) reply(ctx context.Context, m chat.Message, text string) {
	if text == "" {
		return
	}
	chunks, files := turn.Messages(text)
	for i, chunk := range chunks {
		out := chat.Outgoing{Text: chunk}
		if i == 0 {
			out.ReplyTo = m.ID
		}
		if i == len(chunks)-1 {
			out.Files = files
		}
		if _, err := f.Server.Send(ctx, m.Place.Channel, out); err != nil {
			f.Log.WarnContext(ctx, "reply not delivered", "channel", m.Place.Channel, "message", m.ID, "err", err)
			return
		}
	}
}
