package flow

import (
	"context"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/inbox"
)

// A Menu is what flows need of Discord for slash commands.
type Menu interface {
	// OfferMenu makes sure that people see it; WithdrawMenu, that they do not.
	OfferMenu(ctx context.Context, m chat.Menu) error
	WithdrawMenu(ctx context.Context, name string) error
	// Acknowledge tells who used a command that there will be an answer. Respond answers,
	// RespondMore adds to that. Nobody else sees any of it.
	Acknowledge(ctx context.Context, i chat.Interaction) error
	Respond(ctx context.Context, i chat.Interaction, m chat.Outgoing) error
	RespondMore(ctx context.Context, i chat.Interaction, m chat.Outgoing) error
	// Suggest answers who types.
	Suggest(ctx context.Context, i chat.Interaction, texts []string) error
}

// offerMenu sees to it that Discord shows the commands, or that it does not. It is
// called at every login until that has worked: people have the commands with an
// exclamation mark anyway.
func (f *Flows) offerMenu() {
	if f.Commands == nil || f.offered.Load() {
		return
	}
	f.aside.Go("menu", func(ctx context.Context) {
		menu := f.Commands.Menu()
		offer := func() error { return f.Server.OfferMenu(ctx, menu) }
		if !f.Slash {
			offer = func() error { return f.Server.WithdrawMenu(ctx, menu.Name) }
		}
		if err := offer(); err != nil {
			f.Log.WarnContext(ctx, "slash command not up to date; people can still write commands with an exclamation mark, and discoclaw invite prints the link that allows slash commands",
				"name", menu.Name, "err", err)
			return
		}
		f.offered.Store(true)
	})
}

// Invoked is told that somebody used the slash command. Whom the bot does not serve
// gets no answer at all; Discord tells them that there was none.
func (f *Flows) Invoked(ctx context.Context, i chat.Invocation) {
	if why := f.Access.Admit(access.BySlashCommand, i.User, i.Place); why != access.Admitted {
		f.log(ctx, "slash command ignored", why, i.Place, i.User)
		return
	}
	c, args, known := f.Commands.Chosen(i)
	// No message has the ID of an interaction.
	if !f.Slash || !known || !f.seen.add(chat.MessageID(i.Answer.ID)) {
		return
	}
	if !f.accept(ctx, slashEvent(i)) {
		return
	}
	m := chat.Message{Place: i.Place, Author: f.people.met(i.User)}
	f.logCommand(ctx, c, m)
	f.aside.Go("/"+c.Name, func(ctx context.Context) {
		// Who was told that nothing came of it may try again, so nothing must come of it.
		if err := f.Server.Acknowledge(ctx, i.Answer); err != nil {
			f.Log.WarnContext(ctx, "slash command not acknowledged, so not carried out", "name", c.Name, "channel", m.Place.Channel, "user", m.Author.ID, "err", err)
			f.settle(ctx, inbox.Failed, i.Answer.ID)
			return
		}
		written := f.started(ctx, "", i.Answer.ID)
		err := f.answer(ctx, c, Turn{ID: i.Answer.ID, Message: m}, args, written, func(reply string) error {
			f.done(ctx, slashBody{i, true}.event())
			return f.respond(ctx, i, reply)
		})
		f.conclude(ctx, err, i.Answer.ID)
	})
}

// respond answers a slash command.
func (f *Flows) respond(ctx context.Context, i chat.Invocation, text string) error {
	if text == "" {
		text = "What came of it is in this channel."
	}
	send := f.Server.Respond
	for _, out := range outgoing(text) {
		if err := send(ctx, i.Answer, out); err != nil {
			return f.undelivered(ctx, i.Place, err)
		}
		send = f.Server.RespondMore
	}
	return nil
}

// Completing is told what somebody types into the slash command.
func (f *Flows) Completing(ctx context.Context, typing chat.Completion) {
	if why := f.Access.Admit(access.BySlashCommand, typing.User, typing.Place); why != access.Admitted || !f.Slash || f.Commands == nil {
		f.log(ctx, "typing ignored", why, typing.Place, typing.User)
		return
	}
	f.aside.Go("suggestions", func(ctx context.Context) {
		if err := f.Server.Suggest(ctx, typing.Answer, f.Commands.Complete(ctx, typing)); err != nil {
			f.Log.DebugContext(ctx, "nothing suggested", "channel", typing.Place.Channel, "user", typing.User.ID, "err", err)
		}
	})
}
