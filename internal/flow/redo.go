package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/turn"
)

// The IDs of events that go on with a turn begin with these.
const (
	redoEvent     = "redo-"
	continueEvent = "continue-"
)

// A redo is a further answer to messages, in place of one whose turn has changed nothing.
type redo struct {
	Turn   chat.TurnID      // of the answer that it replaces
	Answer []chat.MessageID // that answer
	Said   []chat.Message   // what the person wrote, as it is now
}

// redoSource is the source of redos. The button that begins one works once.
type redoSource struct {
	*messages
	in *pipeline.Entry[redo]
}

func openRedos(m *messages) *redoSource {
	s := &redoSource{messages: m}
	s.in = pipeline.Open(m.pipe, pipeline.Source[redo]{
		Kind:    inbox.Redo,
		Limited: true,
		Shown:   true,
		Way:     func(e pipeline.Event[redo]) *access.Way { return s.way(e.Body) },
		Key: func(r redo) pipeline.Key {
			last := r.Said[len(r.Said)-1]
			return pipeline.Key{ID: inbox.EventID(redoEvent + string(r.Turn)), Place: last.Place, By: last.Author,
				NoHistory: s.gather.KnownToLackHistory(last.Place, last.Author.ID)}
		},
		Accepted: func(_ context.Context, e pipeline.Event[redo]) bool {
			s.users.remember(e.By)
			for _, m := range e.Body.Said {
				s.gather.Heard(m) // it may be from before the last start
			}
			return true
		},
		Notices: dropped[redo],
		Turn:    s.turn,
		Next:    func(r pipeline.Run[redo]) { s.continuations.after(r.Turn) },
		Over: func(_ context.Context, r pipeline.Run[redo], t turn.Report) {
			s.silence.apply(t)
			s.gather.Said(r.Last().Place, t.Origin.Requester, t.Result)
		},
	})
	return s
}

func (s *redoSource) way(r redo) *access.Way {
	return s.router.wayOf(r.Said[len(r.Said)-1])
}

// again accepts a redo of an answer. It returns why it does not.
func (s *redoSource) again(ctx context.Context, p chat.Press, past Past) (why string, err error) {
	if past.Changed {
		return "Something was done for this answer, so I won't do it again. Tell me what you want now.", nil
	}
	if why, err := s.mayNotAgain(ctx, p, past); why != "" || err != nil {
		return why, err
	}
	asked, err := s.inbox.Asked(ctx, past.Turn, turnBefore)
	if err != nil {
		return "", err
	}
	r := redo{Turn: past.Turn, Answer: past.Answer}
	for _, id := range asked {
		m, why, err := s.said(ctx, p, past.Flow, id)
		if why != "" || err != nil {
			return why, err
		}
		r.Said = append(r.Said, m)
	}
	if len(r.Said) == 0 {
		return "This was too long ago for me to know what it answers. Please ask again.", nil
	}
	s.in.Tell(ctx, r, pipeline.Live)
	return "", nil
}

// mayNotAgain returns why an answer that has changed nothing is not written again. If the bot went on after it by itself,
// the rest would be done twice; and an answer that a person could not ask for in a message is none that a button gives them.
func (s *redoSource) mayNotAgain(ctx context.Context, p chat.Press, past Past) (why string, err error) {
	wentOn, err := s.inbox.Has(ctx, inbox.EventID(continueEvent+string(past.Turn)))
	pressed, failed := s.inbox.Has(ctx, inbox.EventID(redoEvent+string(past.Turn)))
	switch err := errors.Join(err, failed); {
	case err != nil:
		return "", err
	case wentOn:
		return "I went on after this answer, so I won't write it again. Tell me what you want now.", nil
	case pressed:
		return "You have asked for that already. If no other answer comes, please ask in a new message.", nil
	case p.Place.Guild == "":
		return "", nil
	}
	missing, err := s.server.MissingPermissions(ctx, p.Place.Guild, p.User.ID, p.Place.Channel,
		[]chat.Permission{chat.ViewChannel, chat.SendMessages})
	if err != nil || len(missing) == 0 {
		return "", err
	}
	return fmt.Sprintf("You need %s here for that.", chat.Rights(missing)), nil
}

// said returns a message as it is now, or why it is not answered again. A reaction to it, or a run that was put off, had another flow.
func (s *redoSource) said(ctx context.Context, p chat.Press, f actions.Flow, id chat.MessageID) (m chat.Message, why string, err error) {
	m, err = s.server.Message(ctx, p.Place.Channel, id)
	if chat.IsGone(err) {
		return m, "What this answers was deleted. Please ask again.", nil
	}
	if err != nil {
		return m, "", err
	}
	m.Place = p.Place
	m.Place.Message = id
	switch {
	case m.Author.ID != p.User.ID, s.router.wayOf(m).Flow != f, commands.Secret(m.Text), s.self.IsCommand(m), m.Blank(),
		s.access.Admit(s.router.wayOf(m), m.Author, m.Place) != access.Admitted:
		return m, "I cannot answer this again. Please ask in a new message.", nil
	}
	return s.tidy(m), "", nil
}

// turn returns the turn that answers the messages again, after the answer that it replaces is deleted.
func (s *redoSource) turn(ctx context.Context, r pipeline.Run[redo]) (chat.Message, turn.Turn, error) {
	e := r.Last()
	for _, m := range e.Body.Answer {
		s.gather.Forget(e.Place.Channel, m)
		if err := s.delete(ctx, e.Place.Channel, m); err != nil {
			s.log.WarnContext(ctx, "cannot delete an answer that is replaced", "message", m, "channel", e.Place.Channel, "err", err)
		}
	}
	about, t, err := s.messages.turn(s.way(e.Body), saidIn(s.messages, r, e.Body.Said))
	t.Continue = s.continuations.goOn(ctx, r.Turn, chain{Said: e.Body.Said, Button: r.Turn})
	return about, t, err
}

// saidIn returns the run of the messages that are in the event of another run.
func saidIn[E any](s *messages, r pipeline.Run[E], said []chat.Message) pipeline.Run[chat.Message] {
	e := r.Last()
	var events []pipeline.Event[chat.Message]
	for _, m := range said {
		events = append(events, pipeline.Event[chat.Message]{Key: s.key(m), Body: m, Arrival: e.Arrival, Turn: e.Turn, Accepted: e.Accepted})
	}
	return pipeline.With(r, events...)
}

// turnBefore returns the turn with which an event goes on.
func turnBefore(id inbox.EventID) (chat.TurnID, bool) {
	for _, prefix := range []string{redoEvent, continueEvent} {
		if t, ok := strings.CutPrefix(string(id), prefix); ok {
			return chat.TurnID(t), true
		}
	}
	return "", false
}
