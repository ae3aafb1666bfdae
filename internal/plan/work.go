package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/store"
)

// workRetention is how long work that is over is remembered.
const workRetention = 90 * 24 * time.Hour

// A Kind of work on a plan.
type Kind string

const (
	Forging Kind = "forge" // drafts, audits, revises
	Running Kind = "run"   // carries out what was approved
)

// Work is what models do on a plan. While it is not over it is a lease: there is one on a plan, and one that forges in all.
type Work struct {
	ID        int64
	Plan      doc.ID
	Kind      Kind
	At        chat.Place // where its progress is shown
	Requester chat.UserID
	Prompters chat.UserIDs
	Job       string          // the scheduled job that asked for it; empty for none
	Outside   chat.Sources    // the outside texts that had been read when it was asked for
	Asked     json.RawMessage // what it is to do
	State     json.RawMessage // how far it has come
	Message   chat.MessageID  // that shows its progress
	Card      *Card           // that it has posted; nil for none, and for one that does not change any more
	Attempts  int             // since it last came further
	Began     time.Time
	Said      string // what people have to be told of work that is over; empty once they were
	// Dedupe names the request: Begin returns the work that an earlier call with the same name began. Empty for none.
	Dedupe string

	number int64
}

const workColumns = "id, plan, kind, dedupe, guild, channel, parent, requester, prompters, job, outside, asked, state, message, attempts, began, said, card"

func scanWork(row store.Row) (w Work, err error) {
	var card string
	err = row.Scan(&w.ID, &w.number, &w.Kind, &w.Dedupe, &w.At.Guild, &w.At.Channel, &w.At.Parent, &w.Requester,
		&w.Prompters, &w.Job, &w.Outside, store.JSON(&w.Asked), store.JSON(&w.State), &w.Message, &w.Attempts,
		store.Time(&w.Began), &w.Said, &card)
	if err == nil && card != "" {
		err = json.Unmarshal([]byte(card), &w.Card)
	}
	w.Plan = idOf(w.number)
	return w, err
}

func idOf(number int64) doc.ID { return doc.ID(fmt.Sprintf("plan-%03d", number)) }

// A BusyError means that other work holds the lease. It is a sentence for people.
type BusyError struct{ With Work }

func (e *BusyError) Error() string {
	if e.With.Kind == Forging {
		return "models are writing a plan now, and one is written at a time; wait for it, or stop it with `!forge cancel`"
	}
	return doc.Refusal(e.With.Plan, doc.Implementing, doc.Closed).Error()
}

// leased returns the work that holds a lease, by a condition.
func leased(ctx context.Context, tx *store.Tx, where string, args ...any) (Work, bool, error) {
	return store.One(ctx, tx, scanWork, "SELECT "+workColumns+" FROM plan_work WHERE over = 0 AND "+where, args...)
}

// free checks that nothing works on a plan.
func free(ctx context.Context, tx *store.Tx, p Plan) error {
	w, busy, err := leased(ctx, tx, "plan = ?", p.number)
	if busy {
		return store.ForPeople(&BusyError{w})
	}
	return err
}

// Begin takes the lease for work on a plan, and sets the status that goes with it. IsNew is false if the same request has begun it
// before. An error is a sentence for people.
func (e *Engine) Begin(ctx context.Context, w Work) (begun Work, p Plan, isNew bool, err error) {
	w.number, w.Began = numberOf(w.Plan), e.Now()
	p, err = e.change(ctx, w.number, func(tx *store.Tx, p *Plan) error {
		known, found, err := store.One(ctx, tx, scanWork, "SELECT "+workColumns+" FROM plan_work WHERE dedupe = ? AND dedupe <> ''", w.Dedupe)
		if err != nil || found {
			w = known
			return err
		}
		isNew = true
		if err := free(ctx, tx, *p); err != nil {
			return err
		}
		if w.Kind == Forging {
			if other, busy, err := leased(ctx, tx, "kind = ?", Forging); err != nil || busy {
				return errors.Join(err, store.ForPeople(&BusyError{other}))
			}
		}
		if err := e.enter(ctx, tx, p, w); err != nil {
			return err
		}
		if w.Kind == Forging {
			p.Outside.Add(w.Outside) // which may become part of the text
		}
		return tx.QueryRowContext(ctx, `INSERT INTO plan_work (plan, kind, dedupe, guild, channel, parent, requester, prompters, job, outside, asked, state, message, attempts, began, over, outcome)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, ?, 0, '') RETURNING id`,
			w.number, w.Kind, w.Dedupe, w.At.Guild, w.At.Channel, w.At.Parent, w.Requester, w.Prompters, w.Job, w.Outside,
			string(w.Asked), string(w.State), w.Began.UnixMicro()).Scan(&w.ID)
	})
	return w, p, isNew, err
}

