package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// writeTimeout is the timeout of a write. A turn that was stopped has to be recorded too,
// so the context of the turn does not count.
const writeTimeout = 10 * time.Second

// Settled records the outcome of an action. It is called before the turn ends, and again
// when a held action was approved and has run. An action outside of a turn is not
// recorded.
func (j *Journal) Settled(ctx context.Context, o actions.Origin, out actions.Outcome) {
	if o.Turn == "" {
		return
	}
	e, err := j.entry(o, out)
	if err == nil {
		err = j.record(ctx, o, e, out.Approved || out.Pending != nil && out.Err != nil)
	}
	if err != nil {
		j.o.Log.ErrorContext(ctx, "cannot record an action in the journal", "action", e.Type, "outcome", string(e.Outcome), "err", err)
	}
}

// entry is the entry of an outcome.
func (j *Journal) entry(o actions.Origin, out actions.Outcome) (Entry, error) {
	e := Entry{
		Turn:    o.Turn,
		Type:    j.text(out.Request.Type, maxNameLength),
		Verdict: j.text(verdict(out), maxLineLength),
		Outcome: outcome(o, out),
		Line:    j.line(out),
		At:      time.Now(),
		Took:    out.Took,
	}
	if out.Action != nil {
		e.Type, e.Category = out.Action.Name, j.o.Category(out.Action.Name)
	}
	raw := []byte(out.Request.Args)
	switch {
	case out.Pending != nil:
		raw = out.Pending.Request.Args
	case out.Input != nil:
		decoded, err := json.Marshal(out.Input)
		if err != nil {
			return e, fmt.Errorf("encode what the action was given: %w", err)
		}
		raw = decoded
	}
	e.Args = j.args(raw)
	if out.Done() && !o.Undoing && j.open(out.Result.Undo) {
		e.Inverses = out.Result.Undo
	}
	return e, nil
}

// open reports whether the inverses have no secrets. With one they are not stored, since
// they could not run redacted.
func (j *Journal) open(inverses []actions.Inverse) bool {
	for _, inv := range inverses {
		if j.hides(inv.Text) || j.hidesIn(inv.Request.Args) {
			return false
		}
	}
	return true
}

// AskedFor is the verdict on an action that ran after outside text was read, since the words of the person who asked asked for it.
const AskedFor = "allowed: asked for"

func verdict(out actions.Outcome) string {
	v := out.Verdict
	if v.Decision == actions.Allowed && out.Asked {
		return AskedFor
	}
	if v.Decision == actions.Allowed {
		return v.Decision.String()
	}
	return v.Decision.String() + ": " + v.Reason()
}

func outcome(o actions.Origin, out actions.Outcome) Outcome {
	switch {
	case out.Done() && o.Undoing:
		return Undid
	case out.Done() && out.Result.Reply != "":
		return Answered
	case out.Approved && out.Action != nil && out.Action.Destructive && out.Err == nil:
		return ApprovedDone
	case out.Approved && out.Action != nil && out.Action.Destructive:
		return ApprovedFailed
	case out.Pending != nil && out.Err == nil:
		return Pending
	case out.Err == nil && (out.Action.Effect == actions.Queries || out.Found()):
		return Found
	case out.Err == nil:
		return Done
	case out.Verdict.Decision != actions.Allowed:
		return Refused
	}
	return Failed
}

// line is the reported line with its details, or the question about an action without approval. What a query found is
// not in it: it may be other people's text.
func (j *Journal) line(out actions.Outcome) string {
	if out.Pending != nil && out.Err == nil {
		return j.text(asked+out.Pending.Plain(), maxLineLength)
	}
	return j.text(out.Detailed(), maxLineLength)
}

// asked begins the line of an action that waits for approval.
const asked = "Asked: "

// record adds an entry. If the action was held before, it updates the entry of that.
func (j *Journal) record(ctx context.Context, o actions.Origin, e Entry, wasHeld bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return j.db.Tx(ctx, func(tx *store.Tx) error {
		if err := begin(ctx, tx, o, e.At.Add(-e.Took)); err != nil {
			return err
		}
		if wasHeld {
			if found, err := settle(ctx, tx, e); found || err != nil {
				return err
			}
		}
		return add(ctx, tx, e)
	})
}

func add(ctx context.Context, tx *store.Tx, e Entry) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO actions (turn, number, type, category, args, verdict, outcome, line, at, took, inverses)
		SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM actions WHERE turn = ?`,
		e.Turn, e.Type, e.Category, e.Args, e.Verdict, string(e.Outcome), e.Line, e.At.UnixMicro(),
		e.Took.Microseconds(), stored(e.Inverses), e.Turn)
	return err
}

// settle updates the entry of a held action, if there is one like e.
func settle(ctx context.Context, tx *store.Tx, e Entry) (found bool, err error) {
	number, err := heldLike(ctx, tx, e)
	if err != nil || number == 0 {
		return false, err
	}
	_, err = tx.ExecContext(ctx,
		"UPDATE actions SET verdict = ?, outcome = ?, line = ?, at = ?, took = ?, inverses = ? WHERE turn = ? AND number = ?",
		e.Verdict, string(e.Outcome), e.Line, e.At.UnixMicro(), e.Took.Microseconds(), stored(e.Inverses), e.Turn, number)
	return true, err
}

// begin adds the turn of an action if it is missing.
func begin(ctx context.Context, tx *store.Tx, o actions.Origin, began time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO turns (id, flow, guild, channel, message, requester, requester_name, began)
		VALUES (?, ?, ?, ?, ?, ?, '', ?) ON CONFLICT (id) DO NOTHING`,
		o.Turn, string(o.Flow), string(o.Place.Guild), string(o.Place.Channel), string(o.Place.Message), string(o.Requester), began.UnixMicro())
	return err
}

