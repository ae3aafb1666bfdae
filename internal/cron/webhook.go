package cron

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

const (
	// replayWindow is for how long the signature of a call is refused when it comes again.
	replayWindow = 24 * time.Hour
	// maxWaiting is how many calls of a job may wait, and maxWaitingAll how many of all jobs.
	maxWaiting    = 100
	maxWaitingAll = 400
	// maxCalls is how many calls of a job are accepted within rateWindow: each may cost money.
	maxCalls   = 20
	rateWindow = 2 * time.Minute
)

// Errors of Call. None of them stores anything.
var (
	ErrPaused   = errors.New("the job is paused")
	ErrRepeated = errors.New("a call with this signature was accepted before")
	ErrTooMany  = errors.New("too many calls wait")
	ErrTooOften = errors.New("too many calls in two minutes")
)

func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Secret returns the text with which the calls of a job's webhook are signed. ErrNotFound means that calls begin no job of that ID.
func (e *Engine) Secret(ctx context.Context, id string) (string, error) {
	secret, found, err := store.One(ctx, e.rows.db, store.Column[string], "SELECT secret FROM cron_hooks WHERE job = ? AND active = 1", id)
	if err == nil && !found {
		err = ErrNotFound
	}
	return secret, store.Plain(err)
}

// RenewSecret replaces the secret of a job's webhook, and returns the new one.
func (e *Engine) RenewSecret(ctx context.Context, id string) (string, error) {
	secret := e.NewSecret()
	n, err := store.Changed(e.rows.db.ExecContext(ctx, "UPDATE cron_hooks SET secret = ? WHERE job = ? AND active = 1", secret, id))
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return secret, store.Plain(err)
}

// hook gives a job that becomes one with a webhook its secret; one that had a webhook before keeps that, so that a
// change can be undone. Calls of a job that is paused, or has no webhook any more, wait no longer: what was missed then
// is not made up for.
func (e *Engine) hook(ctx context.Context, tx *store.Tx, was Trigger, j Job) (err error) {
	switch {
	case was != ByWebhook && j.Trigger == ByWebhook:
		_, err = tx.ExecContext(ctx, "INSERT INTO cron_hooks (job, secret, active) VALUES (?, ?, 1) ON CONFLICT (job) DO UPDATE SET active = 1", j.ID, e.NewSecret())
	case was == ByWebhook && j.Trigger != ByWebhook:
		_, err = tx.ExecContext(ctx, "UPDATE cron_hooks SET active = 0 WHERE job = ?", j.ID)
	}
	if err == nil && was == ByWebhook && (j.Rests() || j.Trigger != ByWebhook) {
		_, err = tx.ExecContext(ctx, "UPDATE cron_calls SET state = 'over', body = '' WHERE job = ? AND state = 'waiting'", j.ID)
	}
	return store.Plain(err)
}

// Call accepts a call of a job's webhook, whose signature the caller has checked: the job runs once for it, after the calls before it.
// When Call returns nil, the call survives a crash.
func (e *Engine) Call(ctx context.Context, id string, signature []byte, body string) error {
	now := store.Rounded(e.Now())
	hash := sha256.Sum256(signature)
	err := e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		if err := mayCall(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM cron_calls WHERE job = ? AND signature = ? AND received < ? AND state = 'over'", id, hex.EncodeToString(hash[:]), store.Micro(now.Add(-replayWindow)))
		if err != nil {
			return err
		}
		n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO cron_calls (job, signature, received, state, body) VALUES (?, ?, ?, 'waiting', ?) ON CONFLICT DO NOTHING", id, hex.EncodeToString(hash[:]), store.Micro(now), body))
		if err != nil || n == 0 {
			return cmp.Or(err, ErrRepeated)
		}
		return tooMany(ctx, tx, id, now)
	})
	if err == nil {
		e.Wake()
	}
	return err
}

// tooMany returns why a call that was just stored is one too many.
func tooMany(ctx context.Context, tx *store.Tx, id string, now time.Time) error {
	var recent, own, all int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM cron_calls WHERE job = ? AND received BETWEEN ? AND ?),
		COUNT(*) FILTER (WHERE job = ?), COUNT(*) FROM cron_calls WHERE state = 'waiting'`,
		id, store.Micro(now.Add(-rateWindow))+1, store.Micro(now), id).Scan(&recent, &own, &all)
	switch {
	case err != nil:
		return err
	case recent > maxCalls:
		return ErrTooOften
	case own > maxWaiting || all > maxWaitingAll:
		return ErrTooMany
	}
	return nil
}

// mayCall returns why a job takes no calls.
func mayCall(ctx context.Context, tx *store.Tx, id string) error {
	paused, found, err := store.One(ctx, tx, store.Column[bool], "SELECT paused OR archived FROM crons JOIN cron_hooks ON job = id WHERE id = ? AND active = 1", id)
	switch {
	case err == nil && !found:
		return ErrNotFound
	case err == nil && paused:
		return ErrPaused
	}
	return err
}

// call completes the run for the first call of a job that waits. It is false if none does.
func (e *Engine) call(ctx context.Context, f Fire) (Fire, bool) {
	f.Why = Webhook
	_, found, err := store.One(ctx, e.rows.db, func(row store.Row) (any, error) { return nil, row.Scan(&f.Call, store.Time(&f.Slot)) },
		"SELECT id, received FROM cron_calls WHERE job = ? AND state = 'waiting' ORDER BY id LIMIT 1", f.Job)
	if err != nil && ctx.Err() == nil {
		e.Log.ErrorContext(ctx, "cannot load the calls of a webhook", "job", f.Job, "err", err)
	}
	return f, found
}

// callWaits reports whether the call of a run still waits.
func callWaits(ctx context.Context, tx *store.Tx, f Fire) (bool, error) {
	return store.Value[bool](ctx, tx, "SELECT EXISTS (SELECT 1 FROM cron_calls WHERE id = ? AND job = ? AND state = 'waiting')", f.Call, f.Job)
}

// beginCall marks the call of a run as running. An earlier one that still is ended without being recorded.
func beginCall(ctx context.Context, tx *store.Tx, f Fire) error {
	if _, err := tx.ExecContext(ctx, "UPDATE cron_calls SET state = 'over', body = '' WHERE job = ? AND state = 'running'", f.Job); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE cron_calls SET state = 'running' WHERE id = ?", f.Call)
	return err
}

// endCall drops the body of the call of a run that is over.
func endCall(ctx context.Context, tx *store.Tx, f Fire) error {
	if f.Call == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE cron_calls SET state = 'over', body = '' WHERE id = ?", f.Call)
	return err
}

// Body returns what a run's webhook was called with. It is empty when the run is over.
func (e *Engine) Body(ctx context.Context, f Fire) (string, error) {
	body, err := store.Value[string](ctx, e.rows.db, "SELECT body FROM cron_calls WHERE id = ?", f.Call)
	return body, store.Plain(err)
}

// Waiting returns how many calls of a job wait for their runs.
func (e *Engine) Waiting(ctx context.Context, id string) (int, error) {
	n, err := store.Value[int](ctx, e.rows.db, "SELECT COUNT(*) FROM cron_calls WHERE job = ? AND state = 'waiting'", id)
	return n, store.Plain(err)
}

// Source names the calls of a job as outside text. It goes by its ID, since its name is not for everybody.
func (j Job) Source() chat.Sources { return chat.Sources("the webhook of " + j.ID) }
