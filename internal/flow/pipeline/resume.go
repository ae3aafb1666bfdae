package pipeline

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
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/convo"
)

// MaxAttempts is how often a turn is begun, so that a turn that crashes the process does not do so forever.
const MaxAttempts = 3

// RetryDelay is the delay before an operation that failed on Discord or on the disk is retried. It is long, since
// shorter retries have failed by then.
const RetryDelay = time.Minute

// A resumer is the entry of a source, whatever the type of its events.
type resumer interface {
	// resume enqueues the events of one turn again, or drops them.
	resume(context.Context, []inbox.Event) error
}

// Resume resumes the events that an earlier process left unfinished: oldest first, each in its conversation, and
// with the turn ID that it had. Events of a server that has not become available yet stay queued, since nobody's
// rights are known there. It is called at every login, and when a server becomes available.
func (p *Pipeline) Resume() {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := p.queue.load(func() ([]inbox.Event, error) { return p.o.Inbox.Unfinished(ctx) }); err != nil {
		p.o.Log.ErrorContext(ctx, "cannot load unfinished events; the next login tries again", "err", err)
		return
	}
	for _, events := range p.queue.take(func(e inbox.Event) bool { return !p.o.Discord.GuildPending(e.Place.Guild) }) {
		p.resumeTurn(ctx, events)
	}
}

// ResumedTurns returns the turns of an earlier process that this one has resumed or will resume. They are known
// after the first Resume.
func (p *Pipeline) ResumedTurns() []chat.TurnID { return p.queue.begun() }

