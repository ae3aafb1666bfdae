package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// A reaction is the body of a reaction's event.
type reaction struct {
	chat.Reacted
	question *choices.Question // the question that it answers; nil for none
	refused  bool              // the question was reopened, but this user has answered it before and lacked the right
	message  *chat.Message     // the message reacted to; nil until it is fetched
}

// dedupeKey returns the dedupe key of a reaction. The same reaction by the same user counts once while the first
// is unfinished.
func dedupeKey(r chat.Reacted) string {
	return strings.Join([]string{"reaction", string(r.Place.Message), string(r.User.ID), string(r.Emoji), strconv.FormatBool(r.Removed)}, "/")
}

// A reactionBody is what the inbox stores of a reaction. Its emoji is a plain string, since decoding a chat.Emoji
// accepts only those that people can write.
type reactionBody struct {
	Place    chat.Place
	Sent     time.Time
	Author   chat.UserID
	User     chat.User
	Emoji    string
	Removed  bool
	Question *choices.Question // the question that it answers; nil for none
}

func storeReaction(r *reaction) any {
	return reactionBody{r.Place, r.Sent, r.Author, r.User, string(r.Emoji), r.Removed, r.question}
}

func loadReaction(text []byte) (*reaction, error) {
	var b reactionBody
	err := json.Unmarshal(text, &b)
	return &reaction{
		Reacted:  chat.Reacted{Place: b.Place, Sent: b.Sent, Author: b.Author, User: b.User, Emoji: chat.Emoji(b.Emoji), Removed: b.Removed},
		question: b.Question,
	}, err
}

// reactionSource is the source of reactions: to any message, to one of the bot's questions, as an answer, or with
// a stop sign.
type reactionSource struct {
	*deps
	which   Reactions
	choices *choices.Store
	decided func(context.Context, choices.Question) error
	in      *pipeline.Entry[*reaction]
	undone  pipeline.RecentSet[string] // dedupe keys of reactions whose opposite has happened, so that they can happen again
}

func openReactions(d *deps, o Options) *reactionSource {
	s := &reactionSource{deps: d, which: o.Reactions, choices: o.Choices, decided: o.Decided}
	s.in = pipeline.Open(d.pipe, pipeline.Source[*reaction]{
		Kind:     inbox.Reaction,
		Limited:  true,
		Way:      func(pipeline.Event[*reaction]) *access.Way { return access.ByReaction },
		Guards:   s.guards(),
		Key:      s.key,
		Store:    storeReaction,
		Load:     loadReaction,
		Refused:  s.refuse,
		Accepted: s.resolve,
		Expired:  s.resumed,
		Notices:  dropped[*reaction],
		Turn:     s.turn,
		Ending:   s.reopen,
		Over: func(_ context.Context, r pipeline.Run[*reaction], t turn.Report) {
			s.silence.apply(t)
			s.gather.Said(r.Last().Place, t.Origin.Requester, t.Result)
		},
	})
	return s
}

// guards returns the guards of reactions. Their order matters: nothing is looked up for strangers, and an answer to a question is not
// too old.
func (s *reactionSource) guards() []pipeline.Guard[*reaction] {
	list := []struct {
		name    string
		objects func(context.Context, *reaction) access.Refusal
	}{
		{"own reaction", s.isOwn},
		{"server", isInDM},
		{"person", s.isNotServed},
		{"age", s.isTooOld},
		{"channel", s.channelNotAllowed},
		{"answered question", s.isAfterTheAnswer},
	}
	var guards []pipeline.Guard[*reaction]
	for _, g := range list {
		guards = append(guards, pipeline.Guard[*reaction]{Name: g.name,
			Objects: func(ctx context.Context, e pipeline.Event[*reaction]) access.Refusal { return g.objects(ctx, e.Body) }})
	}
	return guards
}

// A reactionRoute is what becomes of a reaction.
type reactionRoute uint8

const (
	toNobody   reactionRoute = iota // it is not for the bot, or cannot be told
	toAsker                         // it answers a question of another part of the bot
	toStop                          // it is a stop sign on one of the bot's messages
	toPipeline                      // it answers a question of the model, or is a reaction like any other
)

