package reminder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/due"
)

const (
	// firstRest is the pause of a channel after its first failure, and longestRest after many.
	firstRest, longestRest = 5 * time.Second, time.Minute
	// refusalTTL is for how long a reminder is retried that Discord refuses: rights that a moderator
	// took away may come back, and a proxy may have answered in its place.
	refusalTTL = time.Hour
	// postTime bounds one try, so that a channel does not hang.
	postTime = time.Minute
	// skew is by how much this machine's clock may be ahead of Discord's.
	skew = time.Minute
)

// Run posts reminders that are due, until ctx ends.
func (e *Engine) Run(ctx context.Context, live Live) {
	e.live = live
	var wg sync.WaitGroup
	defer wg.Wait()
	e.loop.Run(ctx, func(ctx context.Context) (time.Time, error) { return e.begin(ctx, &wg) })
}

// begin has the reminders posted that are due: those of a channel one after another. It returns when to call it again, or zero if no
// reminder waits.
func (e *Engine) begin(ctx context.Context, wg *sync.WaitGroup) (next time.Time, err error) {
	now := e.Now()
	waiting, err := e.rows.list(ctx, "due <= ?", now.UnixMicro())
	if err != nil {
		return next, err
	}
	byChannel := map[chat.ChannelID][]Reminder{}
	for _, r := range waiting {
		byChannel[r.Channel] = append(byChannel[r.Channel], r)
	}
	for ch, list := range byChannel {
		if until := e.retries.Until(ch); !until.IsZero() {
			next = due.Sooner(next, until)
		} else if e.busy.Take(ch) {
			wg.Go(func() { e.leave(ch, e.postAll(ctx, list)) })
		}
	}
	first, err := e.rows.next(ctx, now)
	return due.Sooner(next, first), err
}

// leave ends the work in a channel. One in which something failed rests for a while.
func (e *Engine) leave(ch chat.ChannelID, failed bool) {
	if failed {
		e.retries.Failed(ch)
	} else {
		e.retries.Succeeded(ch)
	}
	e.busy.Release(ch)
	e.Wake()
}

// postAll posts the reminders of one channel in order, and reports whether one of them has to be tried
// again. After a failure that is nobody's refusal, the others would fail as well.
func (e *Engine) postAll(ctx context.Context, list []Reminder) (failed bool) {
	for _, r := range list {
		err := e.settle(ctx, r)
		if err == nil {
			continue
		}
		if failed = true; ctx.Err() != nil {
			return true
		}
		e.Log.WarnContext(ctx, "cannot post a reminder yet", "job", r.ID, "channel", r.Channel, "user", r.Requester, "err", err)
		if !chat.IsPermanent(err) {
			return true
		}
	}
	return failed
}

// settle posts a reminder, or drops it if that is refused for good.
func (e *Engine) settle(ctx context.Context, r Reminder) error {
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	err := e.post(ctx, r)
	if isFinal(err) || chat.IsPermanent(err) && e.refusedFor(r.ID) >= refusalTTL {
		if err = e.drop(ctx, r, err); err == nil {
			err = e.rows.done(ctx, r.ID)
		}
	}
	if err == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.refused, r.ID)
	}
	return err
}

// post posts a reminder, unless it is there already, and deletes its row.
func (e *Engine) post(ctx context.Context, r Reminder) error {
	if err := e.live.Check(ctx, r); err != nil {
		return err
	}
	if waits, err := e.rows.try(ctx, r.ID); err != nil || !waits {
		return err
	}
	there, err := e.isThere(ctx, r)
	if err != nil {
		return err
	}
	if !there {
		m, err := e.Outbox.Of(r.turn(), nil).Post(ctx, r.part(), r.Channel, r.message(e.Now().Sub(r.Due) > worthAWord))
		if err != nil {
			return err
		}
		e.Outbox.MarkPosted(r.Outside, m)
	}
	return e.rows.done(ctx, r.ID)
}

// isThere searches for the post of a reminder that was tried, but of which the outbox knows nothing:
// it has forgotten it, or the database is a restored copy.
func (e *Engine) isThere(ctx context.Context, r Reminder) (bool, error) {
	if !r.tried {
		return false, nil
	}
	if _, begun, err := e.Outbox.Of(r.turn(), nil).Posted(ctx, r.part()); begun || err != nil {
		return false, err
	}
	for _, late := range []bool{false, true} {
		found, err := e.Server.FindOwn(ctx, r.Channel, r.Due.Add(-skew), r.message(late))
		if len(found) > 0 || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// isFinal reports whether the bot's own rules end a reminder.
func isFinal(err error) bool {
	_, ok := errors.AsType[*Refusal](err)
	return ok
}

// refusedFor returns for how long Discord has refused a reminder.
func (e *Engine) refusedFor(id int64) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	since, known := e.refused[id]
	if !known {
		since = time.Now()
		e.refused[id] = since
	}
	return time.Since(since)
}

// maxShown is how many characters of a text are repeated.
const maxShown = 200

// drop tells the requester that a reminder is not posted, where they asked for it. If they are not served there any more, or
// nothing can be posted there, operators read it instead, without its text. After an error it is to be tried again.
func (e *Engine) drop(ctx context.Context, r Reminder, why error) error {
	there := r
	there.Channel, there.Recipient = r.AskedIn, r.Requester
	err := e.live.Check(ctx, there)
	if err == nil {
		where := ""
		if r.Channel != r.AskedIn {
			where = " in " + r.Channel.Mention()
		}
		text := fmt.Sprintf("<@%s> I could not post your reminder%s, which was due <t:%d:R>: %v. It said: %s", r.Requester, where, r.Due.Unix(), why, chat.Clip(chat.Visible(r.Text), maxShown))
		var posted chat.MessageID
		posted, err = e.Outbox.Of(r.turn(), nil).Post(ctx, "dropped", r.AskedIn, chat.Outgoing{Text: text, Mentions: []chat.UserID{r.Requester}})
		e.Outbox.MarkPosted(r.Outside, posted)
	}
	if err != nil && !isFinal(err) && !chat.IsPermanent(err) {
		return err
	}
	e.Log.WarnContext(ctx, "reminder dropped", "job", r.ID, "channel", r.Channel, "user", r.Requester, "err", why, "untold", err)
	if err != nil {
		in := chat.Place{Guild: r.Guild, Channel: r.Channel}.Mention()
		e.live.Report(ctx, fmt.Sprintf("The reminder that <@%s> wanted in %s on %s was not posted: %v. I could not tell <@%[1]s> either.", r.Requester, in, chat.Clock(r.Due), why))
	}
	return nil
}