// heldLike is the number of the held action that e settles.
func heldLike(ctx context.Context, tx *store.Tx, e Entry) (int, error) {
	return store.Value[int](ctx, tx, "SELECT number FROM actions WHERE turn = ? AND type = ? AND args = ? AND outcome = ? ORDER BY number LIMIT 1",
		e.Turn, e.Type, e.Args, string(Pending))
}

// An inverse is the stored form of an actions.Inverse.
type inverse struct {
	Type string          `json:"type"`
	Args json.RawMessage `json:"args"`
	Text string          `json:"text"`
}

// stored returns inverses as a column has them: NULL for none.
func stored(list []actions.Inverse) any {
	if len(list) == 0 {
		return nil
	}
	var kept []inverse
	for _, inv := range list {
		kept = append(kept, inverse{Type: inv.Request.Type, Args: inv.Request.Args, Text: inv.Text})
	}
	return store.JSON(kept)
}

// Approve records who approved a held action. It is called before the action runs, so that it is known even if the process ends then.
func (j *Journal) Approve(ctx context.Context, turn chat.TurnID, r actions.Request, by chat.UserID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET approver = ? WHERE turn = ? AND type = ? AND args = ? AND outcome = ?",
		string(by), turn, r.Type, j.args(r.Args), string(Pending))
	return err
}

// ApproveAll records who approved all actions of a turn, which was an undo.
func (j *Journal) ApproveAll(ctx context.Context, turn chat.TurnID, by chat.UserID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET approver = ? WHERE turn = ?", string(by), turn)
	return err
}

// Dismiss records that a held action will not run, and why: "rejected by ada", "nobody
// answered in time".
func (j *Journal) Dismiss(ctx context.Context, turn chat.TurnID, r actions.Request, why string) error {
	return j.end(ctx, turn, r, Dismissed, "Not done, "+why)
}

// Interrupt records that the process ended while an approved action was running.
func (j *Journal) Interrupt(ctx context.Context, turn chat.TurnID, r actions.Request) error {
	return j.end(ctx, turn, r, Interrupted, "Failed, I was restarted meanwhile")
}

// end records the outcome of a held action. Its line is how that ended, and what was asked.
func (j *Journal) end(ctx context.Context, turn chat.TurnID, r actions.Request, what Outcome, how string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return j.db.Tx(ctx, func(tx *store.Tx) error {
		number, err := heldLike(ctx, tx, Entry{Turn: turn, Type: r.Type, Args: j.args(r.Args)})
		if err != nil || number == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE actions SET outcome = ?, line = ? || ': ' || REPLACE(line, ?, ''), at = ? WHERE turn = ? AND number = ?",
			string(what), j.text(how, maxLineLength), asked, time.Now().UnixMicro(), turn, number)
		return err
	})
}

// Record records a finished turn in a transaction of its own. It is written even if ctx has
// ended, since a stopped turn is recorded too.
func (j *Journal) Record(ctx context.Context, t Turn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return j.db.Tx(ctx, func(tx *store.Tx) error { return j.Turn(ctx, tx, t) })
}

// Turn records a finished turn in a transaction of the caller's. Its actions are recorded
// already.
func (j *Journal) Turn(ctx context.Context, tx *store.Tx, t Turn) error {
	var named []Stripped
	for _, s := range t.Stripped {
		named = append(named, Stripped{Type: j.text(s.Type, maxNameLength), Reason: j.text(s.Reason, maxLineLength), Remedy: s.Remedy})
	}
	origin := actions.Origin{Turn: t.ID, Flow: t.Flow, Place: t.Place, Requester: t.Requester}
	if err := begin(ctx, tx, origin, t.Began); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE turns SET requester_name = ?, began = ?, took = ?, model = ?, input_tokens = ?, output_tokens = ?,
			sections = ?, requests = ?, malformed = ?, stripped = ?, error = ? WHERE id = ?`,
		j.text(t.RequesterName, maxNameLength), t.Began.UnixMicro(), t.Took.Microseconds(), t.Model, t.InputTokens, t.OutputTokens,
		store.JSON(t.Sections), t.Requests, t.Malformed, store.JSON(named), j.text(t.Error, maxLineLength), t.ID)
	if err != nil {
		return err
	}
	for _, m := range t.Answers {
		if _, err := tx.ExecContext(ctx, "INSERT INTO answers (message, turn) VALUES (?, ?) ON CONFLICT DO NOTHING", string(m), t.ID); err != nil {
			return err
		}
	}
	for _, m := range t.Batched {
		if _, err := tx.ExecContext(ctx, "INSERT INTO batched (message, turn) VALUES (?, ?) ON CONFLICT DO NOTHING", string(m), t.ID); err != nil {
			return err
		}
	}
	return nil
}
