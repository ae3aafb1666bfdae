package flow

import (
	"context"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/turn"
)

// tokenTime is how long Discord accepts answers to a slash command.
// https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages
const tokenTime = 15 * time.Minute

// slashSource is the source of slash commands.
type slashSource struct {
	*commandSource
	in      *pipeline.Entry[chat.Invocation]
	on      bool
	offered atomic.Bool // the slash command is registered, or removed, as configured
}

func openSlash(c *commandSource, o Options) *slashSource {
	s := &slashSource{commandSource: c, on: o.Slash}
	s.in = pipeline.Open(c.pipe, pipeline.Source[chat.Invocation]{
		Kind:   inbox.Slash,
		Way:    func(pipeline.Event[chat.Invocation]) *access.Way { return access.BySlashCommand },
		Guards: []pipeline.Guard[chat.Invocation]{{Name: "person", Objects: s.isNotServed}, {Name: "known", Objects: s.isUnknown}},
		Key: func(i chat.Invocation) pipeline.Key {
			return pipeline.Key{ID: inbox.EventID(i.Answer.ID), Place: i.Place, By: i.User}
		},
		Store:       withoutValues,
		Refused:     s.refuse,
		Start:       s.acknowledge,
		Expired:     expiredSlash,
		Notices:     droppedSlash,
		TellDropped: s.tell,
		AtOnce:      true,
		Do:          s.do,
		Reply:       s.respond,
	})
	return s
}

// withoutValues returns a slash command as the inbox stores it. After an interruption it is not run again, so all
// that is needed is how to answer it.
func withoutValues(i chat.Invocation) any {
	i.Values = nil
	return i
}

// isNotServed is the guard against users whom the bot does not serve. They get no answer at all; Discord tells
// them that the application did not respond.
func (s *slashSource) isNotServed(_ context.Context, e pipeline.Event[chat.Invocation]) access.Refusal {
	return s.access.Admit(access.BySlashCommand, e.By, e.Place)
}

func (s *slashSource) isUnknown(_ context.Context, e pipeline.Event[chat.Invocation]) access.Refusal {
	if _, _, known := s.commands.Chosen(e.Body); !known {
		return "there is no such command"
	}
	return access.Admitted
}

// refuse handles a slash command that could not be written to the inbox: it asks the user to try again.
func (s *slashSource) refuse(ctx context.Context, e pipeline.Event[chat.Invocation], err error) {
	s.pipe.Go("refused slash command", func(ctx context.Context) {
		if s.server.Acknowledge(ctx, e.Body.Answer) != nil {
			return // Discord tells the user that there was no response
		}
		text := refusal(err) + " Please try again when there is room."
		if err := s.server.Respond(ctx, e.Body.Answer, chat.Outgoing{Text: text}); err != nil {
			s.log.WarnContext(ctx, "cannot answer a slash command", "channel", e.Place.Channel, "user", e.By.ID, "err", err)
		}
	})
}

// acknowledge acknowledges a slash command before it runs. If that fails, the command must not run: Discord tells
// the user that there was no response, so they may try again.
func (s *slashSource) acknowledge(ctx context.Context, e pipeline.Event[chat.Invocation]) bool {
	err := s.server.Acknowledge(ctx, e.Body.Answer)
	if err != nil {
		s.log.WarnContext(ctx, "cannot acknowledge a slash command, so it is not run", "user", e.By.ID, "err", err)
		s.in.Fail(ctx, e)
	}
	return err == nil
}

func (s *slashSource) do(ctx context.Context, r pipeline.Run[chat.Invocation]) (pipeline.Done, error) {
	i := r.Last().Body
	c, args, _ := s.commands.Chosen(i)
	return s.answer(ctx, c, chat.Message{Place: i.Place, Author: s.users.remember(i.User)}, args)
}

// Reasons why a slash command is dropped.
const (
	neverBegun pipeline.Reason = "Discord has told that nobody answers"
	tooLate    pipeline.Reason = "Discord takes no answer any more"
)

// expiredSlash drops a slash command that was never acknowledged, and so cannot be answered, one whose token has
// expired, and one that was interrupted. If the answer is in the ledger, it is sent again.
func expiredSlash(_ context.Context, e pipeline.Event[chat.Invocation], answered bool) (pipeline.Reason, error) {
	switch {
	case !e.Begun:
		return neverBegun, nil
	case time.Since(e.Accepted) >= tokenTime:
		return tooLate, nil
	case !answered:
		return pipeline.Interrupted, nil
	}
	return "", nil
}

func droppedSlash(_ pipeline.Event[chat.Invocation], why pipeline.Reason) pipeline.DropNotices {
	if why == pipeline.Interrupted || why == pipeline.TooManyAttempts {
		return pipeline.DropNotices{Text: interruption}
	}
	return pipeline.DropNotices{}
}

func (s *slashSource) tell(ctx context.Context, e pipeline.Event[chat.Invocation], text string) error {
	return s.server.FollowUp(ctx, e.Body.Answer, chat.Outgoing{Text: text})
}

// respond sends the answer to a slash command. The first message replaces what is there, so it is idempotent. The
// others are not: an earlier process may have sent them, so a resumed command says that some may be missing.
func (s *slashSource) respond(ctx context.Context, r pipeline.Run[chat.Invocation], text string) error {
	if text == "" {
		text = "Done. The answer is in this channel."
	}
	e, send := r.Last(), s.server.Respond
	for i, out := range reply.Messages(turn.Body{Text: text}) {
		if i > 0 && e.Arrival == pipeline.Resumed {
			return s.tell(ctx, e, "⚠️ I was done with this command, but my answer may not be here, or not all of it. Please check what came of it before you write it again.")
		}
		if err := send(ctx, e.Body.Answer, out); err != nil {
			return err
		}
		send = s.server.FollowUp
	}
	return nil
}

// offer registers the slash command with Discord, or removes it if it is switched off. After a failure, the next
// login tries again; until then, people can write commands with an exclamation mark.
func (s *slashSource) offer() {
	if s.commands == nil || s.offered.Load() {
		return
	}
	s.pipe.Go("menu", func(ctx context.Context) {
		menu := s.commands.Menu()
		offer := func() error { return s.server.OfferMenu(ctx, menu) }
		if !s.on {
			offer = func() error { return s.server.WithdrawMenu(ctx, menu) }
		}
		if err := offer(); err != nil {
			s.log.WarnContext(ctx, "slash command not up to date; people can still write commands with an exclamation mark, and discoclaw invite prints the link that allows slash commands",
				"name", menu.Name, "err", err)
			return
		}
		s.offered.Store(true)
	})
}

// complete answers an autocomplete request.
func (s *slashSource) complete(ctx context.Context, typing chat.Completion) {
	if why := s.access.Admit(access.BySlashCommand, typing.User, typing.Place); why != access.Admitted || !s.on || s.commands == nil {
		s.log.DebugContext(ctx, "typing ignored", "reason", string(why), "channel", typing.Place.Channel, "user", typing.User.ID)
		return
	}
	s.pipe.Go("suggestions", func(ctx context.Context) {
		if err := s.server.Suggest(ctx, typing.Answer, s.commands.Complete(ctx, typing)); err != nil {
			s.log.DebugContext(ctx, "nothing suggested", "channel", typing.Place.Channel, "user", typing.User.ID, "err", err)
		}
	})
}
