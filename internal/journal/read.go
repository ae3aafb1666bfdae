package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

// Recent are the latest turns of a channel, newest first, at most n.
func (j *Journal) Recent(ctx context.Context, ch chat.ChannelID, n int) ([]Turn, error) {
	return j.turns(ctx, "WHERE channel = ? ORDER BY began DESC, id DESC LIMIT ?", string(ch), n)
}

// About is the latest turn that a message of a channel began, alone or together with others, or that was answered with it.
func (j *Journal) About(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (Turn, bool, error) {
	return first(j.turns(ctx, `
		WHERE channel = ? AND (message = ? OR id IN (SELECT turn FROM answers WHERE message = ? UNION SELECT turn FROM batched WHERE message = ?))
		ORDER BY began DESC, id DESC LIMIT 1`, string(ch), string(m), string(m), string(m)))
}

// ByID finds a turn by its ID.
func (j *Journal) ByID(ctx context.Context, id chat.TurnID) (Turn, bool, error) {
	return first(j.turns(ctx, "WHERE id = ?", id))
}

// Answered is the turn that posted a message as a part of its answer.
func (j *Journal) Answered(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (Turn, bool, error) {
	return first(j.turns(ctx, "WHERE channel = ? AND id IN (SELECT turn FROM answers WHERE message = ?) LIMIT 1", string(ch), string(m)))
}

// MadeFor returns a function that finds for whom an action of one type posted a message; it is empty if that is not recorded,
// or not any more. The link to the message is in the line of the action.
func MadeFor(db *store.DB, action string) func(context.Context, chat.Place) (chat.UserID, error) {
	return func(ctx context.Context, at chat.Place) (chat.UserID, error) {
		return requester(ctx, db, "type = ? AND outcome IN (?, ?) AND line LIKE ?", action, string(Done), string(ApprovedDone), "%("+at.Link()+")%")
	}
}

// SentFor returns a function that finds for whom an action posted a message that can be taken back; it is empty if that is not
// recorded, or not any more. The ID of the message is in the inverse of the action, which is never the words of a person.
func SentFor(db *store.DB) func(context.Context, chat.Place) (chat.UserID, error) {
	return func(ctx context.Context, at chat.Place) (chat.UserID, error) {
		return requester(ctx, db, "json_extract(inverses, '$[0].type') = 'deleteMessage' AND json_extract(inverses, '$[0].args.messageId') = ?", string(at.Message))
	}
}

// requester returns who asked for the turn of an action.
func requester(ctx context.Context, db *store.DB, where string, args ...any) (chat.UserID, error) {
	who, err := store.Value[chat.UserID](ctx, db, "SELECT requester FROM turns JOIN actions ON turn = id WHERE "+where+" LIMIT 1", args...)
	return who, store.Wrap(store.Plain(err), "look for whom it was")
}

func first(turns []Turn, err error) (Turn, bool, error) {
	if err != nil || len(turns) == 0 {
		return Turn{}, false, err
	}
	return turns[0], true, nil
}

// turns reads turns with their actions.
func (j *Journal) turns(ctx context.Context, which string, args ...any) ([]Turn, error) {
	turns, err := store.All(ctx, j.db, scanTurn, `
		SELECT id, flow, guild, channel, message, requester, requester_name, began, took, model, input_tokens, output_tokens,
			sections, requests, malformed, stripped, error FROM turns `+which, args...)
	for i := range turns {
		t := &turns[i]
		var failed [3]error
		t.Actions, failed[0] = j.entries(ctx, t.ID)
		t.Answers, failed[1] = j.messages(ctx, "answers", t.ID)
		t.Batched, failed[2] = j.messages(ctx, "batched", t.ID)
		err = errors.Join(err, errors.Join(failed[:]...))
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return turns, nil
}

// messages are those of a turn in a table, in the order in which they were sent.
func (j *Journal) messages(ctx context.Context, table string, turn chat.TurnID) ([]chat.MessageID, error) {
	return store.All(ctx, j.db, store.Column[chat.MessageID], "SELECT message FROM "+table+" WHERE turn = ? ORDER BY LENGTH(message), message", turn)
}

func (j *Journal) entries(ctx context.Context, turn chat.TurnID) ([]Entry, error) {
	return store.All(ctx, j.db, scanEntry, `
		SELECT turn, number, type, category, args, verdict, outcome, line, at, took, inverses, undone, approver
		FROM actions WHERE turn = ? ORDER BY number`, turn)
}

func scanTurn(row store.Row) (t Turn, err error) {
	var took sql.NullInt64
	err = row.Scan(&t.ID, &t.Flow, &t.Place.Guild, &t.Place.Channel, &t.Place.Message, &t.Requester, &t.RequesterName,
		store.Time(&t.Began), &took, &t.Model, &t.InputTokens, &t.OutputTokens, store.JSON(&t.Sections), &t.Requests, &t.Malformed,
		store.JSON(&t.Stripped), &t.Error)
	t.Took, t.Over = micros(took.Int64), took.Valid
	return t, err
}

func scanEntry(row store.Row) (e Entry, err error) {
	var took int64
	var inverses []inverse
	err = row.Scan(&e.Turn, &e.Number, &e.Type, &e.Category, &e.Args, &e.Verdict, &e.Outcome, &e.Line, store.Time(&e.At), &took,
		store.JSON(&inverses), store.Time(&e.Undone), &e.Approver)
	e.Took = micros(took)
	for _, inv := range inverses {
		e.Inverses = append(e.Inverses, actions.Inverse{Request: actions.Request{Type: inv.Type, Args: inv.Args}, Text: inv.Text})
	}
	return e, err
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// A Batch has actions of one turn that were done in a row: no other turn did anything in the channel between them.
type Batch struct {
	Turn Turn
	Undo []Entry // that can be undone and were not, in the order of the undo
	Stay []Entry // that were done and cannot be undone
}

// maxBatches is how many turns !undo looks back.
const maxBatches = 20

// Batches are what was done in a channel and was not undone, the latest first. What was approved just now may belong to a turn of ten
// minutes ago, so that the actions of a turn can be in several batches.
func (j *Journal) Batches(ctx context.Context, ch chat.ChannelID) ([]Batch, error) {
	turns, err := j.turns(ctx, `
		JOIN (
			SELECT a.turn AS id, MAX(a.at) AS latest FROM actions a
			WHERE a.outcome IN (?, ?) AND a.undone IS NULL GROUP BY a.turn) u USING (id)
		WHERE channel = ? ORDER BY u.latest DESC LIMIT ?`, string(Done), string(ApprovedDone), string(ch), maxBatches)
	if err != nil {
		return nil, err
	}
	type deed struct {
		Entry
		in Turn
	}
	var deeds []deed
	for _, t := range turns {
		for _, e := range t.Actions {
			if e.changed() && e.Undone.IsZero() {
				deeds = append(deeds, deed{e, t})
			}
		}
	}
	order.By(deeds, func(a, b deed) int {
		return cmp.Or(b.At.Compare(a.At), b.in.Began.Compare(a.in.Began), cmp.Compare(b.Turn, a.Turn), b.Number-a.Number)
	})
	var list []Batch
	for i, d := range deeds {
		if i == 0 || d.Turn != deeds[i-1].Turn {
			list = append(list, Batch{Turn: d.in})
		}
		b := &list[len(list)-1]
		if len(d.Inverses) > 0 {
			b.Undo = append(b.Undo, d.Entry)
		} else {
			b.Stay = append(b.Stay, d.Entry)
		}
	}
	return list, nil
}

// changed reports whether the action has done something that people may want to undo.
func (e Entry) changed() bool { return e.Outcome == Done || e.Outcome == ApprovedDone }

// Claim reports whether the caller may undo an action: true for exactly one. It is called
// before the inverses run, so that they never run twice.
func (j *Journal) Claim(ctx context.Context, turn chat.TurnID, number int) (bool, error) {
	n, err := store.Changed(j.db.ExecContext(ctx,
		"UPDATE actions SET undone = ? WHERE turn = ? AND number = ? AND inverses IS NOT NULL AND undone IS NULL",
		time.Now().UnixMicro(), turn, number))
	return n == 1, err
}

// Release releases a claim when the inverses did not run, so that the undo can be retried.
func (j *Journal) Release(ctx context.Context, turn chat.TurnID, number int) error {
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET undone = NULL WHERE turn = ? AND number = ?", turn, number)
	return err
}

// Ran is how many actions of a turn have settled.
func (j *Journal) Ran(ctx context.Context, turn chat.TurnID) (int, error) {
	return store.Value[int](ctx, j.db, "SELECT COUNT(*) FROM actions WHERE turn = ?", turn)
}
