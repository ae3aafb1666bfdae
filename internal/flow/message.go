package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/class"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// botTurns is how many messages of one bot are answered per minute, so that two bots cannot run up costs by
// answering each other endlessly.
const botTurns = 5

// messages is the source of messages. Commands build on it.
type messages struct {
	*deps
	in   *pipeline.Entry[chat.Message]
	bots pipeline.RateLimiter[chat.UserID] // limits the messages of each bot
	talk botTalks

	continuations  *continuationSource
	handledByForum func(context.Context, chat.Message) bool
	judge          func(context.Context, string) class.Class
	steered        bool
	tellIgnored    func(chat.Message, access.Refusal)
}

func openMessages(d *deps, o Options) *messages {
	s := &messages{deps: d, handledByForum: o.HandledByForum, judge: o.Judge, steered: o.Steer, tellIgnored: o.Ignored}
	s.in = pipeline.Open(d.pipe, s.source(inbox.Message, messageWay))
	d.router.rest = s.in
	return s
}

// source returns a source of messages that come in by a way.
func (s *messages) source(kind inbox.Kind, way func(pipeline.Event[chat.Message]) *access.Way) pipeline.Source[chat.Message] {
	return pipeline.Source[chat.Message]{
		Kind:     kind,
		Limited:  true,
		Steered:  s.steered,
		Shown:    true,
		Way:      way,
		Guards:   s.guards(way),
		Key:      s.key,
		Tidy:     s.tidy,
		Allow:    s.allow,
		Store:    withoutReactions,
		Ignored:  s.ignored,
		Refused:  s.refuse,
		Accepted: s.accepted,
		Expired:  s.resumed,
		Notices:  dropped[chat.Message],
		Turn: func(ctx context.Context, r pipeline.Run[chat.Message]) (chat.Message, turn.Turn, error) {
			about, t, err := s.turn(way(pipeline.Event[chat.Message]{Body: r.Last().Body}), r)
			t.Continue = s.continuations.goOn(ctx, r.Turn, chain{Said: r.Bodies(), Button: r.Turn})
			return about, t, err
		},
		Next: func(r pipeline.Run[chat.Message]) { s.continuations.after(r.Turn) },
		Over: func(_ context.Context, r pipeline.Run[chat.Message], t turn.Report) {
			s.silence.apply(t)
			s.gather.Said(r.Last().Place, t.Origin.Requester, t.Result)
		},
	}
}

// key returns the key of a message. Neighbouring messages of one author in the queue share a turn.
func (s *messages) key(m chat.Message) pipeline.Key {
	return pipeline.Key{ID: inbox.EventID(m.ID), Place: m.Place, By: m.Author, Joins: string(m.Author.ID),
		NoHistory: s.gather.KnownToLackHistory(m.Place, m.Author.ID)}
}

// tidy removes from a message what is not meant for a model: the leading mention of the bot, and the message it
// replies to if that holds a secret.
func (k *deps) tidy(m chat.Message) chat.Message {
	m = k.self.StripMention(m)
	if m.Answers != nil && commands.Secret(m.Answers.Text) {
		m.Answers = nil
	}
	return m
}

// withoutReactions returns a message as the inbox stores it. Nothing needs its reactions later.
func withoutReactions(m chat.Message) any {
	m.Reactions = nil
	if m.Answers != nil {
		answered := *m.Answers
		answered.Reactions = nil
		m.Answers = &answered
	}
	return m
}

func (s *messages) allow(m chat.Message) access.Refusal {
	if m.Author.Bot && !s.bots.Allow(m.Author.ID, botTurns, time.Minute) {
		return "a bot that asks too often"
	}
	if m.Author.Bot && !s.talk.allow(m.Place.Channel) {
		return endlessBots
	}
	return access.Admitted
}

// ignored handles a message that is not answered. It still becomes part of the history, and the author is told
// why if the bot cannot read the message.
func (s *messages) ignored(_ context.Context, m chat.Message, why access.Refusal) {
	s.gather.Heard(m)
	s.notePerson(m)
	if s.tellIgnored != nil {
		s.tellIgnored(m, why)
	}
	if s.access.Hears(m.Author, m.Place) {
		s.inbox.Skip(m.Place)
	}
	switch why {
	case withheld:
		s.warnOnce(m, "⚠️ Discord does not tell me what you wrote. Whoever runs this bot can change that: in Discord's developer portal, under Bot → Privileged Gateway Intents, switch on the Message Content Intent, and then restart the bot.")
	case unknown:
		s.warnOnce(m, "⚠️ I can't read this kind of message. Tell me in words, please.")
	case endlessBots:
		s.warnOnce(m, "⚠️ Bots have asked me ten times here, and no person has said anything. I will answer them again when somebody does.")
	}
}

