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
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/prompt"
)

// Reactions says which reactions lead to anything. With the zero value none do.
type Reactions struct {
	Added   bool          // those that somebody adds
	Removed bool          // those that somebody takes back
	MaxAge  time.Duration // of the message; 0 means any
	StopOne bool          // a stop sign ends the turn that writes the message, and no other
}

func (o Reactions) include(r chat.Reacted) bool {
	if r.Removed {
		return o.Removed
	}
	return o.Added
}

// A reaction is one on its way to a turn.
type reaction struct {
	chat.Reacted
	question *choices.Question // that it answers; nil for none
	refused  bool              // it answers one that is open again, but not for them
	message  *chat.Message     // that it is about; nil until somebody needs to know
}

// dedupeKey tells reactions apart: what the same person does twice in a row, while the first is
// unfinished, is one.
func dedupeKey(r chat.Reacted) string {
	return strings.Join([]string{"reaction", string(r.Place.Message), string(r.User.ID), string(r.Emoji), strconv.FormatBool(r.Removed)}, "/")
}

// A reactionBody is what the inbox keeps of a reaction. Its emoji is a mere text here,
// since it need not be one that people could write.
type reactionBody struct {
	Place    chat.Place
	Sent     time.Time
	Author   chat.UserID
	User     chat.User
	Emoji    string
	Removed  bool
	Question *choices.Question // that it answers; nil for none
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

// reactionSource has what people say with an emoji: something about a message, an answer to one
// of the bot's questions, or that it should stop.
type reactionSource struct {
	*prompts
	in     *entry[*reaction]
	undone recentSet[string] // dedupe keys of reactions whose opposite was told, so that they can happen again
}

func openReactions(f *Flows) {
	s := &reactionSource{prompts: f.prompts}
	f.reactions = s
	s.in = open(f.Pipeline, Source[*reaction]{
		Kind:     inbox.Reaction,
		Way:      func(Event[*reaction]) *access.Way { return access.ByReaction },
		Guards:   s.guards(),
		Key:      s.key,
		Store:    storeReaction,
		Load:     loadReaction,
		Refused:  s.refuse,
		Accepted: s.resolve,
		Expired:  s.resumed,
		Dropped:  dropped[*reaction],
		Turn:     s.turn,
		Ending:   s.reopen,
		Over: func(_ context.Context, r Run[*reaction], t turn.Report) {
			s.remember(r.Last().Place, t.Origin.Requester, t.Result)
		},
	})
}

// guards: their order is part of the rules. An answer to a question passes by the stop sign and
// the age, and a stop sign works in channels that are not on the list. None asks Discord for
// anything, but for a stop sign on a message whose author is unknown.
func (s *reactionSource) guards() []Guard[*reaction] {
	list := []struct {
		name    string
		objects func(context.Context, *reaction) access.Refusal
	}{
		{"own reaction", s.isOwn},
		{"server", isInDM},
		{"person", s.isNotServed},
		{"question", s.matchQuestion},
		{"stop sign", s.isStopSign},
		{"age", s.isTooOld},
		{"channel", s.isElsewhere},
		{"answered question", s.isAfterTheAnswer},
	}
	var guards []Guard[*reaction]
	for _, g := range list {
		guards = append(guards, Guard[*reaction]{g.name, func(ctx context.Context, e Event[*reaction]) access.Refusal { return g.objects(ctx, e.Body) }})
	}
	return guards
}

// key has the time in it: the same reaction can happen again.
func (s *reactionSource) key(r *reaction) Key {
	dedupe := dedupeKey(r.Reacted)
	return Key{
		ID: inbox.EventID(fmt.Sprintf("%s/%d", dedupe, time.Now().UnixMicro())), DedupeKey: dedupe, Repeat: s.undone.has(dedupe),
		Place: r.Place, By: s.people.met(r.User), NoHistory: s.knownToLackHistory(r.Place, r.User.ID),
	}
}

func (s *reactionSource) isOwn(_ context.Context, r *reaction) access.Refusal {
	if s.isSelf(r.User.ID) {
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

// isNotServed leaves the list of channels to a later guard.
func (s *reactionSource) isNotServed(ctx context.Context, r *reaction) access.Refusal {
	if why := s.isElsewhere(ctx, r); why != access.ChannelNotFor {
		return why
	}
	return ""
}

func (s *reactionSource) isElsewhere(_ context.Context, r *reaction) access.Refusal {
	return s.Access.Admit(access.ByReaction, r.User, r.Place)
}

// matchQuestion finds the question that the reaction answers. It goes on waiting until
// nothing else can come in between.
func (s *reactionSource) matchQuestion(ctx context.Context, r *reaction) access.Refusal {
	if r.Removed {
		return ""
	}
	q, ok, err := s.Choices.Match(ctx, r.Place.Message, r.Emoji)
	if err != nil {
		s.Log.ErrorContext(ctx, "reaction lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return "whether it answers a question is not known"
	}
	if r.refused = ok && slices.Contains(q.Refused, r.User.ID); ok && !r.refused {
		r.question = &q
	}
	return ""
}

// isAfterTheAnswer: who chooses what somebody has chosen before, or something else, is too
// late. It must not be done twice, nor the other thing as well.
func (s *reactionSource) isAfterTheAnswer(ctx context.Context, r *reaction) access.Refusal {
	if r.question != nil || r.Removed {
		return ""
	}
	if r.refused {
		return "they have answered the question, and lacked the right"
	}
	answered, err := s.Choices.Answered(ctx, r.Place.Message, r.Emoji)
	switch {
	case err != nil:
		s.Log.ErrorContext(ctx, "reaction lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return "whether it answers a question is not known"
	case answered:
		return "the question is answered already"
	}
	return ""
}

const stopSign chat.Emoji = "🛑"

// isStopSign stops what the sign is meant to stop. Taken back, it does nothing.
func (s *reactionSource) isStopSign(ctx context.Context, r *reaction) access.Refusal {
	if r.question != nil || !r.Emoji.Same(stopSign) {
		return ""
	}
	if r.Author == "" {
		m, err := s.about(ctx, r)
		if err != nil {
			s.Log.WarnContext(ctx, "stop sign lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
			return "whose message it is is not known"
		}
		r.Author = m.Author.ID
	}
	switch {
	case !s.isSelf(r.Author):
		return ""
	case r.Removed:
		return "a stop sign that was taken back"
	}
	s.Log.InfoContext(ctx, "stop sign", "message", r.Place.Message, "channel", r.Place.Channel, "user", r.User.ID, "stopped", s.stop(r.Place.Message))
	return "a stop sign"
}

func (s *reactionSource) isTooOld(_ context.Context, r *reaction) access.Refusal {
	if r.question == nil && s.Reactions.MaxAge > 0 && s.Server.Now().Sub(r.Sent) > s.Reactions.MaxAge {
		return "the message is too old"
	}
	return ""
}

// reacted is told that somebody reacted to a message, or took a reaction back.
func (s *reactionSource) reacted(ctx context.Context, told chat.Reacted) {
	opposite := told
	opposite.Removed = !told.Removed
	s.undone.add(dedupeKey(opposite))
	if !s.Reactions.include(told) {
		return
	}
	r := &reaction{Reacted: told}
	if r.Author == "" && r.Emoji.Same(stopSign) {
		// Discord may have to be asked whose message it is, and nothing else is heard
		// meanwhile.
		s.bg.Go("stop sign", func(ctx context.Context) { s.in.tell(ctx, r, Live) })
		return
	}
	s.in.tell(ctx, r, Live)
}

// refuse is for a reaction that could not be written down. An answer to a question is found when
// there is room; of other reactions nobody could tell.
func (s *reactionSource) refuse(ctx context.Context, e Event[*reaction], err error) {
	if e.Body.question != nil {
		s.fullDisk(ctx, e.Place, refusal(err)+" I will see to your answer when there is room.")
		return
	}
	s.fullDisk(ctx, e.Place, refusal(err)+" Please react again when there is room.")
}

// resolve takes the question that a reaction answers as answered, and says whether it was
// this one. The answer is accepted by then, so that it is not lost.
func (s *reactionSource) resolve(ctx context.Context, e Event[*reaction]) bool {
	r := e.Body
	if r.question == nil {
		return true
	}
	first, err := s.Choices.Resolve(ctx, r.Place.Message)
	if err == nil && first {
		return true
	}
	s.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, e.ID)
	if err != nil {
		s.Log.ErrorContext(ctx, "cannot resolve a question, so its answer is lost", "message", r.Place.Message, "user", r.User.ID, "err", err)
		return false
	}
	s.in.tell(ctx, &reaction{Reacted: r.Reacted}, e.Arrival) // somebody else answered meanwhile
	return false
}

// resumed: the question that a resumed reaction answers is answered by now.
func (s *reactionSource) resumed(ctx context.Context, e Event[*reaction], _ bool) (Reason, error) {
	if e.Arrival != Resumed || e.Body.question == nil {
		return "", nil
	}
	q, waits, err := s.Choices.Match(ctx, e.Place.Message, e.Body.Emoji)
	if err == nil && waits && !slices.Contains(q.Refused, e.Body.User.ID) { // else this answer has opened it again
		_, err = s.Choices.Resolve(ctx, e.Place.Message)
	}
	return "", err
}

// turn answers a reaction.
func (s *reactionSource) turn(ctx context.Context, run Run[*reaction]) (chat.Message, turn.Turn, error) {
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
	if r.question != nil {
		origin.Prompter = r.question.Requester
	}
	gate := s.Registry.Gate(s.Flags, Narrowings(origin)...)
	handles := &chat.Handles{}
	return m, turn.Turn{
		Origin: origin, Gate: gate, Dialects: s.Dialects, Venue: s.venue(origin, run.Work, run.start), Remark: s.lateReaction(run.Last()),
		Model: s.Model(), FollowUps: s.FollowUps, Handles: handles, MayPass: true,
		Prompt: &lazyPrompt{gather: func(ctx context.Context) (turn.Prompt, error) { return s.prompt(ctx, run.Last(), m, gate, handles) }},
	}, nil
}

// lateReaction is the remark of an answer that comes late.
func (s *reactionSource) lateReaction(e Event[*reaction]) string {
	if e.Arrival != Resumed {
		return ""
	}
	now := s.Server.Now()
	return lateRemark(now.Add(-time.Since(e.Accepted)), now)
}

func (s *reactionSource) prompt(ctx context.Context, e Event[*reaction], m chat.Message, gate actions.Gate, handles *chat.Handles) (turn.Prompt, error) {
	r := e.Body
	// All that was said lately is fetched at once, since the message may be an old one.
	lately := chat.Place{Guild: r.Place.Guild, Channel: r.Place.Channel, Parent: r.Place.Parent}
	setting, err := s.setting(ctx, r.Place, r.User.ID, gate, s.earlier(ctx, lately, lacksHistory(ctx, s.prompts, e), m.ID))
	if err != nil {
		return nil, err
	}
	setting.Handles = handles
	s.recall(ctx, &setting, e.By, m.Text)
	words := prompt.Reaction{Setting: setting, Said: s.open(ctx, m)[0], By: e.By, Emoji: r.Emoji, Removed: r.Removed}
	if r.question != nil {
		words.Question = r.question.Text
	}
	return words, nil
}

// mayRead makes sure that who reacted may read what is quoted to the model. Discord lets
// nobody else react, but whoever did so earlier may take it back, or may have lost that right
// when their reaction is found later.
func (s *reactionSource) mayRead(ctx context.Context, r *reaction) error {
	missing, err := s.Server.MissingPermissions(ctx, r.Place.Guild, r.User.ID, r.Place.Channel, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("whose reaction it is lacks “%s”", missing[0])
	}
	return err
}

var errSecret = errors.New("the message tells a secret, which no model must learn")

// about is the message that somebody reacted to. A question is known without asking
// Discord.
func (s *reactionSource) about(ctx context.Context, r *reaction) (chat.Message, error) {
	switch {
	case r.message != nil:
	case r.question != nil:
		m := chat.Message{ID: r.Place.Message, Place: r.Place, Sent: r.Sent, Text: r.question.Text}
		if self := s.self.Load(); self != nil {
			m.Author = *self
		}
		r.message = &m
	default:
		m, err := s.Server.Message(ctx, r.Place.Channel, r.Place.Message)
		if err != nil {
			return chat.Message{}, err
		}
		r.message = &m
	}
	return *r.message, nil
}
