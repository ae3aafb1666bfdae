package cron

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
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
func (e *Engine) Secret(ctx context.Context, id string) (secret string, err error) {
	err = e.rows.db.QueryRowContext(ctx, "SELECT secret FROM cron_hooks WHERE job = ? AND active = 1", id).Scan(&secret)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrNotFound
	}
	return secret, store.Plain(err)
}

// RenewSecret replaces the secret of a job's webhook, and returns the new one.
func (e *Engine) RenewSecret(ctx context.Context, id string) (string, error) {
	secret := e.NewSecret()
	res, err := e.rows.db.ExecContext(ctx, "UPDATE cron_hooks SET secret = ? WHERE job = ? AND active = 1", secret, id)
	if err != nil {
		return "", store.Plain(err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return "", errors.Join(ErrNotFound, err)
	}
	return secret, nil
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
	now := stored(e.Now())
	hash := sha256.Sum256(signature)
	err := e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		if err := mayCall(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM cron_calls WHERE job = ? AND signature = ? AND received < ? AND state = 'over'", id, hex.EncodeToString(hash[:]), micro(now.Add(-replayWindow)))
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "INSERT INTO cron_calls (job, signature, received, state, body) VALUES (?, ?, ?, 'waiting', ?) ON CONFLICT DO NOTHING", id, hex.EncodeToString(hash[:]), micro(now), body)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrRepeated, err)
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
		id, micro(now.Add(-rateWindow))+1, micro(now), id).Scan(&recent, &own, &all)
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
	var paused bool
	err := tx.QueryRowContext(ctx, "SELECT paused OR archived FROM crons JOIN cron_hooks ON job = id WHERE id = ? AND active = 1", id).Scan(&paused)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case err == nil && paused:
		return ErrPaused
	}
	return err
}

// call completes the run for the first call of a job that waits. It is false if none does.
func (e *Engine) call(ctx context.Context, f Fire) (Fire, bool) {
	var received int64
	err := e.rows.db.QueryRowContext(ctx, "SELECT id, received FROM cron_calls WHERE job = ? AND state = 'waiting' ORDER BY id LIMIT 1", f.Job).Scan(&f.Call, &received)
	if err != nil && !errors.Is(err, sql.ErrNoRows) && ctx.Err() == nil {
		e.Log.ErrorContext(ctx, "cannot load the calls of a webhook", "job", f.Job, "err", err)
	}
	f.Why, f.Slot = Webhook, at(received)
	return f, err == nil
}

// callWaits reports whether the call of a run still waits.
func callWaits(ctx context.Context, tx *store.Tx, f Fire) (yes bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM cron_calls WHERE id = ? AND job = ? AND state = 'waiting')", f.Call, f.Job).Scan(&yes)
	return yes, err
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
func (e *Engine) Body(ctx context.Context, f Fire) (body string, err error) {
	err = e.rows.db.QueryRowContext(ctx, "SELECT body FROM cron_calls WHERE id = ?", f.Call).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return body, store.Plain(err)
}

// Waiting returns how many calls of a job wait for their runs.
func (e *Engine) Waiting(ctx context.Context, id string) (n int, err error) {
	err = e.rows.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM cron_calls WHERE job = ? AND state = 'waiting'", id).Scan(&n)
	return n, store.Plain(err)
}

// Source names the calls of a job as outside text. It goes by its ID, since its name is not for everybody.
func (j Job) Source() chat.Sources { return chat.Sources("the webhook of " + j.ID) }