// notePerson lets bots talk on where a person is about.
func (s *messages) notePerson(m chat.Message) {
	if !m.Author.Bot && !m.Webhook && !m.System {
		s.talk.person(m.Place.Channel)
	}
}

// warnOnce tells people why the bot cannot answer them, at most once an hour per channel.
func (s *messages) warnOnce(m chat.Message, text string) {
	if !s.hints.Allow(m.Place.Channel, 1, time.Hour) {
		return
	}
	s.pipe.Go("hint", func(ctx context.Context) {
		if err := s.pipe.Reply(ctx, s.pipe.NewTurn(), "hint", m.Place, text); err != nil {
			s.log.WarnContext(ctx, "cannot tell why there is no answer", "channel", m.Place.Channel, "err", err)
		}
	})
}

// refuse handles a message that could not be written to the inbox. It opens a gap, so that the message is read
// again when the inbox can be written.
func (s *messages) refuse(ctx context.Context, e pipeline.Event[chat.Message], err error) {
	s.inbox.Refuse(e.Place)
	s.tellRefused(ctx, e.Place, refusal(err)+" I will answer this when there is room.")
}

func (s *messages) accepted(ctx context.Context, e pipeline.Event[chat.Message]) bool {
	s.silence.end(e.Place)
	s.joinTalk(ctx, e.Body)
	s.users.remember(e.By)
	s.notePerson(e.Body)
	s.pipe.Heard()
	s.gather.Heard(e.Body)
	return true
}

// resumed never drops a message. It adds a resumed one to the history, which an earlier process kept in memory.
func (s *messages) resumed(_ context.Context, e pipeline.Event[chat.Message], _ bool) (pipeline.Reason, error) {
	if e.Arrival == pipeline.Resumed {
		s.users.remember(e.By)
		s.gather.Heard(e.Body)
	}
	return "", nil
}

// dropped returns the notices about a turn that was dropped because the process ended at each attempt, or Discord did not take
// the answer.
func dropped[E any](e pipeline.Event[E], why pipeline.Reason) pipeline.DropNotices {
	if why == pipeline.Unposted {
		return pipeline.DropNotices{Text: fmt.Sprintf("⚠️ Discord did not accept all of my answer to %s, although I kept trying for %d minutes. If it was to change something, "+
			"check whether that is done before you ask again.", e.Place.Link(), pipeline.MaxUnposted)}
	}
	return pipeline.DropNotices{
		Text:   "⚠️ I could not answer this after three tries: each time I was stopped before I was done. Ask again, or put it differently.",
		Report: fmt.Sprintf("⚠️ A message in %s was given up after %d tries, because the bot ended each time: %s", e.Place.Mention(), pipeline.MaxAttempts, e.Place.Link()),
	}
}

// turn returns the turn that answers messages of one author. The answer replies to the last of them.
func (s *messages) turn(way *access.Way, r pipeline.Run[chat.Message]) (chat.Message, turn.Turn, error) {
	// While a gap is being read, some messages arrive as live events and others are fetched, so they may be out
	// of order.
	order.By(r.Events, func(a, b pipeline.Event[chat.Message]) int { return a.Body.ID.Compare(b.Body.ID) })
	last := r.Last().Body
	origin := actions.Origin{Flow: way.Flow, Place: last.Place, Requester: last.Author.ID, Turn: r.Turn}
	if last.Author.Bot {
		origin.Requester = "" // a bot has no rights to lend
	}
	gate := s.gate(origin)
	handles, outside := &chat.Handles{}, new(chat.Reading)
	words := &lazyPrompt{gather: func(ctx context.Context) (turn.Prompt, error) {
		return s.prompt(ctx, r, origin, gate, handles, outside)
	}}
	return together(r.Bodies()), turn.Turn{
		Origin: origin,
		Gate:   gate, Dialects: s.dialects,
		Venue:      s.venue(origin, r.Work, r.Begin),
		Remark:     s.lateRemark(r),
		Model:      s.model(),
		Role:       string(roles.Chat),
		Judge:      s.judge,
		Tools:      r.Tools(s.tools),
		FollowUps:  s.followUps,
		Handles:    handles,
		Outside:    outside,
		Wish:       s.wish(origin, r.Bodies()),
		Prompt:     words,
		Asked:      func() string { return s.quotable(last) },
		MuteNotice: s.hush(last.Place),
		Buttons:    s.below(origin, !last.Posted),
	}, nil
}

