package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
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
	return func(ctx context.Context, at chat.Place) (who chat.UserID, err error) {
		err = db.QueryRowContext(ctx, `SELECT requester FROM turns JOIN actions ON turn = id
			WHERE type = ? AND outcome IN (?, ?) AND line LIKE ? LIMIT 1`, action, string(Done), string(ApprovedDone), "%("+at.Link()+")%").Scan(&who)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", fmt.Errorf("look for whom it was: %w", store.Plain(err))
		}
		return who, nil
	}
}

// SentFor returns a function that finds for whom an action posted a message that can be taken back; it is empty if that is not
// recorded, or not any more. The ID of the message is in the inverse of the action, which is never the words of a person.
func SentFor(db *store.DB) func(context.Context, chat.Place) (chat.UserID, error) {
	return func(ctx context.Context, at chat.Place) (who chat.UserID, err error) {
		err = db.QueryRowContext(ctx, `SELECT requester FROM turns JOIN actions ON turn = id
			WHERE json_extract(inverses, '$[0].type') = 'deleteMessage' AND json_extract(inverses, '$[0].args.messageId') = ? LIMIT 1`, string(at.Message)).Scan(&who)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", fmt.Errorf("look for whom it was: %w", store.Plain(err))
		}
		return who, nil
	}
}

func first(turns []Turn, err error) (Turn, bool, error) {
	if err != nil || len(turns) == 0 {
		return Turn{}, false, err
	}
	return turns[0], true, nil
}

// turns reads turns with their actions.
func (j *Journal) turns(ctx context.Context, which string, args ...any) ([]Turn, error) {
	turns, err := collect(ctx, j.db.QueryContext, scanTurn, `
		SELECT id, flow, guild, channel, message, requester, requester_name, began, took, model, input_tokens, output_tokens,
			sections, requests, malformed, stripped, error FROM turns `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	for i := range turns {
		t := &turns[i]
		if t.Actions, err = j.entries(ctx, t.ID); err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		if t.Answers, err = j.messages(ctx, "answers", t.ID); err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		if t.Batched, err = j.messages(ctx, "batched", t.ID); err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
	}
	return turns, nil
}

// messages are those of a turn in a table, in the order in which they were sent.
func (j *Journal) messages(ctx context.Context, table string, turn chat.TurnID) ([]chat.MessageID, error) {
	return collect(ctx, j.db.QueryContext, scanMessage, "SELECT message FROM "+table+" WHERE turn = ? ORDER BY LENGTH(message), message", turn)
}

func (j *Journal) entries(ctx context.Context, turn chat.TurnID) ([]Entry, error) {
	return collect(ctx, j.db.QueryContext, scanEntry, `
		SELECT turn, number, type, category, args, verdict, outcome, line, at, took, inverses, undone, approver
		FROM actions WHERE turn = ? ORDER BY number`, turn)
}

// collect reads all rows of a query.
func collect[T any](ctx context.Context, query func(context.Context, string, ...any) (*sql.Rows, error),
	scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	rows, err := query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

func scanMessage(rows *sql.Rows) (m chat.MessageID, err error) { return m, rows.Scan(&m) }

func scanTurn(rows *sql.Rows) (Turn, error) {
	var t Turn
	var began int64
	var took sql.NullInt64
	var sections, stripped []byte
	err := rows.Scan(&t.ID, &t.Flow, &t.Place.Guild, &t.Place.Channel, &t.Place.Message, &t.Requester, &t.RequesterName,
		&began, &took, &t.Model, &t.InputTokens, &t.OutputTokens, &sections, &t.Requests, &t.Malformed, &stripped, &t.Error)
	if err != nil {
		return Turn{}, err
	}
	t.Began, t.Took, t.Over = time.UnixMicro(began), micros(took.Int64), took.Valid
	if err := json.Unmarshal(sections, &t.Sections); err != nil {
		return Turn{}, err
	}
	return t, json.Unmarshal(stripped, &t.Stripped)
}

func scanEntry(rows *sql.Rows) (Entry, error) {
	var e Entry
	var at, took int64
	var inverses []byte
	var undone sql.NullInt64
	err := rows.Scan(&e.Turn, &e.Number, &e.Type, &e.Category, &e.Args, &e.Verdict, &e.Outcome, &e.Line, &at, &took,
		&inverses, &undone, &e.Approver)
	if err != nil {
		return Entry{}, err
	}
	e.At, e.Took = time.UnixMicro(at), micros(took)
	if undone.Valid {
		e.Undone = time.UnixMicro(undone.Int64)
	}
	e.Inverses, err = decodeInverses(inverses)
	return e, err
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