// route does what a reaction asks for.
func (s *reactionSource) route(ctx context.Context, r *reaction, a pipeline.Arrival) {
	switch to, why := s.routeOf(ctx, r); to {
	case toPipeline:
		s.in.Tell(ctx, r, a)
	case toAsker:
		s.decide(ctx, r)
	case toStop:
		s.log.InfoContext(ctx, "stop sign", "message", r.Place.Message, "channel", r.Place.Channel, "user", r.User.ID, "stopped", s.stop(r.Place.Message, r.User.ID))
	default:
		s.log.DebugContext(ctx, "reaction ignored", "reason", string(why), "message", r.Place.Message, "channel", r.Place.Channel, "user", r.User.ID)
	}
}

// routeOf returns the first route of a reaction: an answer to a question is no stop sign, and a stop sign works also in channels that are
// not on the list. It sends no request to Discord, except for a stop sign on a message whose author is unknown.
func (s *reactionSource) routeOf(ctx context.Context, r *reaction) (reactionRoute, access.Refusal) {
	for _, objects := range []func(context.Context, *reaction) access.Refusal{s.isOwn, isInDM, s.isNotServed, s.findQuestion} {
		if why := objects(ctx, r); why != access.Admitted {
			return toNobody, why
		}
	}
	switch {
	case r.question != nil && r.question.About != "" && r.question.Requester != r.User.ID:
		return toNobody, "a question for another person"
	case r.question != nil && r.question.About != "":
		return toAsker, access.Admitted
	case r.question != nil || !r.Emoji.Same(stopSign):
		return toPipeline, access.Admitted
	}
	return s.stopRoute(ctx, r)
}

const stopSign chat.Emoji = "🛑"