// wish returns what tells the words of the requester, if they are a person's.
func (s *messages) wish(o actions.Origin, said []chat.Message) func() *actions.Wish {
	if o.Requester == "" {
		return nil
	}
	return func() *actions.Wish { return s.gather.Wish(said) }
}

func (s *messages) prompt(ctx context.Context, r pipeline.Run[chat.Message], origin actions.Origin, gate actions.Gate,
	handles *chat.Handles, outside *chat.Reading) (prompt.Message, error) {
	said := r.Bodies()
	var ids []chat.MessageID
	for _, m := range said {
		ids = append(ids, m.ID)
	}
	last := together(said)
	setting, err := s.gather.Gather(ctx, gather.Request{
		Origin: origin, By: last.Author.ID, Gate: gate, Outside: outside, Handles: handles, Said: said, About: ids, Text: last.Text,
		History: &gather.History{Before: said[0].Place, Blind: lacksHistory(ctx, s.gather, r.Last())},
	})
	if err != nil {
		return prompt.Message{}, err
	}
	return prompt.Message{Setting: setting, Said: s.gather.Open(ctx, said...)}, nil
}

// lacksHistory reports whether the user of an event may not be told of earlier messages.
func lacksHistory[E any](ctx context.Context, g *gather.Gatherer, e pipeline.Event[E]) bool {
	return e.NoHistory || e.Arrival != pipeline.Live && g.LacksHistory(ctx, e.Place, e.By.ID)
}

// lazyPrompt is a prompt that is built after the placeholder was posted, since gathering its content may take time.
type lazyPrompt struct {
	turn.Prompt
	gather func(context.Context) (turn.Prompt, error)
}

// First builds the prompt and returns its first request.
func (l *lazyPrompt) First(ctx context.Context) (llm.Request, error) {
	var err error
	if l.Prompt, err = l.gather(ctx); err != nil {
		return llm.Request{}, err
	}
	return l.Prompt.First(ctx)
}

// quotable returns the words of a message for an answer that quotes them, or nothing if its author has deleted it meanwhile.
func (s *messages) quotable(m chat.Message) string {
	if !s.gather.Has(m.Place.Channel, m.ID) {
		return ""
	}
	return m.Text
}

// together returns the last of some messages, with the text of all of them.
func together(said []chat.Message) chat.Message {
	last := said[len(said)-1]
	var texts []string
	for _, m := range said {
		texts = append(texts, m.Text)
	}
	last.Text = strings.Join(texts, "\n")
	return last
}

// lateAfter is the delay from which on an answer is marked as late.
const lateAfter = 2 * time.Minute

// isLate reports whether a message that was missed or resumed is so old that its author may not expect an answer
// any more.
func (k *deps) isLate(e pipeline.Event[chat.Message]) bool {
	return e.Arrival != pipeline.Live && k.server.Now().Sub(e.Body.Sent) > lateAfter
}

// lateRemark returns the remark that an answer is late, or an empty text if it is not.
func (k *deps) lateRemark(r pipeline.Run[chat.Message]) string {
	for _, e := range r.Events {
		if k.isLate(e) {
			return lateRemark(e.Body.Sent, k.server.Now())
		}
	}
	return ""
}

func lateRemark(asked, now time.Time) string {
	if asked.IsZero() || now.Sub(asked) <= lateAfter {
		return ""
	}
	return "-# Late: asked " + chat.FromNow(asked) + ", while I was away."
}

// refusal returns the text that says why nothing can be accepted.
func refusal(err error) string {
	if errors.Is(err, store.ErrFull) {
		return "⚠️ My disk is full, so I cannot start anything safely."
	}
	return "⚠️ I cannot write anything down at the moment, so I cannot start anything safely."
}
