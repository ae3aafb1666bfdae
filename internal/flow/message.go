package flow

import (
	"context"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/convo"
	"discoclaw/internal/history"
	"discoclaw/internal/prompt"
	"discoclaw/internal/turn"
)

// A guard says why a message is not for the bot, or nothing. Their order is part of
// the rules: the first that objects decides.
type guard struct {
	name    string
	objects func(*Flows, access.Way, chat.Message) access.Refusal
}

var messageGuards = []guard{
	{"own message", (*Flows).isOwn},
	{"kind", isNoMessage},
	{"access", (*Flows).isNotAdmitted},
	{"content", isEmpty},
}

func (f *Flows) isOwn(_ access.Way, m chat.Message) access.Refusal {
	if f.isSelf(m.Author.ID) {
		return "the bot's own"
	}
	return ""
}

func isNoMessage(_ *Flows, _ access.Way, m chat.Message) access.Refusal {
	if m.System {
		return "not written by anyone"
	}
	return ""
}

func (f *Flows) isNotAdmitted(way access.Way, m chat.Message) access.Refusal {
	author := m.Author
	if m.Webhook {
		author.ID = "" // anyone who knows the webhook's address
	}
	return f.Access.Admit(way, author, m.Place)
}

func isEmpty(_ *Flows, _ access.Way, m chat.Message) access.Refusal {
	if strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0 {
		return "nothing to answer"
	}
	return ""
}

// objection is that of the first guard that has one.
func (f *Flows) objection(way access.Way, m chat.Message) access.Refusal {
	for _, g := range messageGuards {
		if why := g.objects(f, way, m); why != access.Admitted {
			return why
		}
	}
	return access.Admitted
}

// Message is told that somebody wrote a message.
func (f *Flows) Message(ctx context.Context, m chat.Message) {
	way := access.ByMessage
	if m.Place.Parent != "" {
		way = access.ByThread
	}
	if why := f.objection(way, m); why != access.Admitted {
		f.log(ctx, "message ignored", why, m.Place, m.Author)
		return
	}
	if !f.seen.add(m.ID) {
		return // told twice, after a connection was lost
	}
	f.people.met(m.Author)
	if c, args, ok := f.Commands.Find(m.Text); ok {
		f.command(ctx, c, m, args)
		return
	}
	f.history.Add(m.Place.Channel, history.Line{ID: m.ID, Author: called(m.Author), Text: m.Text})
	f.convo.Add(f.messageWork(m))
}

func (f *Flows) messageWork(m chat.Message) convo.Work {
	return convo.Work{
		ID: string(m.ID), Channel: m.Place.Channel, Message: m.ID,
		Run: func(ctx context.Context) {
			f.have(ctx, occasion{work: string(m.ID), place: m.Place, by: m.Author, begin: func(context.Context) (chat.Message, turn.Turn, error) {
				return m, f.messageTurn(m), nil
			}})
		},
	}
}

// called is how somebody is quoted later. Anybody may take another's name; the handle
// behind it is their own.
func called(u chat.User) string {
	if u.Handle == "" || strings.EqualFold(u.Handle, u.Name) {
		return u.Name
	}
	return u.Name + " (@" + u.Handle + ")"
}

// Edited is told that a message was changed. While it waits, the new text takes the
// place of the old one; later, a change is no new request.
func (f *Flows) Edited(ctx context.Context, m chat.Message) {
	if f.objection(access.ByEdit, m) != access.Admitted {
		return
	}
	if c, args, ok := f.Commands.Find(m.Text); ok {
		// Only while it waits; later, a change is no new request.
		if f.convo.Withdraw(m.Place) {
			f.history.Remove(m.Place.Channel, m.ID)
			f.command(ctx, c, m, args)
		}
		return
	}
	f.history.Change(m.Place.Channel, m.ID, m.Text)
	if f.convo.Replace(f.messageWork(m)) {
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
		f.Log.DebugContext(ctx, "waiting message withdrawn", "message", p.Message, "channel", p.Channel)
	}
}

func (f *Flows) messageTurn(m chat.Message) turn.Turn {
	origin := actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID, Turn: f.NewTurn()}
	if m.InDM() {
		origin.Flow = actions.FlowDM
	}
	gate := f.Registry.Gate(f.Flags, Narrowings(origin)...)
	return turn.Turn{
		Origin:    origin,
		Gate:      gate,
		Venue:     f.venue(m.Place, string(m.ID)),
		Model:     f.Model(),
		FollowUps: f.FollowUps,
		Prompt: &late{gather: func(ctx context.Context) (turn.Prompt, error) {
			setting, err := f.setting(ctx, m.Place, gate, f.history.Before(m.Place.Channel, m.ID, historyLines))
			return prompt.Message{Setting: setting, Said: f.open(ctx, m)}, err
		}},
	}
}
