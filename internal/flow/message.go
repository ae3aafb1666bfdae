package flow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

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
	if self := f.self.Load(); self != nil && m.Author.ID == self.ID {
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
	if c, args, ok := f.Commands.Find(m.Text); ok {
		f.command(ctx, c, m, args)
		return
	}
	f.history.Add(m.Place.Channel, history.Line{ID: m.ID, Author: m.Author.Name, Text: m.Text})
	f.convo.Add(f.messageWork(m))
}

func (f *Flows) messageWork(m chat.Message) convo.Work {
	return convo.Work{
		ID: string(m.ID), Channel: m.Place.Channel, Message: m.ID,
		Run: func(ctx context.Context) { f.answer(ctx, m) },
	}
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

// Deleted is told that a message is gone. If it still waits, nobody wants the answer.
func (f *Flows) Deleted(ctx context.Context, p chat.Place) {
	f.history.Remove(p.Channel, p.Message)
	if f.convo.Withdraw(p) {
		f.Log.DebugContext(ctx, "waiting message withdrawn", "message", p.Message, "channel", p.Channel)
	}
}

// answer runs the turn of a message. A fault in it must not end the others.
func (f *Flows) answer(ctx context.Context, m chat.Message) {
	defer func() {
		if v := recover(); v != nil {
			f.Log.ErrorContext(ctx, "turn panicked", "message", m.ID, "channel", m.Place.Channel, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
		}
	}()
	if errors.Is(context.Cause(ctx), turn.ErrRestarting) {
		f.apologize(ctx, m)
		return
	}
	ctx, requests := f.Server.Counting(ctx)
	t := f.messageTurn(ctx, m)
	over := Turn{ID: t.Origin.Turn, Origin: t.Origin, Gate: t.Gate, Message: m, Began: time.Now()}
	over.Result, over.Err = f.Runner.Run(ctx, t)
	over.Took, over.Requests = time.Since(over.Began), requests()
	if text := over.Result.Text; text != "" {
		receipts := over.Result.Receipts
		f.history.Add(m.Place.Channel, history.Line{ID: receipts[len(receipts)-1].Messages[0], Author: f.name(), Mine: true, Text: text})
	}
	f.Log.InfoContext(ctx, "turn over", "flow", t.Origin.Flow, "guild", m.Place.Guild, "channel", m.Place.Channel, "message", m.ID, "user", m.Author.ID,
		"took", over.Took.Round(time.Millisecond), "asked", len(over.Result.Rounds), "actions", len(over.Result.Outcomes()), "requests", over.Requests, "ok", over.Err == nil)
	if errors.Is(over.Err, turn.ErrNoReply) {
		f.unheard(ctx, m, over.Err)
	}
	f.Over(ctx, over)
}

// unheard deals with a message that could not even get a placeholder.
func (f *Flows) unheard(ctx context.Context, m chat.Message, err error) {
	f.Log.WarnContext(ctx, "no reply could be opened", "message", m.ID, "channel", m.Place.Channel, "err", err)
	if errors.Is(context.Cause(ctx), turn.ErrRestarting) {
		f.apologize(ctx, m)
	}
}

func (f *Flows) messageTurn(ctx context.Context, m chat.Message) turn.Turn {
	origin := actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID, Turn: f.NewTurn()}
	if m.InDM() {
		origin.Flow = actions.FlowDM
	}
	gate := f.Registry.Gate(f.Flags, Narrowings(origin)...)
	return turn.Turn{
		Origin:    origin,
		Gate:      gate,
		Venue:     f.Server.Venue(m.Place, stopPrefix+string(m.ID)),
		Model:     f.Model(),
		FollowUps: f.FollowUps,
		Prompt: prompt.Message{
			Gate:    gate,
			Bot:     f.name(),
			Channel: f.channelName(ctx, m.Place),
			Now:     time.Now(),
			History: f.history.Before(m.Place.Channel, m.ID, historyLines),
			Budget:  f.HistoryBudget,
			Message: m,
		},
	}
}

// historyLines is how many earlier messages a prompt may quote.
const historyLines = 10

// channelName is for the model's orientation; without it, the model knows less.
func (f *Flows) channelName(ctx context.Context, at chat.Place) string {
	if at.Guild == "" {
		return ""
	}
	ch, err := f.Server.ChannelByID(ctx, at.Channel)
	if err != nil {
		return string(at.Channel)
	}
	return ch.Name
}

// goodbye is how long an apology may take while the bot goes down.
const goodbye = 2 * time.Second

// apologize tells somebody that their message was not reached any more. One such
// note is for all who wait in a channel: there is little time.
func (f *Flows) apologize(ctx context.Context, m chat.Message) {
	f.Log.WarnContext(ctx, "message not reached before the end", "message", m.ID, "channel", m.Place.Channel)
	if !f.sorry.add(m.Place.Channel) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	_, err := f.Server.Send(ctx, m.Place.Channel, chat.Outgoing{
		Text:    "*(The bot is restarting and did not get to this message, nor to any after it. Please send them again.)*",
		ReplyTo: m.ID,
	})
	if err != nil {
		f.Log.WarnContext(ctx, "nobody could be told", "channel", m.Place.Channel, "err", err)
	}
}