// enter sets the status with which work begins.
func (e *Engine) enter(ctx context.Context, tx *store.Tx, p *Plan, w Work) error {
	if w.Kind == Running {
		return e.set(ctx, tx, p, doc.Implementing, w.Requester, "")
	}
	switch p.Status {
	case doc.Draft, doc.Review:
		return nil
	case doc.Cancelled:
		return e.set(ctx, tx, p, doc.Review, w.Requester, "")
	}
	return store.ForPeople(doc.Refusal(p.ID, p.Status, doc.Draft))
}

// advance keeps how far work has come, in the transaction of what it has done. If that is further, attempts are counted anew.
func (w Work) advance(ctx context.Context, tx *store.Tx, further bool) error {
	n, err := store.Changed(tx.ExecContext(ctx, "UPDATE plan_work SET state = ?, attempts = CASE WHEN ? THEN 0 ELSE attempts END WHERE id = ? AND over = 0", string(w.State), further, w.ID))
	if err == nil && n == 0 {
		err = store.ForPeople(errors.New("this work is over already"))
	}
	return err
}

// Attempt counts an attempt at work, and returns how many there were since it last came further.
func (e *Engine) Attempt(ctx context.Context, w Work) (n int, err error) {
	err = e.db.Tx(ctx, func(tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "UPDATE plan_work SET attempts = attempts + 1 WHERE id = ? RETURNING attempts", w.ID).Scan(&n)
	})
	return n, store.Plain(err)
}

// Shown notes which message shows the progress of work.
func (e *Engine) Shown(ctx context.Context, w Work, m chat.MessageID) error {
	_, err := e.db.ExecContext(ctx, "UPDATE plan_work SET message = ? WHERE id = ?", m, w.ID)
	return store.Plain(err)
}

// A Card is the message in which people decide about a plan that was forged.
type Card struct {
	Message chat.MessageID `json:"message"`
	Version string         `json:"version"` // the hash of the plan that it is about
	Audit   string         `json:"audit"`   // what the audit of that found
	Shown   string         `json:"shown"`   // what it says, see the package work
}

// SetCard notes the card that work has posted, or with nil that it does not change any more.
func (e *Engine) SetCard(ctx context.Context, w Work, c *Card) error {
	var card []byte
	if c != nil {
		var err error
		if card, err = json.Marshal(c); err != nil {
			return err
		}
	}
	_, err := e.db.ExecContext(ctx, "UPDATE plan_work SET card = ? WHERE id = ?", string(card), w.ID)
	return store.Plain(err)
}

// Carded returns all work with a card, the oldest first.
func (e *Engine) Carded(ctx context.Context) ([]Work, error) { return e.works(ctx, "card <> ''") }

// An Ending is how work ends.
type Ending struct {
	To      doc.Status // of the plan; empty leaves it as it is
	Outcome string     // a word on how it went
	Why     string     // the reason for which the task is closed
	Said    string     // what people have to be told; see Told
}

// End ends work. A file that people have made unreadable does not keep the lease.
func (e *Engine) End(ctx context.Context, w Work, end Ending) (Plan, error) {
	return e.alter(ctx, w.number, false, func(tx *store.Tx, p *Plan) error {
		if _, err := tx.ExecContext(ctx, "UPDATE plan_work SET over = ?, outcome = ?, said = ? WHERE id = ? AND over = 0", e.Now().UnixMicro(), end.Outcome, end.Said, w.ID); err != nil {
			return err
		}
		if end.To != "" && p.Status != end.To {
			if err := e.set(ctx, tx, p, end.To, w.Requester, end.Why); err != nil {
				return err
			}
		}
		return e.reconsider(ctx, tx, p)
	})
}

// Told notes that people were told how work ended.
func (e *Engine) Told(ctx context.Context, w Work) error {
	_, err := e.db.ExecContext(ctx, "UPDATE plan_work SET said = '' WHERE id = ?", w.ID)
	return store.Plain(err)
}

// Unfinished returns all work that is not over, the oldest first.
func (e *Engine) Unfinished(ctx context.Context) ([]Work, error) { return e.works(ctx, "over = 0") }

// Untold returns all work that is over without people having been told, the oldest first.
func (e *Engine) Untold(ctx context.Context) ([]Work, error) {
	return e.works(ctx, "over <> 0 AND said <> ''")
}

func (e *Engine) works(ctx context.Context, where string) ([]Work, error) {
	list, err := store.All(ctx, e.db, scanWork, "SELECT "+workColumns+" FROM plan_work WHERE "+where+" ORDER BY id")
	return list, store.Plain(err)
}

// Leased returns the work that holds the lease of a kind, if there is some.
func (e *Engine) Leased(ctx context.Context, k Kind) (w Work, busy bool, err error) {
	list, err := e.Unfinished(ctx)
	for _, w := range list {
		if w.Kind == k {
			return w, true, err
		}
	}
	return Work{}, false, err
}
