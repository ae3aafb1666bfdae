package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/convo"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/inbox"
	"discoclaw/internal/turn"
)

// command runs what somebody wrote as a command. It does not wait for the turn that
// may be running in the channel: it may be about that one. Other bots are only told
// which commands there are.
func (f *Flows) command(ctx context.Context, c commands.Command, m chat.Message, args string) {
	if m.Author.Bot && !c.ForBots {
		f.log(ctx, "command ignored", access.AnotherBot, m.Place, m.Author)
		f.settle(ctx, inbox.Failed, string(m.ID))
		return
	}
	f.logCommand(ctx, c, m)
	if commands.Secret(m.Text) {
		m.Text = "" // for whoever is told that it is over
	}
	f.aside.Go("!"+c.Name, func(ctx context.Context) {
		if f.wasAnswered(ctx, m) {
			return
		}
		written := f.started(ctx, "", string(m.ID))
		err := f.answer(ctx, c, Turn{Message: m}, args, written, func(reply string) error { return f.reply(ctx, m, outgoing(reply)) })
		f.conclude(ctx, err, string(m.ID))
	})
}

// lateCommand leaves a command alone that is from another time: what it was about may be
// long over. Who wrote it is told, when it is its turn.
func (f *Flows) lateCommand(c commands.Command, m chat.Message) convo.Work {
	return convo.Work{ID: string(m.ID), Channel: m.Place.Channel, Message: m.ID, Apart: true, Run: func(ctx context.Context, _ []chat.Message) {
		if ctx.Err() != nil {
			return // it is told after the next start
		}
		if f.wasAnswered(ctx, m) {
			return
		}
		f.log(ctx, "command ignored", "written while the bot was away", m.Place, m.Author)
		f.giveUp(ctx, m, fmt.Sprintf("`!%s` was written while I was away, so I left it alone. Write it again if you still want it.", c.Name), inbox.Event{ID: string(m.ID)})
	}}
}

func (f *Flows) logCommand(ctx context.Context, c commands.Command, m chat.Message) {
	f.Log.InfoContext(ctx, "command", "name", c.Name, "channel", m.Place.Channel, "message", m.ID, "user", m.Author.ID)
}

// answer runs a command, tells what there is to say about it, and that it is over. The
// error is that of telling. Written says whether anybody would know after a crash that it
// was run.
func (f *Flows) answer(ctx context.Context, c commands.Command, over Turn, args string, written bool, tell func(reply string) error) error {
	m := over.Message
	over.Command, over.By, over.Began = c.Name, m.Author, time.Now()
	run := f.Commands.Answer
	if !written && f.Commands.Changes(c, m, args) {
		run = notRun
	}
	reply, err := run(ctx, c, m, args)
	if err != nil {
		f.Log.ErrorContext(ctx, "command failed", "name", c.Name, "channel", m.Place.Channel, "message", m.ID, "err", err)
	}
	told := tell(reply)
	over.Took, over.Err = time.Since(over.Began), errors.Join(err, told)
	f.stats.over(over)
	f.Over(ctx, over)
	return told
}

// notRun is what comes of a command that nobody would know to have been run: it would be run
// again.
func notRun(_ context.Context, c commands.Command, _ chat.Message, _ string) (reply string, err error) {
	return fmt.Sprintf("⚠️ `!%s` was %s. Whoever runs the bot can make room on its disk, or start the bot anew if there is room; its log has the details. Then write it again.", c.Name, actions.NotWritten),
		errors.New(actions.NotWritten)
}

// giveUp says that nothing will come of something, and settles it. If that cannot be said,
// it is tried again in a while; if the bot goes down first, the next start says it.
func (f *Flows) giveUp(ctx context.Context, m chat.Message, why string, events ...inbox.Event) {
	f.tryToGiveUp(ctx, m, why, m.Sent.Before(f.began()), events...)
}

func (f *Flows) tryToGiveUp(ctx context.Context, m chat.Message, why string, again bool, events ...inbox.Event) {
	err := f.replyOnce(ctx, m, why, again)
	if errors.Is(err, turn.ErrRestarting) {
		return
	}
	if isPassing(err) && len(events) > 0 {
		f.aside.Go("why nothing comes of it", func(ctx context.Context) {
			if f.aside.Pause(ctx, aWhile) {
				f.tryToGiveUp(ctx, m, why, true, events...)
			}
		})
		return
	}
	if err != nil {
		f.Report(ctx, fmt.Sprintf("⚠️ A reply failed in %s: %v.", m.Place.Whereabouts(), err))
	}
	f.abandon(ctx, events...)
}

// reply answers a command. Somebody who goes on with it knows by the last message whether the
// answer is whole.
func (f *Flows) reply(ctx context.Context, m chat.Message, answer []chat.Outgoing) error {
	for i, out := range answer {
		if i == 0 {
			f.done(ctx, commandBody{m, answer[len(answer)-1].Text}.event())
			out.ReplyTo = m.ID
		}
		if _, err := f.Server.Send(ctx, m.Place.Channel, out); err != nil {
			return f.undelivered(ctx, m.Place, err)
		}
	}
	return nil
}

// undelivered is the error of an answer that could not be delivered: turn.ErrRestarting,
// if the bot goes down.
func (f *Flows) undelivered(ctx context.Context, at chat.Place, err error) error {
	f.Log.WarnContext(ctx, "reply not delivered", "channel", at.Channel, "message", at.Message, "err", err)
	if ctx.Err() != nil {
		return turn.ErrRestarting
	}
	return err
}

// outgoing is a text as messages. No text is none.
func outgoing(text string) []chat.Outgoing { return reply.Messages(turn.Body{Text: text}) }
