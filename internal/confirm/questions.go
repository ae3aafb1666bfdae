package confirm

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
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
	joined      state = "joined"      // a later card of the turn has its actions, too
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

	Words   []string          `json:"words,omitempty"`
	Outside chat.Sources      `json:"outside,omitempty"`
	Names   map[string]string `json:"names,omitempty"`
}

// encoded is an action of a question as JSON.
func encoded(p actions.Pending) (json.RawMessage, error) {
	return json.Marshal(item{p.Request.Type, p.Request.Args, p.What, p.Kind, p.Words, p.Outside, p.Names})
}

// encoded are a question's actions as JSON.
func (q Question) encoded() (list []json.RawMessage, err error) {
	for _, held := range q.Items {
		text, err := encoded(held)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// has reports whether a question is about an action. Stored actions differ from others until they are encoded, and names may have changed.
func (q Question) has(p actions.Pending) bool {
	nameless := func(p actions.Pending) string {
		p.Names = nil
		text, _ := encoded(p) // what cannot be encoded was never stored
		return string(text)
	}
	text := nameless(p)
	return text != "" && slices.ContainsFunc(q.Items, func(other actions.Pending) bool { return nameless(other) == text })
}

// covers reports whether a question is about all that another one is about.
func (q Question) covers(other Question) bool {
	return !slices.ContainsFunc(other.Items, func(p actions.Pending) bool { return !q.has(p) })
}

// with is a question that is also about the actions of a later one of its turn.
func (q Question) with(later Question) Question {
	later.Origin.Outside.Add(q.Origin.Outside)
	fresh := slices.DeleteFunc(slices.Clone(later.Items), q.has)
	later.Items = slices.Concat(q.Items, fresh)
	return later
}

// same finds an equal open question. One of the same turn may be about further actions, and counts also if it was approved: a turn that
// is resumed after a crash must not ask again.
func (q questions) same(ctx context.Context, like Question) (rec record, found bool, err error) {
	list, err := q.list(ctx, `channel = ? AND requester = ? AND undoes = ?
		AND (state = ? AND expires > ? OR turn = ? AND turn <> '' AND undoes = '' AND state IN (?, ?, ?))`,
		like.Origin.Place.Channel, like.Origin.Requester, like.Undoes, open, q.now().UnixMicro(),
		like.Origin.Turn, running, done, interrupted)
	for _, rec := range list {
		sameTurn := rec.Origin.Turn == like.Origin.Turn && rec.Origin.Turn != ""
		if rec.covers(like) && (sameTurn || like.covers(rec.Question) && len(rec.Items) == len(like.Items)) {
			return rec, true, nil
		}
	}
	return record{}, false, err
}

// earlier finds the open question of the same turn that others can join. Too many changes have a card of their own kind.
func (q questions) earlier(ctx context.Context, like Question) (rec record, found bool, err error) {
	list, err := q.list(ctx, `state = ? AND expires > ? AND turn = ? AND turn <> '' AND undoes = '' AND channel = ? AND requester = ?`,
		open, q.now().UnixMicro(), like.Origin.Turn, like.Origin.Place.Channel, like.Origin.Requester)
	i := slices.IndexFunc(list, func(r record) bool { return r.mass() == record{Question: like}.mass() })
	if i < 0 {
		return record{}, false, err
	}
	return list[i], true, nil
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

// errAnswered is the error of a question that can no longer be joined.
var errAnswered = errors.New("the earlier question was answered")

// add adds a question. It takes over the actions of an earlier one, unless that is nil.
func (q questions) add(ctx context.Context, r record, earlier *record) error {
	items, err := r.encoded()
	if err != nil {
		return err
	}
	return q.db.Tx(ctx, func(tx *store.Tx) error {
		if earlier != nil {
			ours, err := settled(ctx, tx, earlier.token, open, joined, "")
			if err != nil {
				return err
			}
			if !ours {
				return errAnswered
			}
		}
		o := r.Origin
		_, err := tx.ExecContext(ctx, `INSERT INTO questions
			(`+columns+`, told)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, '', 0)`,
			r.token, r.state, o.Flow, o.Place.Guild, o.Place.Channel, o.Place.Parent, o.Place.Message, o.Requester, r.Asker,
			o.Prompters, o.Depth, o.Turn, o.Outside, r.Undoes,
			store.JSON(items), store.JSON(r.Remarks), r.asked.UnixMicro(), r.expires.UnixMicro())
		return err
	})
}

// drop settles a question that could not be asked. The earlier one that it was to replace is open again.
func (q questions) drop(ctx context.Context, r record, earlier *record) error {
	return q.db.Tx(ctx, func(tx *store.Tx) error {
		_, err := settled(ctx, tx, r.token, open, unasked, "")
		if err == nil && earlier != nil {
			_, err = settled(ctx, tx, earlier.token, joined, open, "")
		}
		return err
	})
}

// posted stores the message of the card.
func (q questions) posted(ctx context.Context, token string, card chat.MessageID) error {
	_, err := q.db.ExecContext(ctx, `UPDATE questions SET card = ? WHERE token = ?`, card, token)
	return err
}

// settle changes the state of a question if it still is from, and reports whether this call
// did. With a verdict, the question is settled, and its card has to be updated.
func (q questions) settle(ctx context.Context, token string, from, to state, verdict string) (bool, error) {
	return settled(ctx, q.db, token, from, to, verdict)
}

// settled is settle, also as a part of a transaction.
func settled(ctx context.Context, on execer, token string, from, to state, verdict string) (bool, error) {
	n, err := store.Changed(on.ExecContext(ctx, `UPDATE questions SET state = ?, verdict = ? WHERE token = ? AND state = ?`, to, verdict, token, from))
	return n == 1, err
}

// An execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
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

// untold returns the questions that were asked since then, are settled, and whose cards lack the verdict. A joined one is among them
// as soon as the later card is there.
func (q questions) untold(ctx context.Context, since time.Time) ([]record, error) {
	return q.list(ctx, `told = 0 AND asked > ? AND (verdict <> '' OR state = ? AND EXISTS (SELECT 1 FROM questions AS later
		WHERE later.turn = questions.turn AND later.asked >= questions.asked AND later.token <> questions.token AND later.card <> ''))`,
		since.UnixMicro(), joined)
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
		r.Items = append(r.Items, actions.Pending{Request: actions.Request{Type: i.Type, Args: i.Args}, What: i.What, Kind: i.Kind,
			Words: i.Words, Outside: i.Outside, Names: i.Names})
	}
	return r, err
}
