package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/convo"
	"discoclaw/internal/inbox"
	"discoclaw/internal/prompt"
	"discoclaw/internal/turn"
)

// Reactions says which reactions lead to anything. With the zero value none do.
type Reactions struct {
	Added   bool          // those that somebody adds
	Removed bool          // those that somebody takes back
	MaxAge  time.Duration // of the message; 0 means any
	StopOne bool          // a stop sign ends the turn that writes the message, and no other
}

func (o Reactions) hear(r chat.Reacted) bool {
	if r.Removed {
		return o.Removed
	}
	return o.Added
}

// A reaction is one on its way to a turn.
type reaction struct {
	chat.Reacted
	question *choices.Question // that it answers; nil for none
	message  *chat.Message     // that it is about; nil until somebody needs to know
	asked    time.Time         // when that was, if it was taken up again
}

// An act tells reactions apart: what the same person does twice in a row, while the
// first is not over, is one.
type act struct {
	message chat.MessageID
	user    chat.UserID
	emoji   chat.Emoji
	removed bool
}

func (r *reaction) act() act { return act{r.Place.Message, r.User.ID, r.Emoji, r.Removed} }

// A reactionGuard says why nothing comes of a reaction, or nothing.
type reactionGuard struct {
	name    string
	objects func(*Flows, context.Context, *reaction) access.Refusal
}

// reactionGuards are asked in this order, which is part of the rules: an answer to a
// question passes by the stop sign and the age, and a stop sign works in channels
// that are not on the list. None asks Discord for anything, but for a stop sign on a
// message whose author is unknown.
var reactionGuards = []reactionGuard{
	{"own reaction", (*Flows).isOwnReaction},
	{"server", isInDM},
	{"person", (*Flows).isNotServed},
	{"question", (*Flows).matchQuestion},
	{"stop sign", (*Flows).isStopSign},
	{"age", (*Flows).isTooOld},
	{"channel", (*Flows).isElsewhere},
	{"answered question", (*Flows).isAfterTheAnswer},
}

func (f *Flows) isOwnReaction(_ context.Context, r *reaction) access.Refusal {
	if f.isSelf(r.User.ID) {
		return "the bot's own"
	}
	return ""
}

func isInDM(_ *Flows, _ context.Context, r *reaction) access.Refusal {
	if r.Place.Guild == "" {
		return "in a direct message"
	}
	return ""
}

// isNotServed leaves the list of channels to a later guard.
func (f *Flows) isNotServed(ctx context.Context, r *reaction) access.Refusal {
	if why := f.isElsewhere(ctx, r); why != access.ChannelNotFor {
		return why
	}
	return ""
}

func (f *Flows) isElsewhere(_ context.Context, r *reaction) access.Refusal {
	return f.Access.Admit(access.ByReaction, r.User, r.Place)
}

