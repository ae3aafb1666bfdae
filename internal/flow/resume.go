package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/convo"
)

// maxAttempts is how often a turn is begun. What ends the process every time must not do so
// for ever.
const maxAttempts = 3

// retryDelay is after how long something is tried again that Discord, or the disk, did not
// let happen. It has been tried for some time by then.
const retryDelay = time.Minute

// A resumer is a source, whatever its events are.
type resumer interface {
	// resume goes on with the events of one turn, or drops them.
	resume(context.Context, []inbox.Event) error
}

// Resume resumes what an earlier process left: oldest first, each in its conversation, and
// with the turn that it had. What was left on a server of which nothing is known yet waits for
// that: nobody has any rights there. It is called at every login, and when a server becomes
// available.
func (p *Pipeline) Resume() {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := p.queue.load(func() ([]inbox.Event, error) { return p.Inbox.Unfinished(ctx) }); err != nil {
		p.Log.ErrorContext(ctx, "cannot load unfinished events; the next login tries again", "err", err)
		return
	}
	for _, events := range p.queue.take(func(e inbox.Event) bool { return !p.GuildPending(e.Place.Guild) }) {
		p.resumeTurn(ctx, events)
	}
}

// ResumedTurns are the turns that an earlier process began and this one goes on with. They are
// known after the first Resume.
func (p *Pipeline) ResumedTurns() []chat.TurnID { return p.queue.begun() }

// resumeTurn resumes the events of one turn.
func (p *Pipeline) resumeTurn(ctx context.Context, events []inbox.Event) {
	e := events[0]
	p.Log.InfoContext(ctx, "resume", "kind", e.Kind, "channel", e.Place.Channel, "message", e.Place.Message, "turn", e.Turn, "attempts", e.Attempts)
	err := fmt.Errorf("no source has the kind %q", e.Kind)
	if source, ok := p.sources[e.Kind]; ok {
		err = source.resume(ctx, events)
	}
	if err != nil {
		p.Log.ErrorContext(ctx, "cannot resume an event", "kind", e.Kind, "message", e.Place.Message, "err", err)
		p.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, idsOf(events)...)
	}
}

func idsOf(events []inbox.Event) []inbox.EventID {
	list := make([]inbox.EventID, len(events))
	for i, e := range events {
		list[i] = e.ID
	}
	return list
}

// resume lets events have their turn once more. One that had begun is had as it was: nothing
// joins it, and nothing changes it any more.
func (in *entry[E]) resume(ctx context.Context, rows []inbox.Event) error {
	r := Run[E]{Turn: rows[0].Turn, Work: string(rows[0].ID)}
	for _, row := range rows {
		body, err := in.Load(row.Body)
		if err != nil {
			return err
		}
		e := in.event(body, Resumed)
		e.ID, e.Turn, e.Attempts, e.Begun, e.Accepted = row.ID, row.Turn, row.Attempts, row.Begun, row.Accepted
		r.Events = append(r.Events, e)
	}
	last := r.Last()
	if why := in.admit(last); why != access.Admitted {
		in.Log.InfoContext(ctx, "event is not resumed", "kind", in.Kind, "reason", string(why), "message", last.Place.Message, "channel", last.Place.Channel, "user", last.By.ID)
		in.settle(ctx, inbox.Failed, r.Turn, turn.Report{}, r.ids()...)
		return nil
	}
	why, err := in.reason(ctx, r)
	switch {
	case err != nil:
		return err
	case why != "":
		in.drop(r, why)
		return nil
	case in.AtOnce:
		in.bg.Go(string(in.Kind), func(ctx context.Context) { in.run(ctx, r) })
	case last.Begun:
		r.Work = "resumed-" + string(r.Turn) // by the ID of an event, an edit would find and replace it
		in.convo.Add(convo.Work{ID: r.Work, Channel: last.Place.Channel, Items: []any{nil}, Run: func(ctx context.Context, _ []any) { in.run(ctx, r) }})
	default:
		in.convo.Add(in.work(last))
	}
	in.queue.resumed(r.Turn)
	return nil
}

// admit asks the one function that lets people in: whoever is not served any more gets no answer.
// Of what is claimed, only Turn knows the whole place.
func (in *entry[E]) admit(e Event[E]) access.Refusal {
	if in.Way == nil || in.Claim != nil {
		return access.Admitted
	}
	return in.Access.Admit(in.Way(e), e.By, e.Place)
}

// reason is why a turn is dropped instead of being resumed.
func (in *entry[E]) reason(ctx context.Context, r Run[E]) (Reason, error) {
	_, answered, err := in.Answered(ctx, r.Turn)
	if err != nil {
		return "", err
	}
	for _, e := range r.Events {
		if in.Expired == nil {
			break
		}
		if why, err := in.Expired(ctx, e, answered); why != "" || err != nil {
			return why, err
		}
	}
	if slices.ContainsFunc(r.Events, func(e Event[E]) bool { return e.Attempts >= maxAttempts }) {
		return TooManyAttempts, nil
	}
	return "", nil
}

