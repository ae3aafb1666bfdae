package plan

import (
	"context"
	"database/sql"
	"errors"

	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/store"
)

const columns = "number, guild, channel, author, dedupe, status, task, approved, approver, outside, file, text, written, phases, created"

func scan(row store.Row) (Plan, error) {
	var p Plan
	var text, divided string
	err := row.Scan(&p.number, &p.Guild, &p.Channel, &p.Author, &p.dedupe, &p.Status, &p.Task, &p.Approved,
		&p.Decider, &p.Outside, &p.File, &text, &p.written, &divided, store.Time(&p.Created))
	if errors.Is(err, sql.ErrNoRows) {
		return p, ErrNotFound
	}
	if err != nil {
		return p, err
	}
	if p.Doc, err = doc.Parse(text); err != nil {
		return p, err
	}
	if divided != "" {
		p.Phases, err = phases.Decode([]byte(divided))
	}
	return p, err
}

func insert(ctx context.Context, tx *store.Tx, p Plan) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO plans ("+columns+") VALUES (?, ?, ?, ?, ?, ?, ?, '', '', ?, ?, ?, '', '', ?)",
		p.number, p.Guild, p.Channel, p.Author, p.dedupe, p.Status, p.Task, p.Outside, p.File, p.Text(), p.Created.UnixMicro())
	return err
}

func update(ctx context.Context, tx *store.Tx, p Plan) error {
	var divided []byte
	if p.Divided() {
		var err error
		if divided, err = p.Phases.Encode(); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "UPDATE plans SET status = ?, approved = ?, approver = ?, outside = ?, text = ?, written = ?, phases = ? WHERE number = ?",
		p.Status, p.Approved, p.Decider, p.Outside, p.Text(), p.written, string(divided), p.number)
	return err
}

// nextID returns the ID of the next plan: after all that there are, and after all files, which people may have put there.
func (e *Engine) nextID(ctx context.Context, tx *store.Tx) (doc.ID, error) {
	names, err := e.fileNames()
	if err != nil {
		return "", store.ForPeople(err)
	}
	highest, err := store.Value[int](ctx, tx, "SELECT coalesce(max(number), 0) FROM plans")
	return doc.NextID(highest, names...), err
}

// afterRestore ends what a restored copy of the database believes to be under way: it may have ended since.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.ExecContext(ctx, "UPDATE plan_work SET over = began, outcome = 'the database was restored' WHERE over = 0"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE plans SET status = ?, written = '' WHERE status = ?", doc.Approved, doc.Implementing)
	return err
}