// matchQuestion finds the question that the reaction answers. It goes on waiting until
// nothing else can come in between.
func (f *Flows) matchQuestion(ctx context.Context, r *reaction) access.Refusal {
	if r.Removed {
		return ""
	}
	q, ok, err := f.Choices.Match(ctx, r.Place.Message, r.Emoji)
	if err != nil {
		f.Log.ErrorContext(ctx, "reaction lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return "whether it answers a question is not known"
	}
	if ok {
		r.question = &q
	}
	return ""
}

// isAfterTheAnswer: who chooses what somebody has chosen before, or something else, is too
// late. It must not be done twice, nor the other thing as well.
func (f *Flows) isAfterTheAnswer(ctx context.Context, r *reaction) access.Refusal {
	if r.question != nil || r.Removed {
		return ""
	}
	answered, err := f.Choices.Answered(ctx, r.Place.Message, r.Emoji)
	switch {
	case err != nil:
		f.Log.ErrorContext(ctx, "reaction lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return "whether it answers a question is not known"
	case answered:
		return "the question is answered already"
	}
	return ""
}

const stopSign chat.Emoji = "🛑"

// isStopSign stops what the sign is meant to stop. Taken back, it does nothing.
func (f *Flows) isStopSign(ctx context.Context, r *reaction) access.Refusal {
	if r.question != nil || !r.Emoji.Same(stopSign) {
		return ""
	}
	if r.Author == "" {
		m, err := f.about(ctx, r)
		if err != nil {
			f.Log.WarnContext(ctx, "stop sign lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
			return "whose message it is is not known"
		}
		r.Author = m.Author.ID
	}
	switch {
	case !f.isSelf(r.Author):
		return ""
	case r.Removed:
		return "a stop sign that was taken back"
	}
	f.Log.InfoContext(ctx, "stop sign", "message", r.Place.Message, "channel", r.Place.Channel, "user", r.User.ID, "stopped", f.stop(r.Place.Message))
	return "a stop sign"
}

func (f *Flows) isTooOld(_ context.Context, r *reaction) access.Refusal {
	if r.question == nil && f.Reactions.MaxAge > 0 && f.Server.Now().Sub(r.Sent) > f.Reactions.MaxAge {
		return "the message is too old"
	}
	return ""
}

// Reacted is told that somebody reacted to a message, or took a reaction back.
func (f *Flows) Reacted(ctx context.Context, told chat.Reacted) {
	r := &reaction{Reacted: told}
	f.undone.add(act{told.Place.Message, told.User.ID, told.Emoji, !told.Removed})
	if !f.Reactions.hear(told) {
		return
	}
	if r.Author == "" && r.Emoji.Same(stopSign) {
		// Discord may have to be asked whose message it is, and nothing else is heard
		// meanwhile.
		f.aside.Go("stop sign", func(ctx context.Context) { f.judge(ctx, r) })
		return
	}
	f.judge(ctx, r)
}

// judge lets a reaction have its turn, unless a guard objects.
func (f *Flows) judge(ctx context.Context, r *reaction) {
	for _, g := range reactionGuards {
		if why := g.objects(f, ctx, r); why != access.Admitted {
			f.log(ctx, "reaction ignored", why, r.Place, r.User)
			return
		}
	}
	r.User = f.people.met(r.User)
	if !f.taken.add(r.act()) {
		return
	}
	e := f.reactionEvent(r)
	if !f.accept(ctx, e) {
		f.taken.remove(r.act())
		return
	}
	if f.resolve(ctx, r, e.ID) {
		f.convo.Add(f.reactionWork(r, e.ID, e.Turn))
	}
}

// resolve takes the question that a reaction answers as answered, and says whether it was
// this one. The answer is written down by then, so that it is not lost.
func (f *Flows) resolve(ctx context.Context, r *reaction, event string) bool {
	if r.question == nil {
		return true
	}
	first, err := f.Choices.Resolve(ctx, r.Place.Message)
	if err == nil && first {
		return true
	}
	f.settle(ctx, inbox.Failed, event)
	f.taken.remove(r.act())
	if err != nil {
		f.Log.ErrorContext(ctx, "answer lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return false
	}
	f.judge(ctx, &reaction{Reacted: r.Reacted}) // somebody else answered meanwhile
	return false
}

// reactionWork is the turn of a reaction.
func (f *Flows) reactionWork(r *reaction, event, name string) convo.Work {
	blind := f.isBlind(r.Place, r.User.ID)
	return convo.Work{
		ID: name, Channel: r.Place.Channel, Message: r.Place.Message,
		Run: func(ctx context.Context, _ []chat.Message) {
			defer f.taken.remove(r.act())
			if f.wasReactedTo(ctx, r, event, name) {
				return
			}
			f.have(ctx, occasion{work: name, turn: name, events: []string{event}, place: r.Place, by: r.User, asked: r.asked, begin: func(ctx context.Context) (chat.Message, turn.Turn, error) {
				if r.Removed {
					if err := f.mayRead(ctx, r); err != nil {
						return chat.Message{}, turn.Turn{}, err
					}
				}
				m, err := f.about(ctx, r)
				if err == nil && commands.Secret(m.Text) {
					err = errSecret
				}
				if err != nil {
					return chat.Message{}, turn.Turn{}, err
				}
				return m, f.reactionTurn(name, r, m, blind), nil
			}})
		},
	}
}

// mayRead makes sure that who reacted may read what is quoted to the model. Discord lets
// nobody else react, but whoever did so earlier may take it back, or may have lost that right
// when their reaction is found later.
func (f *Flows) mayRead(ctx context.Context, r *reaction) error {
	missing, err := f.Server.Missing(ctx, r.Place.Guild, r.User.ID, r.Place.Channel, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("whose reaction it is lacks “%s”", missing[0])
	}
	return err
}

var errSecret = errors.New("the message tells a secret, which no model must learn")

// about is the message that somebody reacted to. A question is known without asking
// Discord.
func (f *Flows) about(ctx context.Context, r *reaction) (chat.Message, error) {
	switch {
	case r.message != nil:
	case r.question != nil:
		m := chat.Message{ID: r.Place.Message, Place: r.Place, Sent: r.Sent, Text: r.question.Text}
		if self := f.self.Load(); self != nil {
			m.Author = *self
		}
		r.message = &m
	default:
		m, err := f.Server.Message(ctx, r.Place.Channel, r.Place.Message)
		if err != nil {
			return chat.Message{}, err
		}
		r.message = &m
	}
	return *r.message, nil
}

func (f *Flows) reactionTurn(id string, r *reaction, m chat.Message, blind bool) turn.Turn {
	origin := actions.Origin{Flow: access.ByReaction.Flow(), Place: r.Place, Requester: r.User.ID, Turn: id}
	if r.question != nil {
		origin.Prompter = r.question.Requester
	}
	gate := f.Registry.Gate(f.Flags, Narrowings(origin)...)
	words := func(ctx context.Context) (turn.Prompt, error) {
		// All that was said lately is fetched at once, since the message may be an old one.
		lately := chat.Place{Guild: r.Place.Guild, Channel: r.Place.Channel, Parent: r.Place.Parent}
		blind := blind || !r.asked.IsZero() && f.isBlindByNow(ctx, r.Place, r.User.ID)
		setting, err := f.setting(ctx, r.Place, gate, f.earlier(ctx, lately, blind, m.ID))
		if err != nil {
			return nil, err
		}
		f.recall(ctx, &setting, r.User, m.Text)
		words := prompt.Reaction{Setting: setting, Said: f.open(ctx, m)[0], By: r.User, Emoji: r.Emoji, Removed: r.Removed}
		if r.question != nil {
			words.Question = r.question.Text
		}
		return words, nil
	}
	return turn.Turn{
		Origin: origin, Gate: gate, Prompt: &late{gather: words}, Venue: f.venue(origin, id),
		Model: f.Model(), FollowUps: f.FollowUps, MayPass: true,
	}
}