// stopRoute returns the route of a stop sign that answers no question. Removing one from the bot's messages does nothing.
func (s *reactionSource) stopRoute(ctx context.Context, r *reaction) (reactionRoute, access.Refusal) {
	if r.Author == "" {
		m, err := s.about(ctx, r)
		if err != nil {
			s.log.WarnContext(ctx, "stop sign lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
			return toNobody, "whose message it is is not known"
		}
		r.Author = m.Author.ID
	}
	switch {
	case !s.self.Is(r.Author):
		return toPipeline, access.Admitted
	case r.Removed:
		return toNobody, "a stop sign that was taken back"
	}
	return toStop, access.Admitted
}

// key returns the key of a reaction. Its ID includes the time, since the same reaction can happen again.
func (s *reactionSource) key(r *reaction) pipeline.Key {
	dedupe := dedupeKey(r.Reacted)
	return pipeline.Key{
		ID: inbox.EventID(fmt.Sprintf("%s/%d", dedupe, time.Now().UnixMicro())), DedupeKey: dedupe, Repeat: s.undone.Has(dedupe),
		Place: r.Place, By: s.users.remember(r.User), NoHistory: s.gather.KnownToLackHistory(r.Place, r.User.ID),
	}
}

func (s *reactionSource) isOwn(_ context.Context, r *reaction) access.Refusal {
	if s.self.Is(r.User.ID) {
		return "the bot's own"
	}
	return ""
}

func isInDM(_ context.Context, r *reaction) access.Refusal {
	if r.Place.Guild == "" {
		return "in a direct message"
	}
	return ""
}

// isNotServed is the guard against users who are not served. The list of channels is up to a later guard.
func (s *reactionSource) isNotServed(ctx context.Context, r *reaction) access.Refusal {
	if why := s.channelNotAllowed(ctx, r); why != access.ChannelNotFor {
		return why
	}
	return ""
}

func (s *reactionSource) channelNotAllowed(_ context.Context, r *reaction) access.Refusal {
	return s.access.Admit(access.ByReaction, r.User, r.Place)
}

// findQuestion finds the question that the reaction answers. The question stays open until the reaction has been accepted, since a
// guard may still object.
func (s *reactionSource) findQuestion(ctx context.Context, r *reaction) access.Refusal {
	if r.Removed {
		return access.Admitted
	}
	q, ok, err := s.choices.Match(ctx, r.Place.Message, r.Emoji)
	if err != nil {
		s.log.ErrorContext(ctx, "reaction lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return "whether it answers a question is not known"
	}
	if r.refused = ok && slices.Contains(q.Refused, r.User.ID); ok && !r.refused {
		r.question = &q
	}
	return access.Admitted
}

// decide hands the answer to a question that is not for the model to the part of the bot that has asked it. If that fails, the question
// stays open, and its answer is found later by findAnswers.
func (s *reactionSource) decide(ctx context.Context, r *reaction) {
	err := errors.New("there is no part of the bot that takes it")
	if s.decided != nil {
		err = s.decided(ctx, *r.question)
	}
	if err == nil {
		_, err = s.choices.Resolve(ctx, r.question.Message)
	}
	if err != nil {
		s.log.ErrorContext(ctx, "cannot take the answer to a question yet", "message", r.question.Message, "user", r.User.ID, "err", err)
	}
}

// isAfterTheAnswer is the guard against answers to a question that is answered already. Whether they repeat the
// choice or make another, only the first answer counts.
func (s *reactionSource) isAfterTheAnswer(ctx context.Context, r *reaction) access.Refusal {
	if r.question != nil || r.Removed {
		return ""
	}
	if r.refused {
		return "they have answered the question, and lacked the right"
	}
	answered, err := s.choices.Answered(ctx, r.Place.Message, r.Emoji)
	switch {
	case err != nil:
		s.log.ErrorContext(ctx, "reaction lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return "whether it answers a question is not known"
	case answered:
		return "the question is answered already"
	}
	return ""
}

func (s *reactionSource) isTooOld(_ context.Context, r *reaction) access.Refusal {
	if r.question == nil && s.which.MaxAge > 0 && s.server.Now().Sub(r.Sent) > s.which.MaxAge {
		return "the message is too old"
	}
	return ""
}

// reacted handles a reaction that was added or removed.
func (s *reactionSource) reacted(ctx context.Context, told chat.Reacted) {
	opposite := told
	opposite.Removed = !told.Removed
	s.undone.Add(dedupeKey(opposite))
	if !s.which.include(told) {
		return
	}
	r := &reaction{Reacted: told}
	if r.Author == "" && r.Emoji.Same(stopSign) {
		// Its route may have to fetch the message to find its author, which must not block other events.
		s.pipe.Go("stop sign", func(ctx context.Context) { s.route(ctx, r, pipeline.Live) })
		return
	}
	s.route(ctx, r, pipeline.Live)
}

// refuse handles a reaction that could not be written to the inbox. An answer to a question is found later by
// findAnswers; other reactions cannot be found again, so people are asked to repeat them.
func (s *reactionSource) refuse(ctx context.Context, e pipeline.Event[*reaction], err error) {
	if e.Body.question != nil {
		s.tellRefused(ctx, e.Place, refusal(err)+" I will see to your answer when there is room.")
		return
	}
	s.tellRefused(ctx, e.Place, refusal(err)+" Please react again when there is room.")
}

// resolve marks the question that a reaction answers as answered, and reports whether the reaction goes on. It is
// called after the reaction was accepted, so that the answer is not lost in a crash. If somebody else was first,
// the reaction is settled and told again as one that answers no question.
func (s *reactionSource) resolve(ctx context.Context, e pipeline.Event[*reaction]) bool {
	r := e.Body
	if r.question == nil {
		return true
	}
	first, err := s.choices.Resolve(ctx, r.Place.Message)
	if err == nil && first {
		return true
	}
	s.in.Fail(ctx, e)
	if err != nil {
		s.log.ErrorContext(ctx, "cannot resolve a question, so its answer is lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return false
	}
	s.route(ctx, &reaction{Reacted: r.Reacted}, e.Arrival) // somebody else answered meanwhile
	return false
}

// resumed never drops a reaction. It resolves the question that a resumed one answers, in case the earlier process
// ended before it could.
func (s *reactionSource) resumed(ctx context.Context, e pipeline.Event[*reaction], _ bool) (pipeline.Reason, error) {
	if e.Arrival != pipeline.Resumed || e.Body.question == nil {
		return "", nil
	}
	q, waits, err := s.choices.Match(ctx, e.Place.Message, e.Body.Emoji)
	if err == nil && waits && !slices.Contains(q.Refused, e.Body.User.ID) { // else this very answer has reopened it
		_, err = s.choices.Resolve(ctx, e.Place.Message)
	}
	return "", err
}

// turn returns the turn that answers a reaction.
func (s *reactionSource) turn(ctx context.Context, run pipeline.Run[*reaction]) (chat.Message, turn.Turn, error) {
	r := run.Last().Body
	if r.Removed {
		if err := s.mayRead(ctx, r); err != nil {
			return chat.Message{}, turn.Turn{}, err
		}
	}
	m, err := s.about(ctx, r)
	if err == nil && commands.Secret(m.Text) {
		err = errSecret
	}
	if err != nil {
		return chat.Message{}, turn.Turn{}, err
	}
	origin := actions.Origin{Flow: access.ByReaction.Flow, Place: r.Place, Requester: r.User.ID, Turn: run.Turn}
	outside := new(chat.Reading)
	if r.question != nil {
		origin.Prompters = chat.Union(r.question.Requester, r.question.Prompters)
		origin.Depth = r.question.Depth
		outside.Add(r.question.Outside)
	}
	gate := s.gate(origin)
	handles := &chat.Handles{}
	words := &lazyPrompt{gather: func(ctx context.Context) (turn.Prompt, error) {
		return s.prompt(ctx, run.Last(), m, origin, gate, handles, outside)
	}}
	return m, turn.Turn{
		Origin: origin, Gate: gate, Dialects: s.dialects, Venue: s.venue(origin, run.Work, run.Begin), Remark: s.lateReaction(run.Last()),
		Model: s.model(), Role: string(roles.Chat), Tools: run.Tools(
			s.tools), FollowUps: s.followUps, Handles: handles, Outside: outside, AllowEmpty: true,
		Prompt: words, Buttons: s.below(origin, false),
	}, nil
}

// lateReaction returns the remark that the answer to a resumed reaction is late, or an empty text.
func (s *reactionSource) lateReaction(e pipeline.Event[*reaction]) string {
	if e.Arrival != pipeline.Resumed {
		return ""
	}
	now := s.server.Now()
	return lateRemark(now.Add(-time.Since(e.Accepted)), now)
}

func (s *reactionSource) prompt(ctx context.Context, e pipeline.Event[*reaction], m chat.Message, origin actions.Origin,
	gate actions.Gate, handles *chat.Handles, outside *chat.Reading) (turn.Prompt, error) {
	r := e.Body
	// The history is fetched from the latest message on, not from the one reacted to, which may be old.
	lately := chat.Place{Guild: r.Place.Guild, Channel: r.Place.Channel, Parent: r.Place.Parent}
	setting, err := s.gather.Gather(ctx, gather.Request{
		Origin: origin, By: r.User.ID, Gate: gate, Outside: outside, Handles: handles, About: []chat.MessageID{m.ID}, Text: m.Text, Talk: true,
		History: &gather.History{Before: lately, Blind: lacksHistory(ctx, s.gather, e)},
	})
	if err != nil {
		return nil, err
	}
	words := prompt.Reaction{Setting: setting, Said: s.gather.Open(ctx, m)[0], By: e.By, Emoji: r.Emoji, Removed: r.Removed}
	if r.question != nil {
		words.Question = r.question.Text
	}
	return words, nil
}

// mayRead returns an error if the user who reacted may not read the message, which is quoted to the model. Discord
// checks this when a reaction is added, but not when it is removed, and the right may be lost by the time a
// missed reaction is found.
func (s *reactionSource) mayRead(ctx context.Context, r *reaction) error {
	missing, err := s.server.MissingPermissions(ctx, r.Place.Guild, r.User.ID, r.Place.Channel,
		[]chat.Permission{chat.ViewChannel, chat.ReadHistory})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("whose reaction it is lacks “%s”", missing[0])
	}
	return err
}

var errSecret = errors.New("the message tells a secret, which no model must learn")

// about returns the message reacted to. For a question, it is built from the stored question, without a request
// to Discord.
func (s *reactionSource) about(ctx context.Context, r *reaction) (chat.Message, error) {
	switch {
	case r.message != nil:
	case r.question != nil:
		m := chat.Message{ID: r.Place.Message, Place: r.Place, Sent: r.Sent, Text: r.question.Text}
		if self := s.self.User(); self != nil {
			m.Author = *self
		}
		r.message = &m
	default:
		m, err := s.server.Message(ctx, r.Place.Channel, r.Place.Message)
		if err != nil {
			return chat.Message{}, err
		}
		r.message = &m
	}
	return *r.message, nil
}

// stop cancels what a stop sign on a message cancels: everything, or with StopOne the turn that writes it or the work that it reports on.
// It returns how many turns and pieces of work that were.
func (s *reactionSource) stop(m chat.MessageID, by chat.UserID) int {
	if !s.which.StopOne {
		turns, work := s.StopAll(by)
		return turns + work
	}
	if s.pipe.Stop(string(m), by) || s.work.StopMessage(m, by) {
		return 1
	}
	return 0
}