// resumeTurn resumes the events of one turn. If they cannot be resumed, they are settled as failed.
func (p *Pipeline) resumeTurn(ctx context.Context, events []inbox.Event) {
	e := events[0]
	p.o.Log.InfoContext(ctx, "resume", "kind", e.Kind, "channel", e.Place.Channel, "message", e.Place.Message, "turn", e.Turn, "attempts", e.Attempts)
	err := fmt.Errorf("no source has the kind %q", e.Kind)
	if source, ok := p.sources[e.Kind]; ok {
		err = source.resume(ctx, events)
	}
	if err != nil {
		p.o.Log.ErrorContext(ctx, "cannot resume an event", "kind", e.Kind, "message", e.Place.Message, "err", err)
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

// resume enqueues the events of a turn once more. A turn that had begun keeps exactly the events it had: no other
// event joins it, and an edit does not change it.
func (in *Entry[E]) resume(ctx context.Context, rows []inbox.Event) error {
	r := Run[E]{Turn: rows[0].Turn, Work: string(rows[0].ID)}
	for _, row := range rows {
		body, err := in.source.Load(row.Body)
		if err != nil {
			return err
		}
		e := in.Event(body, Resumed)
		e.ID, e.Turn, e.Attempts, e.Unposted, e.Begun, e.Accepted = row.ID, row.Turn, row.Attempts, row.Unposted, row.Begun, row.Accepted
		if in.shows(e) {
			in.p.o.Progress.Resumed(e.Place)
		}
		r.Events = append(r.Events, e)
	}
	last := r.Last()
	if why := in.admit(last); why != access.Admitted {
		in.p.o.Log.InfoContext(ctx, "event is not resumed", "kind", in.source.Kind, "reason", string(why), "message", last.Place.Message, "channel", last.Place.Channel, "user", last.By.ID)
		in.p.settle(ctx, inbox.Failed, r.Turn, turn.Report{}, r.ids()...)
		in.ends(r, lifecycle.Nothing)
		return nil
	}
	why, err := in.reason(ctx, r)
	switch {
	case err != nil:
		return err
	case why != "":
		in.drop(r, why)
		return nil
	case in.source.AtOnce:
		in.p.bg.Go(string(in.source.Kind), func(ctx context.Context) { in.run(ctx, r) })
	case last.Begun:
		r.Work = "resumed-" + string(r.Turn) // an edit would find and replace work that has the ID of an event
		in.p.convo.Add(convo.Work{ID: r.Work, Channel: in.queueOf(last), Items: []any{nil},
			Run: func(ctx context.Context, _ []any) { in.run(ctx, r) }})
	default:
		in.p.convo.Add(in.work(last))
	}
	in.p.queue.resumed(r.Turn)
	return nil
}

// admit checks with the access policy whether the user of a resumed event is still served. Claimed events are
// checked by Turn, which alone knows their whole place.
func (in *Entry[E]) admit(e Event[E]) access.Refusal {
	if in.source.Way == nil || in.source.Claim != nil {
		return access.Admitted
	}
	return in.p.o.Access.Admit(in.source.Way(e), e.By, e.Place)
}

// reason returns why a turn is dropped instead of being resumed; empty if it is not.
func (in *Entry[E]) reason(ctx context.Context, r Run[E]) (Reason, error) {
	_, answered, err := in.p.Answered(ctx, r.Turn)
	if err != nil {
		return "", err
	}
	for _, e := range r.Events {
		if in.source.Expired == nil {
			break
		}
		if why, err := in.source.Expired(ctx, e, answered); why != "" || err != nil {
			return why, err
		}
	}
	if slices.ContainsFunc(r.Events, func(e Event[E]) bool { return e.Attempts >= MaxAttempts }) {
		return TooManyAttempts, nil
	}
	return "", nil
}

// drop drops a turn and posts the notices about that, in its order among the turns of its conversation. If they
// cannot be posted, it retries; if the bot goes down first, the next start does.
func (in *Entry[E]) drop(r Run[E], why Reason) { in.settleDropped(r, why, in.notices(r, why)) }

func (in *Entry[E]) notices(r Run[E], why Reason) DropNotices {
	if in.source.Notices == nil {
		return DropNotices{}
	}
	return in.source.Notices(r.Last(), why)
}

// settleDropped settles a turn that is dropped, after its notices are sent.
func (in *Entry[E]) settleDropped(r Run[E], why Reason, notices DropNotices) {
	e := r.Last()
	in.p.convo.Add(convo.Work{ID: "drop-" + r.Work, Channel: in.queueOf(e), Apart: true, Late: e.Arrival == Missed,
		Run: func(ctx context.Context, _ []any) {
			if ctx.Err() != nil {
				return
			}
			ctx = in.logging(ctx, r)
			in.p.o.Log.WarnContext(ctx, "turn dropped", "kind", in.source.Kind, "message", e.Place.Message, "reason", string(why))
			if notices.Report != "" {
				in.p.o.Report(ctx, status.Replies, notices.Report)
			}
			if !in.notifyDropped(ctx, r, why, notices.Text, false) {
				in.p.bg.Go("drop", func(ctx context.Context) {
					ctx = in.logging(ctx, r)
					for in.p.bg.Pause(ctx, RetryDelay) && !in.notifyDropped(in.p.o.Discord.Sparing(ctx), r, why, notices.Text, false) {
					}
				})
			}
		}})
}

// notifyDropped posts that a turn was dropped, and settles it. It returns false if that has to be retried. With last, it is not retried
// because Discord does not answer.
func (in *Entry[E]) notifyDropped(ctx context.Context, r Run[E], why Reason, text string, last bool) bool {
	e := r.Last()
	if why == Unposted {
		e.Place.Message = "" // replying to it may be what Discord does not take
	}
	var err error
	switch {
	case text == "":
	case in.source.TellDropped != nil:
		err = in.source.TellDropped(ctx, e, text)
	default:
		err = in.p.Reply(ctx, r.Turn, "dropped", e.Place, text)
	}
	if IsPassing(err) && !(last && isUnanswered(err)) || ctx.Err() != nil {
		return false
	}
	if err != nil {
		in.p.o.Log.WarnContext(ctx, "cannot tell that a turn was dropped", "err", err)
		in.p.o.Report(ctx, status.Replies, fmt.Sprintf("⚠️ A reply failed in %s: %v.", e.Place.Mention(), err))
	}
	if in.source.Dropped != nil {
		in.source.Dropped(ctx, e, why)
	}
	in.p.settle(ctx, inbox.Failed, r.Turn, turn.Report{}, r.ids()...)
	in.ends(r, lifecycle.Error)
	return true
}

// byTurn groups events by the turn that they had begun to share. The groups are in the order of their first event.
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

// A resumeQueue holds the unfinished events of an earlier process, by turn. Its zero value has not been loaded.
type resumeQueue struct {
	mu      sync.Mutex
	loaded  bool
	waiting [][]inbox.Event
	gone    map[chat.TurnID]bool // turns that were taken out and resumed
}

// load fills the queue on the first call that succeeds.
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

// resumed records that a turn was resumed.
func (q *resumeQueue) resumed(t chat.TurnID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone == nil {
		q.gone = map[chat.TurnID]bool{}
	}
	q.gone[t] = true
}

// take removes and returns the turns that can be resumed now, oldest first.
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

// begun returns the turns that were resumed or still will be, so that nothing else finishes them.
func (q *resumeQueue) begun() []chat.TurnID {
	q.mu.Lock()
	defer q.mu.Unlock()
	turns := slices.Collect(maps.Keys(q.gone))
	for _, events := range q.waiting {
		turns = append(turns, events[0].Turn)
	}
	return turns
}
