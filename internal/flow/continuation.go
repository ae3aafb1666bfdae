package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/access"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/llm"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/class"
)

// A chain is a person's messages and what the turns for them have kept back, since each only said that it goes on. It is the body
// of a continuation: the event that goes on with them.
type chain struct {
	Turn     chat.TurnID    // of the answer that was kept back
	Said     []chat.Message // what the person wrote
	Button   chat.TurnID    // that the Stop button of the placeholder names
	Count    int            // how many turns have kept something back
	KeptBack []string
	Posted   string       // the answer before, if people have it and the model asked for another turn
	Outside  chat.Sources // that those turns have read
	Changes  int          // that they have made
	Acted    bool         // one of them may have changed something
}

// text is everything that was kept back.
func (c chain) text() string { return strings.Join(c.KeptBack, "\n\n") }

// continuationSource is the source of continuations. They are ordinary events of the inbox, which outlive the process; the turn
// before accepts them instead of posting its answer.
type continuationSource struct {
	*messages
	in   *pipeline.Entry[chain]
	most int // how often a turn may go on by itself

	mu      sync.Mutex
	waiting map[chat.TurnID]pipeline.Event[chain] // by the turn before, until it is over
}

func openContinuations(m *messages, o Options) {
	s := &continuationSource{messages: m, most: o.Continue, waiting: map[chat.TurnID]pipeline.Event[chain]{}}
	m.continuations = s
	s.in = pipeline.Open(m.pipe, pipeline.Source[chain]{
		Kind:    inbox.Continuation,
		Shown:   true,
		Ahead:   true,
		Way:     func(e pipeline.Event[chain]) *access.Way { return s.way(e.Body) },
		Key:     s.key,
		Notices: s.dropped,
		Turn:    s.turn,
		Next:    func(r pipeline.Run[chain]) { s.after(r.Turn) },
		Over: func(_ context.Context, r pipeline.Run[chain], t turn.Report) {
			s.silence.apply(t)
			s.gather.Said(r.Last().Place, t.Origin.Requester, t.Result)
		},
	})
}

// way returns the way in of the messages of a chain.
func (s *continuationSource) way(c chain) *access.Way {
	return s.router.wayOf(c.Said[len(c.Said)-1])
}

func (s *continuationSource) key(c chain) pipeline.Key {
	last := c.Said[len(c.Said)-1]
	return pipeline.Key{ID: inbox.EventID(continueEvent + string(c.Turn)), Place: last.Place, By: last.Author,
		NoHistory: s.gather.KnownToLackHistory(last.Place, last.Author.ID)}
}

// dropped tells what was kept back, too.
func (s *continuationSource) dropped(e pipeline.Event[chain], why pipeline.Reason) pipeline.DropNotices {
	notices := dropped(e, why)
	notices.Text = strings.TrimLeft(e.Body.text()+"\n\n"+notices.Text, "\n")
	return notices
}

// goOn returns what accepts the continuation of a turn of a chain. It refuses if that has gone on often enough, if a person waits
// in the conversation, since that message may change everything, and if the bot goes down.
func (s *continuationSource) goOn(running context.Context, t chat.TurnID, c chain) turn.Continue {
	return func(ctx context.Context, kept turn.Kept) (string, error) {
		next := c
		next.Turn, next.Count, next.KeptBack, next.Posted = t, c.Count+1, append(slices.Clip(c.KeptBack), kept.Text), ""
		if kept.Posted {
			next.KeptBack, next.Posted = nil, kept.Text
		}
		next.Outside.Add(kept.Outside)
		next.Changes, next.Acted = kept.Changes, c.Acted || kept.Acted
		e := s.in.Event(next, pipeline.Live)
		e.Turn = t.Next()
		if known, err := s.inbox.Has(ctx, e.ID); err != nil {
			return "", err
		} else if !known && !s.mayGoOn(running, e) {
			return "", turn.ErrNotNow
		}
		if err := s.accept(ctx, t, kept.Placeholder, e); err != nil {
			return "", err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting[t] = e
		return s.label(next), nil
	}
}

// label is the placeholder's text while a chain goes on.
func (s *continuationSource) label(c chain) string {
	return fmt.Sprintf("*Working on it… (%d/%d)*", c.Count, s.most)
}

func (s *continuationSource) mayGoOn(running context.Context, e pipeline.Event[chain]) bool {
	goesOn, _ := lifecycle.Turn{Text: true, Class: class.Status, Count: e.Body.Count - 1, Max: s.most}.Decide()
	return goesOn && !e.By.Bot && running.Err() == nil && !s.in.Waits(e)
}

// accept writes a continuation to the inbox, and hands the placeholder of the turn before to it, if there is one. It is idempotent.
func (s *continuationSource) accept(ctx context.Context, before chat.TurnID, placeholder string, e pipeline.Event[chain]) error {
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	return s.inbox.Tx(ctx, func(tx *store.Tx) error {
		if err := s.inbox.Follow(ctx, tx, s.in.Row(e)); err != nil || placeholder == "" {
			return err
		}
		return s.pipe.Share(ctx, tx, before, placeholder, e.Turn)
	})
}

// after enqueues the continuation of a turn that is over. One that was resumed is queued already.
func (s *continuationSource) after(t chat.TurnID) {
	s.mu.Lock()
	e := s.waiting[t]
	delete(s.waiting, t)
	s.mu.Unlock()
	s.in.Follow(e)
}

// turn returns the next turn of a chain, for the same person and with the same rights.
func (s *continuationSource) turn(ctx context.Context, r pipeline.Run[chain]) (chat.Message, turn.Turn, error) {
	e := r.Last()
	about, t, err := s.messages.turn(s.way(e.Body), saidIn(s.messages, r, e.Body.Said))
	t.Outside.Add(e.Body.Outside)
	t.Prompt = e.Body.after(t.Prompt)
	t.Before, t.Remark, t.Label = e.Body.text(), "", s.label(e.Body)
	t.Continue, t.Changes = s.goOn(ctx, r.Turn, e.Body), e.Body.Changes
	t.Buttons = s.below(t.Origin, !e.Body.Acted && !about.Posted)
	s.pipe.Stoppable(string(e.Body.Button), r.Work)
	return about, t, err
}

// What asks the model to go on.
const (
	goOnText  = "(automatic) Your last reply only announced work, so people have not seen it. Do that work now and reply with the result. If it cannot be done, say why."
	andOnText = "(automatic) People have read your last reply. You asked to go on: do that now, without repeating it."
)

// continued is the prompt of a message with what the model has answered before.
type continued struct {
	turn.Prompt
	before, goOn string
}

// after returns the prompt of the turn that goes on with a chain.
func (c chain) after(p turn.Prompt) turn.Prompt {
	if c.Posted != "" {
		return continued{p, c.Posted, andOnText}
	}
	return continued{p, c.text(), goOnText}
}

func (c continued) First(ctx context.Context) (llm.Request, error) {
	req, err := c.Prompt.First(ctx)
	if err != nil {
		return req, err
	}
	return req.InBoth(func(r *llm.Request) {
		r.Sections = append(slices.Clone(r.Sections), llm.Section{Name: "kept back", Bytes: len(c.before) + len(c.goOn)})
		r.Messages = append(slices.Clip(r.Messages), llm.Message{Role: llm.Assistant, Text: dialect.Defuse(c.before)},
			llm.Message{Role: llm.User, Text: c.goOn})
	}), nil
}
