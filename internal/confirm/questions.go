package confirm

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A state is that of a question.
type state string

const (
	open        state = "open"
	running     state = "running" // approved, and being executed
	done        state = "done"
	rejected    state = "rejected"
	expired     state = "expired"
	interrupted state = "interrupted" // the process ended while it was running
	unasked     state = "unasked"     // the card could not be posted
)

// A record is a question with its row.
type record struct {
	Question
	token          string
	state          state
	card           chat.MessageID
	asked, expires time.Time
	verdict        string // the last line of the settled card
}

func (q Question) requests() []actions.Request {
	var reqs []actions.Request
	for _, item := range q.Items {
		reqs = append(reqs, item.Request)
	}
	return reqs
}

// questions are the rows in the database.
type questions struct {
	db  *store.DB
	now func() time.Time
}

// An item is an action in a row.
type item struct {
	Type string          `json:"type"`
	Args json.RawMessage `json:"args"`
	What string          `json:"what"`
	Kind string          `json:"kind,omitempty"`
}

// encoded are a question's actions as JSON.
func (q Question) encoded() (string, error) {
	var items []item
	for _, held := range q.Items {
		items = append(items, item{held.Request.Type, held.Request.Args, held.What, held.Kind})
	}
	text, err := json.Marshal(items)
	return string(text), err
}

// same finds an equal open question. An approved one counts as well if the same
// turn asked it: a turn that is resumed after a crash must not ask again.
func (q questions) same(ctx context.Context, like Question) (rec record, found bool, err error) {
	items, err := like.encoded()
	if err != nil {
		return record{}, false, err
	}
	list, err := q.list(ctx, `channel = ? AND requester = ? AND undoes = ? AND items = ? AND (state = ? AND expires > ? OR turn = ? AND turn <> '' AND undoes = '' AND state IN (?, ?, ?))`,
		like.Origin.Place.Channel, like.Origin.Requester, like.Undoes, items, open, q.now().UnixMicro(),
		like.Origin.Turn, running, done, interrupted)
	if err != nil || len(list) == 0 {
		return record{}, false, err
	}
	return list[0], true, nil
}

// outside returns the outside texts that were read before a question was asked. What is undone may have words of those that
// were read before it was asked for.
func (q questions) outside(ctx context.Context, about Question) (chat.Sources, error) {
	of := about.Origin.Outside
	undone, _, undoes := strings.Cut(about.Undoes, "/")
	if !undoes {
		return of, nil
	}
	list, err := q.list(ctx, `turn = ?`, undone)
	for _, rec := range list {
		of.Add(rec.Origin.Outside)
	}
	return of, err
}

// link leads to the card.
func (r record) link() string {
	at := r.Origin.Place
	at.Message = r.card
	return at.Link()
}

func (q questions) add(ctx context.Context, r record) error {
	items, err := r.encoded()
	if err != nil {
		return err
	}
	o := r.Origin
	_, err = q.db.ExecContext(ctx, `INSERT INTO questions
		(`+columns+`, told)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, '', 0)`,
		r.token, r.state, o.Flow, o.Place.Guild, o.Place.Channel, o.Place.Parent, o.Place.Message, o.Requester, r.Asker,
		o.Prompters, o.Depth, o.Turn, o.Outside, r.Undoes,
		items, store.JSON(r.Remarks), r.asked.UnixMicro(), r.expires.UnixMicro())
	return err
}

// posted stores the message of the card.
func (q questions) posted(ctx context.Context, token string, card chat.MessageID) error {
	_, err := q.db.ExecContext(ctx, `UPDATE questions SET card = ? WHERE token = ?`, card, token)
	return err
}

// settle changes the state of a question if it still is from, and reports whether this call
// did. With a verdict, the question is settled, and its card has to be updated.
func (q questions) settle(ctx context.Context, token string, from, to state, verdict string) (bool, error) {
	n, err := store.Changed(q.db.ExecContext(ctx, `UPDATE questions SET state = ?, verdict = ? WHERE token = ? AND state = ?`, to, verdict, token, from))
	return n == 1, err
}

// told records that a card has its verdict.
func (q questions) told(ctx context.Context, token string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE questions SET told = 1 WHERE token = ?`, token)
	return err
}

// afterRestore deletes open questions from a restored copy: they may have been answered since,
// and must not be executed again. Their cards stay as they are: they may have a verdict by now.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM questions WHERE state IN (?, ?)`, open, running)
	return err
}

const columns = `token, state, flow, guild, channel, parent, message, requester, asker, prompter, depth, turn, outside, undoes, items, remarks, card, asked, expires, verdict`

// find returns a question in any state.
func (q questions) find(ctx context.Context, token string) (record, bool, error) {
	return store.One(ctx, q.db, scan, `SELECT `+columns+` FROM questions WHERE token = ?`, token)
}

// in returns the questions in a state, in the order in which they expire.
func (q questions) in(ctx context.Context, s state) ([]record, error) {
	return q.list(ctx, `state = ?`, s)
}

func (q questions) list(ctx context.Context, which string, args ...any) ([]record, error) {
	return store.All(ctx, q.db, scan, `SELECT `+columns+` FROM questions WHERE `+which+` ORDER BY expires, token`, args...)
}

func scan(row store.Row) (record, error) {
	var r record
	var list []item
	o := &r.Origin
	err := row.Scan(&r.token, &r.state, &o.Flow, &o.Place.Guild, &o.Place.Channel, &o.Place.Parent, &o.Place.Message,
		&o.Requester, &r.Asker, &o.Prompters, &o.Depth, &o.Turn,
		&o.Outside, &r.Undoes, store.JSON(&list), store.JSON(&r.Remarks), &r.card, store.Time(&r.asked), store.Time(&r.expires), &r.verdict)
	for _, i := range list {
		r.Items = append(r.Items, actions.Pending{Request: actions.Request{Type: i.Type, Args: i.Args}, What: i.What, Kind: i.Kind})
	}
	return r, err
}