// drop gives a turn up and tells people so, in its order among the turns of its conversation.
// If they cannot be told, that is tried again; if the bot goes down first, the next start does.
func (in *entry[E]) drop(r Run[E], why Reason) {
	e := r.Last()
	farewell := Farewell{}
	if in.Dropped != nil {
		farewell = in.Dropped(e, why)
	}
	in.convo.Add(convo.Work{ID: "drop-" + r.Work, Channel: e.Place.Channel, Apart: true, Late: e.Arrival == Missed, Run: func(ctx context.Context, _ []any) {
		if ctx.Err() != nil {
			return
		}
		ctx = in.logging(ctx, r)
		in.Log.WarnContext(ctx, "turn dropped", "kind", in.Kind, "message", e.Place.Message, "reason", string(why))
		if farewell.Report != "" {
			in.Report(ctx, farewell.Report)
		}
		if !in.bid(ctx, r, farewell.Text) {
			in.bg.Go("drop", func(ctx context.Context) {
				ctx = in.logging(ctx, r)
				for in.bg.Pause(ctx, retryDelay) && !in.bid(ctx, r, farewell.Text) {
				}
			})
		}
	}})
}

// bid tells people that a turn was dropped, and settles it. It is false if that has to be
// tried again.
func (in *entry[E]) bid(ctx context.Context, r Run[E], text string) bool {
	e := r.Last()
	var err error
	switch {
	case text == "":
	case in.Tell != nil:
		err = in.Tell(ctx, e, text)
	default:
		err = in.PipelineOptions.Reply(ctx, r.Turn, "dropped", e.Place, text)
	}
	if isPassing(err) || ctx.Err() != nil {
		return false
	}
	if err != nil {
		in.Log.WarnContext(ctx, "cannot tell that a turn was dropped", "err", err)
		in.Report(ctx, fmt.Sprintf("⚠️ A reply failed in %s: %v.", e.Place.Mention(), err))
	}
	in.settle(ctx, inbox.Failed, r.Turn, turn.Report{}, r.ids()...)
	return true
}

// retryLater requeues events and resumes them in a while, as the next process would: the model
// is not asked again for an answer that is known, and nothing is done or posted twice.
func (p *Pipeline) retryLater(ctx context.Context, events ...inbox.EventID) {
	p.Log.WarnContext(ctx, "turn is requeued", "event", events[0])
	requeued := p.requeue(ctx, events...)
	// If the bot goes down first, the next start resumes it.
	p.bg.Go("retry", func(ctx context.Context) {
		for p.bg.Pause(ctx, retryDelay) {
			if requeued = requeued || p.requeue(ctx, events...); !requeued {
				continue
			}
			list, err := p.Inbox.Unfinished(ctx)
			if err != nil {
				p.Log.ErrorContext(ctx, "cannot load unfinished events", "event", events[0], "err", err)
				continue
			}
			list = slices.DeleteFunc(list, func(e inbox.Event) bool { return !slices.Contains(events, e.ID) })
			for _, events := range byTurn(list) {
				p.resumeTurn(ctx, events)
			}
			return
		}
	})
}

// byTurn puts together what had begun to have a turn together, in the order of the first.
func byTurn(list []inbox.Event) [][]inbox.Event {
	var turns [][]inbox.Event
	at := map[chat.TurnID]int{}
	for _, e := range list {
		if i, ok := at[e.Turn]; ok && e.Begun && e.Turn != "" {
			turns[i] = append(turns[i], e)
			continue
		}
		at[e.Turn] = len(turns)
		turns = append(turns, []inbox.Event{e})
	}
	return turns
}

// A resumeQueue is what an earlier process left, by turns. Its zero value has not been loaded.
type resumeQueue struct {
	mu      sync.Mutex
	loaded  bool
	waiting [][]inbox.Event
	gone    map[chat.TurnID]bool // that were taken out, and go on
}

// load fills the queue, once.
func (q *resumeQueue) load(read func() ([]inbox.Event, error)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.loaded {
		return nil
	}
	list, err := read()
	if err != nil {
		return err
	}
	q.loaded, q.waiting = true, byTurn(list)
	return nil
}

// resumed notes that a turn goes on.
func (q *resumeQueue) resumed(t chat.TurnID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone == nil {
		q.gone = map[chat.TurnID]bool{}
	}
	q.gone[t] = true
}

// take takes out the turns that are to be had now, oldest first.
func (q *resumeQueue) take(now func(inbox.Event) bool) (turns [][]inbox.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(events []inbox.Event) bool {
		if now(events[0]) {
			turns = append(turns, events)
			return true
		}
		return false
	})
	return turns
}

// begun are the turns that nobody else is to bring to an end.
func (q *resumeQueue) begun() []chat.TurnID {
	q.mu.Lock()
	defer q.mu.Unlock()
	turns := slices.Collect(maps.Keys(q.gone))
	for _, events := range q.waiting {
		turns = append(turns, events[0].Turn)
	}
	return turns
}
