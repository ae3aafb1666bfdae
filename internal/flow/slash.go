package flow

import (
	"context"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/turn"
)

// A Menu is what flows need of Discord for slash commands.
type Menu interface {
	// OfferMenu makes sure that people see it; WithdrawMenu, that they do not.
	OfferMenu(ctx context.Context, m chat.Menu) error
	WithdrawMenu(ctx context.Context, name string) error
	// Acknowledge tells who used a command that there will be an answer. Respond answers,
	// FollowUp adds to that. Nobody else sees any of it.
	Acknowledge(ctx context.Context, i chat.Interaction) error
	Respond(ctx context.Context, i chat.Interaction, m chat.Outgoing) error
	FollowUp(ctx context.Context, i chat.Interaction, m chat.Outgoing) error
	// Suggest answers who types.
	Suggest(ctx context.Context, i chat.Interaction, texts []string) error
}

// tokenTime is how long who used a slash command can be answered.
// https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages
const tokenTime = 15 * time.Minute

// slashSource runs commands that people choose from a menu.
type slashSource struct {
	*commandSource
	in      *entry[chat.Invocation]
	offered atomic.Bool // the menu is as it should be
}

func openSlash(f *Flows) {
	s := &slashSource{commandSource: f.commands}
	f.slash = s
	s.in = open(f.Pipeline, Source[chat.Invocation]{
		Kind:    inbox.Slash,
		Way:     func(Event[chat.Invocation]) *access.Way { return access.BySlashCommand },
		Guards:  []Guard[chat.Invocation]{{"person", s.isNotServed}, {"known", s.isUnknown}},
		Key:     func(i chat.Invocation) Key { return Key{ID: inbox.EventID(i.Answer.ID), Place: i.Place, By: i.User} },
		Store:   withoutValues,
		Refused: s.refuse,
		Start:   s.acknowledge,
		Expired: expiredSlash,
		Dropped: droppedSlash,
		Tell:    s.tell,
		AtOnce:  true,
		Do:      s.do,
		Reply:   s.respond,
	})
}

// withoutValues is what is kept of a slash command. Should it be interrupted, all that is needed
// is how to say so.
func withoutValues(i chat.Invocation) any {
	i.Values = nil
	return i
}

// isNotServed: whom the bot does not serve gets no answer at all; Discord tells them that there
// was none.
func (s *slashSource) isNotServed(_ context.Context, e Event[chat.Invocation]) access.Refusal {
	return s.Access.Admit(access.BySlashCommand, e.By, e.Place)
}

func (s *slashSource) isUnknown(_ context.Context, e Event[chat.Invocation]) access.Refusal {
	if _, _, known := s.Commands.Chosen(e.Body); !known {
		return "there is no such command"
	}
	return access.Admitted
}

// refuse is for a slash command that could not be written down.
func (s *slashSource) refuse(ctx context.Context, e Event[chat.Invocation], err error) {
	s.bg.Go("refused slash command", func(ctx context.Context) {
		if s.Server.Acknowledge(ctx, e.Body.Answer) != nil {
			return // Discord tells that nobody answers
		}
		text := refusal(err) + " Please try again when there is room."
		if err := s.Server.Respond(ctx, e.Body.Answer, chat.Outgoing{Text: text}); err != nil {
			s.Log.WarnContext(ctx, "cannot answer a slash command", "channel", e.Place.Channel, "user", e.By.ID, "err", err)
		}
	})
}

// acknowledge: who was told that nothing came of it may try again, so nothing must come of it.
func (s *slashSource) acknowledge(ctx context.Context, e Event[chat.Invocation]) bool {
	err := s.Server.Acknowledge(ctx, e.Body.Answer)
	if err != nil {
		s.Log.WarnContext(ctx, "cannot acknowledge a slash command, so it is not run", "user", e.By.ID, "err", err)
		s.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, e.ID)
	}
	return err == nil
}

func (s *slashSource) do(ctx context.Context, r Run[chat.Invocation]) (Done, error) {
	i := r.Last().Body
	c, args, _ := s.Commands.Chosen(i)
	return s.answer(ctx, c, chat.Message{Place: i.Place, Author: s.people.met(i.User)}, args)
}

// Reasons why a slash command is dropped.
const (
	neverBegun Reason = "Discord has told that nobody answers"
	tooLate    Reason = "Discord takes no answer any more"
)

// expiredSlash: what was never acknowledged cannot be answered. An answer that is known is
// given once more.
func expiredSlash(_ context.Context, e Event[chat.Invocation], answered bool) (Reason, error) {
	switch {
	case !e.Begun:
		return neverBegun, nil
	case time.Since(e.Accepted) >= tokenTime:
		return tooLate, nil
	case !answered:
		return Interrupted, nil
	}
	return "", nil
}

func droppedSlash(_ Event[chat.Invocation], why Reason) Farewell {
	if why == Interrupted || why == TooManyAttempts {
		return Farewell{Text: interruption}
	}
	return Farewell{}
}

func (s *slashSource) tell(ctx context.Context, e Event[chat.Invocation], text string) error {
	return s.Server.FollowUp(ctx, e.Body.Answer, chat.Outgoing{Text: text})
}

// respond answers a slash command. Its first message replaces the one that is there; the others
// would be doubled if an earlier process has sent them.
func (s *slashSource) respond(ctx context.Context, r Run[chat.Invocation], text string) error {
	if text == "" {
		text = "Done; see this channel."
	}
	e, send := r.Last(), s.Server.Respond
	for i, out := range reply.Messages(turn.Body{Text: text}) {
		if i > 0 && e.Arrival == Resumed {
			return s.tell(ctx, e, "⚠️ I was done with this command, but my answer may not be here, or not all of it. Please check what came of it before you write it again.")
		}
		if err := send(ctx, e.Body.Answer, out); err != nil {
			return err
		}
		send = s.Server.FollowUp
	}
	return nil
}

// offer sees to it that Discord shows the commands, or that it does not. It is called at every
// login until that has worked: people have the commands with an exclamation mark anyway.
func (s *slashSource) offer() {
	if s.Commands == nil || s.offered.Load() {
		return
	}
	s.bg.Go("menu", func(ctx context.Context) {
		menu := s.Commands.Menu()
		offer := func() error { return s.Server.OfferMenu(ctx, menu) }
		if !s.Slash {
			offer = func() error { return s.Server.WithdrawMenu(ctx, menu.Name) }
		}
		if err := offer(); err != nil {
			s.Log.WarnContext(ctx, "slash command not up to date; people can still write commands with an exclamation mark, and discoclaw invite prints the link that allows slash commands",
				"name", menu.Name, "err", err)
			return
		}
		s.offered.Store(true)
	})
}

// complete suggests how to go on with what somebody types.
func (s *slashSource) complete(ctx context.Context, typing chat.Completion) {
	if why := s.Access.Admit(access.BySlashCommand, typing.User, typing.Place); why != access.Admitted || !s.Slash || s.Commands == nil {
		s.Log.DebugContext(ctx, "typing ignored", "reason", string(why), "channel", typing.Place.Channel, "user", typing.User.ID)
		return
	}
	s.bg.Go("suggestions", func(ctx context.Context) {
		if err := s.Server.Suggest(ctx, typing.Answer, s.Commands.Complete(ctx, typing)); err != nil {
			s.Log.DebugContext(ctx, "nothing suggested", "channel", typing.Place.Channel, "user", typing.User.ID, "err", err)
		}
	})
}
