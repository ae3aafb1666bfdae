package flow

import (
	"context"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/convo"
	"discoclaw/internal/prompt"
	"discoclaw/internal/turn"
)

// botTurns is how many messages of one bot are answered in a minute: two bots must not
// talk each other into ruin.
const botTurns = 5

// Message is told that somebody wrote a message.
func (f *Flows) Message(ctx context.Context, m chat.Message) {
	if work, ok := f.take(ctx, wayOf(m), m); ok {
		f.convo.Add(work)
	}
}

// take takes a message up, unless a guard objects or it is known already. It has a turn
// then, or is a command, which does not wait for one.
func (f *Flows) take(ctx context.Context, way access.Way, m chat.Message) (convo.Work, bool) {
	if why := f.objection(way, m); why != access.Admitted {
		f.ignore(ctx, m, why)
		return convo.Work{}, false
	}
	if !f.seen.add(m.ID) {
		return convo.Work{}, false // told twice, after a connection was lost
	}
	if m.Author.Bot && !f.bots.allow(m.Author.ID, botTurns, time.Minute) {
		f.ignore(ctx, m, "a bot that asks too often")
		return convo.Work{}, false
	}
	f.people.met(m.Author)
	m = f.withoutSecrets(f.uncalled(m))
	if c, args, ok := f.Commands.Find(m.Text); ok {
		fresh := f.accept(ctx, commandEvent(m))
		if fresh && f.isLate(m) {
			return f.lateCommand(c, m), true
		}
		if fresh {
			f.command(ctx, c, m, args)
		}
		return convo.Work{}, false
	}
	name := f.NewTurn()
	if !f.accept(ctx, messageEvent(m, name)) {
		return convo.Work{}, false
	}
	f.stats.heard()
	f.hear(m)
	return f.messageWork(m, name), true
}

// withoutSecrets takes off a message what it answers, if that tells a secret.
func (f *Flows) withoutSecrets(m chat.Message) chat.Message {
	if m.Answers != nil && commands.Secret(m.Answers.Text) {
		m.Answers = nil
	}
	return m
}

// ignore leaves a message without an answer. It is heard all the same.
func (f *Flows) ignore(ctx context.Context, m chat.Message, why access.Refusal) {
	f.log(ctx, "message ignored", why, m.Place, m.Author)
	f.hear(m)
	f.pass(m)
	if why == keptBack {
		f.hint(m)
	}
}

// hint tells people why the bot cannot answer them, once an hour in each channel.
func (f *Flows) hint(m chat.Message) {
	if !f.hints.allow(m.Place.Channel, 1, time.Hour) {
		return
	}
	f.aside.Go("hint", func(ctx context.Context) {
		f.giveUp(ctx, m, "⚠️ Discord does not tell me what you wrote. Whoever runs this bot can change that: in Discord's developer portal, under Bot → Privileged Gateway Intents, switch on the Message Content Intent, and then restart the bot.")
	})
}

// messageWork is the turn of a message, which it may have together with others of its
// author.
func (f *Flows) messageWork(m chat.Message, name string) convo.Work {
	blind := f.isBlind(m.Place, m.Author.ID)
	return convo.Work{
		ID: string(m.ID), Channel: m.Place.Channel, Message: m.ID,
		Joins: string(m.Author.ID), Said: []chat.Message{m},
		Run: func(ctx context.Context, said []chat.Message) { f.answerMessages(ctx, string(m.ID), name, said, blind) },
	}
}

// answerMessages has the turn of messages of one author.
func (f *Flows) answerMessages(ctx context.Context, work, name string, said []chat.Message, blind bool) {
	// Of what is said while a channel is being read, some is heard and some is read, and both
	// come in their own time.
	slices.SortStableFunc(said, func(a, b chat.Message) int { return a.ID.Compare(b.ID) })
	if said = f.unanswered(ctx, name, said); len(said) == 0 {
		return
	}
	last := said[len(said)-1]
	o := occasion{work: work, turn: name, place: last.Place, by: last.Author, asked: f.askedLate(said)}
	for _, m := range said {
		o.events = append(o.events, string(m.ID))
	}
	o.begin = func(context.Context) (chat.Message, turn.Turn, error) {
		return last, f.messageTurn(name, said, blind), nil
	}
	f.have(ctx, o)
}

// Edited is told that a message was changed. While it waits, the new text takes the
// place of the old one; later, a change is no new request.
func (f *Flows) Edited(ctx context.Context, m chat.Message) {
	f.rehear(m)
	if f.objection(wayOfEdit(m), m) != access.Admitted {
		return
	}
	m = f.withoutSecrets(f.uncalled(m))
	if c, args, ok := f.Commands.Find(m.Text); ok {
		// Only while it waits; later, a change is no new request.
		if f.convo.Take(m.Place.Channel, string(m.ID)) {
			f.change(ctx, commandEvent(m))
			f.command(ctx, c, m, args)
		}
		return
	}
	name := f.NewTurn()
	if f.convo.Replace(f.messageWork(m, name)) {
		f.change(ctx, messageEvent(m, name))
		f.Log.DebugContext(ctx, "waiting message replaced", "message", m.ID, "channel", m.Place.Channel)
	}
}

// Deleted is told that a message is gone. If it still waits, nobody wants the answer;
// if it asked something, nobody can answer any more.
func (f *Flows) Deleted(ctx context.Context, p chat.Place) {
	f.history.Remove(p.Channel, p.Message)
	if err := f.Choices.Forget(ctx, p.Message); err != nil {
		f.Log.ErrorContext(ctx, "question of a deleted message not forgotten", "message", p.Message, "channel", p.Channel, "err", err)
	}
	if f.convo.Withdraw(p) {
		f.withdraw(ctx, p)
		f.Log.DebugContext(ctx, "waiting message withdrawn", "message", p.Message, "channel", p.Channel)
	}
}

// messageTurn answers messages of one author. The answer replies to the last.
func (f *Flows) messageTurn(name string, said []chat.Message, blind bool) turn.Turn {
	first, last := said[0], said[len(said)-1]
	origin := actions.Origin{Flow: wayOf(last).Flow(), Place: last.Place, Requester: last.Author.ID, Turn: name}
	switch {
	case last.Author.Bot:
		origin.Requester = "" // a bot has no rights to lend
	case last.InDM():
		origin.Flow = actions.FlowDM
	}
	gate := f.Registry.Gate(f.Flags, Narrowings(origin)...)
	return turn.Turn{
		Origin:    origin,
		Gate:      gate,
		Venue:     f.venue(origin, string(last.ID)),
		Model:     f.Model(),
		FollowUps: f.FollowUps,
		Prompt: &late{gather: func(ctx context.Context) (turn.Prompt, error) {
			var ids []chat.MessageID
			var about []string
			for _, m := range said {
				ids, about = append(ids, m.ID), append(about, m.Text)
			}
			blind := blind || f.missed.has(last.ID) && f.isBlindByNow(ctx, last.Place, last.Author.ID)
			setting, err := f.setting(ctx, last.Place, gate, f.earlier(ctx, first.Place, blind, ids...))
			if err != nil {
				return nil, err
			}
			setting.FromBot = last.Author.Bot
			setting.Notes = append(setting.Notes, f.news(last.Author.ID)...)
			f.recall(ctx, &setting, last.Author, strings.Join(about, "\n"))
			return prompt.Message{Setting: setting, Said: f.open(ctx, said...)}, nil
		}},
	}
}
